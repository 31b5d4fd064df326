"""Paths that users pass: what cannot be one is a wrong argument."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from reprlib import repr as shown
from typing import Any

from fdcodec.errors import FormatError, ParameterError


def checked_path(name: str, path: Any) -> Path:
    """Return a path object; ParameterError names the argument where the value cannot be a path."""
    text = None
    with suppress(TypeError):  # of what is no path, or says that it is and gives a number
        text = os.fspath(path)
    if not isinstance(text, str):
        raise ParameterError(f"{name}: {type(path).__name__} is not a path; give a text or a pathlib.Path")
    if not text:
        raise ParameterError(f"{name}: the path is empty; give a name")
    if fault := _fault_of(text):
        raise ParameterError(f"{name}: {shown(text)} cannot be a path: {fault}; give another")
    return Path(text)


def _fault_of(text: str) -> str:
    """Return why no file can have this path, nothing if one can."""
    try:
        os.lstat(text)
    except ValueError as error:  # a null character, or half of one
        return str(error)
    except OSError as error:
        return os.strerror(error.errno) if error.errno == errno.ENAMETOOLONG else ""
    return ""


def content_of(path: Path) -> bytes:
    """Return the bytes of a file or of a pipe; FormatError of a device, which may have no end."""
    if is_device(path):
        raise FormatError("this is a device, which may have no end; give a file or a pipe")
    return path.read_bytes()


def is_device(path: Path) -> bool:
    """Tell whether a path is a device."""
    return holds(path.is_char_device) or holds(path.is_block_device)


def expand_home(text: str) -> Path:
    """Return a path whose leading ``~`` is the home directory; as it is where no home directory is known."""
    path = Path(text)
    with suppress(RuntimeError):
        return path.expanduser()
    return path


def holds(test: Callable[[], bool], unreachable: bool = False) -> bool:
    """Return what a test of a path says, and `unreachable` where the path cannot be reached: its use will tell why."""
    try:
        return test()
    except OSError:
        return unreachable
