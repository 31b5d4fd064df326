"""Learning the decoder's filter: least squares by class and step range on deblocked, decoded images."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fdcodec.filtering.post import classes_of, deblock, step_bucket
from fdcodec.format.constants import FILTER_BUCKETS, FILTER_CLASSES, FILTER_SHIFT, FILTER_WEIGHTS
from fdcodec.format.contexts import KINDS
from fdcodec.kernels.filters.bands import BORDER
from fdcodec.kernels.training.filters import accumulate_normal_equations
from fdcodec.training.traces import Trace

_SHAPE = (KINDS, FILTER_BUCKETS, FILTER_CLASSES)
RIDGE = 2e-3  # of the mean diagonal of all classes together, so that rare classes stay near their step range's mean


class FilterSums:
    """Normal equations of the filter, by plane kind, step range and class."""

    def __init__(self) -> None:
        self._matrices = np.zeros((*_SHAPE, FILTER_WEIGHTS, FILTER_WEIGHTS))
        self._vectors = np.zeros((*_SHAPE, FILTER_WEIGHTS))
        self._energy = 0.0

    def add(self, trace: Trace) -> None:
        """Add every plane of a trace, but for blocks of the screen tools; its decoded planes are left as they are."""
        bucket = step_bucket(trace.step_index)
        for k, maps in enumerate(trace.maps):
            plane = trace.decoded[k].copy()
            deblock(plane, maps, trace.step_index)
            padded, classes = np.pad(plane, BORDER, "edge"), classes_of(plane, trace.step_index)
            classes[maps.modes < 0] = -1
            target = trace.original[k] - plane
            self._energy += float(np.sum(target.astype(np.float64) ** 2))
            place = (min(k, 1), bucket)
            accumulate_normal_equations(
                padded, classes, target, trace.step_index, self._matrices[place], self._vectors[place]
            )

    def joined(self, others: FilterSums) -> FilterSums:
        """Return the sums over the planes of both."""
        both = FilterSums()
        both._matrices, both._vectors = self._matrices + others._matrices, self._vectors + others._vectors
        both._energy = self._energy + others._energy
        return both

    def share_saved(self, filters: NDArray[np.int8]) -> float | None:
        """Return the share of the squared error of these planes that a filter takes away; None where there are none."""
        weights = filters / (1 << FILTER_SHIFT)
        squares = np.einsum("...i,...ij,...j", weights, _symmetric(self._matrices), weights)
        change = np.sum(squares - 2 * np.sum(weights * self._vectors, axis=-1))
        return -float(change) / self._energy if self._energy else None

    def filters(self, parent: NDArray[np.int8] | None) -> NDArray[np.int8]:
        """Return the weights, shape (kinds, step ranges, classes, weights); ranges without data keep the parent's."""
        filters = np.zeros((*_SHAPE, FILTER_WEIGHTS), np.int8) if parent is None else parent.copy()
        for kind in range(KINDS):
            for bucket in range(FILTER_BUCKETS):
                if self._matrices[kind, bucket].any():
                    filters[kind, bucket] = _solve(self._matrices[kind, bucket], self._vectors[kind, bucket])
        return filters


def _symmetric(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return whole matrices from those whose upper triangles are filled."""
    return matrices + np.triu(matrices, 1).swapaxes(-1, -2)


def _solve(matrices: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.int8]:
    """Return the weights of each class, drawn towards those of all classes together, on the filter's grid."""
    whole = _symmetric(matrices)
    total, total_vector = whole.sum(axis=0), vectors.sum(axis=0)
    scale = np.trace(total) / FILTER_WEIGHTS
    mean = np.linalg.solve(total + RIDGE * scale * np.eye(FILTER_WEIGHTS), total_vector)
    ridge = RIDGE * scale * np.eye(FILTER_WEIGHTS)
    weights = [np.linalg.solve(a + ridge, b + ridge @ mean) for a, b in zip(whole, vectors, strict=True)]
    limit = (1 << FILTER_SHIFT) - 1
    rounded: NDArray[np.float64] = np.rint(np.stack(weights) * (1 << FILTER_SHIFT))
    return np.clip(rounded, -limit, limit).astype(np.int8)
