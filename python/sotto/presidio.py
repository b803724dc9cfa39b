"""Presidio: the anonymizer operator ``sotto``, with a mechanism and an epsilon per type of entity.

>>> from presidio_anonymizer import AnonymizerEngine
>>> from presidio_anonymizer.entities import OperatorConfig, RecognizerResult
>>> import sotto.presidio
>>> engine = AnonymizerEngine()
>>> engine.add_anonymizer(sotto.presidio.SottoOperator)
>>> found = [RecognizerResult("LOCATION", 8, 14, 1.0)]
>>> operators = {"LOCATION": OperatorConfig("sotto", {"mechanism": "custext", "epsilon": 2})}
>>> engine.anonymize("I am in Berlin now.", found, operators).text.startswith("I am in ")
True
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from typing import Any, Optional

try:
    from presidio_anonymizer.operators import Operator, OperatorType
except ImportError as error:
    raise ImportError("sotto.presidio needs Presidio: pip install presidio-anonymizer") from error

from sotto import _adapters
from sotto._privatizer import Privatizer
from sotto._receipt import Receipt

_OF_A_SPAN = ("entity_type", "privatizer", "id", "account")

_opened: dict[tuple[int, str], Privatizer] = {}
_lock = threading.Lock()
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


class SottoOperator(Operator):  # type: ignore[misc]
    """Rewrites a detected span under differential privacy.

    An ``OperatorConfig`` holds the keywords of ``sotto.Privatizer`` (``key`` as the path of a key file), which
    is opened once per process for equal settings, or an opened one as ``privatizer``; and:

    - ``id``: the text's id. Without it spans are numbered in the order in which they are rewritten, Presidio
      going from the last to the first. With a key, equal spans of one id get equal outputs: a name that occurs
      twice in a text stays one name. Give each text an id of its own, or one name is one pseudonym everywhere,
      and whoever can have a name rewritten under that id can recognize it.
    - ``account``: with a Privatizer that has a ledger, the subject whose account is charged. A span that the
      limit does not allow raises ``sotto.LimitExceeded``, so nothing of the text is released.

    **What is promised.** The receipt's guarantee is for each span that was rewritten, between texts in which the
    same spans were found. It is none for the text as a whole: which spans a recognizer finds depends on the
    text, what it misses stays in clear, and the types and places of spans show. A receipt says nothing about
    detection. To protect everything, rewrite the whole text with ``sotto.Privatizer``.
    """

    def operate(self, text: Optional[str] = None, params: Optional[Mapping[str, Any]] = None) -> str:
        """The rewritten span."""
        given = dict(params or {})
        rewritten: str = _privatizer(given).privatize(text or "", id=given.get("id"), subject=given.get("account"))
        return rewritten

    def validate(self, params: Optional[Mapping[str, Any]] = None) -> None:
        """Refuses settings that cannot be opened, before anything is rewritten."""
        _privatizer(dict(params or {}))

    def operator_name(self) -> str:
        """The name for ``OperatorConfig``."""
        return "sotto"

    def operator_type(self) -> OperatorType:
        """It cannot be undone."""
        return OperatorType.Anonymize


def receipts() -> list[Receipt]:
    """Those of all settings that operators of this process have opened, for the spans that were rewritten.

    >>> import sotto.presidio
    >>> _ = sotto.presidio.SottoOperator().operate("Berlin", {"mechanism": "custext", "epsilon": 2})
    >>> any(receipt["mechanism"]["name"] == "custext" for receipt in sotto.presidio.receipts())
    True
    """
    with _lock:
        return [privatizer.receipt for (process, _), privatizer in _opened.items() if process == os.getpid()]


def _privatizer(params: Mapping[str, Any]) -> Privatizer:
    options = {name: value for name, value in params.items() if name not in _OF_A_SPAN}
    if params.get("privatizer") is not None:
        return _adapters.open_privatizer(params["privatizer"], options)
    _adapters.check_names(options)
    _adapters.check_key_is_path(options.get("key"), "an OperatorConfig prints its parameters")
    if options.get("ledger") is not None:
        raise ValueError("ledger: not allowed among the parameters; give privatizer, a sotto.Privatizer with a ledger")
    settings = _adapters.plain(options)
    with _lock:
        name = (os.getpid(), json.dumps(settings, default=repr))  # forked processes must not share fresh noise
        if name not in _opened:
            _opened[name] = Privatizer(**settings)
        return _opened[name]
