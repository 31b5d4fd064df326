"""Where encoded files come from."""

import os
from typing import BinaryIO, TypeAlias

from fdcodec.errors import ParameterError
from fdcodec.paths import checked_path

Source: TypeAlias = bytes | bytearray | memoryview | str | os.PathLike[str] | BinaryIO


def read_source(data: Source) -> bytes:
    """Return the bytes of a source: bytes as they are, the content of a path or of an open file."""
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    if isinstance(data, str | os.PathLike):
        return checked_path("data", data).read_bytes()
    if hasattr(data, "read"):
        content = data.read()
        if isinstance(content, bytes | bytearray | memoryview):
            return bytes(content)
        raise ParameterError(f'data: the file gives {type(content).__name__}, not bytes; open it with mode "rb"')
    raise ParameterError(f"data: {type(data).__name__} is not bytes, a path or a binary file")
