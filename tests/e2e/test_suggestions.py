"""Typing mistakes get a suggestion, and every command that a message or an example shows works as it is printed."""

import json
import os
import re
import shlex
import struct
import subprocess
from pathlib import Path

import pytest
from conftest import SOTTO, SOURCE, WORDS, refused, sentences, vectors
from test_language_models import make_model, plugin  # noqa: F401 (a fixture)

USAGE, FAILED = 2, 1

# (command line, exit code, what is meant). P stands for a run over in.txt that would succeed without the rest.
MISTAKES = [
    # options: abbreviations, omissions, swaps, underscores, other cases
    ("privatize in.txt --eps 1", USAGE, "--epsilon"),
    ("privatize in.txt --eps=1", USAGE, "--epsilon"),
    ("privatize in.txt --epsilno 1", USAGE, "--epsilon"),
    ("privatize in.txt --Epsilon 1", USAGE, "--epsilon"),
    ("P --mech cmp", USAGE, "--mechanism"),
    ("P --mechansim cmp", USAGE, "--mechanism"),
    ("P --ouput out", USAGE, "--output"),
    ("P --keyfile k", USAGE, "--key-file"),
    ("P --key_file k", USAGE, "--key-file"),
    ("P --thread 2", USAGE, "--threads"),
    ("P --stop-words keep", USAGE, "--stopwords"),
    ("P --id-feld id", USAGE, "--id-field"),
    ("P --stat s.json", USAGE, "--statistics"),
    ("explain soup --eps 1", USAGE, "--epsilon"),
    ("audit --eps 1", USAGE, "--epsilon"),
    ("attack --trails 5", USAGE, "--trials"),
    ("tune --max-los 1", USAGE, "--max-loss"),
    ("train vectors in.txt -o m --dims 3", USAGE, "--dim"),
    ("evaluate run.yaml --qick", USAGE, "--quick"),
    ("model import v.txt --ouput m", USAGE, "--output"),
    ("P --config typo.yaml", USAGE, "epsilon"),
    # commands
    ("privatise in.txt", USAGE, "privatize"),
    ("modle list", USAGE, "model"),
    ("model improt v.txt", USAGE, "import"),
    ("lm calibrat", USAGE, "calibrate"),
    # mechanisms and their parameters
    ("P -m santxt", USAGE, "'santext'"),
    ("P -m dpmlm", USAGE, "'dp-mlm'"),
    ("P -m DP_MLM", USAGE, "'dp-mlm'"),
    ("P -m diffractor", USAGE, "'diffractor-geometric'"),
    ("P -m mahalnobis", USAGE, "'mahalanobis'"),
    ("mechanisms vikrey", USAGE, "'vickrey'"),
    ("explain soup -e 1 -m temm", USAGE, "'tem'"),
    ("attack -e 1 -m custxt", USAGE, "'custext'"),
    ("P --set list=L0", USAGE, "'lists'"),
    ("privatize in.txt -e 1 -m tem --model {first} --set gama=2", USAGE, "'gamma'"),
    ("privatize in.txt -e 1 -m tem --model {first} --set selection=permute-flip", USAGE, "'permute-and-flip'"),
    # models
    ("privatize in.txt -e 1 --model list", FAILED, "'lists'"),
    ("privatize in.txt -e 1 --model lsits", FAILED, "'lists'"),
    ("model info frist", FAILED, "'first'"),
    ("lm info ./slw", FAILED, None),
    ("lm info speaker", FAILED, "'speakers'"),
    # fields, policies and other choices
    ("privatize in.csv -e 1 --model {lists} --field txt", FAILED, "'text'"),
    ("privatize in.csv -e 1 --model {lists} --field Text", FAILED, "'text'"),
    ("privatize in.jsonl -e 1 --model {lists} --field bdy", FAILED, "'body'"),
    ("privatize in.jsonl -e 1 --model {lists} --field /user/nmae", FAILED, "'name'"),
    ("P --policy stric", USAGE, "'strict'"),
    ("P --policy papre", USAGE, "'paper'"),
    ("P --oov bottm", USAGE, "'bottom'"),
    ("P --stopwords privatise", USAGE, "'privatize'"),
    ("P --numbers rand", USAGE, "'random'"),
    ("P --case positon", USAGE, "'position'"),
    ("P --format jsnol", USAGE, "'jsonl'"),
    ("P --target certifed", USAGE, "'certified'"),
    ("P --collocations optmal", USAGE, "'optimal'"),
    # nothing is like it: no wild guess
    ("P --frobnicate", USAGE, None),
    ("P -m madlib", USAGE, None),
    ("P --set lists=L3", USAGE, None),
    ("P --policy lax", USAGE, None),
    ("privatize in.txt -e 1 --model nobody", FAILED, None),
]


