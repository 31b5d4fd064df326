"""An open `.fdc` file: header and metadata at hand, pixels on demand."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from fdcodec import api, container
from fdcodec.decoding import checked_decoding, decode_picture
from fdcodec.errors import ParameterError, memory_as_limit
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.sources import Source, read_source
from fdcodec.words import counted

if TYPE_CHECKING:
    from fdcodec.aliases import Region, Samples


class Reader:
    """A file that is read in parts; use it in a ``with`` statement.

    Opening checks everything except the tiles, which are checked when they are read: if one of several tiles is
    damaged, the file opens, and the others can be read.

    Parameters
    ----------
    data, max_pixels, threads, transform, partial
        As for `decode`.

    Attributes
    ----------
    header
        The picture header.
    metadata
        EXIF, XMP and ICC, as opaque bytes or None.

    Raises
    ------
    FdcError, OSError
        As for `decode`, except that tiles are not checked.
    """

    def __init__(
        self,
        data: Source,
        *,
        max_pixels: int = DEFAULT_MAX_PIXELS,
        threads: int = 1,
        transform: api.Transform | None = None,
        partial: bool = False,
    ) -> None:
        self._settings = checked_decoding(max_pixels=max_pixels, threads=threads, transform=transform, partial=partial)
        self._data = read_source(data)
        with memory_as_limit():
            file = (
                container.salvage(self._data, max_pixels=max_pixels).file
                if partial
                else container.read(self._data, tiles=(), max_pixels=max_pixels)
            )
        self.header, self.metadata = file.header, file.metadata

    def __repr__(self) -> str:
        """Return what the picture is, and whether the reader is closed."""
        picture = f"{self.header.width}x{self.header.height}, {counted(self.header.channels, 'channel')}"
        return f"<Reader of {picture} of {self.header.depth} bits{'' if self._data else ', closed'}>"

    def read(self, region: Region | None = None, *, reduce: int = 1) -> Samples:
        """Return the picture, or the rectangle ``(x, y, width, height)`` of it, as `decode` and `decode_region` do.

        `reduce` is as in these.

        Raises
        ------
        ParameterError
            The reader is closed. Other errors are those of `decode_region`, as is the warning of a decode in part.
        """
        if not self._data:
            raise ParameterError("the reader is closed; read inside its `with` statement, or open the file again")
        return decode_picture(self._data, self._settings, region, reduce).array

    def close(self) -> None:
        """Release the bytes of the file."""
        self._data = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
