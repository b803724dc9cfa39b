#!/usr/bin/env python3
"""Counting and tokenizing collocations, measured; prints a table.

    bench/collocations.py --text FILE… --big FILE [--sotto build/release/sotto] [--folder DIR] [--runs 3] [--parts …]

FILE… is English text, one document per line; bench/collocation_corpus.py makes the big file from it. Parts:
  brute     counts of 50 MB of the text, reduced to letters and . , ! ? ' -, against a Python counter that shares
            nothing with Sotto; with --memory 64M and with no limit, and with 1, 2 and 4 threads
  count     the big file with --memory 2G, against sort of its words (one per line, prepared in advance)
  tokenize  words per second of the three methods with a table of a million phrases or more, and the time for one line
  compare   sums of scores and numbers of tokens of the three methods, and how often MST is below the optimum
DIR needs room for a few times the size of the big file.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time

BRUTE_BYTES = 50_000_000


def row(what, figure, note=""):
    print(f"| {what} | {figure} | {note} |", flush=True)


def timed(command):
    """Wall time, processor time, peak memory (MB), standard output and standard error of a command."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begin = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=err,
                                   env={**os.environ, "LC_ALL": "C"})
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        assert process.returncode == 0, err.read().decode()
        out.seek(0)
        err.seek(0)
        return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read(), err.read()


def brute_count(file):
    """Lines in the format of --counts."""
    counts = collections.Counter()
    token = re.compile(r"[A-Za-z]+(?:['-][A-Za-z]+)*|[^\sA-Za-z]")
    with open(file, encoding="ascii") as lines:
        for line in lines:
            run = []
            for text in token.findall(line.lower()):
                if not text[0].isalpha():
                    run = []
                    continue
                run = run[-2:] + [text]
                for length in range(1, len(run) + 1):
                    counts[" ".join(run[-length:])] += 1
    return "".join(f"{ngram}\t{count}\n" for ngram, count in sorted(counts.items()))


