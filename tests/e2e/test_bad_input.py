"""Bad command lines and bad models: each gets one line and the right exit code, and nothing is written."""

import gzip
import shlex
import struct

import pytest
from conftest import WORDS, Program, refused, vectors

USAGE, FAILED = 2, 1  # exit codes

# (command line, exit code, parts of the message). P stands for a run over in.txt that would succeed without
# the rest of the line.
COMMAND_LINES = [
    # commands and options
    ("", USAGE, ["a command is missing", "privatize", "mechanisms", "explain", "model", "lists"]),
    ("privatise in.txt", USAGE, ["'privatise' is not a command", "did you mean privatize?"]),
    ("frobnicate", USAGE, ["'frobnicate' is not a command", "there are privatize"]),
    ("model", USAGE, ["a command is missing", "list, info, neighbours, import, export"]),
    ("model lst", USAGE, ["'lst' is not a command", "did you mean list?"]),
    ("lists", USAGE, ["a command is missing", "build"]),
    ("P --epsilom 2", USAGE, ["--epsilom: no such option", "did you mean --epsilon?"]),
    ("P --polcy=strict", USAGE, ["--polcy=strict: no such option", "did you mean --policy?"]),
    ("P --frobnicate", USAGE, "--frobnicate: no such option"),
    ("P -x", USAGE, "-x: no such option"),
    ("mechanisms diffractor", USAGE, "'diffractor' is not a mechanism"),
    ("mechanisms tem cmp", USAGE, "'cmp': one argument too many"),
    # budgets
    ("budget --model {lists} --epsilon 1", USAGE, "--tokens: missing"),
    ("budget --model {lists} --epsilon 1 --tokens 0", USAGE, "--tokens: '0' is not allowed"),
    ("budget --model {lists} --epsilon 1 --tokens 3 --words 2", USAGE, "--words: '2' is not allowed"),
    ("budget --model {lists} --epsilon 1 --tokens 3 --delta 0", USAGE, "--delta: '0' is not allowed"),
    ("budget --model {lists} --epsilon 1 --tokens 3 --budget S5", USAGE, ["--budget: 'S5'", "S1"]),
    ("budget --model {lists} --epsilon 1 --tokens 3 --budget rarity", USAGE, ["--budget: 'rarity'", "private words"]),
    ("budget --model {lists} --epsilon 1 --tokens 3 --budget positions", USAGE, "--profile: missing"),
    ("budget --model {lists} --epsilon 1 --tokens 3 --profile 1,2", USAGE, "--profile: only --budget positions"),
    ("budget --model {lists} --epsilon 1 --tokens 3 --budget positions --profile 1,x", USAGE, "--profile: 'x'"),
    ("P --format", USAGE, "--format: its value is missing"),
    ("P --policy strict --policy paper", USAGE, "--policy: may be given only once"),
    # epsilon
    ("privatize in.txt -o out --model {lists}", USAGE, "--epsilon: missing"),
    ("explain soup --model {lists}", USAGE, "--epsilon: missing"),
    *((f"privatize in.txt -o out --model {{lists}} --epsilon {value}", USAGE,
       [f"--epsilon: '{value}' is not allowed", "a number from"])
      for value in ("0", "-1", "nan", "inf", "-inf", "1e400", "abc", "1e-30", "1e7", "0x1", "1,5", "1e", "--quiet")),
    ("privatize in.txt -o out --model {lists} --epsilon ''", USAGE, "--epsilon: missing"),
    ("privatize in.txt -o out --model {lists} --epsilon '1\n2'", USAGE, "--epsilon: '1 2' is not allowed"),
    ("P --epsilon 2", USAGE, "--epsilon: may be given only once"),
    # mechanism and its parameters
    ("P --mechanism madlib", USAGE, ["--mechanism: 'madlib' is not a mechanism", "diffractor-geometric"]),
    ("P --mechanism ''", USAGE, "--mechanism: '' is not a mechanism"),
    ("P --set lists", USAGE, "--set: 'lists' is not allowed; give KEY=VALUE"),
    ("P --set =L0", USAGE, "--set: '=L0' is not allowed"),
    ("P --set list=L0", USAGE, ["has no parameter 'list'", "it has lists"]),
    ("P --set lists=L3", USAGE, ["--set lists: 'L3' is not allowed", "L0 or L1 or L2"]),
    ("P --set lists=", USAGE, "--set lists: '' is not allowed"),
    ("P --set lists=L0 --set lists=L1", USAGE, "--set: 'lists' is given twice"),
    # formats, fields, policies
    ("P --format xml", USAGE, ["--format: 'xml' is not allowed", "text or jsonl or csv or tsv"]),
    ("P --policy lax", USAGE, ["--policy: 'lax' is not allowed", "strict or paper"]),
    ("P --stopwords drop", USAGE, ["--stopwords: 'drop' is not allowed", "privatize or keep"]),
    ("P --oov random", USAGE, ["--oov: 'random' is not allowed", "nearest or bottom or keep or drop"]),
    ("P --numbers bottom", USAGE, ["--numbers: 'bottom' is not allowed", "random or keep or drop"]),
    ("P --punctuation random", USAGE, ["--punctuation: 'random' is not allowed", "keep or drop"]),
    ("P --articles an", USAGE, ["--articles: 'an' is not allowed", "agree or keep"]),
    ("P --case upper", USAGE, ["--case: 'upper' is not allowed", "natural or position or keep or lower"]),
    ("P --field text", USAGE, ["--field: 'text'", "text has no fields"]),
    ("P --id-field id", USAGE, ["--id-field: 'id'", "text has no fields"]),
    ("P --format jsonl", USAGE, "--field: missing"),
    ("P --format csv", USAGE, "--field: missing"),
    ("P --format tsv", USAGE, "--field: missing"),
    ("P --format jsonl --field text --field text", USAGE, "--field: 'text' is given twice"),
    ("P --max-document-bytes 0", USAGE, "--max-document-bytes: '0' is not allowed"),
    ("P --max-document-bytes 1X", USAGE, "--max-document-bytes: '1X' is not allowed"),
    ("P --max-document-bytes 3G", USAGE, ["--max-document-bytes: '3G' is not allowed", "2G"]),
    # threads, shards, noise
    *((f"P --threads {value}", USAGE, [f"--threads: '{value}' is not allowed", "a whole number from 1"])
      for value in ("0", "-1", "abc", "1.5", "99999")),
    *((f"P --shard {value}", USAGE, [f"--shard: '{value}' is not allowed", "i/N"])
      for value in ("0/3", "4/3", "x", "1/0", "1/3/4", "/", "-1/2", "1")),
    ("privatize -o out --model {lists} --epsilon 1 --shard 1/2", USAGE, "--shard: needs input files"),
    ("P --seed -1", USAGE, "--seed: '-1' is not allowed"),
    ("P --seed abc", USAGE, "--seed: 'abc' is not allowed"),
    ("P --seed 18446744073709551616", USAGE, "--seed: '18446744073709551616' is not allowed"),
    ("P --seed 1 --key-file secret.key", USAGE, ["--seed", "--key-file"]),
    ("P --key-file none.key", FAILED, ["none.key", "No such file"]),
    ("P --key-file short.key", FAILED, ["short.key", "found 31 bytes", "32 raw bytes"]),
    ("P --key-file long.key", FAILED, ["long.key", "found 33 bytes"]),
    ("P --key-file nothex.key", FAILED, ["nothex.key", "not 64 hexadecimal digits"]),
    ("P --key-file .", FAILED, "Is a directory"),
    # resuming
    ("P --resume", USAGE, "--resume: needs --key-file"),
    ("P --resume --seed 1", USAGE, "--resume: needs --key-file"),
    ("privatize in.txt --model {lists} --epsilon 1 --resume --key-file secret.key", USAGE, "--resume: needs -o"),
    ("privatize -o out --model {lists} --epsilon 1 --resume --key-file secret.key", USAGE,
     "--resume: needs input files"),
    # configuration files
    ("P --config none.yaml", FAILED, "--config: cannot read none.yaml"),
    ("P --config broken.yaml", USAGE, ["--config: broken.yaml", "line"]),
    ("P --config unknown.yaml", USAGE, ["'epsilom' is not an option", "did you mean epsilon?"]),
    ("privatize in.txt -o out --model {lists} --config value.yaml", USAGE, "--epsilon: 'much' is not allowed"),
    ("privatize in.txt -o out --model {lists} --config two.yaml", USAGE, ["--config: two.yaml", "epsilon"]),
    ("privatize in.txt -o out --model {lists} --config twice.yaml", USAGE, "'epsilon' is given twice"),
    ("P --config list.yaml", USAGE, "list.yaml is not a map"),
    ("P --config empty.yaml", USAGE, "empty.yaml is not a map"),
    ("P --config nested.yaml", USAGE, ["--config: nested.yaml", "'policy' on line 1"]),
    ("P --config flag.yaml", USAGE, ["--config: flag.yaml", "quiet"]),
    ("P --config .", FAILED, "--config"),
    # models
    *((f"privatize in.txt -o out --epsilon 1 --model {model}", code, parts) for model, code, parts in (
        ("nobody", FAILED, ["model 'nobody' is not in"]),
        ("./nobody.safetensors", FAILED, ["./nobody.safetensors", "does not exist"]),
        (".", FAILED, ["model file ."]),
        ("empty.safetensors", FAILED, ["empty.safetensors"]),
        ("cut.safetensors", FAILED, ["cut.safetensors"]),
        ("random.safetensors", FAILED, ["random.safetensors"]),
        ("text.safetensors", FAILED, ["text.safetensors"]),
        ("{first}", USAGE, ["--model: 'first' has no word lists", "sotto lists build"]))),
    ("model info nobody", FAILED, "model 'nobody' is not in"),
    ("model info", USAGE, "MODEL: missing"),
    ("model info --verify damaged.safetensors", FAILED, ["damaged.safetensors", "SHA-256"]),
    ("model export {first} -o out --to numpy", USAGE, ["--to: 'numpy' is not allowed", "word2vec-text"]),
    ("model export {first}", USAGE, "--output: missing"),
    ("model export {lists} -o out", USAGE, ["lists", "no vectors"]),
    ("model export {first} -o none/out", FAILED, ["none/out", "No such file"]),
    ("lists build -o out", USAGE, "--model: missing"),
    ("lists build --model {first}", USAGE, "--output: missing"),
    ("lists build --model {first} -o out --lists-per-model 0", USAGE, "--lists-per-model: '0' is not allowed"),
    ("lists build --model {first} -o out --lists-per-model 500", USAGE, "'500' is not allowed"),
    ("lists build --model {lists} -o out", USAGE, "is a list set"),
    ("lists build --model {first} --model other.safetensors -o out", USAGE,
     ["share one vocabulary", "other.safetensors"]),
    ("lists build --model other.safetensors -o other.safetensors", USAGE, "other.safetensors"),
    ("lists build --model {first} -o out --seed x", USAGE, "--seed: 'x' is not allowed"),
    # explain
    ("explain --epsilon 1 --model {lists}", USAGE, "WORD: missing"),
    ("explain soup --epsilon 1 --model {lists} --top 0", USAGE, "--top: '0' is not allowed"),
    ("explain soup --epsilon 1 --model {first}", USAGE, "has no word lists"),
]


