"""What helps people to choose and to answer for it: explain --against, privatize --preview, receipt show, budget."""

import copy
import functools
import json
import math
import os
import pty
import re
import shutil
import subprocess

import pytest
from conftest import WORDS, Program, refused, sentences
from schemas import schema
from test_language_models import make_model

USAGE, FAILED = 2, 1
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")
HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202eevil\u009b31m\r"


@pytest.fixture
def language_model(program):
    plugin = os.environ.get("SOTTO_FAKE_PLUGIN")
    if not plugin:
        pytest.skip("there is no plugin for tests")
    program.environment["SOTTO_PLUGINS"] = plugin
    return make_model(program.folder / "masked", range=10)


def on_terminal(program, *arguments, columns=80, **environment):
    """What the program writes to a terminal of this width."""
    master, slave = pty.openpty()
    subprocess.run(["stty", "cols", str(columns), "rows", "40"], stdin=slave, check=True)
    program.environment.update({"TERM": "xterm", **environment})
    process = program.start(*arguments, stdout=slave, stderr=subprocess.PIPE)
    os.close(slave)
    out = b""
    while True:
        try:
            block = os.read(master, 65536)
        except OSError:  # the program closed it
            break
        if not block:
            break
        out += block
    os.close(master)
    err = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 0, err
    return out.replace(b"\r\n", b"\n"), err


# explain --against

EXACT = [("diffractor-geometric", "lists"), ("diffractor-tem", "lists"), ("santext", "first"), ("tem", "first"),
         ("custext", "first")]


@pytest.mark.parametrize("mechanism, model", EXACT, ids=[row[0] for row in EXACT])
@pytest.mark.parametrize("other", ["cold", "waiter", "Zanzibar"])
def test_a_comparison_keeps_the_promise(program, models, mechanism, model, other):
    told = json.loads(program.ok("explain", "soup", "--against", other, "-m", mechanism, "--model",
                                 models / f"{model}.safetensors", "-e", "0.5,1,3", "--top", "1000", "--json").text)
    schema("word_comparison").validate(told)
    assert [pair["epsilon"] for pair in told["pairs"]] == [0.5, 1, 3]
    assert ("typical_distances" in told) == (mechanism != "custext")
    for pair in told["pairs"]:
        assert pair["exact"]
        for side in ("first", "second"):
            assert sum(row[side] for row in pair["outcomes"]) == pytest.approx(1, abs=1e-9)
        losses = [abs(math.log(row["first"] / row["second"])) for row in pair["outcomes"] if row["first"] and row["second"]]
        if pair["promised_loss"] is None:  # custext, between groups
            assert pair["distance"] is None and pair["observed_loss"] is None
            continue
        assert pair["promised_loss"] == pytest.approx(pair["epsilon"] * pair["distance"])
        assert max(losses) == pytest.approx(pair["observed_loss"], rel=1e-6)
        assert pair["observed_loss"] <= pair["promised_loss"] * (1 + 1e-9)


def test_a_comparison_for_people(program):
    ask = ["explain", "soup", "--against", "cold", "--model", program.model, "-e", "0.5,1,3"]
    text = program.ok(*ask).text
    assert text.startswith("soup and cold under diffractor-geometric in lists\n")
    assert "the lists of first and second" in text and "(3)" not in text and "(2)" not in text
    assert re.search(r"typical distances: \S+ to the nearest word, \S+ between two words", text)
    assert len(re.findall(r"^  epsilon \S+$", text, re.M)) == 3
    assert program.ok(*ask).text == text, "typical distances and exact rows are the same every time"


@pytest.mark.parametrize("mechanism", ["tem", "diffractor-tem"])
def test_a_comparison_at_several_epsilons_states_the_guarantee_of_all(program, models, mechanism):
    model = program.model if mechanism.startswith("diffractor") else models / "first.safetensors"
    ask = ["explain", "soup", "--against", "cold", "-m", mechanism, "--model", model, "-e"]
    text = program.ok(*ask, "10,12,15").text
    pairs = json.loads(program.ok(*ask, "10,12,15", "--json").text)["pairs"]
    limits = [pair["largest_distance"] for pair in pairs]
    assert limits[0] > limits[1] > limits[2]
    guarantee, d = (re.search(rf"^  {name}: (.*)$", text, re.M)[1] for name in ("guarantee", "d"))
    assert "exp(epsilon d)" in guarantee and "gamma" in guarantee and "at most gamma" in d
    assert not re.search(r"\b1[025]\b|\d\.\d", guarantee + d)
    rows = [row.split()[:2] for row in text.splitlines() if re.match(r" +1[025]  +\d", row)]
    assert [float(gamma) for _, gamma in rows] == pytest.approx(limits, rel=1e-5)
    # One epsilon is named, with its own limit.
    text = program.ok(*ask, "12").text
    assert "exp(12 d)" in text and "gamma" not in text and f"at most {limits[1]:.3g}"[:10] in text


