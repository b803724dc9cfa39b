"""A small experiment made from scratch: data, vectors, a catalog and a run file."""

import random
import subprocess
import time

from conftest import WORDS, sentences, vectors, wait_until_signals_are_caught

CATALOG = """
datasets:
  notes:
    about: made for tests
    label: label
    splits:
      train: notes.csv
      validation: {from: train, share: 0.1}
      test: {from: train, share: 0.3}
  lost:
    label: label
    splits: {train: lost.csv, test: lost-test.csv}
vectors:
  small: {path: small.txt}
  lost: {path: lost.txt}
word_lists:
  moods:
    classes: {up: up.txt, down: down.txt}
"""

RUN = """
title: A small experiment
about: Made for tests.
epsilons: [0.5, 4]
repetitions: 2
datasets:
  Notes: {from: notes}
models:
  Small: {vectors: small}
mechanisms:
  CMP: {mechanism: cmp}
  TEM: {mechanism: tem}
  Vickrey: {mechanism: vickrey}
measures:
  words: {words: 5, draws: 20}
  texts: {metrics: [pp, cs, low, bleu, length], least_occurring: 20}
  classifiers:
    Fast: {kind: fasttext, runs: 2, set: {buckets: 1000, dimension: 10}}
  attackers:
    Author: {kind: fasttext, attribute: who, runs: 1, set: {buckets: 1000, dimension: 10}}
  inference:
    Moods: {words: moods, draws: 5}
    Frequent: {prior: Notes, limit: 30, draws: 5}
report: {puc_alphas: [0.5], regression: true}
quick:
  epsilons: 4
  repetitions: 1
  measures: {attackers: null, inference: null}
"""


def make_world(program, rows=60):
    """Writes everything into the program's folder."""
    draw = random.Random(3)
    lines = ["text,label,who"]
    for text in sentences(rows, seed=5).splitlines():
        mood = draw.choice(["good", "bad"])
        text = text.rstrip(".!?") + " " + " ".join(draw.choices(WORDS[10:14] if mood == "good" else WORDS[20:24], k=3))
        lines.append('"%s",%s,%s' % (text.replace('"', ""), mood, draw.choice(["ann", "bob"])))
    (program.folder / "data").mkdir()
    program.write("data/notes.csv", "\n".join(lines) + "\n")
    program.write("data/small.txt", vectors(7))
    program.write("data/up.txt", "\n".join(WORDS[10:30]) + "\n")
    program.write("data/down.txt", "; the others\n" + "\n".join(WORDS[30:60]) + "\n")
    program.write("data.yaml", CATALOG)
    program.write("run.yaml", RUN)


def command(output, *more):
    return ["evaluate", "run.yaml", "--data", "data", "-o", output, "--threads", "2", "--quiet", *more]


def kill_and_resume(program, kills, moments, reference, *size):
    """Kills runs at random moments, each continuing where the last one stopped, and starts over whenever one
    reaches the end. Returns how many runs were actually killed, and how often the end was reached."""
    folder = program.folder / "killed"
    begin = time.monotonic()
    program.ok(*command("timed", *size))
    whole = time.monotonic() - begin
    killed = finished = 0
    while killed < kills:
        process = program.start(*command("killed", *size))
        wait_until_signals_are_caught(process)
        time.sleep(moments.uniform(0, 0.7 * whole))
        process.kill()
        process.communicate()
        if process.returncode != 0:
            killed += 1
            assert not (folder / "results.jsonl").exists() or same(folder, reference)
            continue
        assert same(folder, reference)
        finished += 1
        subprocess.run(["rm", "-r", folder], check=True)
    program.ok(*command("killed", *size))
    assert same(folder, reference)
    return killed, finished + 1


def same(folder, reference):
    return (folder / "results.jsonl").read_bytes() == reference
