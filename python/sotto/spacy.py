"""spaCy: the component ``sotto``, which sets ``doc._.private``.

>>> import spacy
>>> import sotto.spacy  # not needed where the package is installed
>>> nlp = spacy.blank("en")
>>> _ = nlp.add_pipe("sotto", config={"mechanism": "tem", "epsilon": 12})
>>> len(nlp("The soup was cold.")._.private.split())
4
"""

from __future__ import annotations

import inspect
import multiprocessing
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional

try:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.util import minibatch
except ImportError as error:
    raise ImportError("sotto.spacy needs spaCy: pip install spacy") from error

from sotto import _adapters
from sotto._privatizer import Privatizer

for _extension in ("private", "private_id", "private_subject"):
    if not Doc.has_extension(_extension):
        Doc.set_extension(_extension, default=None)


class PrivatizerComponent:
    """Rewrites ``doc.text`` into ``doc._.private``; the document itself keeps its text.

    The config has the keywords of ``sotto.Privatizer``. A pipeline on disk has it in clear, so ``key`` is the
    path of a key file, as text; the key stays where it is.

    A document's id is ``doc._.private_id``, or else the member ``id_key`` of the context, a dict, that came with
    it to ``nlp.pipe(..., as_tuples=True)``. Likewise ``doc._.private_subject`` and ``subject_key`` for a ledger;
    a document that the ledger withholds has None. Documents without ids are numbered as long as the component
    lives. With a key, give ids: a document that comes in another order would get other noise.

    With ``n_process``, each process opens the component for itself and has fresh noise of its own, or, with a
    key or a seed, needs ids. Receipts count the documents of one process.

    >>> import spacy, sotto.spacy
    >>> nlp = spacy.blank("en")
    >>> component = nlp.add_pipe("sotto", config={"epsilon": 1, "seed": 1})
    >>> pairs = nlp.pipe([("A cold soup.", {"id": "a"}), ("A warm room.", {"id": "b"})], as_tuples=True)
    >>> [context["id"] for doc, context in pairs]
    ['a', 'b']
    >>> component.privatizer.receipt["counts"]["documents"]
    2
    """

    def __init__(self, settings: Mapping[str, Any], id_key: str = "id", subject_key: str = "subject") -> None:
        _adapters.check_names(settings)
        _adapters.check_key_is_path(settings.get("key"), "a pipeline's config is printed and stored in clear")
        self._settings = dict(settings)
        self._id_key = id_key
        self._subject_key = subject_key
        self._opened: Optional[tuple[int, Privatizer]] = None
        self.privatizer  # to refuse bad settings now

    @property
    def privatizer(self) -> Privatizer:
        """That of this process: neither fresh noise nor a ledger's connection may be shared with a forked one."""
        if self._opened is None or self._opened[0] != os.getpid():
            self._opened = (os.getpid(), Privatizer(**self._settings))
        return self._opened[1]

    def __call__(self, doc: Doc) -> Doc:
        self._rewrite([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Rewrites a stream of documents in batches."""
        for docs in minibatch(stream, size=batch_size):
            self._rewrite(docs)
            yield from docs

    def _rewrite(self, docs: list[Doc]) -> None:
        ids = _names([_name(doc, doc._.private_id, self._id_key) for doc in docs], "ids")
        subjects = None
        if self._settings.get("ledger") is not None:
            subjects = _names([_name(doc, doc._.private_subject, self._subject_key) for doc in docs], "subjects")
        if ids is None and _adapters.is_repeatable(self._settings) and multiprocessing.parent_process() is not None:
            raise ValueError(
                "ids: missing; with a key or a seed and several processes, set doc._.private_id or give contexts with "
                f"'{self._id_key}': each process numbers its documents by itself"
            )
        texts = self.privatizer.privatize([doc.text for doc in docs], ids, subjects, progress=False)
        for doc, text in zip(docs, texts):
            doc._.private = text

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_opened": None}


def make_component(
    nlp: Language, name: str, id_key: str = "id", subject_key: str = "subject", **options: Any
) -> PrivatizerComponent:
    """The factory, which ``nlp.add_pipe("sotto", config={...})`` calls."""
    return PrivatizerComponent(options, id_key, subject_key)


# spaCy reads what a config may hold from the factory's signature.
make_component.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        *list(inspect.signature(make_component).parameters.values())[:4],
        *(keyword.replace(kind=inspect.Parameter.KEYWORD_ONLY) for keyword in _adapters.keywords()),
    ]
)
Language.factory("sotto", assigns=["doc._.private"], func=make_component)


def _name(doc: Doc, own: Any, key: str) -> Any:
    context = doc._context
    return context.get(key) if own is None and isinstance(context, Mapping) else own


def _names(names: list[Any], keyword: str) -> Optional[list[Any]]:
    """One for each document, or none at all."""
    missing = sum(name is None for name in names)
    if missing == len(names):
        return None
    if missing:
        raise ValueError(f"{keyword}: {missing} of {len(names)} documents of a batch have none; give all of them one")
    return names