def test_a_comparison_without_a_limit_has_no_column_for_it(program, models):
    text = program.ok("explain", "soup", "--against", "cold", "-m", "santext", "--model", models / "first.safetensors",
                      "-e", "10,12").text
    assert "exp(epsilon d)" in text and "exp(10" not in text and "gamma" not in text


def test_names_of_lists_are_in_words(program):
    for lists, words in (("L0", "the lists of first and second"), ("L1", "the two lists of each of first and second"),
                         ("L2", "the list of first")):
        for mechanism in ("diffractor-geometric", "diffractor-tem"):
            text = program.ok("explain", "soup", "-m", mechanism, "--model", program.model, "-e", "1", "--set",
                              f"lists={lists}").text
            assert f" in {words}" in text and "list(s)" not in text


def test_sampled_comparisons_say_so(program, models):
    ask = ["explain", "soup", "--against", "cold", "-m", "cmp", "--model", models / "first.safetensors", "-e", "50",
           "--draws", "2000"]
    assert "with 95% confidence" in program.ok(*ask).text
    pair = json.loads(program.ok(*ask, "--json").text)["pairs"][0]
    assert not pair["exact"] and pair["draws"] == 2000 and pair["observed_loss"] > 1


def test_a_word_in_its_context(program, language_model):
    ask = ["explain", "-m", "dp-mlm", "--model", language_model, "--text", "The soup, 12 was cold.", "--word", "2"]
    told = json.loads(program.ok(*ask, "-e", "5", "--json").text)
    schema("explanation").validate(told)
    assert told["word"] == "soup" and told["exact"] and told["place"]["word"] == 2
    assert sum(row["probability"] for row in told["top"]) == pytest.approx(1)
    assert "word 2 of: The soup, 12 was cold." in program.ok(*ask, "-e", "5").text
    pairs = json.loads(program.ok(*ask, "-e", "1,5", "--against", "waiter", "--json").text)["pairs"]
    for pair in pairs:
        assert pair["distance"] == 1 and pair["observed_loss"] <= pair["promised_loss"] == pytest.approx(pair["epsilon"])


BAD_EXPLAIN = [
    ("explain soup -e 1,2", "--epsilon: '1,2' has several values; they need --against"),
    ("explain soup --against cold -e 1,x", "--epsilon: 'x' is not allowed"),
    ("explain soup --against cold -e 1,", "--epsilon: '' is not allowed"),
    ("explain soup --against cold", "--epsilon: missing"),
    ("explain -e 1", "WORD: missing"),
    ("explain soup -e 1 --word 2", "--word: '2' needs --text"),
    ("explain soup -e 1 --text soup --word 1", "'soup': a word cannot be given together with --text"),
    ("explain -e 1 --text soup", "--word: missing"),
    ("explain -e 1 --text soup --word 0", "--word: '0' is not allowed"),
    ("explain -e 1 --text soup --word 2", "--word: '2' is not allowed"),
    ("explain -e 1 --text 12 --word 1", "--text: there is no word in it"),
    ("explain soup -e 1 -m dp-mlm", "'dp-mlm' rewrites whole texts; give --text TEXT and --word N"),
    ("explain -e 1 -m dp-prompt --text soup --word 1", "--mechanism: 'dp-prompt' writes a new text"),
]


@pytest.mark.parametrize("command, part", BAD_EXPLAIN, ids=[row[0] for row in BAD_EXPLAIN])
def test_bad_explanations(program, command, part):
    model = [] if "dp-" in command else ["--model", program.model]
    refused(program, [*command.split(), *model], USAGE, part)


# privatize --preview

FORMATS = [
    ("in.txt", "the soup was cold\nmy dog\nthe cat\n", [], ["the soup was cold", "my dog"]),
    ("in.csv", 'id,text\n1,"the soup, cold"\n2,my dog\n', ["--field", "text"], ["the soup, cold", "my dog"]),
    ("in.tsv", "id\ttext\n1\tthe soup\n", ["--field", "text"], ["the soup"]),
    ("in.jsonl", '{"text": "the \\u0073oup"}\n{"text": "my dog"}\n', ["--field", "text"], ["the soup", "my dog"]),
]


