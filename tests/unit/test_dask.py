"""Learning from a dask array: what it may hold, and wrong arguments. See also test_learning_estimators.py."""

import dask.array
import numpy as np
import pytest

from fdcodec.errors import ParameterError
from fdcodec.integrations import dask as dask_integration
from fdcodec.learning import DCT, QDLA
from fdcodec.learning.samples import CHUNK


@pytest.mark.parametrize(
    ("array", "partition_size", "word"),
    [
        (np.ones((3, 4)), 0, "partition_size is 0; it must be an integer in"),
        (np.ones((3, 4)), -5, "partition_size is -5"),
        (np.ones((3, 4)), 2.5, "partition_size is 2.5"),
        (np.ones((3, 4), complex), 1, "array has dtype complex128"),
        (np.array([["1", "2"]]), 1, "array has dtype <U1"),
        (np.ones(4), 1, "array has shape"),
        (np.ones((0, 4)), 1, r"array has shape \(0, 4\)"),
        (np.array([[1.0, np.nan]]), 1, "array contains NaN"),
        (np.array([[1.0, 1e200]]), 1, r"array contains a magnitude of 1e\+200"),
    ],
    ids=str,
)
def test_wrong_arguments_are_named(array, partition_size, word):
    """Partitions of no sample, and arrays that are no matrix of finite real numbers, are wrong arguments."""
    with pytest.raises(ParameterError, match=word):
        dask_integration.fit(DCT(), dask.array.from_array(array), partition_size)


def test_an_array_of_unknown_size_is_refused():
    """Of rows that were chosen by their values dask does not know how many there are."""
    array = dask.array.from_array(np.ones((3, 4)))
    with pytest.raises(ParameterError, match=r"array has shape \(nan, 4\); .* of known size"):
        dask_integration.fit(DCT(), array[array[:, 0] > 0])


@pytest.mark.parametrize("dtype", ["int16", "uint8", "bool", "float32"])
def test_any_real_numbers_are_learned_from(dtype):
    """Integers, truth values and short floats give what `fit` makes of them, however dask has cut and laid them."""
    X = np.asfortranarray(np.random.default_rng(1).integers(0, 200, (40, 6)) % 3).astype(dtype)
    learner = dask_integration.fit(QDLA(2, 3), dask.array.from_array(X, chunks=(7, 4)))
    np.testing.assert_array_equal(learner.components_, QDLA(2, 3).fit(X).components_)


@pytest.mark.parametrize(("partition_size", "expected"), [(1, [CHUNK, CHUNK, 9]), (CHUNK + 1, [2 * CHUNK, 9])])
def test_partitions_are_whole_chunks(partition_size, expected, monkeypatch):
    """A task has as many samples as asked for, rounded up to whole chunks, so that sums are those of one process."""
    sizes = set()
    monkeypatch.setattr(dask_integration, "check_values", lambda rows, name: sizes.add(len(rows)))
    X = dask.array.from_array(np.ones((2 * CHUNK + 9, 2)), chunks=(100, 2))
    dask_integration.fit(DCT(), X, partition_size)
    assert sizes == set(expected)
