"""Learning the start states of the contexts: where they end on training images, averaged in the logit domain."""

import numpy as np
from numpy.typing import NDArray

from fdcodec.format.constants import MIN_START, PROBABILITY_BITS
from fdcodec.format.contexts import N_CONTEXTS

CONFIDENCE = 24  # update count that a well-trained context starts with: its first updates move it by 1/32
_PRIOR = 6.0  # updates' worth of what the parent model says


class StartStateSums:
    """Sums over final contexts, from which start states follow.

    Parameters
    ----------
    parent
        Start states to fall back on where a context was hardly used, shape (n_contexts, 2), or None for even odds.
    """

    def __init__(self, parent: NDArray[np.uint8] | None) -> None:
        self._logits = np.zeros(N_CONTEXTS)
        self._weights = np.zeros(N_CONTEXTS)
        self._start_count = np.zeros(N_CONTEXTS, np.int64)
        if parent is not None:
            self._start_count = parent[:, 1].astype(np.int64)
            self._weights += _PRIOR
            self._logits += _PRIOR * _logit((parent[:, 0] + 0.5) / 256)

    def add(self, contexts: NDArray[np.uint16]) -> None:
        """Add the contexts an image ended with; a context weighs as many updates as its counter tells."""
        probability = contexts[:, 1] / (1 << PROBABILITY_BITS)
        weight = np.maximum(contexts[:, 2] - self._start_count, 0).astype(np.float64)
        self._logits += weight * _logit(probability)
        self._weights += weight

    def start_states(self) -> NDArray[np.uint8]:
        """Return start probabilities in 1/256 and confidences."""
        mean = self._logits / np.maximum(self._weights, 1e-9)
        probability = np.clip(np.floor(256 / (1 + np.exp(-mean))), MIN_START, 255 - MIN_START)
        confidence = np.minimum(self._weights / 4, CONFIDENCE)
        return np.stack([probability, confidence], axis=1).astype(np.uint8)


def _logit(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.log(probability / (1 - probability))