@pytest.mark.parametrize("name, content, options, texts", FORMATS, ids=[row[0] for row in FORMATS])
def test_preview_of_each_format(program, name, content, options, texts):
    program.write(name, content)
    before = program.files()
    outcome = program.ok("privatize", name, *options, "--model", program.model, "-e", "0.01", "--preview", "2",
                         "-o", "out", "--report", "report.json", "--key-file", "absent.key", "--statistics", "s.json")
    lines = [line.split(" | ")[0].rstrip() for line in outcome.text.splitlines() if line and not line.startswith("==")]
    assert lines == texts
    assert [line for line in outcome.text.splitlines() if line.startswith("==")] == [
        f"== {name}, record {i + 1}" + (", text" if options else "") for i in range(len(texts))]
    assert "throwaway key" in outcome.err and "Nothing was written or charged" in outcome.err
    assert program.files() == before, "nothing is written"


def test_a_preview_is_no_release_of_a_later_run(program, key):
    """1,000 words, each of which comes out the same twice with probability of a few percent: more than 200 of them
    agree with probability far below 1e-6."""
    program.write("in.txt", (" ".join(WORDS[:50]) + "\n") * 20)
    run = ["in.txt", "--epsilon", "0.05"]
    wide = {"COLUMNS": "40"}  # one text below the other
    for noise in (["--key-file", key], ["--seed", "7"]):
        released = program.privatize(*run, *noise).decode().split()
        program.environment.update(wide)
        shown = []
        for _ in range(2):
            text = program.privatize(*run, *noise, "--preview", "20").decode()
            shown.append(" ".join(line[2:] for line in text.splitlines() if line.startswith("+ ")).split())
            assert len(shown[-1]) == len(released) == 1000
            agreeing = sum(a.lower() == b.lower() for a, b in zip(shown[-1], released))
            assert agreeing < 200
        assert shown[0] != shown[1]


def test_a_preview_charges_nothing(program, key):
    program.write("in.jsonl", '{"text": "the soup", "who": "a"}\n')
    run = ["in.jsonl", "--field", "text", "--epsilon", "1", "--key-file", key, "--ledger", "spent.ledger", "--subject",
           "who", "--limit", "5"]
    program.privatize(*run, "--preview", "1")
    assert not (program.folder / "spent.ledger").exists()
    program.privatize(*run, "-o", "out")
    before = (program.folder / "spent.ledger").read_bytes()
    program.privatize(*run, "--preview", "1")
    assert (program.folder / "spent.ledger").read_bytes() == before


def test_colours_on_a_terminal_only(program):
    program.write("in.txt", "the soup was cold and the waiter was in the garden\n")
    ask = ["privatize", "in.txt", "--model", program.model, "-e", "0.01", "--preview", "1"]
    assert b"\x1b[31m" in on_terminal(program, *ask)[0]
    assert b"\x1b" not in on_terminal(program, *ask, NO_COLOR="1")[0]
    assert b"\x1b" not in on_terminal(program, *ask, NO_COLOR="", TERM="dumb")[0]
    assert b"\x1b" not in program.ok(*ask).out


@pytest.mark.parametrize("columns", [20, 59, 60, 100])
def test_hostile_and_wide_documents_fit_the_terminal(program, columns):
    program.write("in.txt", f"soup {HOSTILE} 大きさ大きさ大きさ大きさ大きさ大きさ {'w' * 300}\n".replace("\r", " "))
    out, _ = on_terminal(program, "privatize", "in.txt", "--model", program.model, "-e", "1", "--preview", "1",
                         columns=columns, NO_COLOR="1")
    assert not CONTROL.search(out) and "␛[2J".encode() in out
    for line in out.decode().splitlines():
        assert sum(2 if ord(c) > 0x2fff else 1 for c in line) <= columns


BAD_PREVIEW = [
    ("--preview 0", USAGE, "--preview: '0' is not allowed"),
    ("--preview x", USAGE, "--preview: 'x' is not allowed"),
    ("--preview 1001", USAGE, "--preview: '1001' is not allowed"),
    ("--preview 1 --field text", USAGE, "--field: 'text' needs --format"),
    ("--preview 1 --policy lax", USAGE, "--policy: 'lax'"),
]


