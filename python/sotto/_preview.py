"""A text before and after, with what changed marked."""

from __future__ import annotations

import difflib
import html

from sotto import _core


class Preview:
    """A text before and after. Confidential, because it holds the text.

    >>> import sotto
    >>> preview = sotto.Privatizer(mechanism="tem", epsilon=12).preview("The soup was cold.")
    >>> preview.before
    'The soup was cold.'
    """

    def __init__(self, before: str, after: str) -> None:
        self.before = before
        self.after = after

    def replacements(self) -> list[tuple[str, str]]:
        """Pairs of words, before and after, that differ in more than capitals."""
        return [(old, new) for old, new in self._pairs() if old.lower() != new.lower()]

    def _pairs(self) -> list[tuple[str, str]]:
        before, after = _core.tokens(self.before), _core.tokens(self.after)
        if len(before) == len(after):
            return list(zip(before, after))
        pairs: list[tuple[str, str]] = []
        matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
        for tag, first, last, begin, end in matcher.get_opcodes():
            if tag == "equal":
                pairs += zip(before[first:last], after[begin:end])
            else:
                pairs.append((" ".join(before[first:last]), " ".join(after[begin:end])))
        return pairs

    def __repr__(self) -> str:
        return f"before  {self.before}\nafter   {self.after}"

    def _repr_html_(self) -> str:
        shown = []
        for old, new in self._pairs():
            if old.lower() == new.lower():
                shown.append(html.escape(new))
            else:
                shown.append(
                    f'<span title="{html.escape(old, quote=True)}" style="background:#fde9c9;border-radius:3px;'
                    f'padding:0 2px">{html.escape(new)}</span>'
                )
        return f'<div style="line-height:1.7">{" ".join(shown)}</div>'
