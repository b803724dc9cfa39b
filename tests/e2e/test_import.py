"""sotto model import: what becomes a word, and what the report says about distances."""

import json

import pytest
from conftest import WORDS, refused, vectors

ODD_WORDS = ["soup", ",", "...", "1998", "3.14", "</s>", "<unk>", "été", "covid-19", "1990s", "$", "😀", "new_york", "кот"]


@pytest.mark.parametrize("arguments, kept, left_out", [
    ([], ["soup", "été", "covid-19", "1990s", "new_york", "кот"], 8),
    (["--keep-non-words"], ODD_WORDS, 0),
    (["--limit", "2"], ["soup", "été"], 6),
    (["--vocabulary", "list.txt"], ["1998", "soup"], 0),
])
def test_only_words_become_words(program, arguments, kept, left_out):
    program.write("odd.txt", vectors(1, words=ODD_WORDS))
    program.write("list.txt", "1998\nsoup\n")
    command = ["model", "import", "odd.txt", "-o", "odd.safetensors", *arguments]
    report = json.loads(program.ok(*command, "--json").text)
    assert (report["words"], report["non_words"]) == (len(kept), left_out)
    program.ok("model", "export", "./odd.safetensors", "-o", "words.txt")
    assert [line.split()[0] for line in (program.folder / "words.txt").read_text().splitlines()[1:]] == kept
    text = program.ok(*command).text
    assert (f"{left_out} entries left out" in text) == ("--keep-non-words" in text) == (left_out > 0)


def test_nothing_but_punctuation(program):
    program.write("odd.txt", vectors(1, words=[",", "1998"]))
    refused(program, ["model", "import", "odd.txt", "-o", "odd.safetensors"], 1, ["odd.txt", "--keep-non-words"])


def test_import_says_what_distances_mean(program, models):
    """The words stay with the stated share at the stated epsilon: N_w of santext is exact, and averaged over all words
    here, as the sample is. For cmp the ends are quantiles of one noise per word: a share of 233 trials with mean 0.05
    is within 0.1 of it with probability above 1 - 2e-7 (Chernoff)."""
    command = ["model", "import", models / "first.txt", "-o", "again.safetensors"]
    report = json.loads(program.ok(*command, "--json").text)["typical_distances"]
    assert report["sample"] == len(WORDS)
    assert 0 < report["nearest"] < report["random_pair"]
    for mechanism, kind, tolerance in (("santext", "selection", 0.002), ("cmp", "noise", 0.1)):
        for end, share in (("low", 0.05), ("high", 0.95)):
            attack = json.loads(program.ok("attack", "-m", mechanism, "--model", "./again.safetensors", "--words", "all", "-e",
                                           report["epsilon"][kind][end], "--attack", "nearest", "--draws", "10", "--seed", "1", "--json").text)
            assert abs((1 - attack["changed"]["value"]) - share) < tolerance, (mechanism, end, attack["changed"])
    text = program.ok(*command).text
    assert "typical distances: " in text and "useful epsilon: about " in text
    # It is a function of the model.
    assert json.loads(program.ok(*command, "--json").text)["typical_distances"] == report