@pytest.mark.parametrize("options, code, part", BAD_PREVIEW, ids=[row[0] for row in BAD_PREVIEW])
def test_bad_previews(program, options, code, part):
    program.write("in.txt", "the soup\n")
    refused(program, ["privatize", "in.txt", "--model", program.model, "-e", "1", *options.split()], code, part)


def test_previews_without_documents_and_from_a_pipe(program):
    ask = ["privatize", "--model", program.model, "-e", "1", "--preview", "2"]
    outcome = program.ok(*ask, stdin=b"")
    assert outcome.out == b"" and "no document" in outcome.err
    assert b"record 2" in program.ok(*ask, stdin=b"the soup\nmy dog\nthe cat\n").out


def test_preview_with_a_language_model(program, language_model):
    program.write("in.txt", "The soup was cold.\n")
    outcome = program.ok("privatize", "in.txt", "-m", "dp-mlm", "--model", language_model, "-e", "5", "--preview", "1")
    assert "The soup was cold." in outcome.text and "5 per draw" in outcome.err


# receipt show


@pytest.fixture
def receipt(program):
    program.write("in.txt", sentences(50))
    program.privatize("in.txt", "-e", "1", "--report", "receipt.json", "-o", "out")
    return json.loads((program.folder / "receipt.json").read_text())


def test_a_receipt_for_people(program, receipt):
    text = " ".join(program.ok("receipt", "show", "receipt.json").text.split())
    for part in ("Privacy receipt: in.txt", "What is promised", "What was done", "What is not hidden", "What was spent",
                 "How it was checked", "50 documents of in.txt", "at most 73.2% sure", receipt["configuration_sha256"]):
        assert part in text
    told = json.loads(program.ok("receipt", "show", "receipt.json", "--json").text)
    schema("receipt_description").validate(told)
    leaks = next(section for section in told["sections"] if section["title"] == "What is not hidden")["items"]
    assert leaks == receipt["leaks"]
    page = program.ok("receipt", "show", "receipt.json", "--html").text
    assert page.startswith("<!DOCTYPE html>") and "prefers-color-scheme: dark" in page and "width=device-width" in page
    assert not re.search(r"<script|https?://|\bsrc=|\bhref=|url\(", page)
    assert program.ok("receipt", "show", "receipt.json", "--markdown").text.startswith("# Privacy receipt: in.txt\n")
    assert max(map(len, program.ok("receipt", "show", "receipt.json").text.splitlines())) <= 80


def test_a_page_in_a_file(program, receipt):
    for form in ([], ["--html"], ["--markdown"], ["--json"]):
        assert program.ok("receipt", "show", "receipt.json", *form, "-o", "page").out == b""
        assert (program.folder / "page").read_bytes() == program.ok("receipt", "show", "receipt.json", *form).out
    before = (program.folder / "receipt.json").read_bytes()
    outcome = program.run("receipt", "show", "receipt.json", "--output", "./receipt.json")
    assert outcome.code == 2 and "is also an input" in outcome.err
    assert (program.folder / "receipt.json").read_bytes() == before
    program.write("receipt.json", before[:-20])
    (program.folder / "page").unlink()
    assert program.run("receipt", "show", "receipt.json", "-o", "page").code != 0
    assert not (program.folder / "page").exists()


RUNS = [
    (["--seed", "1"], ["Nothing is promised"], ["% sure"]),
    (["--policy", "paper"], ["passed unchanged", "limited to: privatized words"], []),
    (["--document-epsilon", "5"], ["Epsilon was 5 per document"], []),
    (["--set", "lists=L2"], ["lists=L2"], []),
]


@pytest.mark.parametrize("options, parts, absent", RUNS, ids=[" ".join(row[0]) for row in RUNS])
def test_receipts_of_other_runs(program, options, parts, absent):
    program.write("in.txt", sentences(20))
    epsilon = [] if "--document-epsilon" in options else ["-e", "1"]
    program.privatize("in.txt", *epsilon, *options, "--report", "receipt.json")
    program.environment["COLUMNS"] = "1000"
    text = " ".join(program.ok("receipt", "show", "receipt.json").text.split())
    for part in parts:
        assert part in text
    for part in absent:
        assert part not in text


