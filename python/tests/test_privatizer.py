"""Python gives byte for byte what the command line gives."""

from __future__ import annotations

import json

import pytest
from conftest import KEY, TEXTS

import sotto

MECHANISMS = [
    ("diffractor-geometric", 2),
    ("diffractor-tem", 2),
    ("custext", 2),
    ("santext", 12),
    ("tem", 12),
    ("cmp", 10),
    ("mahalanobis", 10),
    ("vickrey", 10),
    ("dp-mlm", 20),
    ("dp-mlm-plus", 20),
]


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("".join(text + "\n" for text in TEXTS), encoding="utf-8")
    return path


@pytest.mark.parametrize(("mechanism", "epsilon"), MECHANISMS)
def test_lines_without_ids_are_those_of_the_program(mechanism, epsilon, lines, run_program):
    written = run_program("privatize", lines, "-m", mechanism, "-e", epsilon, "--seed", 7)
    p = sotto.Privatizer(mechanism, epsilon, seed=7, dataset="lines.txt")
    assert p.privatize(TEXTS) == written.splitlines()
    one_by_one = sotto.Privatizer(mechanism, epsilon, seed=7, dataset="lines.txt")
    assert [one_by_one.privatize(text) for text in TEXTS] == written.splitlines()


def test_batches_continue_the_numbers_of_lines(lines, run_program):
    written = run_program("privatize", lines, "-m", "tem", "-e", 12, "--seed", 7).splitlines()
    p = sotto.Privatizer("tem", 12, seed=7, dataset="lines.txt")
    assert p.privatize(TEXTS[:4]) + [p.privatize(TEXTS[4])] + p.privatize(TEXTS[5:]) == written


@pytest.mark.parametrize("mechanism", ["diffractor-geometric", "cmp", "dp-mlm"])
@pytest.mark.parametrize("by_bytes", [False, True])
def test_records_with_ids_a_field_and_a_key(mechanism, by_bytes, tmp_path, key_file, run_program):
    records = tmp_path / "records.jsonl"
    ids = [f"a{number}" for number in range(len(TEXTS))]
    rows = [{"id": name, "body": text} for name, text in zip(ids, TEXTS)]
    records.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    written = run_program(
        "privatize", records, "-m", mechanism, "-e", 10, "--field", "body", "--id-field", "id", "--key-file", key_file
    )
    expected = [json.loads(line)["body"] for line in written.splitlines()]
    key = KEY if by_bytes else key_file
    p = sotto.Privatizer(mechanism, 10, key=key, dataset="records.jsonl", field="body")
    assert p.privatize(TEXTS, ids=ids) == expected
    assert p.privatize(TEXTS[::-1], ids=ids[::-1]) == expected[::-1]
    assert [p.privatize(text, id=name) for text, name in zip(TEXTS, ids)] == expected


def test_numbers_as_ids_are_their_decimals(key_file):
    p = sotto.Privatizer("tem", 12, key=key_file)
    assert p.privatize(TEXTS[:3], ids=[5, -1, 2**70]) == p.privatize(TEXTS[:3], ids=["5", "-1", str(2**70)])
    assert p.privatize(TEXTS[0], id=5) == p.privatize(TEXTS[0], id="5")


def test_field_dataset_and_id_are_part_of_the_noise():
    def output(**keywords):
        call = {"id": keywords.pop("id", "1")}
        return sotto.Privatizer("tem", 5, key=KEY, **keywords).privatize(TEXTS[0], **call)

    outputs = [output(), output(field="f"), output(dataset="d"), output(id="2"), output(dataset="f"), output(id="")]
    assert len(set(outputs)) == len(outputs)


@pytest.mark.parametrize("options", [
    {"policy": "paper"}, {"numbers": "keep", "punctuation": "drop"}, {"case": "lower"}, {"stopwords": "keep"},
    {"oov": "bottom"}, {"articles": "keep"}, {"document_epsilon": 40, "budget": "words"}, {"set": {"lists": "L1"}},
    {"collocations": "gst", "mechanism": "cmp", "model": "sotto-en-phrases"},
])  # fmt: skip
def test_keywords_are_the_options_of_the_program(options, lines, run_program):
    keywords = {"mechanism": "diffractor-geometric", "seed": 3, **options}
    if "document_epsilon" not in options:
        keywords["epsilon"] = 2
    arguments = []
    for name, value in keywords.items():
        if name == "set":
            arguments += [f"--set={parameter}={setting}" for parameter, setting in value.items()]
        else:
            arguments.append(f"--{name.replace('_', '-')}={value}")
    written = run_program("privatize", lines, *arguments)
    assert sotto.Privatizer(**keywords, dataset="lines.txt").privatize(TEXTS) == written.splitlines()


@pytest.mark.parametrize("mechanism", ["diffractor-geometric", "cmp", "dp-mlm"])
def test_threads_change_nothing(mechanism):
    texts = TEXTS * (3 if mechanism == "dp-mlm" else 300)
    outputs = [
        sotto.Privatizer(mechanism, 10, seed=1, threads=threads).privatize(texts, ids=range(len(texts)))
        for threads in (1, 2, 8)
    ]
    assert outputs[0] == outputs[1] == outputs[2]


def test_without_a_key_noise_is_fresh():
    p = sotto.Privatizer("tem", 5)
    text = TEXTS[0]
    outputs = [p.privatize(text), p.privatize(text), p.privatize(text, id="1"), p.privatize(text, id="1")]
    outputs += p.privatize([text, text], ids=["1", "1"]) + [sotto.Privatizer("tem", 5).privatize(text)]
    assert len(set(outputs)) == len(outputs)


def test_long_texts_alone_are_as_in_a_batch():
    long = " ".join(TEXTS * 400)
    assert len(long) > 1 << 16
    for mechanism, text in (("tem", long), ("dp-mlm", long[:3000])):
        p = sotto.Privatizer(mechanism, 10, key=KEY)
        assert p.privatize(text, id="x") == p.privatize([text], ids=["x"])[0]


def test_previews_count_nothing_and_differ():
    p = sotto.Privatizer("tem", 5, key=KEY)
    previews = {p.preview(TEXTS[0]).after for _ in range(5)}
    assert len(previews) == 5
    assert p.statistics["words"]["in"] == 0


def test_calling_is_privatizing():
    assert sotto.Privatizer("tem", 12, seed=1)(TEXTS) == sotto.Privatizer("tem", 12, seed=1).privatize(TEXTS)
