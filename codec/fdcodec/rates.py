"""The log-rate, by which transforms are chosen and learned; kernels have theirs in `kernels/learning/statistics.py`."""

import numpy as np
from numpy.typing import NDArray


def log_rates(coefficients: NDArray[np.floating], step: float) -> NDArray[np.floating]:
    """Return log2(1 + (c / step)^2) of each coefficient, any shape: about twice the bits that it takes."""
    rates: NDArray[np.floating] = np.log2(1 + (coefficients / step) ** 2)
    return rates
