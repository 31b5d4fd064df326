"""An open `.fdc` file: header and metadata at hand, pixels on demand."""

from __future__ import annotations

import os
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from fdcodec import api, container
from fdcodec.errors import ParameterError
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.paths import checked_path, content_of

if TYPE_CHECKING:
    from fdcodec.image.picture import Samples


class Reader:
    """A file that is read in parts; use it in a ``with`` statement.

    Parameters
    ----------
    path
        An ``.fdc`` file.
    max_pixels
        Larger pictures are refused.
    threads, transform
        As for `decode`.

    Attributes
    ----------
    header
        The picture header.
    metadata
        EXIF, XMP and ICC, as opaque bytes or None.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        max_pixels: int = DEFAULT_MAX_PIXELS,
        threads: int = 1,
        transform: api.Transform | None = None,
    ) -> None:
        self._data = content_of(checked_path("path", path))
        self._options: dict[str, Any] = {"max_pixels": max_pixels, "threads": threads, "transform": transform}
        file = container.read(self._data, max_pixels=max_pixels)
        self.header, self.metadata = file.header, file.metadata

    def read(self, region: api.Region | None = None) -> Samples:
        """Return the picture, or the rectangle ``(x, y, width, height)`` of it, as `decode` and `decode_region` do.

        Raises
        ------
        ParameterError
            The reader is closed. Other errors are those of `decode_region`.
        """
        if not self._data:
            raise ParameterError("the reader is closed; read inside its `with` statement, or open the file again")
        return api.decode_picture(self._data, region, **self._options).array

    def close(self) -> None:
        """Let the bytes of the file go."""
        self._data = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
