"""The codec inside other libraries; each module but Pillow's needs the extra of its name."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Import in this context what an extra brings; the error where it is missing says how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        install = f"install it with pip install -e '.[{extra}]', in the directory of fdcodec's sources"
        raise ModuleNotFoundError(f"{error}; {install}", name=error.name) from error
