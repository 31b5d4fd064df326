"""Learning from a dask array: wrong arguments. What is learned is in test_learning_estimators.py."""

import dask.array
import numpy as np
import pytest

from fdcodec.errors import ParameterError
from fdcodec.integrations import dask as dask_integration
from fdcodec.learning import DCT


@pytest.mark.parametrize(
    ("array", "partition_size", "word"),
    [
        (np.ones((3, 4)), 0, "partition_size is 0; it must be an integer in"),
        (np.ones((3, 4)), -5, "partition_size is -5"),
        (np.ones((3, 4)), 2.5, "partition_size is 2.5"),
        (np.ones((3, 4), complex), 1, "array has dtype complex128"),
        (np.array([["1", "2"]]), 1, "array has dtype <U1"),
        (np.ones(4), 1, "array has shape"),
    ],
    ids=str,
)
def test_wrong_arguments_are_named(array, partition_size, word):
    """Partitions of no sample, and arrays that are no matrix of real numbers, are wrong arguments."""
    with pytest.raises(ParameterError, match=word):
        dask_integration.fit(DCT(), dask.array.from_array(array), partition_size)