@pytest.fixture
def world(program, models):
    program.write("in.txt", "The soup was cold.\n")
    program.write("in.csv", "id,text\n1,The soup was cold.\n")
    program.write("in.jsonl", '{"body": "The soup", "user": {"name": "was cold"}}\n')
    program.write("typo.yaml", "epsilom: 1\n")
    found = program.folder / "models"
    found.mkdir()
    for name in ("first", "lists"):
        (found / f"{name}.safetensors").symlink_to(models / f"{name}.safetensors")
    make_model(found / "speakers", range=10)
    program.environment["SOTTO_MODELS"] = str(found)
    return program


@pytest.mark.parametrize("line, code, meant", MISTAKES, ids=[line for line, _, _ in MISTAKES])
def test_a_typing_mistake_gets_a_suggestion(world, models, line, code, meant):
    paths = {"first": models / "first.safetensors", "lists": models / "lists.safetensors"}
    line = re.sub("^P ", "privatize in.txt -o out -e 1 --model {lists} ", line).format(**paths)
    outcome = refused(world, shlex.split(line), code, [] if meant is None else f"(did you mean {meant}?)")
    if meant is None:
        assert "did you mean" not in outcome.err, outcome.err


# --- Hints ------------------------------------------------------------------------------------------------------------

# What only the user knows; these words stand in capitals in a hint.
PLACEHOLDERS = {"FILE": "in.txt", "PUBLIC-TEXT": "public.txt", "VECTORS": "vectors.txt", "CORPUS": "corpus.txt", "OUTPUT": "made.safetensors",
                "PHRASES": "made.safetensors", "MODEL": "./free", "EPSILON": "5", "NAME": "tem"}


def hints_in(text):
    """The commands in quotes, as printed, with what the user has to supply filled in."""
    for command in re.findall(r"'(sotto [^']*)'", text):
        words = [PLACEHOLDERS.get(word, word) for word in shlex.split(command)]
        unknown = [word for word in words if re.fullmatch("[A-Z][A-Z-]+", word)]
        assert not unknown, f"{command}: nobody knows what {unknown} is"
        yield words


@pytest.fixture
def hinting(program, models, plugin):  # noqa: F811
    program.write("in.txt", sentences(5))
    program.write("public.txt", sentences(20, seed=1))
    program.write("corpus.txt", sentences(50))
    program.write("vectors.txt", vectors(1))
    program.write("my own.txt", vectors(2))
    program.ok("model", "import", "my own.txt", "-o", "my own.safetensors")
    make_model(program.folder / "free")
    make_model(program.folder / "bounded", range=10)
    make_model(program.folder / "torn")
    (program.folder / "torn" / "sotto-calibration.json").write_text("[]")
    header = json.dumps({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}}).encode()
    header += b" " * (-len(header) % 8)
    program.write("foreign.safetensors", struct.pack("<Q", len(header)) + header + b"\0")
    program.environment["SOTTO_MODELS"] = str(models)
    return program


