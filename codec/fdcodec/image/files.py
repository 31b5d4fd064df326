"""Writing files so that a failure never leaves half a file or harms the one that was there."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from threading import RLock

_unfinished: set[Path] = set()
_beginning = RLock()
"""Held while a temporary file is created; reentrant, since a signal may end the process in the middle of that."""


def replace_file(path: Path, data: bytes, *, may_replace: bool = True) -> None:
    """Write `data` to `path` in one step: a temporary file beside it, flushed to disk, then given its name.

    Parameters
    ----------
    path
        Target; its directory must exist. A link stays a link; devices and pipes are written to as they are.
    data
        The whole content.
    may_replace
        Whether an existing file is replaced, even one that appeared a moment ago.

    Raises
    ------
    OSError
        Nothing was written, and an existing file is as it was. The error's `filename` is `path`.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _write_beside(_resolved(path), data, may_replace)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


@contextmanager
def nothing_unfinished() -> Iterator[None]:
    """Remove what is being written at this moment, and let no thread begin another file within this context.

    For a process that ends without waiting for its threads.
    """
    with _beginning:
        for temporary in list(_unfinished):
            with suppress(OSError):
                temporary.unlink()
        yield


def _resolved(path: Path) -> Path:
    """Return where a path leads; OSError where its links lead round in a circle."""
    resolved = Path(os.path.realpath(path))
    if resolved.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return resolved


def _write_beside(path: Path, data: bytes, may_replace: bool) -> None:
    temporary = path.with_name(f".{path.name[:40]}.{token_hex(4)}.part")
    try:
        with _beginning:
            _unfinished.add(temporary)
            file = temporary.open("xb")  # it gets the permissions of any new file
        with file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if may_replace:
            if path.exists():
                temporary.chmod(path.stat().st_mode & 0o777)
            temporary.replace(path)
        else:
            _take_free_name(temporary, path)
    except BaseException:
        with _beginning:  # never left where the process ends: what became of the file is then nobody's error
            temporary.unlink(missing_ok=True)
        raise
    finally:
        _unfinished.discard(temporary)


def _take_free_name(temporary: Path, path: Path) -> None:
    """Give a file the name `path`; FileExistsError if another has it."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise FileExistsError(errno.EEXIST, "it exists by now; add --force to replace it") from None
    except OSError:  # a file system without links
        if path.exists():
            raise FileExistsError(errno.EEXIST, "it exists by now; add --force to replace it") from None
        temporary.replace(path)
    else:
        temporary.unlink()