def plain_text(files, target, size):
    """Reduces text to what the Python counter and the tokenizer agree on: no Unicode, URLs and the like."""
    share = size // len(files)
    with open(target, "w", encoding="ascii") as out:
        for file in files:
            left = share
            with open(file, encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    line = re.sub(r"[^A-Za-z.,!?' -]", " ", line.rstrip("\n"))
                    line = re.sub(r"([.,!?])", r" \1 ", line)
                    out.write(line + "\n")
                    left -= len(line)
                    if left < 0:
                        break


def brute(a):
    plain = a.folder / "plain.txt"
    plain_text(a.text, plain, BRUTE_BYTES)
    expected = brute_count(plain).encode()
    tables = set()
    for memory in ("64M", "1000G"):
        for threads in (1, 2, 4):
            timed([a.sotto, "collocations", "count", plain, "-o", a.folder / "t", "--counts", a.folder / "c", "--memory",
                   memory, "--threads", threads, "--quiet"])
            assert (a.folder / "c").read_bytes() == expected, (memory, threads)
            tables.add((a.folder / "t").read_bytes())
            timed([a.sotto, "collocations", "count", plain, "-o", a.folder / "t", "--memory", memory, "--threads", threads,
                   "--quiet"])
            tables.add((a.folder / "t").read_bytes())
    assert len(tables) == 1
    row(f"{plain.stat().st_size / 1e6:.0f} MB, all counts against the Python counter", "equal",
        f"{expected.count(10):,} distinct n-grams")
    row("--memory 64M and no limit, 1, 2 and 4 threads", "the same table, byte for byte", "12 runs")


def count(a):
    words = a.folder / "words.txt"
    with open(words, "wb") as out:
        subprocess.run(["tr", "-cs", "[:alpha:]'-", "\\n"], stdin=open(a.big, "rb"), stdout=out, check=True,
                       env={**os.environ, "LC_ALL": "C"})
    sort = [timed(["sort", "--parallel=2", "-S", "2G", "-u", "-T", a.folder, "-o", a.folder / "sorted", words])
            for _ in range(a.runs)]
    ours = [timed([a.sotto, "collocations", "count", a.big, "-o", a.folder / "t", "--memory", "2G", "--threads", 2, "--json"])
            for _ in range(a.runs)]
    report = json.loads(ours[0][3])
    size = a.big.stat().st_size / 1e6
    row(f"`LC_ALL=C sort --parallel=2 -S 2G -u`, the words of {size:.0f} MB, one per line", f"{min(s[0] for s in sort):.1f} s",
        f"processor {min(s[1] for s in sort):.1f} s")
    row("`sotto collocations count --memory 2G --threads 2`", f"{min(s[0] for s in ours):.1f} s",
        f"processor {min(s[1] for s in ours):.1f} s; spilled {report['spilled_bytes'] / 1e6:.0f} MB")
    row("ratio", f"{min(s[0] for s in ours) / min(s[0] for s in sort):.2f}", "bar 1")
    row("peak memory", f"{max(s[2] for s in ours):.0f} MB", "bar 2,048 MB")
    row("words, distinct words, pairs, triples", ", ".join(f"{report[key]:,}" for key in (
        "words", "distinct_words", "distinct_bigrams", "distinct_trigrams")))
    small = timed([a.sotto, "collocations", "count", a.big, "-o", a.folder / "s", "--memory", "256M", "--threads", 2, "--json"])
    assert json.loads(small[3])["sha256"] == report["sha256"]
    row("the same with --memory 256M", f"{small[0]:.1f} s", f"peak {small[2]:.0f} MB, spilled "
        f"{json.loads(small[3])['spilled_bytes'] / 1e6:.0f} MB, the same table")


def make_table(a, min_count):
    table = a.folder / "phrases.safetensors"
    report = json.loads(timed([a.sotto, "collocations", "count", *a.text, "-o", table, "--min-count", min_count, "--json"])[3])
    return table, report["bigrams"] + report["trigrams"]


def tokenize(a):
    table, phrases = make_table(a, 2)
    for method in ("gst", "mst", "optimal"):
        best = None
        for _ in range(a.runs):
            seconds, _, memory, _, err = timed([a.sotto, "collocations", "tokenize", *a.text, "--phrases", table, "--method",
                                                method, "--threads", 2, "-o", "/dev/null", "--stats", "--quiet"])
            best = min(best or (seconds, memory), (seconds, memory))
        words = json.loads(err)["words"]
        row(f"tokenize, {method}, {phrases:,} phrases, two threads", f"{words / best[0] / 1e6:.1f} million words per second",
            f"bar 5; {best[1]:.0f} MB, mapped table included")
    line = a.folder / "line.txt"
    line.write_text("She lives in New York City.\n")
    starts = [timed([a.sotto, "collocations", "tokenize", line, "--phrases", table, "--method", "mst"])[0] for _ in range(20)]
    row("one line with that table, start to finish", f"{min(starts) * 1000:.1f} ms", "bar 50 ms")


def compare(a):
    sample = a.folder / "sample.txt"
    with open(sample, "wb") as out:  # every twentieth document, one sentence per line
        for file in a.text:
            with open(file, "rb") as lines:
                for number, line in enumerate(lines):
                    if number % 20 == 0:
                        out.write(re.sub(rb"([.!?]) ", rb"\1\n", line))
    for min_count in (2, 5):
        compare_methods(a, sample, min_count)


def compare_methods(a, sample, min_count):
    table, size = make_table(a, min_count)
    for method in ("gst", "mst", "optimal"):
        out = timed([a.sotto, "collocations", "tokenize", sample, "--phrases", table, "--method", method, "--stats",
                     "-o", a.folder / method, "--quiet"])[4]
        stats = json.loads(out)
        row(f"{method}, {size:,} phrases", f"{stats['tokens']:,} tokens", f"of {stats['words']:,} words and punctuation; sum of "
            f"scores {stats['pmi']:,.0f}; {100 * stats['collocation_share']:.1f}% collocations")
    listed = json.loads(timed([a.sotto, "collocations", "info", table, "--top", 10**9, "--json"])[3])["top"]
    scores = {phrase["phrase"].replace(" ", "_"): round(phrase["pmi"] * 65536) for phrase in listed}

    def total(line):
        return sum(scores.get(token, 0) for token in line.split())

    below = lines = 0
    with open(a.folder / "mst") as mst, open(a.folder / "optimal") as optimal:
        for ours, best in zip(mst, optimal):
            lines += 1
            below += total(ours) < total(best)
    row("sentences where MST is below the optimum", f"{below:,} of {lines:,}, {100 * below / lines:.1f}%")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", nargs="+", type=pathlib.Path, required=True)
    parser.add_argument("--big", type=pathlib.Path)
    parser.add_argument("--sotto", default="build/release/sotto")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--parts", nargs="+", default=["brute", "count", "tokenize", "compare"])
    a = parser.parse_args()
    print("| what | figure | note |\n|---|---|---|")
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        a.folder = pathlib.Path(folder)
        for part in a.parts:
            {"brute": brute, "count": count, "tokenize": tokenize, "compare": compare}[part](a)


if __name__ == "__main__":
    main()
