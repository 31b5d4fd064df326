"""Every exception and warning that leaves fdcodec on purpose, and the words of damage and of too little memory."""

from __future__ import annotations

import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

NO_MEMORY = "too little memory; make some free, or take fewer threads or smaller images"


class FdcError(Exception):
    """Base of all fdcodec errors; `exit_code` is what the command line returns for it."""

    exit_code = 1


class FormatError(FdcError):
    """The bytes are not a valid file of the format they claim to be."""


class TruncatedError(FormatError):
    """The file ends before its last chunk does."""


class ChecksumError(FormatError):
    """A CRC does not match the bytes it covers."""


class LimitError(FdcError):
    """A declared size is above a safety limit, or above the memory that is free."""

    exit_code = 4


class UnsupportedError(FdcError):
    """A file, an input or a command needs a feature, a version or a package that is not here."""

    exit_code = 3


class TransformNotFoundError(FdcError):
    """No class model is here by the name, the path or the hash that an argument or a file gives."""

    exit_code = 3


class ParameterError(FdcError, ValueError):
    """An argument is outside what is allowed."""

    exit_code = 2


class TargetWarning(UserWarning):
    """The target of an encode was not met; what comes nearest was encoded.

    `kept` says that it is better than what was asked for: below the limit, or without an error.
    """

    exit_code = 5

    def __init__(self, message: str, kept: bool = False) -> None:
        super().__init__(message)
        self.kept = kept


class PartialWarning(UserWarning):
    """A damaged file was decoded in part; `missing` holds the rectangles (x, y, width, height) that are not."""

    exit_code = 5

    def __init__(self, message: str, missing: tuple[tuple[int, int, int, int], ...] = ()) -> None:
        super().__init__(message)
        self.missing = missing


class ConversionWarning(UserWarning):
    """Something of an image has no place in the format: it was converted, or left out."""

    exit_code = 0


class EmbeddingWarning(UserWarning):
    """Each chunk of a store will carry the class model, which nobody asked for; or a file names one that is absent."""

    exit_code = 0


class LearningWarning(UserWarning):
    """A learner made less than it was asked for."""

    exit_code = 0


class VerificationError(FdcError):
    """What was decoded is not what was encoded."""

    exit_code = 6


def damaged(fault: str, kind: type[FormatError] = FormatError) -> FormatError:
    """Return the error of a file that is not as its format says: what is wrong with it, and then what to do."""
    return kind(f"{fault}; the file is damaged, get it again")


def fault_of(error: FdcError) -> str:
    """Return what is wrong, without what to do about it.

    It is for errors of the bytes of a file: these name no paths, which may have a semicolon themselves.
    """
    return str(error).partition("; ")[0]


def warn_caller(warning: str | Warning) -> None:
    """Warn at the line that called this package, maybe through Pillow, which calls our plugin."""
    frame: FrameType | None = sys._getframe(1)
    level = 2
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("fdcodec", "PIL"):
        frame, level = frame.f_back, level + 1
    warnings.warn(warning, stacklevel=level)


@contextmanager
def memory_as_limit() -> Iterator[None]:
    """Make a LimitError, with what to do, of a MemoryError."""
    try:
        yield
    except MemoryError as error:
        raise LimitError(NO_MEMORY) from error
