"""The distribution of a word's outputs, as text and as a picture."""

from __future__ import annotations

import html
from typing import Any

from sotto._results import Result


class Explanation(Result):
    """What becomes of a word."""

    title = "explanation"

    def _lines(self) -> list[tuple[str, str]]:
        lines = [(entry["word"], f"{entry['probability']:.3%}") for entry in self["top"]]
        lines.append(("unchanged", f"{self['n_w']:.2%}"))
        if self.get("attacker"):
            lines.append(("attacker recovers", f"{self['attacker']['success']:.0%} of all words at this setting"))
        lines.append(("guarantee", self["guarantee"]["statement"]))
        return [("word", self["word"]), *lines]

    def plot(self, ax: Any = None) -> Any:
        """A bar for each of the likeliest outputs. Needs matplotlib; returns the axes."""
        axes = _axes(ax)
        words = [entry["word"] for entry in self["top"]][::-1]
        chances = [entry["probability"] for entry in self["top"]][::-1]
        axes.barh(range(len(words)), chances, color=[_KEPT if word == self["word"] else _OTHER for word in words])
        axes.set_yticks(range(len(words)), words)
        axes.set_xlabel("probability")
        axes.set_title(f"What “{self['word']}” becomes")
        return axes

    def _repr_html_(self) -> str:
        most = max((entry["probability"] for entry in self["top"]), default=1) or 1
        rows = "".join(
            f"<tr><td>{html.escape(entry['word'])}</td><td style='text-align:right'>{entry['probability']:.3%}</td>"
            f"<td style='width:12em'><div style='height:0.8em;width:{100 * entry['probability'] / most:.1f}%;"
            f"background:{_KEPT if entry['word'] == self['word'] else _OTHER}'></div></td></tr>"
            for entry in self["top"]
        )
        statement = html.escape(self["guarantee"]["statement"])
        return f"<table><caption>What “{html.escape(self['word'])}” becomes</caption>{rows}</table><p>{statement}</p>"


class Comparison(Result):
    """How well the outputs tell two words apart, at each ε."""

    title = "comparison"

    def _lines(self) -> list[tuple[str, str]]:
        lines = [("words", f"{self['first']['word']}, {self['second']['word']}")]
        for pair in self["pairs"]:
            promised, observed = pair["promised_factor"], pair["observed_factor"]
            lines.append((f"ε = {pair['epsilon']:g}", f"d = {_number(pair['distance'])}, factor at most "
                          f"{_number(promised)} promised, {_number(observed)} observed"))  # fmt: skip
        lines.append(("guarantee", self["guarantee"]["statement"]))
        return lines

    def plot(self, ax: Any = None) -> Any:
        """The likeliest outputs for both words at the first ε. Needs matplotlib; returns the axes."""
        axes = _axes(ax)
        outcomes = self["pairs"][0]["outcomes"][::-1]
        places = range(len(outcomes))
        for shift, member, colour in ((0.2, "first", _KEPT), (-0.2, "second", _OTHER)):
            chances = [outcome[member] for outcome in outcomes]
            axes.barh([place + shift for place in places], chances, 0.4, color=colour, label=self[member]["word"])
        axes.set_yticks(places, [outcome["word"] for outcome in outcomes])
        axes.set_xlabel("probability")
        axes.set_title(f"ε = {self['pairs'][0]['epsilon']:g}")
        axes.legend(title="input")
        return axes


_KEPT = "#c05621"
_OTHER = "#2b6cb0"


def _number(value: Any) -> str:
    return "unbounded" if value is None else f"{value:.4g}"


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return pyplot.subplots(layout="constrained")[1]
