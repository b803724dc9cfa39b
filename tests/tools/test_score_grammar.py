"""The score of negation and agreement: originals are right, and every rule can fail."""
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "score_grammar.py"
DATA = ROOT / "tests" / "lm" / "data" / "grammar"
sys.path.insert(0, str(TOOL.parent))

import score_grammar  # noqa: E402  (from the folder above)


def run(*arguments):
    return subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True, check=False)


def score(original, output):
    done = run(original, output, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def score_lines(folder, original, output):
    (folder / "words.txt").write_text((DATA / "words.txt").read_text(encoding="utf-8"), encoding="utf-8")
    tsv = folder / "sentences.tsv"
    tsv.write_text("kind\tsentence\n" + "".join(f"{kind}\t{line}\n" for kind, line in original), encoding="utf-8")
    return score_grammar.score(*score_grammar.read_original(tsv), output)


def test_originals_are_right(tmp_path):
    text = tmp_path / "text"
    text.write_text(run(DATA / "sentences.tsv", "--text").stdout, encoding="utf-8")
    result = score(DATA / "sentences.tsv", text)
    for name in ("negation", "agreement", "agreement_in_context"):
        assert result[name]["score"] == 1, name
    assert result["negation"]["marks"] >= 80
    assert result["agreement"]["marks"] >= 140
    assert result["agreement"]["marks"] == result["agreement_in_context"]["marks"]
    assert all(rule["marks"] >= 5 for rule in result["rules"].values())


def test_sentences_are_distinct():
    lines = (DATA / "sentences.tsv").read_text(encoding="utf-8").splitlines()[1:]
    kinds = [line.split("\t")[0] for line in lines]
    assert len(set(lines)) == len(lines)
    assert kinds.count("negation") >= 80 and kinds.count("agreement") >= 140


# The rule, a marked sentence, what is right besides the original, and what is not.
WORDS = [
    ("negation", "I didn't[negation] pay.", ["never", "couldn’t", "not", "dont"], ["did", "just", "nearly", "knot"]),
    ("plural", "I saw two cats[plural].", ["men", "houses", "people", "boxes"],
     ["cat", "glass", "bus", "this", "of", "is", "news"]),
    ("singular", "I saw a cat[singular].", ["glass", "bus", "sheep", "meeting", "analysis"],
     ["cats", "men", "were", "she", "of", "gave", "who's"]),
    ("be_plural", "The men were[be_plural] there.", ["are", "weren't"], ["was", "is", "be", "went"]),
    ("be_singular", "The man was[be_singular] there.", ["is", "wasn't"], ["were", "are", "be", "saw"]),
    ("third", "She works[third] hard.", ["tried", "can", "has", "wrote", "does"], ["work", "this", "miss", "hardly"]),
    ("plain", "They work[plain] hard.", ["tried", "can", "have", "wrote"], ["works", "has", "working", "taken"]),
    ("participle", "I have seen[participle] it.", ["moved", "put", "been", "run"],
     ["saw", "see", "seeing", "need", "ran", "very"]),
    ("ing_or_participle", "I was eating[ing_or_participle] it.", ["seen", "moved", "singing"],
     ["eat", "during", "thing", "ate", "bread"]),
    ("base", "I want to go[base] home.", ["be", "need", "miss", "bring", "put", "have"],
     ["goes", "went", "gone", "going", "moved", "the", "very", "children"]),
    ("comparative", "It is bigger[comparative] than me.", ["more", "older", "worse"], ["big", "the", "never", "water"]),
    ("past", "Yesterday I went[past@-2] home.", ["moved", "told", "was"], ["go", "goes", "going", "gone", "need"]),
    ("object", "I spoke to him[object].", ["them", "mother", "nobody"], ["he", "she", "they", "of", "was"]),
    ("reflexive", "He cut himself[reflexive@-2].", [], ["herself", "him", "themselves", "bread"]),
    ("article", "I saw an[article] egg.", ["the", "my"], ["a", "of", "eggs"]),
]


def rewritten(sentence, word):
    return re.sub(r"[^\W\d_]+(?:['’][^\W\d_]+)?\[[^\]]*\]", word, sentence)


@pytest.mark.parametrize(("rule", "sentence", "right", "wrong"), WORDS, ids=[rule for rule, *_ in WORDS])
def test_rule(tmp_path, rule, sentence, right, wrong):
    kind = "negation" if rule == "negation" else "agreement"

    def fits(word):
        return score_lines(tmp_path, [(kind, sentence)], [rewritten(sentence, word)])[kind]["right"] == 1

    assert [word for word in right if not fits(word)] == []
    assert [word for word in wrong if fits(word)] == []


def test_reflexive_follows_the_rewritten_subject(tmp_path):
    result = score_lines(tmp_path, [("agreement", "He cut himself[reflexive@-2].")], ["She cut herself."])
    assert result["agreement"]["score"] == 1


def test_article_follows_the_rewritten_word(tmp_path):
    result = score_lines(tmp_path, [("agreement", "I saw an[article] egg.")] * 3,
                         ["I saw a man.", "I saw an hour.", "I saw an user."])
    assert result["agreement"]["right"] == 2


def test_context_leaves_out_what_is_not_asked_for(tmp_path):
    result = score_lines(tmp_path, [("agreement", "I saw two cats[plural].")] * 3,
                         ["I saw the cat.", "I saw these cat.", "I saw 12 cats."])
    assert result["agreement"] == {"right": 1, "marks": 3, "score": 0.3333}
    assert result["agreement_in_context"] == {"right": 1, "marks": 2, "score": 0.5}


def test_output_that_does_not_match_is_refused(tmp_path):
    text = tmp_path / "text"
    text.write_text("One line.\n", encoding="utf-8")
    assert "1 lines of output" in run(DATA / "sentences.tsv", text).stderr
    lines = run(DATA / "sentences.tsv", "--text").stdout.splitlines()
    lines[4] = lines[4].replace(" ", "-", 1)
    text.write_text("\n".join(lines), encoding="utf-8")
    assert run(DATA / "sentences.tsv", text).stderr.startswith("line 5: ")
