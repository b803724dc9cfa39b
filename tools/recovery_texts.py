"""Public lines for tools/measure_recovery.py, and what the program makes of them, word by word."""
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "models" / "recipe" / "lm"))

from text import WORD, clean, forms, treebank  # noqa: E402, F401  (from the recipe)

FEWEST, MOST = 8, 50  # words of a training line
SHINGLE = 8  # lines that share so many consecutive words tell an attacker of each other
SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
BORDER = "<border>"  # beside the first and the last word of a line


def read_lines(path):
    """Lines of text, or the first column of a TSV file with a header; in the spelling of the Penn treebank."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    if path.suffix == ".tsv":
        lines = [line.split("\t")[0] for line in lines[1:]]
    return [" ".join(treebank(clean(line).lower()).split()) for line in lines]


def sentences(path):
    found = [s for line in read_lines(path) for s in SENTENCE_END.split(line) if FEWEST <= len(s.split()) <= MOST]
    # Data sets of phrases list sentences and their parts: the longest come first.
    return sorted(found, key=len, reverse=True) if path.suffix == ".tsv" else found


def shingles(line):
    words = line.split()
    return {tuple(words[i:i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}


def training_lines(paths, held_out, words, seed=1):
    """Sentences of the files, in the order of the files until there are enough words, then shuffled. None repeats a passage of
    another or of the lines held out."""
    seen = set().union(*map(shingles, held_out))
    chosen, count = [], 0
    for line in (line for path in paths for line in sentences(path)):
        passages = shingles(line)
        if count < words and seen.isdisjoint(passages):
            seen |= passages
            chosen.append(line)
            count += len(line.split())
    random.Random(seed).shuffle(chosen)
    return chosen


def privatize(program, lines, epsilon, wander, seed, cache):
    """The lines as the program rewrites them; kept in the folder `cache`."""
    output = cache / f"{epsilon:g}-{wander:g}-{seed}-{len(lines)}.txt"
    if not output.exists():
        subprocess.run([program, "privatize", "--mechanism", "dp-mlm", "--epsilon", str(epsilon), "--set", f"wander={wander:g}",
                        "--seed", str(seed), "--format", "text", "--quiet", "-o", output],
                       input="".join(line + "\n" for line in lines).encode(), check=True)
    return output.read_text(encoding="utf-8").splitlines()