# (a command whose message has a hint, whether its words come from standard output)
HINTED = [
    # no lists in the model: by name, by path, by a path with a blank
    ("privatize in.txt -e 1 --model first", False),
    ("privatize in.txt -e 1 --model {first}", False),
    ("privatize in.txt -e 1 --model 'my own.safetensors'", False),
    # no bounds
    ("privatize in.txt -m dp-mlm -e 10 --model ./free", False),
    ("privatize in.txt -m dp-mlm -e 10 --model ./torn", False),
    ("lm info ./free", True),
    # not a model, not a table
    ("model info ./foreign.safetensors", False),
    ("collocations info ./foreign.safetensors", False),
    ("train vectors corpus.txt -o m.safetensors --method gst", False),
    # a mechanism of texts where words are needed
    ("attack -m dp-mlm -e 5 --model ./bounded", False),
    # no certificate
    ("privatize in.txt -m santext -e 1 --model 'my own.safetensors' --target certified -o out", False),
    ("privatize in.txt -m tem -e 2 --set gamma=1.5 --model first --target certified -o out", False),
    ("mechanisms", True),
]


@pytest.mark.parametrize("line, on_output", HINTED, ids=[line for line, _ in HINTED])
def test_a_hint_works_as_printed(hinting, models, line, on_output):
    paths = {"first": models / "first.safetensors"}
    outcome = hinting.run(*shlex.split(line.format(**paths)))
    assert (outcome.code == 0) == on_output, outcome.err
    hints = list(hints_in(outcome.text if on_output else outcome.err))
    assert hints, outcome
    for words in hints:
        assert words[0] == "sotto"
        if words[1] == "privatize" and "--model" not in words:
            words += ["--model", "./bounded"]  # the shipped model is not needed here
        again = hinting.run(*words[1:], stdin=b"the soup was cold\n")
        assert again.code == 0, (words, again.err)
    if "--target certified" in line or "./free" in line and not on_output:
        hinting.ok(*shlex.split(line.format(**paths)))  # the hint was the remedy


@pytest.mark.parametrize("record, field", [
    ('{"m":[{"n":1,"body":"the soup"}]}', "m"),
    ('{"m":{"n":1,"a/b":"the soup"}}', "m"),
    ('{"m":{"list":[],"k":[{"n":null,"t":["the soup","cold"]}]}}', "m"),
    ('{"m":[{"k":{"t":"the soup"}}]}', "/m/0"),
])
def test_a_field_that_a_message_suggests_is_a_text(program, record, field):
    program.write("in.jsonl", record + "\n")
    run = ["privatize", "in.jsonl", "--model", program.model, "-e", "1", "--field"]
    outcome = program.run(*run, field)
    assert outcome.code == FAILED and "is not a string but an" in outcome.err
    program.ok(*run, re.search(r"such as '(.*)'$", outcome.err)[1])


def test_every_hint_of_the_library_is_triggered_above():
    """A new hint needs a line in the table."""
    commands = set()
    for file in (SOURCE / "src").rglob("*.cpp"):
        commands |= set(re.findall(r'\{\{"((?:audit|privatize|explain|evaluate|tune|attack|budget|bench'
                                   r'|(?:lm|lists|model|collocations|train|ledger) [a-z]+))",\s*\{', file.read_text()))
    known = {"privatize", "lm calibrate", "lists build", "model import", "collocations count"}
    assert commands == known, "trigger every hint in HINTED and list it here; audit's come from audit_hint()"


# --- Examples ---------------------------------------------------------------------------------------------------------


def examples():
    """Lines of documentation that start with the program's name, with the file they stand in."""
    for page in [SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))]:
        text = re.sub(r"\\\n\s*", " ", page.read_text())
        for line in re.findall(r"^(?:    |\$ )?(sotto [a-z].*)$", text, re.MULTILINE):
            yield page.name, line


