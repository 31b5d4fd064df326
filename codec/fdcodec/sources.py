"""Where encoded files come from."""

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from fdcodec.errors import ParameterError, memory_as_limit
from fdcodec.paths import checked_path, content_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Source: TypeAlias = "bytes | bytearray | memoryview | NDArray[np.uint8] | str | os.PathLike[str] | BinaryIO"


def read_source(data: Source) -> bytes:
    """Return the bytes of a source: bytes, or an array of them, as they are; the content of a path or an open file."""
    with memory_as_limit():
        return _bytes_of(data)


def _bytes_of(data: Source) -> bytes:
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    if isinstance(data, str | os.PathLike):
        return content_of(checked_path("data", data))
    if hasattr(data, "read"):
        content = _content_of_open(data)
        if isinstance(content, bytes | bytearray | memoryview):
            return bytes(content)
        raise ParameterError(f'data: the file gives {type(content).__name__}, not bytes; open it with mode "rb"')
    return _bytes_in(data)


def _content_of_open(file: Any) -> Any:
    """Return what is read from an open file; ParameterError if it is closed, or opened as text though it is none."""
    try:
        return file.read()
    except ValueError as error:  # UnicodeDecodeError is one
        raise ParameterError(f'data: the file cannot be read ({error}); open it again, with mode "rb"') from error


def _bytes_in(array: Any) -> bytes:
    """Return the bytes of a one-dimensional array of bytes; ParameterError for anything else."""
    with suppress(TypeError, ValueError):
        view = memoryview(array)
        if (view.ndim, view.itemsize) == (1, 1):
            return bytes(view)
    raise ParameterError(f"data: {type(array).__name__} is not bytes, a path or a binary file; give one of them")
