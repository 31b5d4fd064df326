"""How many frames an opened image has, counted up to a limit."""

from PIL import Image
from PIL.TiffImagePlugin import TiffImageFile

from fdcodec.errors import LimitError

MAX_FRAMES = 2**16
"""Most frames of a TIFF; the time to count them grows with their square."""


def count_frames(image: Image.Image) -> int:
    """Return how many frames an image has; it is at its first frame before and after.

    Raises
    ------
    LimitError
        A TIFF has more than MAX_FRAMES.
    Exception
        What Pillow raises for damaged frames, nearly every built-in one.
    """
    if not isinstance(image, TiffImageFile):
        return int(getattr(image, "n_frames", 1))
    frame = 0
    try:
        while True:  # as Pillow does it
            frame = _checked_frame(frame + 1)
            image.seek(frame)
    except EOFError:
        return frame
    finally:
        if image.tell() > 0:
            image.info.clear()  # what the first page does not have is that of one behind it
            image.seek(0)


def count_frames_behind(image: Image.Image) -> int:
    """Return how many frames there are if not all can be counted: the readable ones, and one for the rest."""
    frame = image.tell()
    while image.tell() == frame:
        frame = _checked_frame(frame + 1)
        try:
            image.seek(frame)
        except EOFError:
            return frame + (image.format not in ("TIFF", "GIF"))  # of other formats, a file that is cut ends so, too
        except Exception:  # Pillow lets nearly every built-in exception out
            continue
    return frame + 1


def _checked_frame(frame: int) -> int:
    """Return the number of a frame, from 0; LimitError if it is beyond what is counted."""
    if frame > MAX_FRAMES:
        raise LimitError(f"image of more than {MAX_FRAMES} frames, the most that are counted; split it")
    return frame