def options_of(program, words, known={}):
    """The options of the command that these words name."""
    path = []
    while len(path) < min(2, len(words)):
        candidates = program.ok("__complete", *path, "").text.splitlines()[:-1]
        if words[len(path)] not in [line.split("\t")[0] for line in candidates]:
            break
        path.append(words[len(path)])
    assert path, words
    key = tuple(path)
    if key not in known:
        known[key] = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", program.ok(*path, "--help").text.split("\nExample")[0]))
    return known[key]


def test_options_in_the_documentation_exist(program):
    seen = 0
    for page, line in examples():
        try:
            words = shlex.split(line.split(" | ")[0].split(" > ")[0].split(" # ")[0])
        except ValueError:
            continue  # the continuation of a quoted text
        options = [word.split("=")[0] for word in words[1:] if re.match("--?[a-z]", word)]
        known = options_of(program, words[1:])
        assert set(options) <= known, f"{page}: {line}"
        seen += 1
    assert seen > 20


# --- What is on standard output ---------------------------------------------------------------------------------------


def test_the_receipt_on_standard_output(program):
    program.write("in.txt", sentences(20))
    run = ["privatize", "in.txt", "--model", program.model, "-e", "1", "--seed", "1", "-o", "out"]
    outcome = program.ok(*run, "--report", "-")
    assert "guarantee" in json.loads(outcome.text)
    assert (program.folder / "out").read_text().count("\n") == 20
    program.ok(*run, "--report", "receipt.json")
    alone = json.loads((program.folder / "receipt.json").read_text())
    shown = json.loads(outcome.text)
    assert alone.keys() == shown.keys() and alone["guarantee"] == shown["guarantee"]
    assert "-" not in program.files()


def test_the_statistics_on_standard_output(program):
    program.write("in.txt", sentences(20))
    outcome = program.ok("privatize", "in.txt", "--model", program.model, "-e", "1", "-o", "out", "--statistics", "-",
                         "--report", "receipt.json")
    assert "invalid_utf8_replaced" in json.loads(outcome.text)
    assert (program.folder / "receipt.json").exists()


@pytest.mark.parametrize("arguments, parts", [
    (["--report", "-"], ["--report: '-' is standard output", "the text", "-o FILE"]),
    (["--statistics", "-"], ["--statistics: '-' is standard output", "the text", "-o FILE"]),
    (["-o", "-", "--report", "-"], ["--report: '-' is standard output", "the text"]),
    (["-o", "out", "--report", "-", "--statistics", "-"], ["--statistics: '-' is standard output", "--report"]),
    (["--config", "both.yaml"], ["--report: '-' is standard output"]),
])
def test_standard_output_takes_one_thing(program, arguments, parts):
    program.write("in.txt", sentences(3))
    program.write("both.yaml", "report: '-'\n")
    refused(program, ["privatize", "in.txt", "--model", program.model, "-e", "1", *arguments], USAGE, parts)


# --- Help -------------------------------------------------------------------------------------------------------------

GROUPED = {
    "privatize": {"Input and output": ["--output", "--field", "--report", "--resume"], "Mechanism": ["--epsilon", "--set"],
                  "Policy": ["--oov", "--case", "--collocations"], "Budget and ledger": ["--ledger", "--limit", "--budget"],
                  "Reproducibility": ["--key-file", "--seed"], "Performance": ["--threads", "--device"],
                  "Options": ["--help", "--quiet"]},
    "audit": {"Mechanism": ["--epsilon"], "Performance": ["--threads"]},
    "attack": {"Mechanism": ["--epsilon"], "Measurement": ["--trials", "--prior"], "Input and output": ["--original"]},
    "tune": {"Input and output": ["--words"], "Measurement": ["--max-loss"], "Mechanism": ["--grid"]},
    "train vectors": {"Training": ["--epochs", "--dim"], "Input and output": ["--output", "--phrases"]},
}


