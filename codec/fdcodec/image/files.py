"""Writing files so that a failure never leaves half a file or harms the one that was there."""

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """Write `data` to `path` in one step: a temporary file beside it, flushed to disk, then renamed over it.

    Parameters
    ----------
    path
        Target; its directory must exist. A link stays a link; devices and pipes are written to as they are.
    data
        The whole content.

    Raises
    ------
    OSError
        Nothing was written and an existing file is as it was; its `filename` is `path`.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            _write_beside(path.resolve(), data)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def _write_beside(path: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode_of(path))
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _mode_of(path: Path) -> int:
    """Return the permissions of the file that is replaced, or those a new file would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
