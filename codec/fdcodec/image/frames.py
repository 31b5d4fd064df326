"""Frames and pages of image files, one after the other."""

from contextlib import suppress
from pathlib import Path
from threading import Lock

from PIL import Image

from fdcodec.errors import FdcError, LimitError, UnsupportedError
from fdcodec.image import npy, png
from fdcodec.image.frame_counts import count_frames, count_frames_behind
from fdcodec.image.reading import READABLE_FORMATS, Reading, guarded, opened, read_opened
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.paths import content_of, holds


def frame_count(path: Path) -> int:
    """Return how many frames an image file has, damaged ones too; 1 if it cannot be opened, which reading reports.

    What is no file is not opened, as a pipe could not be read again.
    """
    if not holds(path.is_file):
        return 1
    with suppress(FdcError, OSError), guarded(DEFAULT_MAX_PIXELS):
        if npy.is_npy(path):
            return npy.npy_frame_count(path)
    with suppress(FdcError), guarded(DEFAULT_MAX_PIXELS), Image.open(path, formats=READABLE_FORMATS) as image:
        frames = _count(image)
        if image.format == "GIF":
            return frames + _is_cut(path.read_bytes())  # where it ends Pillow sees no difference
        if image.format == "PNG" and frames > 1:  # it states a number, which may be billions
            return min(frames, sum(chunk.kind == b"fcTL" for chunk in png.chunks(path.read_bytes())) + 1)
        return frames
    return 1


def _count(image: Image.Image) -> int:
    """Return how many frames an opened image has."""
    try:
        return count_frames(image)
    except LimitError:
        raise
    except Exception:  # Pillow lets nearly every built-in exception out
        return count_frames_behind(image)


def _is_cut(gif: bytes) -> bool:
    """Tell whether a GIF ends before its trailer: images and extensions, in blocks that state their lengths."""
    place = 13 + _colours_bytes(gif[10:11])
    while (kind := gif[place : place + 1]) in (b",", b"!"):
        place += 11 + _colours_bytes(gif[place + 9 : place + 10]) if kind == b"," else 2
        while size := int.from_bytes(gif[place : place + 1], "big"):
            place += 1 + size
        place += 1
    return kind != b";"


def _colours_bytes(flags: bytes) -> int:
    """Return how many bytes a table of colours has, by the flags before it."""
    bits = int.from_bytes(flags, "big")
    return 3 << (bits & 7) + 1 if bits & 0x80 else 0


def _read_npy(path: Path, frame: int, max_pixels: int) -> Reading:
    with guarded(max_pixels):
        return Reading(npy.frame_of_npy(path, frame, max_pixels), ())


class FrameReader:
    """Reads frames of image files, in threads too; those of one file are sought once if asked for in order.

    The file that was read last stays open at its last frame. Frames of more than `max_pixels` are refused.
    """

    def __init__(self, max_pixels: int = DEFAULT_MAX_PIXELS) -> None:
        self.max_pixels = max_pixels
        self._lock = Lock()
        self._path: Path | None = None
        self._data = b""
        self._image: Image.Image | None = None
        self._next = 0

    def read(self, path: Path, frame: int, *, lossless: bool = False) -> Reading:
        """Read a frame, from 0, as `read_image` reads the first.

        Raises
        ------
        FormatError, LimitError, UnsupportedError
            As `read_image`, of this frame.
        OSError
            The file cannot be opened.
        """
        if npy.is_npy(path):
            return _read_npy(path, frame, self.max_pixels)
        with self._lock:
            if path != self._path:
                self._path = self._image = None
                self._path, self._data = path, content_of(path)
            with guarded(self.max_pixels) as warned:
                image, self._image = self._sought(frame), None  # so that nothing is read after a damaged frame
                try:
                    picture, notes = read_opened(image, self._data, self.max_pixels, lossless, is_sought=True)
                except Exception as error:
                    is_whole = isinstance(error, LimitError | UnsupportedError)
                    if is_whole or image.format == "TIFF":  # whose pages are not drawn on each other
                        self._image, self._next = image, frame + 1
                    raise
                self._image, self._next = image, frame + 1
        return Reading(picture, (*notes, *warned))

    def _sought(self, frame: int) -> Image.Image:
        image = self._image
        if image is None or frame < self._next:
            image = opened(self._data)
        if image.format in ("TIFF", "MPO") and frame > 0:
            image.info.clear()  # what a page does not have is that of the page before
        image.seek(frame)
        return image
