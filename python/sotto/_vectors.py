"""Word vectors to models and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Optional, Union

from sotto import _core, _progress
from sotto._results import Result

Path = Union[str, "os.PathLike[str]"]


class Import(Result):
    """What an import made: the model's size, its rounding error, and which epsilon make sense for it."""

    title = "import"


def import_vectors(
    vectors: Path,
    output: Path,
    *,
    limit: int = 0,
    vocabulary: Optional[Path] = None,
    bits: int = 16,
    keep_non_words: bool = False,
    metadata: Optional[Mapping[str, str]] = None,
    progress: _progress.Progress = None,
) -> Import:
    """Makes a model file from word vectors (GloVe, word2vec, fastText; text or binary; also compressed).

    ``vocabulary`` is a file of words, or words and their counts, to keep; ``limit`` keeps the first words.

    >>> import pathlib, sotto, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> vectors = pathlib.Path(folder.name) / "tiny.vec"
    >>> _ = vectors.write_text("cat 0 1\\ndog 0 2\\ncar 5 1\\n")
    >>> sotto.import_vectors(vectors, vectors.with_suffix(".safetensors"))["words"]
    3
    >>> folder.cleanup()
    """
    for name, value in (("limit", limit), ("bits", bits)):
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 1_000_000_000:
            raise ValueError(f"{name}: '{value}' is not allowed; give a whole number")
    pairs = [(str(name), str(value)) for name, value in (metadata or {}).items()]
    show, done = _progress.bar(progress, "import", in_bytes=True)
    try:
        return Import(
            _core.import_vectors(
                os.fspath(vectors), os.fspath(output), limit,
                None if vocabulary is None else os.fspath(vocabulary), bits, keep_non_words, pairs, show,
            )
        )  # fmt: skip
    finally:
        done.close()


def export_vectors(model: Path, output: Path, *, to: str = "word2vec-text") -> None:
    """Writes a model's vectors for other programs; ``to`` is word2vec-text or word2vec-bin."""
    _core.export_vectors(os.fspath(model), os.fspath(output), to)
