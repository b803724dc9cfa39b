"""Rewrites text under differential privacy.

>>> import sotto
>>> p = sotto.Privatizer(mechanism="dp-mlm", epsilon=10, seed=1)
>>> isinstance(p.privatize("The soup was cold."), str)
True

``Privatizer`` rewrites texts and columns; ``explain``, ``audit``, ``attack`` and ``budget`` say what that hides.
"""

from sotto import _interpreter as _interpreter  # isort: skip  # refuses sub-interpreters before the extension is loaded there
from sotto._analyses import (
    Attack,
    BlackBoxAudit,
    Budget,
    Certificate,
    Choice,
    Experiment,
    Measurement,
    Tuning,
    attack,
    attack_texts,
    audit,
    budget,
    evaluate,
    explain,
    mechanisms,
    models,
    perplexity,
    similarity,
)
from sotto._core import LimitExceeded, __version__
from sotto._explanation import Comparison, Explanation
from sotto._ledger import Ledger, Unsettled
from sotto._preview import Preview
from sotto._privatizer import Privatizer
from sotto._receipt import Receipt, Statistics, merge_receipts, read_receipt
from sotto._results import Result
from sotto._vectors import Import, export_vectors, import_vectors

__all__ = [
    "Attack",
    "BlackBoxAudit",
    "Budget",
    "Certificate",
    "Choice",
    "Comparison",
    "Experiment",
    "Explanation",
    "Import",
    "Ledger",
    "LimitExceeded",
    "Measurement",
    "Preview",
    "Privatizer",
    "Receipt",
    "Result",
    "Statistics",
    "Tuning",
    "Unsettled",
    "__version__",
    "attack",
    "attack_texts",
    "audit",
    "budget",
    "evaluate",
    "explain",
    "export_vectors",
    "import_vectors",
    "mechanisms",
    "merge_receipts",
    "models",
    "perplexity",
    "read_receipt",
    "similarity",
]