@pytest.fixture(scope="module")
def other_model(models, tmp_path_factory):
    """A model with another vocabulary."""
    folder = tmp_path_factory.mktemp("other")
    program = Program(folder, models / "lists.safetensors")
    program.write("other.txt", vectors(3, WORDS[1:]))
    program.ok("model", "import", "other.txt", "-o", "other.safetensors")
    return (folder / "other.safetensors").read_bytes()


@pytest.fixture
def folder(program, models, other_model):
    """The program, in a folder with the files that the tables name."""
    good = (models / "lists.safetensors").read_bytes()
    for name, content in {
        "in.txt": "The soup was cold.\n",
        "secret.key": bytes(32),
        "short.key": bytes(31),
        "long.key": bytes(33),
        "nothex.key": "g" * 64,
        "broken.yaml": "epsilon: 1\nfield: [a, b\n",
        "unknown.yaml": "epsilom: 1\n",
        "value.yaml": "epsilon: much\n",
        "two.yaml": "epsilon: [1, 2]\n",
        "twice.yaml": "epsilon: 1\nepsilon: 2\n",
        "list.yaml": "- epsilon\n",
        "empty.yaml": "",
        "nested.yaml": "policy: {oov: keep}\n",
        "flag.yaml": "quiet: perhaps\n",
        "empty.safetensors": b"",
        "cut.safetensors": good[:-7],
        "random.safetensors": bytes(i * 167 % 251 for i in range(4096)),
        "text.safetensors": "the quick brown fox\n" * 100,
        "damaged.safetensors": good.replace(b"soup", b"soap"),
        "other.safetensors": other_model,
    }.items():
        program.write(name, content)
    return program


