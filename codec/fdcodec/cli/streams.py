"""Standard output and standard error that are closed, full or not UTF-8, and names that would break their lines."""

import codecs
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_BREAKS = (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
_ESCAPES = {code: repr(chr(code))[1:-1] for code in _BREAKS}


class StandardOutputError(OSError):
    """Standard output is closed or full. A reader that has gone is a BrokenPipeError instead, and no failure."""


@contextmanager
def standard_output() -> Iterator[None]:
    """Write to standard output in this context; errors of writing name it."""
    if sys.stdout is None:
        raise StandardOutputError("standard output is closed")
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StandardOutputError(error.errno, error.strerror, "standard output") from error


def is_utf8(text: str) -> bool:
    """Tell whether a text can be UTF-8, and standard output is."""
    with suppress(UnicodeEncodeError):
        text.encode()
        return codecs.lookup(getattr(sys.stdout, "encoding", None) or "utf-8").name == "utf-8"
    return False


def in_one_line(text: str) -> str:
    r"""Return a text with its control characters escaped, such as ``\n`` of a file's name."""
    return text.translate(_ESCAPES)
