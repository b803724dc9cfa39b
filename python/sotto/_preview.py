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
        pairs = [(" ".join(old), " ".join(new)) for old, new in self._aligned()]
        return [(old, new) for old, new in pairs if old.lower() != new.lower()]

    def _aligned(self) -> list[tuple[list[str], list[str]]]:
        """Tokens before and after that stand for each other."""
        before, after = _core.tokens(self.before), _core.tokens(self.after)
        if len(before) == len(after):
            return [([old], [new]) for old, new in zip(before, after)]
        pairs: list[tuple[list[str], list[str]]] = []
        matcher = difflib.SequenceMatcher(a=before, b=after, autojunk=False)
        for tag, first, last, begin, end in matcher.get_opcodes():
            if tag == "equal":
                pairs += [([old], [new]) for old, new in zip(before[first:last], after[begin:end])]
            else:
                pairs.append((before[first:last], after[begin:end]))
        return pairs

    def __repr__(self) -> str:
        return f"before  {self.before}\nafter   {self.after}"

    def _repr_html_(self) -> str:
        shown = []
        end = 0  # of what is shown
        for old, new in self._aligned():
            begin, next_end = self._span(new, end)
            shown.append(html.escape(self.after[end:begin]))
            kept = " ".join(old).lower() == " ".join(new).lower()
            text = self.after[begin:next_end]
            shown.append(html.escape(text) if kept else _mark(" ".join(old), text or "∅"))
            end = next_end
        shown.append(html.escape(self.after[end:]))
        return f'<div style="line-height:1.7;white-space:pre-wrap;overflow-wrap:break-word">{"".join(shown)}</div>'

    def _span(self, tokens: list[str], begin: int) -> tuple[int, int]:
        """Where the text has these tokens, from `begin` on."""
        if not tokens:
            return begin, begin
        begin = end = self.after.index(tokens[0], begin)
        for token in tokens:
            end = self.after.index(token, end) + len(token)
        return begin, end


def _mark(before: str, after: str) -> str:
    """A changed word, with the one that stood there as a tooltip. Readable on light and dark pages."""
    style = "background:rgba(217,119,43,.25);color:inherit;border-bottom:2px solid #c8691c;padding:0 2px"
    return f'<mark title="{html.escape(before, quote=True)}" style="{style}">{html.escape(after)}</mark>'
