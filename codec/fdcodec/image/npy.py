"""Arrays saved by `numpy.save`: a picture, or a stack of them as the frames of one file."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.format import read_array_header_1_0, read_array_header_2_0, read_magic
from numpy.typing import NDArray

from fdcodec.errors import FormatError, ParameterError, UnsupportedError
from fdcodec.image.arrays import as_picture, check_dtype, check_pixels
from fdcodec.image.picture import MAX_CHANNELS, Picture

SIGNATURE = b"\x93NUMPY"
_HEADERS = {(1, 0): read_array_header_1_0, (2, 0): read_array_header_2_0}
_HEADER_BYTES = 1 << 16  # more than NumPy reads


def is_npy(path: Path) -> bool:
    """Tell whether a file is a saved array; OSError if it cannot be opened."""
    with path.open("rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


def picture_of_npy(data: bytes, max_pixels: int) -> Picture:
    """Return the picture of a file's bytes, or the only frame of a stack. Raises as `frame_of_npy`."""
    array = _array_of(data)
    if (frames := _frame_count(array)) > 1:
        is_maybe_one = array.ndim == 3 and frames <= MAX_CHANNELS
        hint = "; if these are channels, save numpy.moveaxis(array, 0, -1)" if is_maybe_one else ""
        raise UnsupportedError(f"an array of shape {array.shape} is a stack of pictures; take each with --frames{hint}")
    if array.ndim > 3 and array.size and not _is_stack(array):
        shape = (-1, *array.shape[-3:]) if array.shape[-1] <= MAX_CHANNELS else (-1, *array.shape[-2:])
        raise UnsupportedError(f"an array of shape {array.shape} is no stack of pictures; array.reshape{shape} is one")
    return _picture(array[0] if _is_stack(array) else array, max_pixels)


def npy_frame_count(path: Path) -> int:
    """Return how many pictures a file holds; raises as `frame_of_npy` if none of them can be read."""
    return _frame_count(_mapped(path))


def frame_of_npy(path: Path, frame: int, max_pixels: int) -> Picture:
    """Return a picture of a stack, numbered from 0; the file is mapped, and only this picture is read.

    Raises
    ------
    FormatError
        The file is damaged, or holds Python objects.
    UnsupportedError
        The array's dtype or shape is not that of pictures.
    LimitError
        The picture has more than `max_pixels`.
    """
    return _picture(_mapped(path)[frame], max_pixels)


def _mapped(path: Path) -> NDArray[Any]:
    """Return the mapped array of a file; nothing is read yet."""
    return _array_of(np.memmap(path, np.uint8, "r"))


def _array_of(data: Any) -> NDArray[Any]:
    """Return the array that is in the bytes of a file, without a copy."""
    file = BytesIO(data[:_HEADER_BYTES])
    try:
        shape, is_fortran, dtype = _HEADERS[read_magic(file)](file)
        if dtype.hasobject:
            raise ValueError
        return np.ndarray(shape, dtype, data, file.tell(), order="F" if is_fortran else "C")
    except Exception:  # its message quotes syntax trees and parts of the header
        raise FormatError("damaged .npy file, or one of Python objects; give an array of integers") from None


def _is_stack(array: NDArray[Any]) -> bool:
    """Tell whether an array is (frames, height, width) or (frames, height, width, channels)."""
    is_deep = array.ndim == 3 and array.shape[2] > MAX_CHANNELS
    return array.size > 0 and (is_deep or (array.ndim == 4 and array.shape[3] <= MAX_CHANNELS))


def _frame_count(array: NDArray[Any]) -> int:
    """Return how many pictures an array has, 1 if it is not a stack; UnsupportedError for a stack of other numbers."""
    if not _is_stack(array):
        return 1
    with _faults_of_file():
        check_dtype(array)
    return len(array)


def _picture(array: NDArray[Any], max_pixels: int) -> Picture:
    """Return a copy of an array as a picture, as a mapped file may change."""
    if array.ndim >= 2:
        check_pixels((array.shape[1], array.shape[0]), max_pixels)
    with _faults_of_file():
        return as_picture(np.array(array))


@contextmanager
def _faults_of_file() -> Iterator[None]:
    """Raise UnsupportedError instead of ParameterError: the file is at fault, and no argument."""
    try:
        yield
    except ParameterError as error:
        raise UnsupportedError(str(error)) from None
