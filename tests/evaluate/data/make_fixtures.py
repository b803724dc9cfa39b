#!/usr/bin/env python3
"""Writes reference.json: what independent libraries compute for the metrics and statistics of src/evaluate.

Run in an environment with sacrebleu, nltk, scipy, scikit-learn and statsmodels. The output depends on the seeds below
and, in the last digits, on the versions of the libraries, which it records.
"""
import json
import pathlib
import random
import warnings

import nltk
import numpy
import sacrebleu
import scipy.stats
import sklearn
import sklearn.metrics
import statsmodels
import statsmodels.api
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from statsmodels.stats.proportion import proportion_confint

SMOOTHING = {"none": "none", "floor": "floor", "add_one": "add-k", "exponential": "exp"}
NLTK_METHODS = {"none": "method0", "floor": "method1", "add_one": "method2", "exponential": "method3"}


def sentence_pairs(generator):
    """Candidates that share more or less with their references, some shorter than four tokens, one empty."""
    words = [f"w{i}" for i in range(12)]
    pairs = []
    for length in (1, 2, 3, 3, 4, 5, 6, 8, 8, 10, 12, 15, 20, 30):
        reference = [generator.choice(words) for _ in range(length)]
        keep = generator.choice((0.2, 0.5, 0.8, 1.0))
        candidate = [w if generator.random() < keep else generator.choice(words) for w in reference]
        change = generator.choice((-2, -1, 0, 0, 1, 3))
        candidate = candidate[:change] if change < 0 else candidate + words[:change]
        pairs.append((candidate, reference))
    short = ["w1 | w1", "w1 w2 | w1 w3", "w1 w2 w3 | w1 w2 w3", "w1 w5 w2 | w1 w2 w3 w4", "w1 w1 w1 w1 | w1 w1"]
    pairs += [tuple(side.split() for side in pair.split("|")) for pair in short]
    return pairs + [([], ["w1", "w2"]), (["x", "y", "z", "u"], ["w1", "w2", "w3", "w4"])]


def sacrebleu_score(candidates, references, smoothing, effective_order):
    metric = sacrebleu.metrics.BLEU(
        tokenize="none", force=True, smooth_method=SMOOTHING[smoothing], effective_order=effective_order)
    return metric.corpus_score([" ".join(c) for c in candidates], [[" ".join(r) for r in references]]).score / 100


def nltk_score(candidate, reference, smoothing):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function = getattr(SmoothingFunction(), NLTK_METHODS[smoothing])
        return float(sentence_bleu([reference], candidate, smoothing_function=function))


def bleu():
    pairs = sentence_pairs(random.Random(1))
    candidates, references = zip(*pairs)
    corpora = [list(range(len(pairs))), [8, 10], [7, 11], [10, 17], [14, 15], [16, 17], [19], [20]]
    return {
        "pairs": [{"candidate": c, "reference": r} for c, r in pairs],
        "sacrebleu_sentence": {s: [sacrebleu_score([c], [r], s, True) for c, r in pairs] for s in SMOOTHING},
        "nltk_sentence": {s: [nltk_score(c, r, s) for c, r in pairs] for s in SMOOTHING},
        "corpora": corpora,
        "sacrebleu_corpus": {
            s: [sacrebleu_score([candidates[i] for i in c], [references[i] for i in c], s, False) for c in corpora]
            for s in SMOOTHING},
    }


def classification():
    generator = random.Random(2)
    cases = []
    for classes, n in ((2, 40), (3, 60), (5, 30), (7, 12)):
        truth = [min(generator.randrange(classes), generator.randrange(classes)) for _ in range(n)]
        predicted = [t if generator.random() < 0.6 else generator.randrange(classes) for t in truth]
        cases.append({
            "classes": classes, "truth": truth, "predicted": predicted,
            "accuracy": sklearn.metrics.accuracy_score(truth, predicted),
            "micro_f1": sklearn.metrics.f1_score(truth, predicted, average="micro"),
            "macro_f1": sklearn.metrics.f1_score(truth, predicted, average="macro", zero_division=0),
            "f1": list(sklearn.metrics.f1_score(
                truth, predicted, average=None, labels=list(range(classes)), zero_division=0)),
        })
    return cases


def correlation():
    generator = numpy.random.default_rng(3)
    cases = []
    for n, digits in ((5, 1), (50, 3), (200, 0)):
        truth = generator.uniform(0, 5, n).round(digits)
        predicted = (0.7 * truth + generator.normal(0, 1, n)).round(digits)
        cases.append({
            "truth": truth.tolist(), "predicted": predicted.tolist(),
            "pearson": float(scipy.stats.pearsonr(truth, predicted).statistic),
            "spearman": float(scipy.stats.spearmanr(truth, predicted).statistic),
            "ranks": scipy.stats.rankdata(predicted).tolist(),
        })
    return cases


def fitted(columns, response):
    design = statsmodels.api.add_constant(numpy.column_stack(list(columns.values())))
    fit = statsmodels.api.OLS(response, design).fit()
    return {
        "columns": [{"name": name, "values": list(map(float, values))} for name, values in columns.items()],
        "response": response.tolist(), "coefficients": fit.params.tolist(), "standard_errors": fit.bse.tolist(),
        "t": fit.tvalues.tolist(), "p": fit.pvalues.tolist(), "r_squared": float(fit.rsquared),
        "adjusted_r_squared": float(fit.rsquared_adj),
    }


def regression():
    generator = numpy.random.default_rng(4)
    n = 24
    x = generator.normal(0, 1, n).round(4)
    z = generator.normal(1000, 3, n).round(4)
    plain = fitted({"x": x, "z": z}, (2 + 0.5 * x - 0.1 * z + generator.normal(0, 0.3, n)).round(4))
    groups = [("cmp", "gumbel", "tem")[i % 3] for i in range(n)]
    dummies = {f"mechanism={g}": [1.0 if h == g else 0.0 for h in groups] for g in ("gumbel", "tem")}
    effects = numpy.array([{"cmp": 0, "gumbel": 2, "tem": -1}[group] for group in groups])
    categories = fitted({"x": x, **dummies}, (x + effects + generator.normal(0, 1, n)).round(4))
    return {"plain": plain, "categories": {"groups": groups, **categories}}


def spread():
    generator = numpy.random.default_rng(5)
    cases = []
    for n in (2, 3, 10):
        values = generator.normal(70, 4, n).round(2)
        low, high = scipy.stats.t.interval(0.95, n - 1, values.mean(), scipy.stats.sem(values))
        cases.append({"values": values.tolist(), "mean": float(values.mean()), "deviation": float(values.std(ddof=1)),
                      "low": float(low), "high": float(high)})
    shares = []
    for successes, trials, confidence in ((0, 10, 0.95), (3, 10, 0.95), (10, 10, 0.99), (470, 1000, 0.999)):
        low, high = proportion_confint(successes, trials, 1 - confidence, "wilson")
        shares.append({"successes": successes, "trials": trials, "confidence": confidence, "low": float(low),
                       "high": float(high)})
    return {"means": cases, "shares": shares}


def main():
    modules = (nltk, numpy, sacrebleu, scipy, sklearn, statsmodels)
    fixtures = {
        "versions": {module.__name__: module.__version__ for module in modules},
        "bleu": bleu(), "classification": classification(), "correlation": correlation(),
        "regression": regression(), "spread": spread(),
    }
    file = pathlib.Path(__file__).parent / "reference.json"
    lines = [f'"{key}": {json.dumps(value, separators=(",", ":"))}' for key, value in fixtures.items()]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
