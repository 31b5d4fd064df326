"""Arrays saved by `numpy.save`: a picture, or a stack of them as the frames of one file."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fdcodec.errors import FormatError, ParameterError, UnsupportedError
from fdcodec.image.arrays import as_picture, check_dtype
from fdcodec.image.picture import Picture

SIGNATURE = b"\x93NUMPY"


def is_npy(path: Path) -> bool:
    """Tell whether a file is a saved array; OSError if it cannot be opened."""
    with path.open("rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


def picture_of_npy(data: bytes) -> Picture:
    """Return the picture of a file's bytes; of a stack that of its only frame. Raises as `frame_of_npy`."""
    array = _loaded(BytesIO(data))
    if (frames := _frame_count(array)) > 1:
        hint = "; if these are channels, save numpy.moveaxis(array, 0, -1)" if array.ndim == 3 and frames <= 4 else ""
        raise UnsupportedError(f"an array of shape {array.shape} is a stack of pictures; take each with --frames{hint}")
    return _picture(array[0] if _is_stack(array) else array)


def npy_frame_count(path: Path) -> int:
    """Return how many pictures a file holds; raises as `frame_of_npy` where none of them can be read."""
    return _frame_count(_loaded(path))


def frame_of_npy(path: Path, frame: int) -> Picture:
    """Return a picture of a stack, the first of which is 0; the file is mapped, and only this one read.

    Raises
    ------
    FormatError
        The file is damaged, or holds Python objects.
    UnsupportedError
        The array's dtype or shape is not that of pictures.
    """
    return _picture(np.array(_loaded(path)[frame]))  # a copy: what is mapped may change


def _loaded(source: Path | BytesIO) -> NDArray[Any]:
    """Return the array of a file, mapped if it is given by its path."""
    try:
        return np.load(source, mmap_mode="r" if isinstance(source, Path) else None, allow_pickle=False)  # type: ignore[no-any-return]
    except (MemoryError, OSError):
        raise
    except Exception:  # which quotes syntax trees and what it could not parse of the header
        raise FormatError("damaged .npy file, or one of Python objects; give an array of integers") from None


def _is_stack(array: NDArray[Any]) -> bool:
    """Tell whether an array is (frames, height, width) or (frames, height, width, channels)."""
    is_deep = array.ndim == 3 and array.shape[2] > 4
    return array.size > 0 and (is_deep or (array.ndim == 4 and array.shape[3] <= 4))


def _frame_count(array: NDArray[Any]) -> int:
    """Return the pictures of an array, 1 of what is no stack; UnsupportedError of a stack of other numbers."""
    if not _is_stack(array):
        return 1
    with _faults_of_file():
        check_dtype(array)
    return len(array)


def _picture(array: NDArray[Any]) -> Picture:
    with _faults_of_file():
        return as_picture(array)


@contextmanager
def _faults_of_file() -> Iterator[None]:
    """Say of what is in a file that it is not supported: no argument is wrong."""
    try:
        yield
    except ParameterError as error:
        raise UnsupportedError(str(error)) from None
