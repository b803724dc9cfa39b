"""Words outside the vocabulary, with the shipped models: mapped to words, or drawn from a uniform place."""

import json
from collections import Counter

import pytest
from conftest import SOURCE

SHIPPED = SOURCE / "models"
MAP = "sotto-en-word-map/word-map.safetensors"
SOCIAL = "@ann92 soooo happy about the Café https://x.org/a?b recieve #dinner jane@example.org b2b4c6 北京 😀\n"
GERMAN = "Gestern haben wir den ganzen Nachmittag zwischen alten Häusern verbracht und dabei viel gelacht.\n"
ENGLISH = "We waited at the station for an hour and then the doctor called about the result.\n"


def run(program, text, *options, epsilon=1):
    """Output, receipt, statistics and messages of a run over `text` with the shipped default model."""
    program.write("in.txt", text)
    outcome = program.ok("privatize", "in.txt", "-o", "out.txt", "-e", str(epsilon), "--report", "receipt.json",
                         "--statistics", "statistics.json", *options)
    read = {name: json.loads((program.folder / f"{name}.json").read_text()) for name in ("receipt", "statistics")}
    return (program.folder / "out.txt").read_text(), read["receipt"], read["statistics"], outcome.err


def test_paths_are_counted_in_the_statistics_only(program):
    _, receipt, statistics, _ = run(program, SOCIAL)
    paths = statistics["privatized"]["paths"]
    assert sum(paths.values()) == statistics["privatized"]["tokens"] == receipt["counts"]["privatized"]
    assert paths["uniform"] >= 5 and paths["folded"] >= 2 and paths["bottom"] == 0
    assert sum(paths.values()) - paths["vocabulary"] == statistics["privatized"]["outside_vocabulary"]
    assert "paths" not in json.dumps(receipt) and "uniform\"" not in json.dumps(receipt)
    assert receipt["policy"]["oov"] == "nearest" and len(receipt["word_map"]["digest"]) == 64
    assert "mapped words" in receipt["guarantee"]["statement"]
    assert any("hardly hidden" in leak for leak in receipt["leaks"])


def test_bottom_knows_no_map(program):
    _, receipt, statistics, _ = run(program, SOCIAL, "--oov", "bottom")
    assert "word_map" not in receipt and not any("hardly hidden" in leak for leak in receipt["leaks"])
    assert "mapped" not in json.dumps(receipt["guarantee"])
    assert statistics["privatized"]["paths"]["bottom"] == statistics["privatized"]["outside_vocabulary"] > 0


def test_no_word_piles_up(program):
    text = "".join(f"https://example.org/{i}\n" for i in range(3000))
    spread = Counter(run(program, text, "--case", "lower", epsilon=3)[0].split())
    piled = Counter(run(program, text, "--case", "lower", "--oov", "bottom", epsilon=3)[0].split())
    # 3,000 uniform draws from more than 30,000 words: the chance that one word comes 9 times or more is below
    # 30,000 · C(3000, 9) / 30,000^9 < 1e-10.
    assert spread.most_common(1)[0][1] < 9 and len(spread) > 2500
    assert piled.most_common(1)[0][1] > 300


@pytest.mark.parametrize("token", ["soooo", "https://x.org", "recieve"])
def test_repeats_are_repeats(program, key, token):
    program.write("in.txt", f"the {token} soup\n" * 50)
    line = ("privatize", "in.txt", "-e", "1", "--key-file", key)
    first = program.ok(*line).out
    assert program.ok(*line).out == first
    assert program.ok(*line, "--oov", "bottom").out != first


def test_shards_and_threads_agree(program, key):
    program.write("in.txt", (SOCIAL + ENGLISH) * 400)
    line = ("privatize", "in.txt", "-e", "1", "--key-file", key, "--quiet")
    whole = program.ok(*line, "--threads", "4").out
    assert whole == program.ok(*line, "--threads", "1").out
    assert whole == b"".join(program.ok(*line, "--shard", f"{i}/3").out for i in (1, 2, 3))


@pytest.mark.parametrize("options", [
    ["--document-epsilon", "20"],
    ["--document-epsilon", "20", "--budget", "words", "--model", "sotto-en-phrases", "-m", "tem"],
    ["-e", "2", "--model", "sotto-en-phrases", "-m", "tem", "--collocations", "optimal"],
    ["-e", "2", "-m", "santext-plus"], ["-e", "2", "-m", "custext"], ["-e", "8", "-m", "cmp"]])
