"""scikit-learn: TextPrivatizer among its peers."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from adapter_texts import IDS, TEXTS
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import sotto
from sotto.sklearn import TextPrivatizer

LABELS = [0, 1, 0, 0]
NUMBERS = "it feeds numbers, which are no texts"
NOT_APPLICABLE = {
    "check_fit_score_takes_y": NUMBERS,
    "check_estimators_dtypes": NUMBERS,
    "check_complex_data": NUMBERS,
    "check_dtype_object": NUMBERS,
    "check_pipeline_consistency": NUMBERS,
    "check_estimators_nan_inf": NUMBERS,
    "check_estimators_pickle": NUMBERS,
    "check_f_contiguous_array_estimator": NUMBERS,
    "check_transformer_data_not_an_array": NUMBERS,
    "check_transformer_general": NUMBERS,
    "check_methods_sample_order_invariance": NUMBERS,
    "check_methods_subset_invariance": NUMBERS,
    "check_dict_unchanged": NUMBERS,
    "check_fit_idempotent": NUMBERS,
    "check_estimators_empty_data_messages": "no rows are rewritten to no rows",
    "check_fit1d": "one dimension is what vectorizers read, so it is welcome",
}


def seeded(**options):
    return TextPrivatizer(epsilon=1, seed=1, **options)


def test_estimator_checks():
    results = check_estimator(seeded(), expected_failed_checks=NOT_APPLICABLE)
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(NOT_APPLICABLE)
    refusals = [r["exception"] for r in results if isinstance(r["exception"], TypeError)]
    assert refusals and all(str(refusal).startswith("texts") for refusal in refusals)


def test_tags_tell_repeatable_noise_from_fresh():
    assert not seeded().__sklearn_tags__().non_deterministic
    assert TextPrivatizer(epsilon=1).__sklearn_tags__().non_deterministic
    assert seeded().__sklearn_tags__().input_tags.string


def test_pipeline_with_vectorizer_and_classifier():
    model = make_pipeline(seeded(), TfidfVectorizer(), LogisticRegression())
    first = model.fit(TEXTS, LABELS).predict_proba(TEXTS)
    assert np.array_equal(first, clone(model).fit(TEXTS, LABELS).predict_proba(TEXTS))
    assert model[0].receipt["counts"]["documents"] == 2 * len(TEXTS)


def test_same_texts_as_privatizer():
    expected = sotto.Privatizer(epsilon=1, seed=1).privatize(TEXTS, ids=range(4))
    assert seeded().fit_transform(TEXTS).tolist() == expected


def test_column_transformer_and_feature_names():
    frame = pd.DataFrame({"id": IDS, "title": TEXTS[::-1], "body": TEXTS, "stars": [1, 2, 3, 4]})
    columns = ColumnTransformer(
        [
            ("texts", seeded(id_column="id"), ["id", "title", "body"]),
            ("words", make_pipeline(seeded(), TfidfVectorizer()), "body"),
        ],
        remainder="passthrough",
        sparse_threshold=0,
    )
    assert columns.fit_transform(frame).shape[0] == 4
    names = columns.get_feature_names_out().tolist()
    assert names[:2] == ["texts__title", "texts__body"] and names[-1] == "remainder__stars"


def test_grid_search_over_epsilon():
    model = make_pipeline(seeded(), TfidfVectorizer(), LogisticRegression())
    search = GridSearchCV(model, {"textprivatizer__epsilon": [0.5, 4]}, cv=2)
    search.fit(TEXTS * 2, [0, 1] * 4)
    assert search.best_params_["textprivatizer__epsilon"] in (0.5, 4)


def test_clone_pickle_and_parameters(key_file):
    step = TextPrivatizer("tem", 12, key=key_file, id_column="id", set={"gamma": 1})
    copy = clone(step)
    assert copy.get_params() == step.get_params() and copy.set["gamma"] == 1
    assert copy.set_params(epsilon=13).epsilon == 13
    frame = pd.DataFrame({"id": IDS, "body": TEXTS})
    fitted = step.fit(frame)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.transform(frame).equals(fitted.transform(frame))
    assert key_file.read_bytes() not in pickle.dumps(fitted)


def test_kinds_of_input():
    expected = seeded().fit_transform(TEXTS).tolist()
    series = pd.Series(TEXTS, index=[3, 1, 4, 5], name="body")
    out = seeded().fit_transform(series)
    assert isinstance(out, pd.Series) and out.index.equals(series.index) and out.tolist() == expected
    assert seeded().fit_transform(pl.Series("body", TEXTS)).to_list() == expected
    assert seeded().fit(series).get_feature_names_out().tolist() == ["body"]
    assert seeded().fit(TEXTS).get_feature_names_out().tolist() == ["x0"]
    by_name = sotto.Privatizer(epsilon=1, seed=1, field="body").privatize(TEXTS, ids=IDS)
    pandas_frame = pd.DataFrame({"id": IDS, "body": TEXTS})
    assert seeded(id_column="id").fit_transform(pandas_frame)["body"].tolist() == by_name
    polars_frame = pl.DataFrame({"id": IDS, "body": TEXTS})
    assert seeded(id_column="id").fit_transform(polars_frame)["body"].to_list() == by_name
    numbered = pandas_frame.set_axis([0, 1], axis=1)
    assert seeded(id_column=0, field="body").fit_transform(numbered)[1].tolist() == by_name
    array = np.array([IDS, TEXTS], dtype=object).T
    assert seeded(id_column=0).fit_transform(array).shape == (4, 1)
    assert seeded().fit_transform(np.array(TEXTS)[:, None]).shape == (4, 1)


def test_ids_survive_shuffling():
    frame = pd.DataFrame({"id": IDS, "body": TEXTS})
    step = seeded(id_column="id").fit(frame)
    shuffled = frame.sample(frac=1, random_state=3)
    assert step.transform(shuffled)["body"].sort_index().tolist() == step.transform(frame)["body"].tolist()


def test_equal_texts_in_two_columns_do_not_share_noise():
    many = [f"{text} {text}" for text in TEXTS] * 10
    frame = pd.DataFrame({"one": many, "two": many})
    out = seeded().fit_transform(frame)
    assert (out["one"] != out["two"]).any()


def test_set_output():
    frame = pd.DataFrame({"body": TEXTS})
    out = seeded().set_output(transform="polars").fit_transform(frame)
    assert isinstance(out, pl.DataFrame) and out.columns == ["body"]
    assert isinstance(seeded().set_output(transform="pandas").fit_transform(np.array(TEXTS)[:, None]), pd.DataFrame)


def test_no_rows():
    assert seeded().fit_transform([]).shape == (0,)
    assert seeded().fit_transform(pd.DataFrame({"body": pd.Series([], dtype=str)})).shape == (0, 1)


def test_missing_texts_stay_missing():
    out = seeded().fit_transform(pd.Series(["One.", None]))
    assert out.isna().tolist() == [False, True]


def test_ledger_withholds(tmp_path, key_file):
    frame = pd.DataFrame({"id": IDS, "who": ["x"] * 4, "body": TEXTS})
    step = TextPrivatizer(
        "custext", 1, key=key_file, ledger=tmp_path / "l", limit=8, id_column="id", subject_column="who"
    )
    out = step.fit_transform(frame)
    assert out.columns.tolist() == ["body"] and 0 < out["body"].isna().sum() < 4
    frame["id"] = ["a", "a", "b", "c"]
    with pytest.raises(ValueError, match=r"texts\[1\]: a document with this name"):
        step.set_params(ledger=tmp_path / "m", limit=100, unique_ids=True).fit_transform(frame.assign(body="Same."))


@pytest.mark.parametrize(
    ("step", "texts", "error", "match"),
    [
        (TextPrivatizer(), TEXTS, ValueError, "epsilon: missing"),
        (seeded(), [1, 2], TypeError, r"texts\[0\] is int"),
        (seeded(), np.array([1.0]), TypeError, "texts is an array of float64"),
        (seeded(), pd.DataFrame({"n": [1, 2]}), TypeError, "texts"),
        (seeded(), "one text", ValueError, "X is one str"),
        (seeded(id_column="id"), TEXTS, ValueError, "id_column: 'id' needs a table"),
        (seeded(id_column="nr"), pd.DataFrame({"body": TEXTS}), ValueError, "id_column: 'nr' is no column"),
        (seeded(subject_column="w"), pd.DataFrame({"body": TEXTS}), ValueError, "subject_column: 'w' is no column"),
        (seeded(unique_ids=True), TEXTS, ValueError, "id_column: missing"),
        (seeded(field="x"), pd.DataFrame({"a": TEXTS, "b": TEXTS}), ValueError, "field: 'x'"),
        (seeded(id_column="id"), pd.DataFrame({"id": TEXTS}), ValueError, "no column of texts"),
    ],
)
def test_bad_input(step, texts, error, match):
    with pytest.raises(error, match=match):
        step.fit_transform(texts)


def test_bad_use():
    with pytest.raises(NotFittedError):
        seeded().transform(TEXTS)
    with pytest.raises(TypeError, match="'epsilom'"):
        TextPrivatizer(epsilom=1)
    with pytest.raises(ValueError, match="X has the columns"):
        seeded().fit(pd.DataFrame({"a": TEXTS})).transform(pd.DataFrame({"b": TEXTS}))


def test_secret_key_is_refused_before_it_is_printed():
    secret = bytes(range(32))
    with pytest.raises(TypeError, match="give the path of a key file"):
        TextPrivatizer(epsilon=1, key=secret)
    with pytest.raises(TypeError, match="give the path of a key file"):
        make_pipeline(seeded()).set_params(textprivatizer__key=secret)