def test_receipts_of_texts_and_ledgers(program, language_model, key):
    program.write("in.txt", "The soup was cold.\n")
    program.ok("privatize", "in.txt", "-m", "dp-mlm", "--model", language_model, "-e", "25", "--report", "r.json")
    text = " ".join(program.ok("receipt", "show", "r.json").text.split())
    assert "Per draw: epsilon 25" in text and "quote the smaller one" in text and "practically certain" in text
    program.write("in.jsonl", '{"text": "the soup", "who": "a"}\n')
    program.privatize("in.jsonl", "--field", "text", "-e", "1", "--key-file", key, "--ledger", "spent.ledger",
                      "--subject", "who", "--limit", "5", "--report", "r.json")
    assert "Limit per subject (field 'who'): epsilon 5 in total" in " ".join(program.ok("receipt", "show", "r.json").text.split())


def test_a_certified_receipt(models, tmp_path):
    """With a model of its own, so that the certificate stored with it affects no other test."""
    model = shutil.copy(models / "first.safetensors", tmp_path)
    (tmp_path / "work").mkdir()
    program = Program(tmp_path / "work", model)
    program.write("in.txt", "The soup was cold.\n")
    options = ["-m", "santext", "--model", model, "-e", "2"]
    certificate = json.loads(program.ok("audit", *options, "--json").text)
    summary = program.ok("privatize", "in.txt", *options, "--report", "r.json").err
    assert re.search(r"certified guarantee, epsilon \d+(\.\d{1,6})? per token", summary)
    stated = float(re.search(r"epsilon (\S+) per token", summary).group(1))
    assert certificate["certified_epsilon"] <= stated <= certificate["certified_epsilon"] * (1 + 1e-5)
    text = " ".join(program.ok("receipt", "show", "r.json").text.split())
    assert "The promise is certified" in text and f"It is {certificate['certified_epsilon']:.6g};" in text
    assert certificate["stored"]["sha256"] in text
    receipt = json.loads((program.folder / "r.json").read_text())
    for path, problem in [(("guarantee", "epsilon_per_token"), "a smaller epsilon than its certificate"),
                          (("guarantee", "certificate", "epsilon"), "than its certificate"),
                          (("guarantee", "certificate", "nominal_epsilon"), "about another epsilon"),
                          (("mechanism", "epsilon"), "about another epsilon")]:
        forged = copy.deepcopy(receipt)
        holder = functools.reduce(dict.__getitem__, path[:-1], forged)
        holder[path[-1]] /= 2
        program.write("forged.json", json.dumps(forged))
        refused(program, ["receipt", "show", "forged.json"], FAILED, problem)
    receipt["guarantee"]["statement"] = receipt["guarantee"]["statement"].replace(": epsilon ", ": epsilon 0")
    program.write("forged.json", json.dumps(receipt))
    refused(program, ["receipt", "show", "forged.json"], FAILED, "statement has another epsilon than its certificate")


@pytest.mark.parametrize("form", ["", "--html", "--markdown", "--json"])
def test_a_hostile_receipt_injects_nothing(program, receipt, form):
    evil = f"{HOSTILE}<script>alert(1)</script>[x](javascript:alert(1))`x`|https://evil.example\n# heading"

    def poisoned(value):
        if isinstance(value, dict):
            return {key: poisoned(part) for key, part in value.items()}
        if isinstance(value, list):
            return [poisoned(part) for part in value] + ([evil] if all(isinstance(part, str) for part in value) else [])
        return value
    hostile = poisoned(receipt)
    hostile["input"]["dataset"] = hostile["model"]["name"] = hostile["mechanism"]["name"] = evil
    hostile["mechanism"]["parameters"] = {evil: evil}
    hostile["guarantee"]["unit"]["metric"] = hostile["guarantee"]["scope"] = evil
    hostile["guarantee"]["statement"] += evil
    program.write("evil.json", json.dumps(hostile))
    out = program.ok("receipt", "show", "evil.json", *form.split()).out
    assert not CONTROL.search(out)
    if form == "--html":
        assert b"<script" not in out and b"&lt;script&gt;" in out
    if form == "--markdown":
        assert not re.search(rb"(?<!\\)[\[\]`<|]", out) and b"https://" not in out
        assert b"\n# heading" not in out
    if form == "--json":
        schema("receipt_description").validate(json.loads(out))


