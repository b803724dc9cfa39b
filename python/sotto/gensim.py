"""gensim: KeyedVectors to models and back.

>>> import pathlib, tempfile
>>> import numpy as np
>>> from gensim.models import KeyedVectors
>>> import sotto, sotto.gensim
>>> vectors = KeyedVectors(2)
>>> vectors.add_vectors(["cat", "dog", "car"], np.array([[0, 1], [0, 2], [5, 1]]))
>>> folder = tempfile.TemporaryDirectory()
>>> model = pathlib.Path(folder.name) / "tiny.safetensors"
>>> sotto.gensim.import_vectors(vectors, model)["words"]
3
>>> sotto.Privatizer("santext", epsilon=1, model=model).privatize("dog").lower() in {"cat", "dog", "car"}
True
>>> sotto.gensim.load_vectors(model).most_similar("cat")[0][0]
'dog'
>>> folder.cleanup()
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from typing import Any, Optional, Union

try:
    import numpy
    from gensim.models import KeyedVectors
except ImportError as error:
    raise ImportError("sotto.gensim needs gensim: pip install gensim") from error

from sotto import _core, _progress
from sotto._vectors import Import
from sotto._vectors import export_vectors as _export_file
from sotto._vectors import import_vectors as _import_file

Path = Union[str, "os.PathLike[str]"]


def import_vectors(
    vectors: Any,
    output: Path,
    *,
    limit: int = 0,
    bits: int = 16,
    keep_non_words: bool = False,
    metadata: Optional[Mapping[str, str]] = None,
    progress: _progress.Progress = None,
) -> Import:
    """Makes a model file from KeyedVectors, or from a trained Word2Vec or FastText model.

    Words stay in their order; ``limit`` keeps the first. Their counts are kept: santext-plus needs them. They and
    the vectors must come from public text, because a model reveals what it was trained on. Words with blanks are
    left out, and numbers, punctuation and markers too unless ``keep_non_words``.
    """
    vectors = getattr(vectors, "wv", vectors)
    if not isinstance(vectors, KeyedVectors):
        raise TypeError(f"vectors is {type(vectors).__name__}; give KeyedVectors of gensim")
    for word in vectors.index_to_key:
        if not isinstance(word, str):
            raise TypeError(f"vectors has the key {word!r}, which is {type(word).__name__}; give words as keys")
    with tempfile.TemporaryDirectory(prefix="sotto-") as folder:
        file = os.path.join(folder, "vectors.bin")
        _write_word2vec(vectors, file)
        own: dict[str, Any] = {"limit": limit, "keep_non_words": keep_non_words}
        if _has_counts(vectors):
            # A vocabulary brings counts, but it also decides which words are kept: that is for the import to do.
            words = os.path.join(folder, "words.safetensors")
            _import_file(file, words, **own)
            own = {"vocabulary": os.path.join(folder, "vocabulary.txt")}
            with open(own["vocabulary"], "w", encoding="utf-8") as lines:
                lines.writelines(f"{w}\t{vectors.get_vecattr(w, 'count')}\n" for w in _core.model_words(words))
        return _import_file(file, output, bits=bits, metadata=metadata, progress=progress, **own)


def _write_word2vec(vectors: Any, file: str) -> None:
    """gensim's own writer would sort words by their counts, and break the file at a word with a blank."""
    rows = [place for place, word in enumerate(vectors.index_to_key) if not any(map(str.isspace, word))]
    if not rows:
        raise ValueError("vectors: empty; there is no word to import")
    with open(file, "wb") as out:
        out.write(f"{len(rows)} {vectors.vector_size}\n".encode())
        for place in rows:
            out.write(vectors.index_to_key[place].encode() + b" " + vectors.vectors[place].astype("<f4").tobytes())


def _has_counts(vectors: Any) -> bool:
    """Whether words have counts: not those that gensim makes up from their order when it reads a file."""
    counts = vectors.expandos.get("count")
    return counts is not None and not numpy.array_equal(counts, numpy.arange(len(counts), 0, -1))


def load_vectors(model: Path) -> KeyedVectors:
    """The vectors of a model, by name or path, as KeyedVectors."""
    with tempfile.TemporaryDirectory(prefix="sotto-") as folder:
        file = os.path.join(folder, "vectors.bin")
        _export_file(model, file, to="word2vec-bin")
        return KeyedVectors.load_word2vec_format(file, binary=True)
