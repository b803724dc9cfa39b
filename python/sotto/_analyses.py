"""Explaining, auditing, attacking and planning: the commands of the program as functions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

from sotto import _core, _keywords, _progress
from sotto._explanation import Comparison, Explanation
from sotto._results import Result

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Sequence[Path]]


class Certificate(Result):
    """The largest privacy loss of a mechanism, computed from the integers that it samples."""

    title = "certificate"


class BlackBoxAudit(Result):
    """What the falsifier found. It can refute a claim, never prove one."""

    title = "black-box audit"

    @property
    def refuted(self) -> bool:
        """Whether some finding refutes the claim."""
        return bool(self["verdict"] == "refuted")


class Attack(Result):
    """How often adversaries guess the input from the output."""

    title = "attack"

    def _lines(self) -> list[tuple[str, str]]:
        if self.get("attack") == "mask":
            return self._mask_lines()
        if not self.get("attacks"):
            return super()._lines()
        lines = [(name, str(self[name])) for name in ("mechanism", "epsilon", "model", "prior") if name in self]
        for attack in self["attacks"]:
            lines.append((attack["name"], f"{attack['success']['value']:.1%} of {attack['candidates']} candidates"))
        return [*lines, ("blind", f"{self['blind_success']:.1%}")]

    def _mask_lines(self) -> list[tuple[str, str]]:
        """Mask-token inference, and the two attackers to compare it with."""
        success, changed = self["success"], self["success_where_changed"]
        return [
            ("attack", "a language model guesses the original word at each place of the rewritten texts"),
            ("model", self["model"]),
            ("words", f"{self['words']} in {self['lines']} texts"),
            ("recovered", f"{success['value']:.1%} ({success['low']:.1%} to {success['high']:.1%})"),
            ("where changed", f"{changed['value']:.1%} of {self['changed']} words"),
            ("by believing the output", f"{self['kept']:.1%}"),
            ("by always guessing one word", f"{self['blind_success']:.1%}"),
        ]


class Budget(Result):
    """What a document of a given shape would spend."""

    title = "budget"


class Tuning(Result):
    """Privacy and utility of mechanisms on a list of words, and the best choice under a limit on the loss."""

    title = "tuning"


class Choice(Result):
    """What mechanisms do to a text, and what an attacker gets. Confidential: it has lines of the text."""

    title = "choice (confidential)"


class Experiment(Result):
    """What an experiment has computed, and where its report is."""

    title = "experiment"


class Measurement(Result):
    """Figures of texts."""

    title = "measurement"


def _mechanism(
    mechanism: Optional[str],
    epsilon: Optional[float],
    set: Optional[Mapping[str, Any]],
    model: Optional[Path],
) -> dict[str, Any]:
    return {
        "mechanism": mechanism,
        "epsilon": epsilon,
        "parameters": _keywords.parameters(set),
        "model": _keywords.path("model", model),
    }


def _run(function: Callable[[str, Any], str], options: Mapping[str, Any], progress: _progress.Progress, what: str) -> str:
    show, done = _progress.bar(progress, what)
    try:
        return function(_keywords.to_json(options), show)
    finally:
        done.close()


def explain(
    word: Optional[str] = None,
    mechanism: str = "diffractor-geometric",
    epsilon: Union[float, Sequence[float], None] = None,
    *,
    text: Optional[str] = None,
    place: Optional[int] = None,
    against: Optional[str] = None,
    set: Optional[Mapping[str, Any]] = None,
    model: Optional[Path] = None,
    oov: Optional[str] = None,
    top: Optional[int] = None,
    draws: Optional[int] = None,
) -> Union[Explanation, Comparison]:
    """The distribution of what a word becomes, or how well outputs tell it from the word ``against``.

    Mechanisms with a language model read the context: give ``text`` and ``place``, the number of the word in
    it, from 1.

    >>> import sotto
    >>> sotto.explain("pizza", mechanism="tem", epsilon=12)["word"]
    'pizza'
    >>> len(sotto.explain("pizza", mechanism="tem", epsilon=[10, 12], against="sushi")["pairs"])
    2
    """
    if (word is None) == (text is None):
        raise TypeError("give a word, or text and place")
    if (text is None) != (place is None):
        raise TypeError("give text and place together; place is the number of the word in the text, from 1")
    options = {**_mechanism(mechanism, None, set, model), "oov": oov, "top": top, "draws": draws}
    where = _keywords.to_json({"text": text, "word": place})
    several = isinstance(epsilon, Sequence) and not isinstance(epsilon, str)
    if word is not None:
        _keywords.text("word", word)
    if against is None:
        if several:
            raise TypeError("several values of epsilon need against, another word")
        read = _keywords.to_json({**options, "epsilon": epsilon})
        return Explanation(_core.explain_word(word, read) if word is not None else _core.explain_place(where, read))
    _keywords.text("against", against)
    epsilons = epsilon if several else [epsilon]
    read = _keywords.to_json({**options, "epsilons": epsilons})
    if word is not None:
        return Comparison(_core.compare_words(word, against, read))
    return Comparison(_core.compare_place(where, against, read))


def audit(
    mechanism: str = "diffractor-geometric",
    epsilon: Optional[float] = None,
    *,
    method: str = "exact",
    set: Optional[Mapping[str, Any]] = None,
    model: Optional[Path] = None,
    target: Optional[str] = None,
    sample: Optional[int] = None,
    through: Optional[str] = None,
    policy: Optional[str] = None,
    oov: Optional[str] = None,
    command: Optional[str] = None,
    timeout: Optional[float] = None,
    metric: Optional[str] = None,
    draws: Optional[int] = None,
    pairs: Optional[int] = None,
    runs: Optional[int] = None,
    confidence: Optional[float] = None,
    texts: Optional[Sequence[tuple[str, str]]] = None,
    vocabulary_only: bool = False,
    seed: Optional[int] = None,
    threads: Optional[int] = None,
    memory: Union[int, str, None] = None,
    progress: _progress.Progress = None,
) -> Union[Certificate, BlackBoxAudit]:
    """Computes what a mechanism guarantees (``method="exact"``), or tries to refute it (``"black-box"``).

    >>> import sotto
    >>> audit = sotto.audit("tem", 12, method="black-box", draws=2000, pairs=2, runs=50, seed=1)
    >>> audit.refuted
    False
    """
    options = {
        **_mechanism(mechanism, epsilon, set, model),
        "threads": threads,
        "memory": _keywords.size("memory", memory),
    }
    exact = {"target": target, "sample": sample}
    black_box = {
        "through": through, "policy": policy, "oov": oov, "command": command, "timeout": timeout, "metric": metric,
        "draws": draws, "pairs": pairs, "runs": runs, "confidence": confidence,
        "texts": texts,
        "vocabulary_only": vocabulary_only or None, "seed": seed,
    }  # fmt: skip
    if method == "exact":
        _refuse_others(black_box, "black-box")
        return Certificate(_run(_core.audit_exact, {**options, **exact}, progress, "audit"))
    if method == "black-box":
        _refuse_others(exact, "exact")
        return BlackBoxAudit(_run(_core.audit_black_box, {**options, **black_box}, progress, "audit"))
    raise ValueError(f"method: '{method}' is not allowed; give exact or black-box")


def _refuse_others(options: Mapping[str, Any], method: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name}: only for method='{method}'")


def attack(
    mechanism: str = "diffractor-geometric",
    epsilon: Optional[float] = None,
    *,
    attack: Union[str, Sequence[str], None] = None,
    set: Optional[Mapping[str, Any]] = None,
    model: Optional[Path] = None,
    words: Optional[int] = None,
    prior: Optional[str] = None,
    neighbours: Optional[int] = None,
    draws: Optional[int] = None,
    trials: Optional[int] = None,
    confidence: Optional[float] = None,
    seed: Optional[int] = None,
    threads: Optional[int] = None,
    memory: Union[int, str, None] = None,
    progress: _progress.Progress = None,
) -> Attack:
    """How often adversaries guess the word behind a mechanism's output.

    >>> import sotto
    >>> sotto.attack("tem", 12, attack="bayes", words=50)["words"]
    50
    """
    options = {
        **_mechanism(mechanism, epsilon, set, model), "attacks": _list(attack), "words": words, "prior": prior,
        "neighbours": neighbours, "draws": draws, "trials": trials, "confidence": confidence, "seed": seed,
        "threads": threads, "memory": _keywords.size("memory", memory),
    }  # fmt: skip
    return Attack(_run(_core.attack, options, progress, "attack"))


def attack_texts(
    original: Sequence[str],
    privatized: Sequence[str],
    *,
    model: Optional[Path] = None,
    candidates: Optional[int] = None,
    confidence: Optional[float] = None,
    threads: Optional[int] = None,
    progress: _progress.Progress = None,
) -> Attack:
    """Mask-token inference: a masked model guesses the words of the originals from the privatized texts."""
    options = {
        "model": _keywords.path("model", model), "neighbours": candidates, "confidence": confidence, "threads": threads,
    }  # fmt: skip
    before, after = _keywords.texts("original", original), _keywords.texts("privatized", privatized)
    if len(before) != len(after):
        raise ValueError(f"privatized has {len(after)} texts, original has {len(before)}; give pairs")
    return Attack(
        _run(lambda read, show: _core.infer_masked_words(before, after, read, show), options, progress, "attack")
    )


def budget(
    mechanism: str = "diffractor-geometric",
    epsilon: Optional[float] = None,
    *,
    tokens: int,
    words: Optional[int] = None,
    budget: Optional[str] = None,
    profile: Optional[Sequence[float]] = None,
    delta: Optional[float] = None,
    set: Optional[Mapping[str, Any]] = None,
    model: Optional[Path] = None,
) -> Budget:
    """What a document of so many tokens would spend.

    >>> import sotto
    >>> sotto.budget("custext", 2, tokens=200)["epsilon"]
    400.0
    """
    options = {
        **_mechanism(mechanism, epsilon, set, model), "tokens": tokens, "words": words, "budget": budget,
        "profile": profile, "delta": delta,
    }  # fmt: skip
    return Budget(_core.plan_budget(_keywords.to_json(options)))


def evaluate(
    run: Path,
    *,
    quick: bool = False,
    output: Optional[Path] = None,
    data: Optional[Path] = None,
    skip_missing: bool = False,
    threads: Optional[int] = None,
    progress: _progress.Progress = None,
) -> Experiment:
    """Runs an experiment that a YAML file describes, and writes its report."""
    options = {
        "run_file": _keywords.path("run", run), "quick": quick or None, "output": _keywords.path("output", output),
        "data": _keywords.path("data", data), "skip_missing": skip_missing or None, "threads": threads,
    }  # fmt: skip
    return Experiment(_run(_core.evaluate, options, progress, "evaluate"))


def similarity(first: Sequence[str], second: Sequence[str], *, model: str = "sotto-en-encoder") -> Measurement:
    """The cosine of each pair of texts by a sentence encoder.

    >>> import sotto
    >>> sotto.similarity(["A cold soup."], ["The soup was cold."])["mean"] > 0.5
    True
    """
    pairs = _keywords.texts("first", first), _keywords.texts("second", second)
    return Measurement(_core.similarity(*pairs, _keywords.text("model", model)))


def perplexity(texts: Sequence[str], *, model: str = "sotto-en-causal") -> Measurement:
    """How much a causal language model is surprised by texts."""
    return Measurement(_core.perplexity(_keywords.texts("texts", texts), _keywords.text("model", model)))


def models() -> list[dict[str, Any]]:
    """The models that are found by name.

    >>> import sotto
    >>> "sotto-en-mlm" in {model["name"] for model in sotto.models()}
    True
    """
    listed: list[dict[str, Any]] = json.loads(_core.models())
    return listed


def mechanisms() -> list[dict[str, Any]]:
    """The mechanisms with their parameters and guarantees.

    >>> import sotto
    >>> sotto.mechanisms()[0]["name"]
    'diffractor-geometric'
    """
    listed: list[dict[str, Any]] = json.loads(_core.mechanisms())
    return listed


def _list(values: Union[str, Sequence[str], None]) -> Optional[list[str]]:
    return None if values is None else [values] if isinstance(values, str) else list(values)
