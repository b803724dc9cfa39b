"""The examples of docs/clusters.md, as printed."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import conftest
import pytest

ROOT = pathlib.Path(__file__).parents[3]


def example(engine: str) -> str:
    page = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
    found = re.search(rf"<!-- {engine} -->\n```python\n(.*?)```", page, re.DOTALL)
    assert found
    return found[1]


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_examples_run_as_printed_and_give_what_the_command_line_gives(engine, tmp_path):
    shutil.copy(ROOT / "examples" / "tickets.jsonl", tmp_path)
    (tmp_path / "secret.key").write_bytes(conftest.KEY)
    (tmp_path / "secret.key").chmod(0o600)
    environment = {**os.environ, "SPARK_LOCAL_DIRS": str(tmp_path)}
    environment.pop("SPARK_HOME", None)  # of another test's cluster
    command = [sys.executable, "-c", example(engine)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    parts = [path for path in (tmp_path / "private").iterdir() if path.suffix == ".json"]
    rows = [json.loads(line) for part in parts for line in part.read_text(encoding="utf-8").splitlines()]
    command = [conftest.PROGRAM, "privatize", "tickets.jsonl", "--field", "body", "--id-field", "id", "--quiet"]
    command += ["--dataset", "tickets", "--epsilon", "1", "--key-file", "secret.key"]
    command += ["--ledger", "other.ledger", "--subject", "id", "--limit", "500"]
    alone = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True).stdout
    assert sorted(rows, key=lambda row: row["id"]) == [json.loads(line) for line in alone.splitlines()]
    assert conftest.entries(tmp_path / "spent.ledger") == conftest.entries(tmp_path / "other.ledger")
    assert json.loads((tmp_path / "receipt.json").read_text())["counts"]["documents"] == len(rows)
