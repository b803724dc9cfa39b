"""Vectors trained from text: the model works like any other, phrases included, and runs can be stopped."""

import json
import random
import signal

import pytest
from conftest import refused, stopped_midway

TOPICS = {
    "food": "soup bread cheese pepper butter".split(),
    "travel": "train station ticket platform luggage".split(),
    "music": "guitar violin concert melody drummer".split(),
    "garden": "flower hedge lawn spade blossom".split(),
    "health": "doctor nurse clinic fever medicine".split(),
    "law": "judge court lawyer verdict witness".split(),
    "sport": "goal referee match striker league".split(),
    "weather": "rain storm thunder sunshine breeze".split(),
    "money": "bank credit loan interest invoice".split(),
    "school": "teacher pupil lesson homework classroom".split(),
}
FAST = ("--dim", "12", "--epochs", "12", "--min-count", "2", "--subsampling", "1", "--threads", "1", "--quiet")


def corpus(lines=2500, seed=1):
    """Sentences about one topic each. Commas prevent phrases, except New York City and New York in music."""
    draw = random.Random(seed)
    text = []
    for _ in range(lines):
        topic = draw.choice(list(TOPICS))
        words = draw.choices(TOPICS[topic], k=7)
        if topic == "music":
            words.insert(3, draw.choice(["New York City", "New York"]))
        text.append(", ".join(words).capitalize() + ".")
    return "\n".join(text) + "\n"


@pytest.fixture
def trained(program):
    """A model with phrases, from the two commands that a user types."""
    program.write("corpus.txt", corpus())
    program.ok("collocations", "count", "corpus.txt", "-o", "phrases.safetensors", "--quiet")
    program.ok("train", "vectors", "corpus.txt", "--phrases", "phrases.safetensors", "--method", "gst", "-o",
               "m.safetensors", *FAST, "--metadata", "licence=CC0-1.0")
    return program


def neighbours(program, *arguments):
    return json.loads(program.ok("model", "neighbours", "m.safetensors", *arguments, "--json").text)


def test_info_shows_the_phrases(trained):
    details = json.loads(trained.ok("model", "info", "./m.safetensors", "--verify", "--json").text)
    assert details["verified"] and details["bigrams"] >= 1 and details["trigrams"] >= 1
    assert details["metadata"]["licence"] == "CC0-1.0" and details["metadata"]["corpus"] == "corpus.txt"
    assert "phrases  " in trained.ok("model", "info", "./m.safetensors").text
    assert not (trained.folder / "m.safetensors.work").exists()


def test_words_and_phrases_of_a_topic_are_near(trained):
    # Not refined: with only ten topics the first component, which refining removes, is itself a topic.
    trained.ok("train", "vectors", "corpus.txt", "--phrases", "phrases.safetensors", "-o", "m.safetensors", *FAST,
               "--finish", "raw")
    music = {*TOPICS["music"], "new_york", "new_york_city"}
    for word, topic in [("soup", TOPICS["food"]), ("judge", TOPICS["law"]), ("new york city", music), ("new_york", music)]:
        (answer,) = neighbours(trained, word, "--top", "3")
        assert answer["word"] == word.replace(" ", "_")
        assert {row["word"] for row in answer["neighbours"]} <= set(topic)


def test_refined_vectors_have_length_one(trained):
    (answer,) = neighbours(trained, "soup")
    assert len(answer["neighbours"]) == 10
    for row in answer["neighbours"]:
        assert row["distance"] ** 2 == pytest.approx(2 - 2 * row["cosine"], abs=0.01)


def test_neighbours_as_text(trained):
    text = trained.ok("model", "neighbours", "m.safetensors", "Soup", "new york", "--top", "2").text
    lines = text.splitlines()
    assert len(lines) == 7 and (lines[0], lines[3], lines[4]) == ("soup", "", "new_york")
    assert all("distance" in lines[i] and "cosine" in lines[i] for i in (1, 2, 5, 6))
    refused(trained, ["model", "neighbours", "m.safetensors", "zeppelin"], 1, ["zeppelin", "not in its vocabulary"])
    refused(trained, ["model", "neighbours", "m.safetensors", "soup", "--top", "0"], 2, ["--top", "'0'"])
    lists = trained.model
    refused(trained, ["model", "neighbours", lists, "soup"], 2, "vectors")


def test_the_model_serves_everything(trained):
    assert trained.ok("privatize", "--model", "./m.safetensors", "-m", "santext", "-e", "1", stdin=b"Soup and bread.\n").out
    explained = json.loads(trained.ok("explain", "soup", "--model", "./m.safetensors", "-m", "tem", "-e", "5",
                                      "--json").text)
    assert explained["in_vocabulary"]
    trained.ok("lists", "build", "--model", "./m.safetensors", "-o", "l.safetensors", "--seed", "1", "--quiet")
    assert trained.ok("privatize", "--model", "./l.safetensors", "-e", "1", stdin=b"Soup.\n").out
    tokens = trained.ok("collocations", "tokenize", "--phrases", "./m.safetensors", "--method", "gst", "--quiet",
                        stdin=b"A concert in New York City.\n").text
    assert "new_york_city" in tokens


