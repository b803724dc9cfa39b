#!/usr/bin/python3
"""Measures how often an attacker recovers the words behind every word-by-word mechanism, and writes the table that
`attacker_success` (include/sotto/attacker_success.hpp) reads.

    tools/measure_attackers.py build/release/sotto src/mechanisms/measured/measured_attackers.cpp [--cache FILE]

Each figure is one command, so anybody can repeat it:

    sotto attack --mechanism M --epsilon E --prior counts --words 1000 --draws 50 --trials 10000 --attack bayes --seed 1

The attacker knows the public frequencies of the shipped model and the mechanism; the secret is one of 1,000 words drawn
by these frequencies. Only public data is read. Walks a grid of epsilons up from 1 until hardly a word changes
and down from 1 until the attacker does no better than guessing blindly, and halves the steps where the curve is steep.
--cache keeps finished figures.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys

WORDS, DRAWS, TRIALS = 1000, 50, 10000
LANGUAGE = "dp-"  # mechanisms with a language model have no attack of this kind
STEPS = (1, 1.5, 2, 3, 5, 7)  # per decade; every other one only where the curve is steep
LOWEST, HIGHEST = -18, 18  # places on the grid: 1e-3 to 1e3
STEEP = 0.1  # rise in success between two neighbours that calls for the one between them
REFUSED = 2  # exit code
UNCHANGED = 0.01  # share of changed words below which larger epsilons tell nothing new
NO_GAIN = 0.01  # gain over a blind guess below which smaller ones do not


def epsilon_at(place):
    return float(f"{STEPS[place % len(STEPS)]}e{place // len(STEPS)}")


class Measurements:
    def __init__(self, program, cache):
        self.program, self.cache = program, cache
        lines = cache.read_text().splitlines() if cache and cache.exists() else []
        self.known = {(r["mechanism"], r["epsilon"]): r for r in map(json.loads, lines)}

    def of(self, mechanism, epsilon):
        """The report of the attack, or None if the mechanism refuses this epsilon."""
        if (mechanism, epsilon) not in self.known:
            report = self.run("attack", "--mechanism", mechanism, "--epsilon", str(epsilon), "--prior", "counts", "--words",
                              str(WORDS), "--draws", str(DRAWS), "--trials", str(TRIALS), "--attack", "bayes", "--seed", "1")
            if report is None:
                return None
            self.known[mechanism, epsilon] = report
            if self.cache:
                with self.cache.open("a") as file:
                    file.write(json.dumps(report) + "\n")
        return self.known[mechanism, epsilon]

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments, "--json"], stdout=subprocess.PIPE)
        if done.returncode == REFUSED:
            return None
        done.check_returncode()
        return json.loads(done.stdout)


def success(report):
    return report["attacks"][0]["success"]["value"]


def curve(measurements, mechanism):
    """The figures of one mechanism by ascending epsilon."""
    reports = {}

    def walk(places, finished):
        for place in places:
            report = measurements.of(mechanism, epsilon_at(place))
            if report is None:
                continue
            reports[place] = report
            if finished(report):
                return

    walk(range(0, HIGHEST + 1, 2), lambda report: report["changed"]["value"] < UNCHANGED)
    walk(range(-2, LOWEST - 1, -2), lambda report: success(report) - report["blind_success"] < NO_GAIN)
    for place in sorted(reports):
        if place + 2 in reports and success(reports[place + 2]) - success(reports[place]) > STEEP:
            reports[place + 1] = measurements.of(mechanism, epsilon_at(place + 1))
    return refined(measurements, mechanism, [reports[place] for place in sorted(reports)])


def refined(measurements, mechanism, reports):
    """The figures with others between neighbours that are far apart, so that what is read off between two is right."""
    finer = reports[:1]
    for report in reports[1:]:
        low, high = finer[-1]["epsilon"], report["epsilon"]
        middle = float(f"{math.sqrt(low * high):.2g}")
        if success(report) - success(finer[-1]) > STEEP and low < middle < high:
            between = measurements.of(mechanism, middle)
            if between is not None:
                finer = refined(measurements, mechanism, [*finer, between])
                finer = finer[:-1] + refined(measurements, mechanism, [finer[-1], report])
                continue
        finer.append(report)
    return finer


def as_source(curves, digests):
    """The table as C++."""
    text = """// Made by tools/measure_attackers.py, which says how. Do not edit.
#include "mechanisms/measured/measured_attackers.hpp"

namespace sotto::mechanism {

const std::vector<MeasuredAttackers>& measured_attackers() {
  static const std::vector<MeasuredAttackers> measured = {
"""
    for reports in curves:
        first = reports[0]
        text += (f'      {{"{first["mechanism"]}",\n       "{first["model"]}",\n       "{digests[first["model"]]}",\n'
                 f'       {first["words"]},\n       {first["blind_success"]:.4f},\n       {{\n')
        for report in reports:
            text += (f'           {{{report["epsilon"]:g}, {report["attacks"][0]["success"]["value"]:.4f}, '
                     f'{report["changed"]["value"]:.4f}}},\n')
        text += "       }},\n"
    return text + "  };\n  return measured;\n}\n\n}  // namespace sotto::mechanism\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path)
    arguments = parser.parse_args()
    measurements = Measurements(arguments.program, arguments.cache)
    names = [m["name"] for m in measurements.run("mechanisms") if not m["name"].startswith(LANGUAGE)]
    curves = []
    for name in names:
        try:
            curves.append(curve(measurements, name))
        except subprocess.CalledProcessError:
            print(f"{name}: left out, because it cannot run here (syntf needs WordNet)", file=sys.stderr)
    digests = {r[0]["model"]: measurements.run("model", "info", r[0]["model"])["digest"] for r in curves}
    arguments.output.write_text(as_source(curves, digests))


if __name__ == "__main__":
    main()
