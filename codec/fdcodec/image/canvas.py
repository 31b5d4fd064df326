"""The picture that decoded parts are put into, at its size or a fraction of it."""

from itertools import product
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Samples

Sums = NDArray[Any]  # of the narrowest unsigned integers that hold them


class Canvas:
    """A picture whose samples are each the mean of the `reduce` x `reduce` samples it covers.

    At the right and bottom edge it covers fewer. Means are rounded half up. What is added up are integers, so that the
    samples depend neither on how the picture is cut into parts nor on their order; where no part comes, they are 0.

    Parameters
    ----------
    shape
        ``(height, width, channels)`` of the parts together; the picture's sides are these over `reduce`, rounded up.
    depth
        Bits per sample, 8 or 16.
    reduce
        Side of the squares; 1 leaves the samples as they are.
    """

    def __init__(self, shape: tuple[int, int, int], depth: int, reduce: int) -> None:
        self._height, self._width, channels = shape
        self._dtype, self._reduce = np.dtype(f"u{depth // 8}"), reduce
        dtype = np.min_scalar_type(2**depth * reduce**2 - 1)  # of sums, and of what rounds them
        self._sums: Sums = np.zeros((-(-self._height // reduce), -(-self._width // reduce), channels), dtype)
        self._lock = Lock()

    def add(self, part: Samples, x: int, y: int) -> None:
        """Put in the part at (x, y), as far as it lies in the picture; threads may put in different parts at once.

        The array of one that is all of the picture becomes the picture's.
        """
        if self._reduce == 1 and (x, y) == (0, 0) and part.shape == self._sums.shape:
            self._sums = part
            return
        top, left = max(y, 0), max(x, 0)
        part = part[top - y : self._height - y, left - x : self._width - x]
        rows = _sums_of_rows(part, top, self._reduce, self._sums.dtype)
        sums = _sums_of_rows(rows.swapaxes(0, 1), left, self._reduce, self._sums.dtype).swapaxes(0, 1)
        row, column = top // self._reduce, left // self._reduce
        with self._lock:
            self._sums[row : row + sums.shape[0], column : column + sums.shape[1]] += sums

    def samples(self) -> Samples:
        """Return the picture, C-contiguous, once all parts are in; nothing can be added afterwards."""
        for (rows, height), (columns, width) in product(self._squares(self._height), self._squares(self._width)):
            if (count := height * width) > 1:
                sums = self._sums[rows, columns]
                sums += count // 2
                sums //= count
        return np.ascontiguousarray(self._sums, self._dtype)

    def _squares(self, side: int) -> tuple[tuple[slice, int], tuple[slice, int]]:
        """Return where along a side squares are whole and where cut off, each with how many samples they cover."""
        whole, rest = divmod(side, self._reduce)
        return (slice(whole), self._reduce), (slice(whole, None), rest)


def _sums_of_rows(rows: Sums, first: int, reduce: int, dtype: np.dtype[Any]) -> Sums:
    """Return the sums over each `reduce` rows of a picture, as far as these rows, from `first` on, have them."""
    if reduce == 1:
        return rows
    offset = first % reduce
    sums = np.zeros((-(-(offset + len(rows)) // reduce), *rows.shape[1:]), dtype)
    for start in range(min(reduce, len(rows))):
        strided = rows[start::reduce]
        index = (offset + start) // reduce
        sums[index : index + len(strided)] += strided
    return sums