def test_every_front_accepts_it(program, options):
    program.write("in.txt", SOCIAL * 3)
    out = program.ok("privatize", "in.txt", "--report", "receipt.json", *options).text
    for token in ("soooo", "Café", "x.org", "recieve", "jane@", "b2b4c6", "北京", "😀", "@ann92"):
        assert token not in out
    statement = json.loads((program.folder / "receipt.json").read_text())["guarantee"]["statement"]
    assert ("nothing is promised between one of them and a word" in statement) == ("custext" in options)


def test_a_repeat_costs_nothing(program, key):
    program.write("in.jsonl", "".join(json.dumps({"who": "ann", "text": SOCIAL.strip()}) + "\n" for _ in range(2)))
    line = ("privatize", "in.jsonl", "--field", "text", "-e", "1", "--key-file", key, "--ledger", "spent.ledger",
            "--subject", "who", "--limit", "1000")
    first = program.ok(*line).out
    before = program.ok("ledger", "show", "spent.ledger", "ann", "--json").text
    assert program.ok(*line).out == first
    assert program.ok("ledger", "show", "spent.ledger", "ann", "--json").text == before


@pytest.fixture
def exchanged(program):
    """A folder of models in which somebody changed the map."""
    folder = program.folder / "exchanged"
    (folder / "sotto-en-word-map").mkdir(parents=True)
    changed = bytearray((SHIPPED / MAP).read_bytes())
    changed[-1] ^= 1
    (folder / MAP).write_bytes(changed)
    program.environment["SOTTO_MODELS"] = str(folder)
    return program


def test_an_exchanged_map_is_refused(exchanged):
    exchanged.write("in.txt", SOCIAL)
    outcome = exchanged.run("privatize", "in.txt", "-o", "out.txt", "-e", "1")
    assert outcome.code != 0 and outcome.err.count("\n") == 1
    assert "--oov" in outcome.err and "map of words" in outcome.err
    assert not (exchanged.folder / "out.txt").exists()
    assert exchanged.ok("privatize", "in.txt", "-e", "1", "--oov", "bottom").out


def test_exchanged_word_forms_are_other_noise_or_refused(program, key):
    """Everybody may bring a table of forms of their own: the receipt tells, and the noise is not that of another table."""
    program.write("in.txt", ENGLISH)
    line = ("privatize", "in.txt", "-e", "1", "--key-file", key, "--report", "receipt.json")
    first = program.ok(*line).text
    before = json.loads((program.folder / "receipt.json").read_text())
    folder = program.folder / "exchanged" / "sotto-en-word-forms"
    folder.mkdir(parents=True)
    content = (SHIPPED / "sotto-en-word-forms" / "word-forms.safetensors").read_bytes()
    (folder / "word-forms.safetensors").write_bytes(content.replace(b"\nZurich\n", b"\nZURICH\n"))
    program.environment["SOTTO_MODELS"] = str(folder.parent)
    assert program.ok(*line).text != first
    after = json.loads((program.folder / "receipt.json").read_text())
    assert after["word_forms"] != before["word_forms"] and after["configuration_sha256"] != before["configuration_sha256"]
    (folder / "word-forms.safetensors").write_bytes(content[:-1] + b" ")
    outcome = program.run(*line)
    assert outcome.code != 0 and outcome.err.count("\n") == 1 and "--case" in outcome.err and "position" in outcome.err
    assert program.ok(*line, "--case", "position").text


def test_the_map_is_opened_only_for_unknown_words(exchanged):
    exchanged.write("in.txt", ENGLISH)
    exchanged.ok("privatize", "in.txt", "-e", "1")


@pytest.mark.parametrize("text, warned", [(GERMAN * 5, True), (ENGLISH * 5, False), (SOCIAL, False),
                                          ("\u0421\u0443\u043f \u0431\u044b\u043b. " * 20, True)])
@pytest.mark.parametrize("options", [[], ["--oov", "bottom"], ["--policy", "paper"]])
def test_a_text_in_another_language_draws_a_warning(program, text, warned, options):
    _, receipt, _, messages = run(program, text, *options)
    assert ("outside the vocabulary" in messages) == warned
    assert ("warning: " in messages and "%" in messages.split("warning: ")[1]) if warned else True
    assert "language" not in json.dumps(receipt)


