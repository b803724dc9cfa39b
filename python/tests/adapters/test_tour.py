"""examples/tour.ipynb runs, its stored outputs are those of this version, and they show what its text says.

After a change that alters figures: `jupyter execute --inplace examples/tour.ipynb`, and read the page.
"""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

import sotto

TOUR = Path(__file__).parents[3] / "examples" / "tour.ipynb"
STORED = nbformat.read(TOUR, as_version=4)


@pytest.fixture(scope="module")
def executed() -> Any:
    notebook = copy.deepcopy(STORED)
    settings = {"timeout": 300, "kernel_name": "python3", "resources": {"metadata": {"path": str(TOUR.parent)}}}
    return NotebookClient(notebook, **settings).execute()


def code_cells(notebook: Any) -> dict[str, Any]:
    return {cell.id: cell for cell in notebook.cells if cell.cell_type == "code"}


def shown(notebook: Any, cell: str, kind: str = "text/plain") -> str:
    (output,) = code_cells(notebook)[cell].outputs
    return str(output.data[kind])


def rows(page: str) -> list[list[str]]:
    """The cells of an HTML table, with each marked word as a star."""
    starred = re.sub(r"<mark.*?</mark>", "*", page, flags=re.DOTALL)
    found = [re.findall(r"<td.*?>(.*?)</td>", row, re.DOTALL) for row in re.findall(r"<tr>(.*?)</tr>", starred, re.DOTALL)]
    return [[re.sub(r"<.*?>", "", cell) for cell in row] for row in found if row]


def test_what_is_stored_is_small_and_complete() -> None:
    assert TOUR.stat().st_size < 300_000
    for name, cell in code_cells(STORED).items():
        assert cell.execution_count, name
        assert all(output.output_type in ("display_data", "execute_result") for output in cell.outputs), name
    pictures = [name for name, cell in code_cells(STORED).items() for output in cell.outputs if "image/png" in output.data]
    assert pictures == ["word", "promise-plot", "kept-plot", "attack"]


def test_what_is_stored_is_what_this_version_shows(executed: Any) -> None:
    compared = 0
    for name, cell in code_cells(STORED).items():
        if "fresh" in cell.metadata.get("tags", []):
            continue  # the key is new each time
        for old, new in zip(cell.outputs, code_cells(executed)[name].outputs, strict=True):
            for kind in ("text/plain", "text/html"):
                assert old.data.get(kind) == new.data.get(kind), name
            compared += 1
    assert compared > 10


def test_the_seed_is_said_to_be_public(executed: Any) -> None:
    assert "whoever knows the seed can undo the noise" in shown(executed, "seed")


def test_the_sentence_comes_back_with_the_attacker(executed: Any) -> None:
    lines = rows(shown(executed, "sentence", "text/html"))
    shares = [int(share.rstrip("%")) for _, share, _ in lines]
    assert shares == sorted(shares) and shares[0] < 15 and shares[-1] > 95
    assert lines[0][2].count("*") >= 14 and lines[1][2].count("*") >= 14  # of 16 words
    assert lines[-1][2] == "The soup was cold and the waiter never came back, but my sister loved the dessert."
    assert not any(line.count("*") < 3 and share < 50 for (*_, line), share in zip(lines, shares))


def test_blind_guessing_is_right_for_one_word_in_ten() -> None:
    assert sotto.explain("soup", "tem", 10)["attacker"]["blind_success"] == pytest.approx(0.1, abs=0.005)


def test_a_word_changes_at_small_epsilon_and_stays_at_large() -> None:
    low, high = sotto.explain("pizza", "tem", 10), sotto.explain("pizza", "tem", 20)
    assert low["n_w"] < 0.05 and all(entry["probability"] < 0.05 for entry in low["top"])
    assert high["n_w"] > 0.95


def test_what_is_observed_stays_below_what_is_promised(executed: Any) -> None:
    lines = [line.split() for line in shown(executed, "promise").splitlines()[1:]]
    assert len(lines) == 4
    assert all(float(observed) < float(promised) for *_, promised, observed in lines)


def test_risk_is_equal_and_a_changed_word_is_not_hidden(executed: Any) -> None:
    assert {row[2] for row in rows(shown(executed, "equal-epsilon", "text/html"))} == {"60%"}
    header, *lines = [line.split() for line in shown(executed, "kept").splitlines()]
    assert header == ["recovered", "changed", "similarity"]
    figures = {name: list(map(float, values)) for name, *values in lines}
    assert max(figures, key=lambda name: figures[name][1]) == "diffractor-geometric"
    assert min(figures, key=lambda name: figures[name][2]) == "diffractor-geometric"
    assert all(values[0] == 0.6 for values in figures.values())


def test_the_language_model_does_worse_than_belief(executed: Any) -> None:
    text = shown(executed, "mlm-attack")
    guessed = re.search(r"recovered\s+([\d.]+)%", text)
    believed = re.search(r"believing the output\s+([\d.]+)%", text)
    assert guessed and believed and float(guessed[1]) < float(believed[1])


def test_one_attack_works_and_one_does_not(executed: Any) -> None:
    shares = dict(zip((8, 10, 12, 15, 20, 30), map(float, re.findall(r"([\d.]+)%", shown(executed, "attack-figures")))))
    blind = 100 * sotto.explain("soup", "tem", 10)["attacker"]["blind_success"]
    assert shares[8] < blind + 1 and blind + 1 < shares[10] < blind + 4
    assert shares[20] > 95 and shares[30] > 99


def test_a_key_repeats_and_another_does_not(executed: Any) -> None:
    assert re.findall(r"\d+$", shown(executed, "again").replace("int64", ""), re.MULTILINE) == ["6", "6", "0"]


def test_the_receipt_shows_what_is_not_hidden(executed: Any) -> None:
    page = shown(executed, "receipt", "text/html")
    assert "What is not hidden" in page and "<details open>" in page and "6 documents" in page


def test_the_budget_grows_and_delta_saves_on_long_texts(executed: Any) -> None:
    lines = [list(map(float, line.split()[1:])) for line in shown(executed, "budget").splitlines()[1:]]
    assert [words for words, *_ in lines] == [total for _, total, _ in lines]  # epsilon is 1
    assert lines[0][1] == lines[0][2] and lines[-1][2] < 0.6 * lines[-1][1]


def test_the_ledger_withholds_the_third_review_only(executed: Any) -> None:
    assert re.findall(r"True|False", shown(executed, "ledger")) == ["True", "True", "False", "True"]
