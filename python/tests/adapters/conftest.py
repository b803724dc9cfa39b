"""What the tests of the adapters share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    """A key whose bytes no other file holds by chance."""
    path = tmp_path / "key"
    path.write_bytes(bytes(range(200, 232)))
    path.chmod(0o600)
    return path
