#!/usr/bin/env python3
"""Compares what two builds of the program write: texts and receipts of every mechanism under several policies,
budgets, phrases, records, a ledger, rows of `explain`, and certificates. For changes that must not move a draw.

compare_programs.py OLD NEW TEXT [LINES]   TEXT: a file of texts, one per line
"""
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

KEY = bytes(range(32))
VARIANTS = {
    "default": [],
    "paper": ["--policy", "paper"],
    "kept case": ["--case", "keep"],
    "no words outside": ["--oov", "drop"],
}
# Without an ε per token: the document has one.
BUDGETS = [["--document-epsilon", "40", "--budget", name, "--model", "sotto-en-phrases"]
           for name in ("even", "words", "S1", "S2", "S3", "S4")]
PHRASES = ["-e", "6", "--model", "sotto-en-phrases", "--collocations"]
LANGUAGE = {"dp-mlm", "dp-mlm-plus", "dp-paraphrase", "dp-prompt"}
LANGUAGE_LINES = 2
SAMPLED_INPUTS = 40
# Times, what hashes them, and what a new ledger draws at random.
VOLATILE = {"seconds", "content_sha256", "sha256", "ledger"}


def run(program, *arguments, stdin=b"", home):
    done = subprocess.run([program, *map(str, arguments)], input=stdin, capture_output=True, check=False,
                          env={"HOME": str(home), "PATH": "/usr/bin:/bin"})
    return done.returncode, done.stdout, done.stderr


def settled(value):
    """A JSON value without what differs between any two runs: times, and estimates from fresh randomness."""
    if isinstance(value, list):
        return [settled(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("exact") is False:
        return "estimates"
    return {key: settled(item) for key, item in value.items() if key not in VOLATILE}


def privatized(program, folder, text, *options):
    """The result of the command, and its receipt."""
    receipt = folder / "receipt.json"
    receipt.unlink(missing_ok=True)
    result = run(program, "privatize", "--key-file", folder / "key", "--quiet", "--report", receipt, *options, stdin=text,
                 home=folder)
    return result, settled(json.loads(receipt.read_bytes())) if receipt.exists() else None


def documents(program, lines, folder):
    """Budgets, phrases, certificates, records and the ledger, each with one mechanism."""
    text = b"".join(lines)
    for options in BUDGETS:
        yield "budget " + options[3], privatized(program, folder, text, "-m", "cmp", *options)
    for segmentation in ("gst", "mst", "optimal"):
        yield f"collocations {segmentation}", privatized(program, folder, text, "-m", "santext", *PHRASES, segmentation)
    # A copy, since certificates are stored beside the model.
    _, described, _ = run(program, "model", "info", "sotto-en-lists", "--json", home=folder)
    model = shutil.copy(json.loads(described)["path"], folder)
    certified = ["-m", "diffractor-tem", "-e", "3", "--target", "certified", "--model", model]
    yield "audit certified", run(program, "audit", *certified, "--json", "--quiet", home=folder)
    yield "privatize certified", privatized(program, folder, text, *certified)
    records = "".join(json.dumps({"id": i, "who": f"s{i % 7}", "text": line.decode(errors="replace")}) + "\n"
                      for i, line in enumerate(lines)).encode()
    ledger = ["--ledger", folder / "spent", "--subject", "who", "--limit", "2000"]
    jsonl = ["--format", "jsonl", "--field", "text", "--id-field", "id"]
    yield "records", privatized(program, folder, records, "-e", "2", *jsonl)
    for _ in range(2):  # the second time nothing is charged
        yield "ledger", privatized(program, folder, records, "-e", "2", *jsonl, *ledger)
    yield "spent", run(program, "ledger", "top", folder / "spent", "--json", home=folder)


def commands(program, lines, folder):
    """(name, result) of every command."""
    key = folder / "key"
    key.write_bytes(KEY)
    key.chmod(0o600)
    yield from documents(program, lines, folder)
    code, listed, _ = run(program, "mechanisms", "--json", home=folder)
    assert code == 0
    yield "mechanisms", listed
    for mechanism in [entry["name"] for entry in json.loads(listed)]:
        few = mechanism in LANGUAGE
        text = b"".join(lines[:LANGUAGE_LINES] if few else lines)
        for variant, options in list(VARIANTS.items())[:1 if few else None]:
            for epsilon in ("1", "12"):
                yield (f"privatize {mechanism} {epsilon} {variant}",
                       privatized(program, folder, text, "-m", mechanism, "-e", epsilon, *options))
        if not few:
            yield f"explain {mechanism}", run(program, "explain", "coffee", "-m", mechanism, "-e", "5", "--json", home=folder)
            yield f"audit {mechanism}", run(program, "audit", "-m", mechanism, "-e", "2", "--sample", SAMPLED_INPUTS, "--json",
                                            "--quiet", home=folder)


def comparable(result, folder):
    """Output, exit status and errors of a command, with JSON settled and its folder unnamed."""
    if isinstance(result, tuple) and len(result) == 3 and result[1].startswith(b"{"):
        result = result[0], settled(json.loads(result[1])), result[2]
    return json.dumps(result, default=repr).replace(folder, "FOLDER")


def main():
    if len(sys.argv) not in (4, 5):
        print(__doc__)
        return 2
    old, new, text = sys.argv[1:4]
    lines = pathlib.Path(text).read_bytes().splitlines(keepends=True)[:int(sys.argv[4]) if len(sys.argv) > 4 else 200]
    same, different = 0, []
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        pairs = itertools.zip_longest(commands(old, lines, pathlib.Path(first)), commands(new, lines, pathlib.Path(second)),
                                      fillvalue=("nothing", None))
        for (name, before), (other, after) in pairs:
            if name == other and comparable(before, first) == comparable(after, second):
                same += 1
            else:
                different.append(name)
                print(f"{name} differs")
    print(f"{same} commands wrote the same, {len(different)} did not")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