def test_the_same_bytes_with_one_thread(trained):
    first = (trained.folder / "m.safetensors").read_bytes()
    trained.ok("train", "vectors", "corpus.txt", "--phrases", "phrases.safetensors", "-o", "m.safetensors", *FAST,
               "--metadata", "licence=CC0-1.0")
    assert (trained.folder / "m.safetensors").read_bytes() == first


def test_json_report(program):
    program.write("a.jsonl", "".join(json.dumps({"body": line}) + "\n" for line in corpus(300).splitlines()))
    report = json.loads(program.ok("train", "vectors", "a.jsonl", "--field", "body", "-o", "m.safetensors", "--bits", "8",
                                   "--json", *FAST).text)
    assert report["corpus"]["documents"] == 300 and report["corpus"]["words"] >= report["corpus"]["tokens"] > 2000
    assert report["words"] == 5 * len(TOPICS) + 3 and report["bigrams"] == report["trigrams"] == 0
    assert not report["resumed"] and report["loss"] > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_while_training(program, number):
    program.write("corpus.txt", corpus(3000))
    slow = ["2000" if before == "--epochs" else value for before, value in zip(("", *FAST), FAST)]
    command = ["train", "vectors", "corpus.txt", "-o", "m.safetensors", *slow]
    manifest = program.folder / "m.safetensors.work" / "manifest.json"
    process = stopped_midway(program, command, number, "m.safetensors", when=manifest.exists)
    assert process.returncode == 1 and "interrupted" in process.error and "; to resume, run: " in process.error
    assert process.error.count("\n") == 1
    assert program.files() == ["corpus.txt", "m.safetensors.work", "m.safetensors.work/manifest.json",
                               "m.safetensors.work/tokens.txt"]
    again = program.ok("train", "vectors", "corpus.txt", "-o", "m.safetensors", *FAST)
    assert "tokenized by an earlier run" in again.text
    assert program.files() == ["corpus.txt", "m.safetensors"]


REFUSED = [
    (["--dim", "0"], 2, ["--dim", "'0'"]),
    (["--dim", "ten"], 2, ["--dim", "'ten'"]),
    (["--epochs", "-1"], 2, ["--epochs", "'-1'"]),
    (["--window", "0"], 2, ["--window", "'0'"]),
    (["--negatives", "x"], 2, ["--negatives", "'x'"]),
    (["--min-count", "0"], 2, ["--min-count", "'0'"]),
    (["--limit", "many"], 2, ["--limit", "'many'"]),
    (["--learning-rate", "nan"], 2, ["--learning-rate", "'nan'"]),
    (["--subsampling", "2"], 2, ["--subsampling", "'2'"]),
    (["--algorithm", "glove"], 2, ["--algorithm", "'glove'", "skipgram"]),
    (["--finish", "nice"], 2, ["--finish", "'nice'", "refined"]),
    (["--bits", "4"], 2, ["--bits", "'4'"]),
    (["--threads", "0"], 2, ["--threads", "'0'"]),
    (["--method", "gst"], 2, ["--method", "'gst'", "--phrases"]),
    (["--method", "best"], 2, ["--method", "'best'"]),
    (["--format", "xml"], 2, ["--format", "'xml'"]),
    (["--metadata", "x"], 2, ["--metadata", "'x'"]),
    (["--phrases", "none.safetensors"], 1, ["none.safetensors"]),
    (["--phrases", "corpus.txt"], 1, ["corpus.txt"]),
    (["--vocabulary", "none"], 1, ["none"]),
    (["--min-count", "1000"], 1, ["1000"]),
    (["--work", "corpus.txt/x"], 1, ["corpus.txt/x"]),
    (["--epoch"], 2, ["--epoch", "did you mean --epochs"]),
]


@pytest.mark.parametrize("arguments, code, parts", REFUSED, ids=[" ".join(row[0]) for row in REFUSED])
def test_refused(program, arguments, code, parts):
    program.write("corpus.txt", "a b c\n")
    refused(program, ["train", "vectors", "corpus.txt", "-o", "m.safetensors", "--quiet", *arguments], code, parts)


def test_refused_inputs(program):
    program.write("corpus.txt", "a b c\n")
    program.write("binary", bytes(range(256)) * 10)
    end = ["-o", "m.safetensors", "--quiet"]
    refused(program, ["train", "vectors", "none.txt", *end], 1, "none.txt")
    refused(program, ["train", "vectors", "/dev/null", *end], 2, ["/dev/null", "regular file"])
    refused(program, ["train", "vectors", "binary", *end], 1, ["binary", "NUL"])
    refused(program, ["train", "vectors", "corpus.txt", "-o", "corpus.txt", "--quiet"], 2, "corpus.txt")
    refused(program, ["train", "vectors", *end], 2, "CORPUS")
    refused(program, ["train"], 2, "vectors")
