"""Attackers against rewritings whose secret is known by construction."""
import random
import sys
from pathlib import Path

import pytest

np = pytest.importorskip("numpy")
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import measure_recovery  # noqa: E402  (from the folder above)
import recovery_texts  # noqa: E402
from recovery_attackers import Lexicon, attack  # noqa: E402

WORDS = ["munich", "berlin", "vienna", "prague", "rome", "oslo", "paris", "madrid"]


def success(rewrite, draw, lines=600):
    """Share of words kept, and recovered by each attacker, where `rewrite` gives the output of a line and `draw` the line."""
    rng = random.Random(1)
    originals = [draw(rng) for _ in range(lines)]
    numbering = measure_recovery.Numbering()
    pairs = list(measure_recovery.pairs(originals, [rewrite(line.split(), rng) for line in originals]))
    at = lines // 3
    learning, tuning, training, test = (measure_recovery.as_text(part, numbering)
                                        for part in (pairs[:at], pairs[at:2 * at], pairs[:2 * at], pairs[2 * at:]))
    size = len(numbering)
    lexicon = Lexicon(np.zeros((size, 1)), np.zeros(size, dtype=int), np.zeros(size, dtype=bool), training.originals)
    guesses = attack(lexicon, learning, tuning, training, test)
    truth = test.originals[test.drawn]
    shares = {name: (guess[test.drawn] == truth).mean() for name, guess in guesses.items()}
    return {"kept": (test.outputs[test.drawn] == truth).mean(), **shares}


def any_words(rng):
    return " ".join(rng.choices(WORDS, k=8))


def test_fixed_substitution_hides_nothing():
    other = dict(zip(WORDS, WORDS[1:] + WORDS[:1]))
    found = success(lambda words, _: " ".join(other[word] for word in words), any_words)
    assert found.pop("kept") == 0
    assert found == {"majority": 1, "naive Bayes": 1, "re-ranker": 1}


def test_constant_output_leaves_a_blind_guess():
    # 1,600 words, each "rome" with probability 1/2: off by 0.07 with probability at most 2 exp(-2 * 1600 * 0.07^2) < 1e-6.
    found = success(lambda words, _: " ".join("oslo" for _ in words),
                    lambda rng: " ".join(rng.choice(["rome", rng.choice(WORDS[5:])]) for _ in range(8)))
    assert all(abs(share - 0.5) < 0.07 for name, share in found.items() if name != "kept"), found


def test_neighbours_tell():
    # "oslo" stands for either of two words, and the word before it, which stays, says for which.
    def draw(rng):
        return " ".join(rng.choice(["munich berlin", "vienna prague"]) for _ in range(4))

    found = success(lambda words, _: " ".join("oslo" if i % 2 else word for i, word in enumerate(words)), draw)
    assert found["kept"] == 0.5
    assert 0.7 < found["majority"] < 0.8
    assert found["naive Bayes"] == found["re-ranker"] == 1


def test_lines_that_do_not_match_are_left_out():
    assert len(list(measure_recovery.pairs(["one two.", "one two."], ["Two three.", "Two three"]))) == 1
    with pytest.raises(SystemExit, match="1 lines of output for 2"):
        list(measure_recovery.pairs(["one", "two"], ["one"]))


def test_kinds_and_changed_words_are_counted_apart():
    numbering = measure_recovery.Numbering()
    lines = list(measure_recovery.pairs(["the city", "the town"], ["the town", "the town"]))
    text = measure_recovery.as_text(lines, numbering)
    words = type("Words", (), {"groups": {"all": np.full(len(numbering), True),
                                          "content": np.array([form in ("city", "town") for form in numbering])}})
    guess = np.full(len(text.outputs), numbering["city"])
    report = measure_recovery.measured(words, text, text, {"city": guess, "output": text.outputs})
    assert report["all"] == {"words": 4, "kept": 0.75, "blind": 0.5, "city": 0.25, "output": 0.75, "recovered": 0.75}
    assert report["content"] | {"blind": 0} == {"words": 2, "kept": 0.5, "blind": 0, "city": 0.5, "output": 0.5,
                                                "recovered": 0.5}
    assert report["changed"] | {"blind": 0} == {"words": 1, "kept": 0, "blind": 0, "city": 1, "output": 0, "recovered": 1}


def test_nothing_held_out_is_trained_on(tmp_path):
    line = "one two three four five six seven eight nine ten"
    other = "all the others are not the same as these here"
    (tmp_path / "phrases.tsv").write_text(f"sentence\tlabel\n{other[:-5]}\t1\n{other}\t1\nso {line} .\t0\n", encoding="utf-8")
    (tmp_path / "reviews.txt").write_text(f"Too short. {other.title()} {line.title()}\n", encoding="utf-8")
    files = [tmp_path / "phrases.tsv", tmp_path / "reviews.txt"]
    assert recovery_texts.training_lines(files, [line], 100) == [other]