@pytest.mark.parametrize("command", GROUPED)
def test_options_stand_in_groups(program, command, tmp_path):
    text = program.ok(*command.split(), "--help").text.split("\nExample")[0]
    titles = re.findall(r"^([A-Z][a-z ]+):$", text, re.MULTILINE)
    places = [titles.index(group) for group in GROUPED[command] if group != "Options"]
    assert len(titles) == len(set(titles)) and titles[-1] == "Options", titles
    for group, options in GROUPED[command].items():
        section = re.search(rf"^{group}:\n((?:  .*\n|\s+\S.*\n)+)", text, re.MULTILINE).group(1)
        for option in options:
            assert re.search(rf"{option}\b", section), f"{option} is not under {group}"
    assert places
    # The same order in completion and in the manual page.
    shown = [name for name in re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.MULTILINE)]
    offered = [line.split("\t")[0] for line in program.ok("__complete", *command.split(), "--").text.splitlines()[:-1]]
    assert offered == shown
    subprocess.run([SOTTO, "__man-pages", tmp_path], check=True, timeout=60)
    page = Path(tmp_path, "sotto-" + command.replace(" ", "-") + ".1").read_text().replace("\\-", "-")
    for group in GROUPED[command]:
        assert f".SS {'Other options' if group == 'Options' else group}\n" in page
    assert [name for name in re.findall(r"^\\fB.*?(--[a-z-]+)", page, re.MULTILINE)] == shown


# --- Models -----------------------------------------------------------------------------------------------------------


def test_model_list_shows_language_models(world):
    found = world.folder / "models"
    make_model(found / "writer", model_type="gpt2")
    make_model(found / "answerer", model_type="t5")
    make_model(found / "encoder", architectures=["BertModel"], pooling="mean")
    (found / "torn").mkdir()
    (found / "torn" / "config.json").write_text("{")
    (found / "no-model").mkdir()
    kinds = {"speakers": "masked", "writer": "causal", "answerer": "encoder-decoder", "encoder": "sentence encoder",
             "torn": "unknown"}
    listed = {entry["name"]: entry for entry in json.loads(world.ok("model", "list", "--json").text)}
    assert {name: entry["kind"] for name, entry in listed.items() if "kind" in entry and name in kinds} == kinds
    assert "no-model" not in listed and listed["first"]["words"] == len(WORDS)
    text = world.ok("model", "list").text
    for name, kind in kinds.items():
        assert re.search(rf"^{name} +language model, {kind} +{found}/{name}$", text, re.MULTILINE), text


def test_what_baselines_say(program):
    by_name = {entry["name"]: entry for entry in json.loads(program.ok("mechanisms", "--json").text)}
    assert "you must bring" in by_name["dp-prompt"]["summary"]
    assert "baseline" in by_name["dp-paraphrase"]["use_when"] and "baseline" in by_name["dp-prompt"]["use_when"]
    refused(program, ["privatize", "-m", "dp-prompt", "-e", "10"], USAGE, ["--model: missing", "dp-prompt", "you bring"],
            stdin=b"a\n")


def test_an_installed_library_finds_models_beside_itself(program, models, tmp_path):
    """A copy of program and library elsewhere, with a folder of models beside the library."""
    libraries = subprocess.run(["ldd", os.path.realpath(SOTTO)], capture_output=True, text=True, check=True).stdout
    library = re.search(r"libsotto\.so\S* => (\S+)", libraries)
    if library is None:
        pytest.skip("the program is linked statically")
    place = tmp_path / "else" / "where"
    place.mkdir(parents=True)
    real = Path(os.path.realpath(library.group(1)))
    (place / Path(library.group(1)).name).write_bytes(real.read_bytes())
    (place / "models").mkdir()
    (place / "models" / "beside.safetensors").write_bytes((models / "first.safetensors").read_bytes())
    environment = {**program.environment, "LD_LIBRARY_PATH": str(place)}
    listed = subprocess.run([SOTTO, "model", "list", "--json"], env=environment, capture_output=True, check=True, timeout=60)
    assert "beside" in [entry["name"] for entry in json.loads(listed.stdout)]
