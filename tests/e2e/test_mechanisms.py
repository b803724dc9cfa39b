"""Every mechanism through the whole path: formats, policies, batches, threads and memory, and explain."""

import json

import pytest

from conftest import sentences

LIST_MECHANISMS = ("diffractor-geometric", "diffractor-tem")
VECTOR_MECHANISMS = ("santext", "tem", "custext", "cmp", "mahalanobis", "vickrey", "vickrey-k", "gumbel")
NEEDING_COUNTS = ("santext-plus",)
NEEDING_WORDNET = ("syntf",)
WITH_LANGUAGE_MODEL = ("dp-mlm", "dp-mlm-plus", "dp-paraphrase", "dp-prompt")  # see test_language_models.py
EVERY = LIST_MECHANISMS + VECTOR_MECHANISMS + NEEDING_COUNTS + NEEDING_WORDNET


def tiny_wordnet(folder):
    """soup and bread as synonyms of each other, in WordNet's file formats."""
    folder.mkdir(exist_ok=True)
    notice = "  1 A data base made for tests.  \n"
    for name in ("noun", "verb", "adj", "adv"):
        data = index = notice
        if name == "noun":
            data += f"{len(notice):08d} 03 n 02 soup 0 bread 0 000 | a meaning  \n"
            for lemma in ("bread", "soup"):
                index += f"{lemma} n 1 2 @ ~ 1 0 {len(notice):08d}  \n"
        (folder / f"data.{name}").write_text(data)
        (folder / f"index.{name}").write_text(index)
        (folder / f"{name}.exc").write_text("")
    return folder


@pytest.fixture
def choose(program, models):
    """The options that select a mechanism together with what it needs."""

    def options(mechanism):
        if mechanism in LIST_MECHANISMS:
            return ["-m", mechanism, "--model", models / "lists.safetensors"]
        if mechanism in NEEDING_COUNTS:
            counted = program.folder.parent / "counted.safetensors"
            words = [line.split()[0] for line in (models / "first.txt").read_text().splitlines()]
            counts = program.folder.parent / "counts.tsv"
            counts.write_text("".join(f"{word}\t{1000 - i}\n" for i, word in enumerate(words)))
            program.ok("model", "import", models / "first.txt", "-o", counted, "--vocabulary", counts)
            return ["-m", mechanism, "--model", counted]
        chosen = ["-m", mechanism, "--model", models / "first.safetensors"]
        if mechanism in NEEDING_WORDNET:
            chosen += ["--set", f"wordnet={tiny_wordnet(program.folder.parent / 'wordnet')}"]
        return chosen

    return options


def test_no_mechanism_is_forgotten(program):
    listed = json.loads(program.ok("mechanisms", "--json").text)
    assert sorted(info["name"] for info in listed) == sorted(EVERY + WITH_LANGUAGE_MODEL)


@pytest.mark.parametrize("mechanism", EVERY)
def test_batches_threads_memory_and_shards_do_not_matter(program, choose, key, mechanism):
    program.write("in.txt", sentences(400))
    run = ["privatize", "in.txt", *choose(mechanism), "-e", "5", "--key-file", key, "--quiet"]
    expected = program.ok(*run, "--threads", "1").out
    assert expected.count(b"\n") == 400
    assert program.ok(*run, "--threads", "3").out == expected
    assert program.ok(*run, "--memory", "1M").out == expected
    assert b"".join(program.ok(*run, "--shard", f"{i}/3").out for i in (1, 2, 3)) == expected


@pytest.mark.parametrize("mechanism", EVERY)
def test_every_format_and_policy(program, choose, key, mechanism):
    program.write("in.jsonl", '{"id": 1, "text": "The soup was cold, Zanzibar 42!"}\n{"id": 2, "text": "Bread."}\n')
    program.write("in.csv", 'id,text\n1,"The soup, cold"\n2,Bread\n')
    base = [*choose(mechanism), "-e", "2", "--key-file", key, "--field", "text", "--quiet"]
    for policy in ("strict", "paper"):
        records = [json.loads(line) for line in
                   program.ok("privatize", "in.jsonl", *base, "--policy", policy).text.splitlines()]
        assert [record["id"] for record in records] == [1, 2]
        assert ("Zanzibar 42!" in records[0]["text"]) == (policy == "paper")
        table = program.ok("privatize", "in.csv", *base, "--policy", policy).text.splitlines()
        assert table[0] == "id,text" and len(table) == 3


@pytest.mark.parametrize("mechanism", EVERY)
def test_explain_adds_up(program, choose, mechanism):
    options = [*choose(mechanism), "-e", "5", "--top", "1000", "--draws", "2000", "--json"]
    for word in ("soup", "Zanzibar"):
        explained = json.loads(program.ok("explain", word, *options).text)
        assert sum(row["probability"] for row in explained["top"]) == pytest.approx(1, abs=1e-6)
        assert explained["exact"] == all(row["standard_error"] == 0 for row in explained["top"])


@pytest.mark.parametrize("mechanism", VECTOR_MECHANISMS + NEEDING_COUNTS)
def test_a_list_set_is_refused_where_vectors_are_needed(program, models, mechanism):
    program.write("in.txt", "soup\n")
    outcome = program.run("privatize", "in.txt", "-m", mechanism, "--model", models / "lists.safetensors", "-e", "1")
    assert outcome.code == 2
    assert "has no vectors" in outcome.err