def test_the_falsifier_tests_strings_outside_the_vocabulary(program):
    line = ("audit", "--method", "black-box", "-e", "0.2", "--through", "document", "--draws", "4000",
            "--pairs", "16", "--seed", "1", "--runs", "10", "--model", program.model)
    report = json.loads(program.ok(*line, "--json").text)
    chosen = Counter(pair["chosen_as"] for pair in report["pairs"])
    assert min(chosen["one image"], chosen["unmapped"], chosen["outside"], chosen["nearest"]) >= 4
    assert all(pair["claimed_loss"] == 0 for pair in report["pairs"] if pair["chosen_as"] in ("one image", "unmapped"))
    assert "pairs by choice: " in program.ok(*line).text
    bottom = json.loads(program.ok(*line, "--json", "--oov", "bottom").text)
    assert not any(pair["chosen_as"] in ("one image", "unmapped") for pair in bottom["pairs"])


EXPLAINED = [("Café", "cafe", "folded"), ("soooo", "so", "folded"), ("recieve", "receive", "corrected"),
             ("teh", "the", "corrected"), ("happybirthday", "birthday", "subword"), ("https://x.org/a?b", "", "uniform"),
             ("@ann92", "", "uniform"), ("北京", "", "uniform")]


LISTS = ["-e", "3"]
PHRASES = ["-e", "8", "-m", "tem", "--model", "sotto-en-phrases"]
EXPLAINED_WITH = [(*row, LISTS) for row in EXPLAINED] + [(*row, PHRASES) for row in EXPLAINED[:4]]


@pytest.mark.parametrize("token, word, path, choice", EXPLAINED_WITH,
                         ids=[f"{row[0]} {row[3][-1]}" for row in EXPLAINED_WITH])
def test_explain_says_what_privatize_does(program, token, word, path, choice):
    told = json.loads(program.ok("explain", token, *choice, "--json").text)
    assert told["enters_as"] == ({"path": path, "word": word} if word else {"path": path}) and not told["in_vocabulary"]
    text = program.ok("explain", token, *choice).text
    assert (f"not a word of the model; enters as '{word}' ({path})" if word else "its place is drawn uniformly") in text
    if word:
        known = json.loads(program.ok("explain", word, *choice, "--json").text)
        assert [told[name] for name in ("top", "n_w", "s_w")] == [known[name] for name in ("top", "n_w", "s_w")]
    program.write("in.txt", f"{token} ")
    program.ok("privatize", "in.txt", "-o", "out.txt", *choice, "--statistics", "statistics.json", "--quiet")
    assert json.loads((program.folder / "statistics.json").read_text())["privatized"]["paths"][path] == 1


def test_explain_with_bottom(program):
    assert "enters as ⊥, like all such words" in program.ok("explain", "Café", "-e", "3", "--oov", "bottom").text
    told = json.loads(program.ok("explain", "Café", "-e", "3", "--oov", "bottom", "--json").text)
    assert told["enters_as"] == {"path": "bottom"}
    assert told["top"] == json.loads(program.ok("explain", "北京", "-e", "3", "--oov", "bottom", "--json").text)["top"]


@pytest.mark.parametrize("first, second, says", [("Café", "cafe", "both enter as 'cafe'"),
                                                 ("recieve", "Receive", "both enter as 'receive'"),
                                                 ("北京", "https://x.org", "both have no meaningful place")])
def test_strings_with_one_image_are_not_told_apart(program, first, second, says):
    line = ("explain", first, "--against", second, "-e", "0.5,3,100")
    assert f"{says}: no output tells them apart, whatever epsilon is" in program.ok(*line).text
    for pair in json.loads(program.ok(*line, "--json").text)["pairs"]:
        assert pair["distance"] == 0 and pair["promised_factor"] == pair["observed_factor"] == 1


def test_a_link_against_a_word(program):
    line = ("explain", "https://x.org", "--against", "soup", "-e", "0.01,3")
    for pair in json.loads(program.ok(*line, "--json").text)["pairs"]:
        assert pair["exact"] and 0 < pair["observed_loss"] <= pair["promised_loss"]
    assert "no output tells them apart" not in program.ok(*line).text


@pytest.mark.parametrize("word, says", [("12", "'12' is not a word"), ("cold soup", "'cold soup' is 2 words"),
                                        ("!?", "'!?' is not a word")])
def test_what_is_no_word_is_not_explained(program, word, says):
    outcome = program.run("explain", word, "-e", "1")
    assert outcome.code != 0 and says in outcome.err


def test_explain_needs_the_map_only_for_unknown_words(exchanged):
    model = SHIPPED / "sotto-en-lists.safetensors"
    assert exchanged.ok("explain", "soup", "-e", "1", "--model", model).out
    outcome = exchanged.run("explain", "soooup", "-e", "1", "--model", model)
    assert outcome.code != 0 and "--oov" in outcome.err
    assert exchanged.ok("explain", "soooup", "-e", "1", "--model", model, "--oov", "bottom").out
