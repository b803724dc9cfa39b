"""docs/python.md and the Python section of README.md: every block runs, every row of the tables holds."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy
import pandas
import polars
import pyarrow
import pytest

import sotto

matplotlib.use("agg")

SOURCE = Path(__file__).parents[3]
PAGE = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
README = (SOURCE / "README.md").read_text(encoding="utf-8")
LIBRARIES = {"sotto": sotto, "numpy": numpy, "pandas": pandas, "polars": polars, "pyarrow": pyarrow}
RUN = """
title: A small experiment
epsilons: 12
datasets: {Reviews: {path: reviews.csv, label: stars}}
models: {Words: {file: sotto-en-wordnet}}
mechanisms: {tem: {}}
measures: {texts: {metrics: [pp]}}
"""


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def rows(header: str) -> list[list[str]]:
    """The cells of the table with this first cell."""
    table = re.search(rf"^\| {header} \|.*?\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert table, header
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table[1].splitlines()]


def code(cell: str) -> str:
    found = re.match(r"`(.*?)`", cell)
    assert found, cell
    return found[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """What a reader of the page would have."""
    shutil.copy(SOURCE / "examples" / "reviews.txt", tmp_path)
    lines = (tmp_path / "reviews.txt").read_text(encoding="utf-8").splitlines()
    ids, stars = [f"r{row}" for row in range(20)], [row % 2 for row in range(20)]
    frame = pandas.DataFrame({"id": ids, "text": (lines * 4)[:20], "stars": stars})
    frame.to_csv(tmp_path / "reviews.csv", index=False)
    (tmp_path / "run.yaml").write_text(RUN, encoding="utf-8")
    descriptor = os.open(tmp_path / "secret.key", os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(descriptor, os.urandom(32))
    os.close(descriptor)
    monkeypatch.chdir(tmp_path)
    if "SOTTO_PROGRAM" in os.environ:
        monkeypatch.setenv("PATH", f"{Path(os.environ['SOTTO_PROGRAM']).parent}:{os.environ['PATH']}")
    yield tmp_path
    matplotlib.pyplot.close("all")


def run_blocks(page: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(page):
        if "subprocess" in block and not shutil.which("sotto"):
            continue  # the package alone has no program
        exec(compile(block, "page", "exec"), names)
    return names


def test_every_block_of_the_page_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(blocks(PAGE)) == 6
    names = run_blocks(PAGE)
    printed = capsys.readouterr().out
    assert "What is not hidden" in printed and "sotto-en-mlm" in printed
    assert (folder / "pizza.png").stat().st_size > 1000 and (folder / "results" / "report.html").exists()
    assert len(names["frame"]) == 20 and names["seen"]
    for cell in rows("exception"):
        check_error(*cell, names)


def check_error(exception: str, _: str, example: str, names: dict[str, Any]) -> None:
    if not example:
        return
    expected = eval(code(exception), {**LIBRARIES, **names})
    with pytest.raises(expected) as raised:
        eval(code(example), {**LIBRARIES, **names})
    assert raised.type is expected or (expected is OSError and issubclass(raised.type, OSError)), example
    assert str(raised.value), example


def test_the_block_of_the_readme_runs(folder: Path) -> None:
    (block,) = blocks(README)
    names = run_blocks(f"```python\n{block}```\n")
    assert "sotto" in names


@pytest.mark.parametrize(("given", "kept"), rows("in"), ids=lambda cell: code(cell))
def test_every_kind_of_column_comes_back_as_the_page_says(given: str, kept: str) -> None:
    column = eval(code(given), dict(LIBRARIES))
    output = sotto.Privatizer("tem", 12).privatize(column)
    assert isinstance(output, eval(code(kept), {**LIBRARIES, "str": str, "list": list, "tuple": tuple}))
    if "index, name and type stay" in kept:
        assert output.index.equals(column.index) and output.dtype == column.dtype and output.isna().tolist() == [False, True]
    if "no longer categorical" in kept:
        assert output.dtype != column.dtype
    if "same chunks" in kept:
        assert [len(chunk) for chunk in output.chunks] == [len(chunk) for chunk in column.chunks]


def test_a_pickle_holds_what_the_page_says() -> None:
    import pickle

    key = os.urandom(32)
    assert key in pickle.dumps(sotto.Privatizer("tem", 12, key=key))


def test_the_wheels_hold_the_models_that_the_page_says() -> None:
    build = (SOURCE / "python" / "CMakeLists.txt").read_text(encoding="utf-8")
    more = (SOURCE / "python" / "models" / "pyproject.toml").read_text(encoding="utf-8")
    wheel, checked = "", 0
    for name, models, _ in rows("wheel"):
        wheel = name or wheel
        for model in re.findall(r"`(sotto-en-[a-z]+)`", models):
            assert (model in build) == (wheel == "`sotto`") and (model in more) == (wheel == "`sotto-models`"), model
            checked += 1
    assert checked == len({model["name"] for model in sotto.models() if model["name"].startswith("sotto-en-")})


def test_make_targets_and_extras_exist() -> None:
    makefile = (SOURCE / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z-]+)`", PAGE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    extras = (SOURCE / "pyproject.toml").read_text(encoding="utf-8")
    for extra in re.findall(r"`(?:pip install ')?sotto\[([a-z]+)\]", PAGE):
        assert re.search(rf"^{extra} = ", extras, re.MULTILINE), extra
