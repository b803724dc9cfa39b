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
