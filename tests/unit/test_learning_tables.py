"""Tables with named columns, as scikit-learn's users give them to the learners and want them back."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from tests.unit.test_structured import mixed_samples

from fdcodec.errors import ParameterError
from fdcodec.learning import DCT, QDLA, GmDLA, RmDLA

X = mixed_samples(16, 40, seed=1)
NAMES = [f"pixel {i}" for i in range(16)]


class Table(np.ndarray):
    """What the learners use of a table of pandas."""

    def __new__(cls, data, index=None, columns=None):
        """Return the data with names beside them."""
        table = np.asarray(data).view(cls)
        table.index, table.columns = index, columns
        return table


@pytest.fixture
def pandas(monkeypatch):
    """Put the table above in the place of pandas, which need not be installed."""
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=Table))


@pytest.mark.parametrize("columns", [NAMES[::-1], [*NAMES[:-1], "other"]], ids=["order", "name"])
@pytest.mark.parametrize("method", ["transform", "score"])
def test_other_columns_are_refused(method, columns):
    """Columns that were not seen by fit, or in another order, would be taken for those that were."""
    learner = QDLA(3, 1).fit(Table(X, columns=NAMES))
    np.testing.assert_array_equal(learner.transform(Table(X, columns=NAMES)), learner.transform(X))
    with pytest.raises(ParameterError, match="The feature names should match those that were passed during fit; "):
        getattr(learner, method)(Table(X, columns=columns))


def test_names_are_those_of_the_last_fit():
    """An array, a table without names and batches have none, and then any names are taken."""
    learner = DCT(3).fit(Table(X, columns=NAMES))
    assert (learner.feature_names_in_.tolist(), learner.feature_names_in_.dtype) == (NAMES, object)
    for forget in (lambda: learner.fit(X), lambda: learner.fit_batches([X])):
        learner.fit(Table(X, columns=NAMES))
        forget()
        assert not hasattr(learner, "feature_names_in_")
    assert not hasattr(learner.fit(Table(X, columns=range(16))), "feature_names_in_")


def test_codes_have_names():
    """Each column of codes has a name, after fit only, and what was fitted may be anything."""
    with pytest.raises(ParameterError, match="not fitted"):
        GmDLA().get_feature_names_out()
    names = GmDLA(4, 3, 1).fit(X).get_feature_names_out(NAMES)
    assert (names.dtype, names.tolist()) == (object, [f"gmdla{i}" for i in range(16)])


@pytest.mark.parametrize("learner", [QDLA(3, 1), RmDLA(4, 3, 1)], ids=repr)
def test_codes_are_tables_where_they_are_asked_for(pandas, learner):
    """A clone and a pipeline keep what `set_output` said; a table has the index of the samples."""
    table = Table(X, index=range(5, 45), columns=NAMES)
    fitted = clone(clone(learner).set_output(transform="pandas")).fit(table)
    codes = fitted.transform(table)
    assert (codes.index, list(codes.columns)) == (table.index, fitted.get_feature_names_out().tolist())
    np.testing.assert_array_equal(codes, clone(learner).fit_transform(X))
    pipeline = make_pipeline(FunctionTransformer(), clone(learner)).set_output(transform="pandas")
    assert isinstance(pipeline[1].fit(X).transform(X), Table)
    assert type(fitted.set_output().transform(X)) is Table
    assert type(fitted.set_output(transform="default").transform(X)) is np.ndarray


def test_the_setting_of_scikit_learn_counts_where_nothing_else_is_said(pandas):
    """`transform_output` of scikit-learn makes codes tables, but not those of a learner that was told otherwise."""
    learner, told = QDLA(3, 1).fit(X), QDLA(3, 1).set_output(transform="default").fit(X)
    with config_context(transform_output="pandas"):
        assert [type(each.transform(X)) for each in (learner, told)] == [Table, np.ndarray]
    assert type(learner.transform(X)) is np.ndarray


def test_other_outputs_are_refused():
    """What is no known container is named, with those that are."""
    with pytest.raises(ParameterError, match="transform is 'polars'; it must be one of default, pandas"):
        QDLA().set_output(transform="polars")
