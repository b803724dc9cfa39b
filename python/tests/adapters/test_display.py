"""What notebooks and plots show of previews, explanations and other results."""

from __future__ import annotations

import html
import json
import re

import matplotlib
import pytest

import sotto
from sotto import _explanation

matplotlib.use("agg")


def marks(preview: sotto.Preview) -> list[tuple[str, str]]:
    found = re.findall(r'<mark title="(.*?)" style=.*?>(.*?)</mark>', preview._repr_html_(), re.DOTALL)
    return [(html.unescape(old), html.unescape(new)) for old, new in found]


def text_of(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def test_a_preview_marks_changed_words_only() -> None:
    preview = sotto.Preview("The soup was cold, again.", "The SOUP is cold, twice.")
    assert marks(preview) == [("was", "is"), ("again", "twice")]


@pytest.mark.parametrize("after", ["  a  b,\n\tc!! ", "! ! !", "", "the the the", "Zürich 🙂 東京", "a\u202eb"])
def test_a_preview_keeps_whitespace_and_punctuation(after: str) -> None:
    for before in (after, "something else", "x y z", ""):
        page = sotto.Preview(before, after)._repr_html_()
        assert text_of(page).replace("∅", "") == after


def test_a_preview_shows_words_left_out_and_added() -> None:
    assert marks(sotto.Preview("a long walk home", "a walk home")) == [("long", "∅")]
    assert marks(sotto.Preview("a walk home", "a long walk home")) == [("", "long")]


def test_a_preview_is_text_and_no_page() -> None:
    page = sotto.Preview('<b onclick="x">"quoted"</b>', "<script>alert('x')</script>")._repr_html_()
    assert "<script" not in page and "<b " not in page
    assert all('"' not in tag.split("style=")[0][len('<mark title="') : -2] for tag in re.findall(r"<mark.*?>", page))


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("colour", [_explanation._KEPT, _explanation._OTHER])
def test_bars_stand_out_on_light_and_dark_pages(colour: str) -> None:
    assert 1.05 / (luminance(colour) + 0.05) > 3
    assert (luminance(colour) + 0.05) / (luminance("#111111") + 0.05) > 3


def test_pages_name_no_colour_of_text() -> None:
    private = sotto.Privatizer("tem", 12)
    private.privatize("The soup was cold.")
    pages = [
        sotto.Preview("The soup", "A bowl")._repr_html_(), private.receipt._repr_html_(),
        sotto.explain("pizza", "tem", 12)._repr_html_(), sotto.budget("custext", 2, tokens=20)._repr_html_(),
    ]  # fmt: skip
    for page in pages:
        assert set(re.findall(r"(?<![-\w])color:\s*([^;'\"]+)", page)) <= {"inherit"}


def test_an_explanation_says_what_it_does_not_list() -> None:
    explanation = sotto.explain("pizza", "tem", 12)
    listed = sum(entry["probability"] for entry in explanation["top"])
    shown = re.search(r"all other words</i></td><td[^>]*>([\d.]+)%", explanation._repr_html_())
    assert shown and float(shown[1]) == pytest.approx(100 * (1 - listed), abs=0.051)
    axes = explanation.plot()
    assert f"all other words: {shown[1]}%" in axes.get_xlabel()
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == [entry["word"] for entry in explanation["top"]]
    assert [bar.get_width() for bar in axes.patches] == [entry["probability"] for entry in explanation["top"]]


def test_a_long_word_leaves_room_for_the_bars() -> None:
    changed = sotto.explain("pizza", "tem", 12).to_dict()
    changed["top"][0]["word"] = "m" * 200
    axes = sotto.Explanation(json.dumps(changed)).plot()
    axes.figure.draw_without_rendering()
    assert axes.get_position().width > 0.4


def test_a_comparison_draws_both_words() -> None:
    comparison = sotto.explain("pizza", against="sushi", mechanism="tem", epsilon=[12, 15])
    axes = comparison.plot()
    outcomes = comparison["pairs"][0]["outcomes"]
    widths = [bar.get_width() for bar in axes.patches]
    assert widths == [outcome[word] for word in ("first", "second") for outcome in outcomes]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["pizza", "sushi"]
    assert "ε = 12" in axes.get_title()


def test_plots_draw_into_given_axes() -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    assert sotto.explain("pizza", "tem", 12).plot(axes) is axes and pyplot.get_fignums()[-1] == figure.number


def test_long_lists_are_shown_short() -> None:
    plan = sotto.budget("custext", 2, tokens=5000)
    assert "2, 5000 times" in repr(plan) and len(repr(plan)) < 1000
    assert "\n  model  " not in repr(plan)  # it has none


def test_mask_inference_is_shown_beside_its_rivals() -> None:
    texts = ["The soup was cold.", "My sister loved the dessert."]
    attack = sotto.attack_texts(texts, texts)
    assert re.search(r"by believing the output +100\.0%", repr(attack))
    assert f"{attack['success']['value']:.1%}" in repr(attack)


def test_a_receipt_folds_nothing_away() -> None:
    private = sotto.Privatizer("tem", 12)
    private.privatize(["The soup was cold."])
    page = private.receipt._repr_html_()
    assert page.count("<details open>") == page.count("<details") == len(private.receipt.describe()["sections"])
    assert "<ul></ul>" not in page
