"""spaCy: the component."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
import spacy
from adapter_texts import IDS, TEXTS
from spacy.tokens import Doc, DocBin

import sotto
import sotto.spacy

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"


def pipeline(**config):
    nlp = spacy.blank("en")
    nlp.add_pipe("sotto", config={"epsilon": 1, **config})
    return nlp


def test_one_document():
    doc = pipeline(seed=1)("The soup was cold.")
    assert doc._.private == sotto.Privatizer(epsilon=1, seed=1).privatize("The soup was cold.")
    assert doc.text == "The soup was cold."


def test_batches_and_ids(key_file):
    expected = sotto.Privatizer(epsilon=1, key=key_file).privatize(TEXTS, IDS)
    nlp = pipeline(key=str(key_file))

    pairs = nlp.pipe([(text, {"id": i}) for text, i in zip(TEXTS, IDS)], as_tuples=True, batch_size=3)
    assert [(doc._.private, context["id"]) for doc, context in pairs] == list(zip(expected, IDS))

    docs = [nlp.make_doc(text) for text in TEXTS]
    for doc, i in zip(docs, IDS):
        doc._.private_id = i
    assert [doc._.private for doc in nlp.pipe(docs)] == expected

    nlp = pipeline(key=str(key_file), id_key="nr")
    pairs = nlp.pipe([(text, {"nr": i}) for text, i in zip(TEXTS, IDS)], as_tuples=True)
    assert [doc._.private for doc, _ in pairs] == expected
    assert nlp.get_pipe("sotto").privatizer.receipt["counts"]["documents"] == 4


def test_numbering_goes_on():
    nlp = pipeline(seed=1)
    expected = sotto.Privatizer(epsilon=1, seed=1).privatize(TEXTS)
    assert [doc._.private for doc in nlp.pipe(TEXTS[:3], batch_size=2)] == expected[:3]
    assert nlp(TEXTS[3])._.private == expected[3]


def test_other_contexts_are_no_ids():
    """Labels, say: documents of one label are not one document."""
    pairs = pipeline(seed=1).pipe([("The same old text.", "label")] * 3, as_tuples=True)
    assert [doc._.private for doc, _ in pairs] == sotto.Privatizer(epsilon=1, seed=1).privatize(
        ["The same old text."] * 3
    )


def test_disk_round_trip_without_the_key(tmp_path, key_file):
    nlp = pipeline(key=str(key_file), mechanism="tem", set={"gamma": 1}, id_key="nr")
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert again.config["components"]["sotto"] == nlp.config["components"]["sotto"]
    text = [(TEXTS[0], {"nr": 1})]
    first, second = (next(p.pipe(text, as_tuples=True))[0]._.private for p in (nlp, again))
    assert first == second
    stored = b"".join(path.read_bytes() for path in (tmp_path / "pipeline").rglob("*") if path.is_file())
    secret = key_file.read_bytes()
    for form in (secret, secret.hex().encode(), repr(secret)[2:-1].encode()):
        assert form not in stored
        assert form not in nlp.to_bytes() and form not in pickle.dumps(nlp.get_pipe("sotto"))
    assert str(key_file).encode() in stored


def test_copies_are_pipelines_of_their_own():
    component = pipeline(seed=1).get_pipe("sotto")
    for other in (copy.deepcopy(component), pickle.loads(pickle.dumps(component))):
        assert other(Doc(spacy.blank("en").vocab, words=["soup"]))._.private
        assert other.privatizer is not component.privatizer


def test_several_processes_with_ids_give_the_same_texts(key_file):
    nlp = pipeline(key=str(key_file))
    texts, ids = TEXTS * 5, range(20)
    found = nlp.pipe([(text, {"id": i}) for text, i in zip(texts, ids)], as_tuples=True, batch_size=3, n_process=2)
    expected = sotto.Privatizer(epsilon=1, key=key_file).privatize(texts, ids)
    assert [doc._.private for doc, _ in found] == expected


def test_several_processes_do_not_share_fresh_noise():
    text = "A long text about a cold soup, a warm room and a host who forgot our order."
    nlp = pipeline(epsilon=0.1)
    found = [doc._.private for doc in nlp.pipe([text] * 8, batch_size=1, n_process=2)]
    assert len(set(found)) == 8


def test_several_processes_without_ids_are_refused(key_file):
    with pytest.raises(ValueError, match="ids: missing; with a key or a seed and several processes"):
        list(pipeline(key=str(key_file)).pipe(TEXTS, n_process=2, batch_size=2))


def test_entry_point_needs_no_import(tmp_path):
    """As pip installs it: what pyproject.toml says becomes entry_points.txt."""
    tomllib = pytest.importorskip("tomllib")
    groups = tomllib.loads(PYPROJECT.read_text())["project"]["entry-points"]
    info = tmp_path / "sotto-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sotto\nVersion: 0\n")
    (info / "entry_points.txt").write_text(
        "".join(
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in groups.items()
        )
    )
    program = (
        "import spacy; nlp = spacy.blank('en'); nlp.add_pipe('sotto', config={'epsilon': 1});"
        "print(nlp('The soup was cold.')._.private)"
    )
    paths = [str(tmp_path), str(Path(sotto.__file__).parents[1])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    out = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)
    assert len(out.stdout.split()) == 4


def test_ledger(tmp_path, key_file):
    options = {"mechanism": "custext", "key": str(key_file), "limit": 8}
    nlp = pipeline(ledger=str(tmp_path / "l"), **options)
    pairs = nlp.pipe([(t, {"id": i, "subject": "x"}) for t, i in zip(TEXTS, IDS)], as_tuples=True)
    withheld = [doc._.private is None for doc, _ in pairs]
    assert 0 < sum(withheld) < 4
    with pytest.raises(ValueError, match="ids: missing"):
        nlp("No id.")
    with pytest.raises(ValueError, match="subjects: missing"):
        list(nlp.pipe([("No subject.", {"id": 1})], as_tuples=True))
    nlp = pipeline(ledger=str(tmp_path / "m"), unique_ids=True, **options)
    with pytest.raises(ValueError, match=r"texts\[1\]: a document with this name"):
        list(nlp.pipe([("Same.", {"id": 1, "subject": "x"})] * 2, as_tuples=True))


def test_private_texts_are_stored_with_docs():
    doc = pipeline()("The soup was cold.")
    stored = DocBin(store_user_data=True, docs=[doc]).to_bytes()
    (again,) = DocBin().from_bytes(stored).get_docs(spacy.blank("en").vocab)
    assert again._.private == doc._.private


@pytest.mark.parametrize(
    ("config", "match"),
    [
        ({"epsilon": None}, "epsilon: missing"),
        ({"epsilom": 1}, "unexpected argument: 'epsilom'"),
        ({"mechanism": "laplace"}, "mechanism"),
        ({"key": b"0" * 32}, "key is bytes; give the path of a key file"),
        ({"key": "/no/such/key"}, "key"),
    ],
)
def test_bad_config(config, match):
    with pytest.raises(Exception, match=match):
        pipeline(**config)


def test_ids_for_some_documents_only():
    with pytest.raises(ValueError, match="ids: 1 of 2 documents of a batch have none"):
        list(pipeline(seed=1).pipe([("One.", {"id": 1}), ("Two.", {})], as_tuples=True))
