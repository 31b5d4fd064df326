"""Frames and pages of image files, one after the other."""

from contextlib import suppress
from pathlib import Path
from threading import Lock

from PIL import Image

from fdcodec.errors import FdcError
from fdcodec.image.reading import READABLE_FORMATS, Reading, guarded, opened, read_opened
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.paths import content_of


def frame_count(path: Path) -> int:
    """Return how many frames an image file has, damaged ones too; 1 of what cannot be opened, as reading will tell."""
    with suppress(FdcError), guarded(DEFAULT_MAX_PIXELS), Image.open(path, formats=READABLE_FORMATS) as image:
        frames = _count(image)
        if image.format == "PNG" and frames > 1:  # it states a number, which may be billions
            return min(frames, path.read_bytes().count(b"fcTL") + 1)
        return frames
    return 1


def _count(image: Image.Image) -> int:
    """Return how many frames an opened image has."""
    with suppress(Exception):
        return int(getattr(image, "n_frames", 1))
    return _count_behind(image)


def _count_behind(image: Image.Image) -> int:
    """Return how many there are where one cannot be opened; those behind it count as one if they cannot be found."""
    frame = image.tell()
    while image.tell() == frame:
        frame += 1
        try:
            image.seek(frame)
        except EOFError:
            return frame
        except Exception:  # Pillow lets nearly every built-in exception out
            continue
    return frame + 1


class FrameReader:
    """Reads frames of image files, in threads too; frames of one file that are asked for in order are sought once.

    The file that was read last is kept, opened as far as that frame.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._path: Path | None = None
        self._data = b""
        self._image: Image.Image | None = None
        self._next = 0

    def read(self, path: Path, frame: int, *, lossless: bool = False) -> Reading:
        """Read a frame, the first of which is 0, as `read_image` does the first.

        Raises
        ------
        FormatError, LimitError, UnsupportedError
            As `read_image`, of this frame.
        OSError
            The file cannot be opened.
        """
        with self._lock:
            if path != self._path:
                self._path = self._image = None
                self._path, self._data = path, content_of(path)
            with guarded(DEFAULT_MAX_PIXELS) as warned:
                image, self._image = self._sought(frame), None  # so that nothing comes after a frame that is damaged
                picture, notes = read_opened(image, self._data, DEFAULT_MAX_PIXELS, lossless, is_sought=True)
                self._image, self._next = image, frame + 1
        return Reading(picture, (*notes, *warned))

    def _sought(self, frame: int) -> Image.Image:
        image = self._image
        if image is None or frame < self._next:
            image = opened(self._data)
        if image.format == "TIFF" and frame > 0:
            image.info.clear()  # what a page does not have is that of the page before
        image.seek(frame)
        return image