FORGED = [
    ("seeded", lambda r: r.update(seeded=True), "the noise was public"),
    ("kind", lambda r: r["guarantee"].update(kind="certified"), "certificate"),
    ("epsilon", lambda r: r["guarantee"].update(epsilon_per_token=0.001), "smaller epsilon"),
    ("mechanism", lambda r: r["mechanism"].update(epsilon=0.1), "another epsilon"),
    ("words", lambda r: r["counts"].update(privatized=5), "do not"),
    ("numbers", lambda r: r["policy"].update(numbers="keep"), "numbers under the policy 'keep'"),
    ("statement", lambda r: r["guarantee"].update(statement=r["guarantee"]["statement"].replace("exp(1 d)", "exp(0.5 d)")),
     "its statement has another epsilon"),
    ("later", lambda r: r["versions"].update(receipt=3000), ["version 3000", "later"]),
    ("type", lambda r: r.update(counts=[]), "'counts.documents' is missing"),
    ("not one", lambda r: r.clear(), "not a receipt"),
]


@pytest.mark.parametrize("name, forge, parts", FORGED, ids=[row[0] for row in FORGED])
def test_forged_receipts_are_refused(program, receipt, name, forge, parts):
    forged = copy.deepcopy(receipt)
    forge(forged)
    program.write("forged.json", json.dumps(forged))
    refused(program, ["receipt", "show", "forged.json"], FAILED, ["forged.json", *([parts] if isinstance(parts, str) else parts)])


def test_other_files_are_no_receipts(program, receipt):
    whole = (program.folder / "receipt.json").read_bytes()
    program.write("cut.json", whole[: len(whole) // 2])
    program.write("empty.json", b"")
    program.write("binary.json", bytes(range(256)))
    program.privatize("in.txt", "-e", "1", "-o", "out", "--statistics", "statistics.json")
    for name, part in (("cut.json", "the end is missing"), ("empty.json", "not a receipt"), ("binary.json", "not a receipt"),
                       ("statistics.json", "confidential statistics"), ("absent.json", "No such file"), (".", "directory")):
        refused(program, ["receipt", "show", name], FAILED, [part])
    refused(program, ["receipt", "show"], USAGE, "FILE: missing")
    refused(program, ["receipt"], USAGE, ["a command is missing", "show"])
    refused(program, ["receipt", "show", "receipt.json", "--html", "--markdown"], USAGE, "give only one of them")


# budget

BUDGETS = [
    ("--tokens 1", ["1 token of 1 word, shared", "if the token moves", "quote: epsilon 1, "]),
    ("--tokens 2", ["2 tokens of 2 words, shared", "if each token moves"]),
    ("--tokens 1 --words 2 --budget words", ["1 token of 2 words"]),
]


@pytest.mark.parametrize("options, parts", BUDGETS, ids=[row[0] for row in BUDGETS])
def test_budgets_in_words(program, options, parts):
    text = program.ok("budget", "--model", program.model, "-e", "1", *options.split()).text
    for part in parts:
        assert part in text


@pytest.mark.parametrize("tokens", [1, 100, 100_000])
@pytest.mark.parametrize("epsilon", [0.001, 0.1, 10])
def test_the_smaller_figure_is_quoted(program, tokens, epsilon):
    ask = ["budget", "--model", program.model, "-e", epsilon, "--tokens", tokens]
    plan = json.loads(program.ok(*ask, "--json").text)
    schema("budget").validate(plan)
    smaller = min(plan["epsilon"], plan["epsilon_at_delta"])
    assert plan["quote"] == {"epsilon": smaller, "delta": 0 if smaller == plan["epsilon"] else plan["delta"]}
    line = next(line for line in program.ok(*ask).text.splitlines() if line.startswith("  quote: "))
    assert f"epsilon {smaller:.6g}" in line and ("at delta" in line) == (smaller != plan["epsilon"])


def test_budgets_of_language_mechanisms(program, language_model):
    ask = ["budget", "--model", language_model, "-e", "10"]
    assert "1 word, 1 draw\n" in program.ok(*ask, "-m", "dp-mlm", "--tokens", "1").text
    text = program.ok(*ask, "-m", "dp-mlm", "--tokens", "40").text
    assert text.startswith("40 words, 40 draws\n") and "each draw: epsilon 10" in text and "added up: epsilon 400\n" in text
    plus = program.ok(*ask, "-m", "dp-mlm-plus", "--tokens", "40", "--set", "addition=0.1", "--set", "deletion=0.3").text
    assert plus.startswith("40 words, at most 80 draws, 32 on average\n")
    refused(program, [*ask, "-m", "dp-mlm", "--tokens", "4", "--budget", "even"], USAGE, "--budget: dp-mlm takes --epsilon")
    refused(program, [*ask, "-m", "dp-mlm", "--tokens", "4", "--words", "5"], USAGE, "--words: dp-mlm draws single words")
