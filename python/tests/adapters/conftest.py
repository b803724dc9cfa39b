"""What the tests of the adapters share."""

from __future__ import annotations

from pathlib import Path

import pytest

TEXTS = ["The soup was cold.", "A warm room, a kind host.", "The waiter forgot our order.", "Never again!"]
IDS = ["a", "b", "c", "d"]


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """A key whose bytes no other file holds by chance."""
    path = tmp_path / "key"
    path.write_bytes(bytes(range(200, 232)))
    path.chmod(0o600)
    return path
