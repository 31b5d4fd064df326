"""Several pictures to one file: the pages of a TIFF, or a stack in `.npy`. `frames` reads what this writes."""

from collections.abc import Iterable
from io import BytesIO

import numpy as np
from PIL.TiffImagePlugin import AppendingTiffWriter

from fdcodec.aliases import Samples
from fdcodec.errors import UnsupportedError
from fdcodec.image.picture import MAX_CHANNELS, Picture
from fdcodec.image.writing import image_bytes, without_lost

STACK_SUFFIXES = (".tif", ".tiff", ".npy")


class _Pages(AppendingTiffWriter):
    """Pillow's writer of pages goes through all of them again for each; this one goes on from the last."""

    _last = 0

    def skipIFDs(self) -> None:  # noqa: N802
        """Find the end of the chain of pages."""
        if self._last:
            self.f.seek(self._last)
        super().skipIFDs()
        self._last = self.whereToWriteNewIFDOffset or 0


def stack_bytes(pictures: Iterable[Picture], suffix: str) -> tuple[bytes, tuple[str, ...]]:
    """Return a file of several pictures, which are taken one at a time, and notes, each once.

    Parameters
    ----------
    pictures
        At least one. Pages may be of different sizes and channels; pictures of a stack in ``.npy`` must be alike.
    suffix
        One of `STACK_SUFFIXES`.

    Raises
    ------
    UnsupportedError
        The format cannot hold the pictures.
    """
    return _npy_bytes(pictures) if suffix == ".npy" else _tiff_bytes(pictures, suffix)


def _tiff_bytes(pictures: Iterable[Picture], suffix: str) -> tuple[bytes, tuple[str, ...]]:
    buffer, notes = BytesIO(), dict[str, None]()
    with _Pages(buffer, new=True) as pages:
        for picture in pictures:
            page, own_notes = image_bytes(picture, suffix, is_page=True)
            if buffer.tell() + len(page) >= 1 << 32:
                raise UnsupportedError(f"{suffix} holds 4 GB at most; join fewer pictures, or write .npy")
            pages.write(page)
            pages.newFrame()
            notes.update(dict.fromkeys(own_notes))
    return buffer.getvalue(), tuple(notes)


def _npy_bytes(pictures: Iterable[Picture]) -> tuple[bytes, tuple[str, ...]]:
    arrays, notes = [], dict[str, None]()
    for k, picture in enumerate(pictures, 1):
        arrays.append(picture.samples)
        if (kind := _kind(arrays[-1])) != (first := _kind(arrays[0])):
            raise UnsupportedError(
                f".npy holds pictures that are alike: picture {k} is {kind}, the first {first}; write .tif"
            )
        notes.update(dict.fromkeys(without_lost(picture, ".npy", {})[1]))
    stack = np.stack(arrays)
    is_plain = stack.shape[3] == 1 and stack.shape[2] > MAX_CHANNELS  # narrower ones would pass for one picture
    buffer = BytesIO()
    np.save(buffer, stack[..., 0] if is_plain else stack, allow_pickle=False)
    return buffer.getvalue(), tuple(notes)


def _kind(samples: Samples) -> str:
    """Return shape and depth of a picture as text."""
    return f"{' x '.join(map(str, samples.shape))} of {samples.dtype}"
