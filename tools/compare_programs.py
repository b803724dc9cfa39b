#!/usr/bin/env python3
"""Compares what two builds of the program write: texts and receipts of every mechanism under several policies,
rows of `explain`, and certificates of a sample of inputs. For changes that must not move a draw.

compare_programs.py OLD NEW TEXT [LINES]   TEXT: a file of texts, one per line
"""
import json
import pathlib
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
LANGUAGE = {"dp-mlm", "dp-mlm-plus", "dp-paraphrase", "dp-prompt"}
LANGUAGE_LINES = 2
SAMPLED_INPUTS = 40
VOLATILE = ("seconds", "version", "content_sha256")  # the last is of a certificate with its time


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
    return {key: settled(item) for key, item in value.items() if not any(word in key for word in VOLATILE)}


def commands(program, lines, folder):
    """(name, result) of every command."""
    key = folder / "key"
    key.write_bytes(KEY)
    key.chmod(0o600)
    code, listed, _ = run(program, "mechanisms", "--json", home=folder)
    assert code == 0
    yield "mechanisms", listed
    for mechanism in [entry["name"] for entry in json.loads(listed)]:
        few = mechanism in LANGUAGE
        text = b"".join(lines[:LANGUAGE_LINES] if few else lines)
        for variant, options in list(VARIANTS.items())[:1 if few else None]:
            for epsilon in ("1", "12"):
                receipt = folder / "receipt.json"
                receipt.unlink(missing_ok=True)
                result = run(program, "privatize", "-m", mechanism, "-e", epsilon, "--key-file", key, "--quiet", "--report",
                             receipt, *options, stdin=text, home=folder)
                report = settled(json.loads(receipt.read_bytes())) if receipt.exists() else None
                yield f"privatize {mechanism} {epsilon} {variant}", (result, report)
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
        pairs = zip(commands(old, lines, pathlib.Path(first)), commands(new, lines, pathlib.Path(second)))
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
