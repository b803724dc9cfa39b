"""Tokens of running text the way Sotto's tokenizer cuts them, and the corpora as streams of tokens.

The borders and classes follow include/sotto/tokenizer.hpp. Rare cases (marks, emoji, addresses inside brackets) may be
cut a little differently here; they decide nothing but a few training tokens.
"""
import html
import random
import re
import unicodedata

WORD, NUMBER, PUNCTUATION, OTHER = range(4)

_JOIN = "['\u2019\u2010\u2011-]"
_LETTER = r"[^\W\d_]"
TOKEN = re.compile(
    r"(?P<url>(?:[a-z][a-z0-9+.-]*://|www\.)\w[^\s<>\"]*[\w/=&#%+$@~-])"
    r"|(?P<mail>\w[\w.%+'-]*@\w+(?:[.-]\w+)*)"
    r"|(?P<number>[0-9]++(?:[.,][0-9]++)*+)(?![^\W_])(?!_\w)"
    rf"|(?P<abbreviation>(?<!\.)(?:{_LETTER}\.){{2,}}+(?![^\W_]))"
    rf"|(?P<word>{_LETTER}++(?:{_JOIN}{_LETTER}++)*+)(?![0-9])(?!_\w)"
    r"|(?P<mixed>\w(?:\w|" + _JOIN + r"(?=[^\W\d_]))*)"
    r"|(?P<mark>[!-/:-@\[-`{-~\u00a1-\u00bf\u2010-\u2033\u2039\u203a\u20ac\u2122\u2212\u00d7\u00f7])"
    r"|(?P<symbol>[^\w\s]+?)", re.IGNORECASE)
_CLASS = {"number": NUMBER, "abbreviation": WORD, "word": WORD, "mark": PUNCTUATION}

_TAG = re.compile(r"<[^<>]{1,80}>")
_ENTITY = re.compile(r"&?#(\d{2,4});|&?\b(?:lt|gt|quot|amp|nbsp);")


def lookup_form(token):
    """What the models see of a token: composed, lower case, plain apostrophes and hyphens."""
    token = unicodedata.normalize("NFC", token).lower()
    return token.replace("\u2019", "'").replace("\u2010", "-").replace("\u2011", "-")


def tokenize(text):
    """(begin, end, class) of each token."""
    return [(m.start(), m.end(), _CLASS.get(m.lastgroup, OTHER)) for m in TOKEN.finditer(text)]


def clean(text):
    """A corpus line without markup."""
    text = _ENTITY.sub(lambda m: chr(int(m[1])) if m[1] else " ", html.unescape(text))
    return _TAG.sub(" ", text).replace("\\", " ").replace("_", " ")


_CONTRACTION = re.compile(r"(n't|'s|'re|'ve|'ll|'d|'m)\b")


def treebank(text):
    """The spelling of the Penn treebank ("it 's", "do n't"), which many published data sets use."""
    return _CONTRACTION.sub(r" \1", text)


def corpus_lines(name, lines, seed=1):
    """Cleaned lines of a corpus; one review in eight in treebank spelling, so that the models know it."""
    rng = random.Random(f"{name}{seed}")
    for line in lines:
        line = clean(line)
        if name == "imdb_unsup" and rng.random() < 1 / 8:
            line = treebank(line.lower())
        yield line


def forms(text):
    """(form, class) of each token of a line."""
    return [(lookup_form(text[b:e]), c) for b, e, c in tokenize(text)]
