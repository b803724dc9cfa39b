"""gensim: vectors in and out, and the functions for files that they use."""

from __future__ import annotations

import json

import numpy as np
import pytest
from gensim.models import FastText, KeyedVectors, Word2Vec

import sotto
import sotto.gensim

SENTENCES = [["the", "cold", "soup", "was", "good"], ["the", "warm", "soup", "was", "not"]] * 20


def keyed(words, vectors):
    made = KeyedVectors(len(vectors[0]))
    made.add_vectors(words, np.array(vectors, dtype=np.float32))
    return made


def words_and_counts(model):
    """From the file itself: eight bytes of length, a header in JSON, tensors."""
    stored = model.read_bytes()
    size = int.from_bytes(stored[:8], "little")
    header = json.loads(stored[8 : 8 + size])

    def tensor(name, dtype):
        begin, end = header[name]["data_offsets"]
        return np.frombuffer(stored[8 + size + begin : 8 + size + end], dtype)

    text, offsets = tensor("words", np.uint8).tobytes(), tensor("offsets", np.uint64)
    words = [text[a:b].decode() for a, b in zip(offsets[:-1], offsets[1:])]
    return words, tensor("counts", np.uint64).tolist() if "counts" in header else None


def test_round_trip(tmp_path):
    rng = np.random.default_rng(1)
    words = [f"w{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(300)]
    vectors = keyed(words, rng.normal(size=(300, 8)))
    report = sotto.gensim.import_vectors(vectors, tmp_path / "m.safetensors", metadata={"licence": "CC0"})
    assert report["words"] == 300 and report["dimension"] == 8
    again = sotto.gensim.load_vectors(tmp_path / "m.safetensors")
    assert again.index_to_key == words
    assert np.abs(again.vectors - vectors.vectors).max() <= report["largest_error"] + 1e-6
    assert words_and_counts(tmp_path / "m.safetensors")[1] is None


@pytest.mark.parametrize("kind", [Word2Vec, FastText])
def test_trained_models_keep_their_counts(kind, tmp_path):
    trained = kind(SENTENCES, vector_size=4, min_count=1, seed=1, workers=1)
    model = tmp_path / "m.safetensors"
    sotto.gensim.import_vectors(trained, model)
    words, counts = words_and_counts(model)
    assert dict(zip(words, counts)) == {word: trained.wv.get_vecattr(word, "count") for word in trained.wv.key_to_index}
    p = sotto.Privatizer("santext-plus", 5, model=model, seed=1)
    assert set(p.privatize("cold soup").lower().split()) <= set(words)


def test_counts_that_gensim_made_up_are_no_counts(tmp_path):
    keyed(["a", "b", "c"], np.eye(3)).save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    read = KeyedVectors.load_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    sotto.gensim.import_vectors(read, tmp_path / "m.safetensors")
    assert words_and_counts(tmp_path / "m.safetensors") == (["a", "b", "c"], None)


def test_what_is_no_word_stays_out(tmp_path):
    vectors = keyed(["new york", "cat", "\u00a0x", "</s>", "1999", "dog"], np.eye(6))
    vectors.set_vecattr("cat", "count", 7)
    for name in vectors.index_to_key:
        vectors.set_vecattr(name, "count", 5)
    sotto.gensim.import_vectors(vectors, tmp_path / "m.safetensors")
    assert words_and_counts(tmp_path / "m.safetensors") == (["cat", "dog"], [5, 5])
    sotto.gensim.import_vectors(vectors, tmp_path / "n.safetensors", keep_non_words=True, limit=2)
    assert words_and_counts(tmp_path / "n.safetensors")[0] == ["cat", "</s>"]


def test_shipped_model_into_gensim():
    name = next((m["name"] for m in sotto.models() if m.get("dimension")), None)
    if name is None:
        pytest.skip("no model with vectors is installed")
    assert len(sotto.gensim.load_vectors(name)) > 1000


def test_files(tmp_path):
    (tmp_path / "v.txt").write_text("cat 0 1\ndog 0 2\ncar 5 1\n")
    (tmp_path / "words").write_text("dog\t3\ncat\t9\n")
    report = sotto.import_vectors(
        tmp_path / "v.txt", tmp_path / "m.safetensors", vocabulary=tmp_path / "words", bits=8, metadata={"a": "b"}
    )
    assert report["words"] == 2 and "Sotto import" in repr(report)
    assert words_and_counts(tmp_path / "m.safetensors") == (["dog", "cat"], [3, 9])
    for to, head in (("word2vec-text", b"2 2\ndog "), ("word2vec-bin", b"2 2\ndog ")):
        sotto.export_vectors(tmp_path / "m.safetensors", tmp_path / "out", to=to)
        assert (tmp_path / "out").read_bytes().startswith(head)


@pytest.mark.parametrize(
    ("vectors", "options", "error", "match"),
    [
        ([1, 2], {}, TypeError, "vectors is list; give KeyedVectors"),
        (KeyedVectors(2), {}, ValueError, "vectors: empty"),
        (keyed([7, 8], np.eye(2)), {}, TypeError, "vectors has the key 7"),
        (keyed(["a", "b"], [[1, np.nan], [0, 1]]), {}, ValueError, "vectors.bin"),
        (keyed(["a", "b"], np.eye(2)), {"bits": 7}, ValueError, "bits: '7' is not allowed; give 8 or 16"),
        (keyed(["a", "b"], np.eye(2)), {"limit": -1}, ValueError, "limit: '-1'"),
        (keyed(["1", "2"], np.eye(2)), {}, ValueError, "keep_non_words"),
    ],
)
def test_bad_input(tmp_path, vectors, options, error, match):
    with pytest.raises(error, match=match):
        sotto.gensim.import_vectors(vectors, tmp_path / "m.safetensors", **options)
    assert list(tmp_path.iterdir()) == []


def test_bad_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        sotto.import_vectors(tmp_path / "none", tmp_path / "m.safetensors")
    with pytest.raises(ValueError, match="to: 'glove' is not allowed; give word2vec-text or word2vec-bin"):
        sotto.export_vectors("sotto-en-lists", tmp_path / "out", to="glove")
    with pytest.raises(FileNotFoundError, match="no-such-model"):
        sotto.export_vectors("no-such-model", tmp_path / "out")
    with pytest.raises(ValueError):
        sotto.export_vectors("sotto-en-lists", tmp_path / "out")  # it has no vectors
