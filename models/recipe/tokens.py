"""Words of running text, cut the way Sotto's tokenizer cuts them; the vectors, at the full stops of abbreviations too.

Every other script of the recipe imports this one, so that the vocabulary, the training text and the coverage
figures all speak of the same tokens.
"""
import html
import re

# A word is a run of letters with inner apostrophes or hyphens. Runs that touch a digit ("mp3", "b2b") are not words.
WORD = re.compile(r"(?<!\w)[^\W\d_]+(?:['-][^\W\d_]+)*(?!\w)")
# The same with dotted abbreviations ("p.m.", "U.S."), which were no words yet when the vectors were made.
WORD_OR_ABBREVIATION = re.compile(r"(?<![\w.])(?:[^\W\d_]\.){2,}+(?![^\W_])|" + WORD.pattern)
# Only these can enter the vocabulary. Words with other letters still count as running words when coverage is measured.
ASCII_WORD = re.compile(r"[a-z]+(?:['-][a-z]+)*\Z")

_TAG = re.compile(r"<[^<>]{1,80}>")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+")
# Feeds that were unescaped twice leave entities without their ampersand ("lt;b&gt;", "#39;s").
_ENTITY = re.compile(r"&?#(\d{2,4});|&?\b(?:lt|gt|quot|amp|nbsp);")


def clean(text):
    """Lower-case text without markup, addresses and typographic apostrophes."""
    text = _ENTITY.sub(lambda m: chr(int(m[1])) if m[1] else " ", html.unescape(text))
    text = _ADDRESS.sub(" ", _TAG.sub(" ", text))
    return text.replace("\u2019", "'").replace("\u2018", "'").replace("_", " ").replace("\\", " ").lower()


def words(text):
    """The running words of a text, in order."""
    return WORD.findall(clean(text))


def read_parts(path, held_out=0.02):
    """Lines of a corpus file as (training lines, held-out lines).

    The held-out part is the end of the file and not a random sample: neighbouring lines belong to the same article or
    book, and a sample would make coverage look better than it is on new text.
    """
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line for line in file if line.strip()]
    cut = int(len(lines) * (1 - held_out))
    return lines[:cut], lines[cut:]