@pytest.mark.parametrize("line, code, parts", COMMAND_LINES, ids=[row[0] or "nothing" for row in COMMAND_LINES])
def test_command_line(folder, models, line, code, parts):
    if line.startswith("P "):
        line = "privatize in.txt -o out --model {lists} --epsilon 1 " + line[2:]
    paths = {name: models / f"{name}.safetensors" for name in ("lists", "first")}
    refused(folder, shlex.split(line.format(**paths)), code, parts)


ROW = struct.pack("<4f", 1, 2, 3, 4)
VECTORS = [  # (name of the case, content of the file or None, parts of the message)
    ("missing", None, "No such file"),
    ("empty", b"", "the file is empty"),
    ("truncated word2vec binary", b"2 4\nsoup " + ROW + b"\ncold " + ROW[:9], ["record 2", "the file ends"]),
    ("word2vec binary with too few words", b"3 4\nsoup " + ROW + b"\ncold " + ROW, ["record 3", "promises 3 words"]),
    ("wrong number of columns", "soup 1 2 3\ncold 1 2 3\nhot 1 2\n", ["line 3", "2 columns", "3 expected"]),
    ("not a number", "soup 1 2 3\ncold 1 x 3\n", ["line 2", "column 2 after the word is not a number"]),
    ("NaN", "soup 1 2 3\ncold 1 nan 3\n", "line 2"),
    ("infinite", "soup 1 2 3\ncold 1 1e999 3\n", "line 2"),
    ("word twice", "soup 1 2 3\ncold 1 2 4\nsoup 4 2 3\n", ["line 3", "second time"]),
    ("word not UTF-8", b"soup 1 2 3\ncol\xff 1 2 4\n", "line 2"),
    ("truncated gzip", gzip.compress(vectors(1).encode())[:-20], ""),
    ("zstd magic only", b"\x28\xb5\x2f\xfd", ""),
    ("all zero", "soup 0 0\ncold 0 0\n", "all vectors are zero"),
    ("header promises more", "3 2\nsoup 1 2\ncold 2 1\n", "promises 3 words"),
    ("prose", "This is no file of vectors.\n", "line 1"),
    ("image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(100), "line 1"),
]


@pytest.mark.parametrize("content, parts", [row[1:] for row in VECTORS], ids=[row[0] for row in VECTORS])
def test_import(program, content, parts):
    if content is not None:
        program.write("vectors", content)
    outcome = refused(program, ["model", "import", "vectors", "-o", "out"], FAILED, parts)
    assert "vectors" in outcome.err


@pytest.mark.parametrize("options, code, parts", [
    ("", USAGE, "--output: missing"),
    ("-o vectors", USAGE, "vectors"),
    ("-o out --bits 12", USAGE, ["--bits: '12' is not allowed", "8 or 16"]),
    ("-o out --limit -3", USAGE, "--limit: '-3' is not allowed"),
    ("-o out --limit many", USAGE, "--limit: 'many' is not allowed"),
    ("-o out --metadata licence", USAGE, "--metadata: 'licence' is not allowed"),
    ("-o out --vocabulary none.txt", FAILED, "none.txt"),
    ("-o out --vocabulary strangers.txt", FAILED, "no word of it is wanted"),
    ("-o none/out", FAILED, ["none/out", "No such file"]),
    ("-o .", FAILED, "Is a directory"),
])
def test_import_options(program, options, code, parts):
    program.write("vectors", vectors(1))
    program.write("strangers.txt", "qwertz\nasdf\n")
    refused(program, ["model", "import", "vectors", *shlex.split(options)], code, parts)
