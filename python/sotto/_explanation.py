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

    @property
    def _rest(self) -> float:
        """The probability of all outputs that are not listed."""
        listed: float = sum(entry["probability"] for entry in self["top"])
        return max(0.0, 1 - listed)

    def plot(self, ax: Any = None) -> Any:
        """A bar for each of the likeliest outputs. Needs matplotlib; returns the axes."""
        words = [entry["word"] for entry in self["top"]]
        axes = _axes(ax, words)
        chances = [entry["probability"] for entry in self["top"]]
        bars = axes.barh(range(len(words)), chances, color=[self._colour(word) for word in words])
        axes.bar_label(bars, [_percent(chance) for chance in chances], padding=3, fontsize="small")
        for word, label in zip(words, axes.get_yticklabels()):
            label.set_fontweight("bold" if word == self["word"] else "normal")
        axes.set_xlabel(f"probability (all other words: {_percent(self._rest)})")
        axes.set_title(f"What “{_clipped(self['word'])}” becomes")
        return axes

    def _colour(self, word: str) -> str:
        return _KEPT if word == self["word"] else _OTHER

    def _repr_html_(self) -> str:
        most = max((entry["probability"] for entry in self["top"]), default=1) or 1
        rows = "".join(
            f"<tr><td style='text-align:left;overflow-wrap:break-word'>{_emphasized(entry['word'], self['word'])}</td>"
            f"<td style='text-align:right'>{_percent(entry['probability'])}</td>"
            f"<td style='width:12em'><div style='height:0.8em;width:{100 * entry['probability'] / most:.1f}%;"
            f"background:{self._colour(entry['word'])}'></div></td></tr>"
            for entry in self["top"]
        )
        rows += (
            "<tr><td style='text-align:left'><i>all other words</i></td>"
            f"<td style='text-align:right'>{_percent(self._rest)}</td><td></td></tr>"
        )
        title, statement = html.escape(self["word"]), html.escape(self["guarantee"]["statement"])
        return (
            f"<table><caption>What “{title}” becomes</caption>{rows}</table><p style='max-width:45em'>{statement}</p>"
        )


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
        pair = self["pairs"][0]
        words = [outcome["word"] for outcome in pair["outcomes"]]
        axes = _axes(ax, words)
        for shift, member, colour in ((-0.2, "first", _KEPT), (0.2, "second", _OTHER)):
            places = [place + shift for place in range(len(words))]
            chances = [outcome[member] for outcome in pair["outcomes"]]
            axes.barh(places, chances, 0.4, color=colour, label=_clipped(self[member]["word"]))
        axes.set_xlabel("probability")
        axes.set_title(f"What becomes of two words at ε = {pair['epsilon']:g}")
        axes.legend(title="word in the text", loc="lower right", frameon=False)
        return axes


# Told apart by the colour-blind, and at least 3:1 against white and against the black of dark notebooks.
_KEPT = "#c05621"
_OTHER = "#2b6cb0"
_LONGEST = 24  # letters of a label


def _number(value: Any) -> str:
    return "unbounded" if value is None else f"{value:.4g}"


def _percent(chance: float) -> str:
    if chance >= 0.01:
        return f"{chance:.1%}"
    return f"{100 * chance:.2g}%" if chance >= 1e-6 or chance == 0 else "below 0.0001%"


def _emphasized(word: str, wanted: str) -> str:
    return f"<b>{html.escape(word)}</b>" if word == wanted else html.escape(word)


def _clipped(word: str) -> str:
    """As much of a word as fits beside a plot."""
    return word if len(word) <= _LONGEST else word[: _LONGEST - 1] + "…"


def _axes(ax: Any, words: list[str]) -> Any:
    """Axes with a row for each word, the first one on top."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError("plots need matplotlib: pip install matplotlib") from None
        ax = pyplot.subplots(layout="constrained", figsize=(6.4, 1.2 + 0.3 * len(words)))[1]
    ax.set_yticks(range(len(words)), [_clipped(word) for word in words])
    ax.invert_yaxis()
    ax.margins(x=0.12)
    ax.xaxis.set_major_formatter(lambda chance, _: f"{100 * chance:g}%")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
