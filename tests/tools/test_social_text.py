"""The generator of lines as people post them."""
import re
import subprocess
import sys
from pathlib import Path

GENERATOR = Path(__file__).resolve().parents[2] / "tools" / "make_social_text.py"


def lines(*arguments):
    done = subprocess.run([sys.executable, GENERATOR, *arguments], capture_output=True, check=True)
    return done.stdout.decode().splitlines()


def test_seed_decides():
    assert lines("--lines", "50") == lines("--lines", "50", "--seed", "1")
    assert lines("--lines", "50") != lines("--lines", "50", "--seed", "2")
    assert lines("--lines", "200")[:50] == lines("--lines", "50")


def test_file_is_what_is_printed(tmp_path):
    lines("--lines", "20", "-o", str(tmp_path / "text"))
    assert (tmp_path / "text").read_text(encoding="utf-8").splitlines() == lines("--lines", "20")


def test_every_kind_occurs():
    text = "\n".join(lines("--lines", "500"))
    for kind, pattern in {"handle": r"(^|\s)@\w+", "link": r"https://t\.co/\w+", "address": r"\w@example\.org",
                          "hashtag": r"#[A-Z]\w+[A-Z]", "emoji": "😂", "drawn out": r"([a-z])\1\1\1", "accent": "é",
                          "glued to digits": r"\b[a-z]{3,}\d+\b"}.items():
        assert len(re.findall(pattern, text)) > 5, kind
