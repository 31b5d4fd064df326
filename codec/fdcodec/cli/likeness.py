"""Decoded files, compared with the images that they were made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fdcodec.errors import FdcError, VerificationError
from fdcodec.paths import holds
from fdcodec.words import counted, first_of

if TYPE_CHECKING:
    from fdcodec.image.frames import FrameReader
    from fdcodec.image.picture import Picture
    from fdcodec.image.reading import Reading


class Original(NamedTuple):
    """An image file, and which of its frames, from 1, an encoded file has the number of; None if it has none."""

    path: Path
    frame: int | None = None


class Likeness(NamedTuple):
    """A frame of an original, from 1, notes on it, the kind of its samples, and the PSNR of a file against it.

    The PSNR is infinite where samples are equal, and minus infinity where they are of different kinds.
    """

    frame: int
    notes: tuple[str, ...]
    kind: str
    psnr_db: float


def compare(decoded: Picture, original: Original, frames: FrameReader, least_db: float) -> dict[str, Any]:
    """Compare a decoded picture with its original, frame by frame until one is equal, or with the frame of its name.

    Parameters
    ----------
    decoded
        The picture.
    original
        The image file, and the frame if it is known.
    frames
        Reads the frames of originals, no larger ones than its limit.
    least_db
        PSNR that the picture must have; infinite where it must be equal.

    Returns
    -------
    dict
        `original`, its path; `equal`; and `psnr_db`, None if samples are equal or of different kinds. With several
        frames these are of the nearest, and `original_frame` is its number. Then `found`, in words, and `notes`; or
        `fault`, the error of a picture that is not what it should be.

    Raises
    ------
    FdcError, OSError
        No frame of the original can be read; its name begins the message.
    """
    from fdcodec.image.frames import frame_count

    path, frame = original
    count = frame_count(path) if frame is None and holds(path.is_file) else 1
    numbers, is_stack = (range(1, count + 1), count > 1) if frame is None else ([frame], True)
    with _named(path):
        nearest, unread = _nearest(decoded, _reader(path, frames, is_stack), numbers)
    notes = tuple(f"{path}: {note}" for note in (*nearest.notes, *unread))
    facts: dict[str, Any] = {
        "original": str(path),
        "equal": nearest.psnr_db == inf,
        "psnr_db": round(nearest.psnr_db, 2) if isfinite(nearest.psnr_db) else None,
        **({"original_frame": nearest.frame} if is_stack else {}),
    }
    where = f"frame {nearest.frame} of the original" if is_stack else "the original"
    if fault := _fault(nearest, _kind_of(decoded), where, len(numbers), least_db):
        return facts | {"fault": VerificationError("; ".join((fault, *notes)))}
    return facts | {"found": _found(nearest, where, len(numbers)), "notes": notes}


@contextmanager
def _named(original: Path) -> Iterator[None]:
    """Let the original's name begin the messages of errors."""
    try:
        yield
    except FdcError as error:
        raise type(error)(f"{original}: {error}") from error
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(original)) from error


def _reader(original: Path, frames: FrameReader, is_stack: bool) -> Callable[[int], Reading]:
    """Return a function that reads a frame, from 1, as `encode` does, or the image if there is one frame."""
    from fdcodec.image.reading import read_image

    if is_stack:
        return lambda frame: frames.read(original, frame - 1)
    return lambda frame: read_image(original, max_pixels=frames.max_pixels)


def _nearest(decoded: Picture, read: Callable[[int], Reading], numbers: Iterable[int]) -> tuple[Likeness, list[str]]:
    """Return the frame of the highest PSNR, and why others could not be read; an error if none can."""
    found, faults = list[Likeness](), dict[int, FdcError]()
    for frame in numbers:
        try:
            found.append(_likeness(decoded, frame, read(frame)))
        except FdcError as error:
            faults[frame] = error
            continue
        if found[-1].psnr_db == inf:
            break
    if not found:
        raise next(iter(faults.values()))
    unread = [f"frame {frame} was not compared: {error}" for frame, error in faults.items()]
    return max(found, key=lambda one: one.psnr_db), first_of(unread, "more frames were not compared")


def _likeness(decoded: Picture, frame: int, reading: Reading) -> Likeness:
    from fdcodec.image.psnr import psnr

    picture, notes = reading
    is_same_kind = (picture.samples.shape, picture.depth) == (decoded.samples.shape, decoded.depth)
    psnr_db = psnr(picture.samples, decoded.samples) if is_same_kind else -inf
    return Likeness(frame, notes, _kind_of(picture), psnr_db)


def _fault(nearest: Likeness, kind: str, where: str, n_compared: int, least_db: float) -> str:
    """Return why a picture is not what it should be, and what to do; empty if it is.

    Of a pipe only the first frame is read, which may be the wrong one.
    """
    from fdcodec.image.losses import ONLY_FIRST

    if nearest.psnr_db == -inf:
        other = (
            f"{where} is {nearest.kind}" if n_compared == 1 else f"none of the {n_compared} frames of the original does"
        )
        return f"the file holds {kind}, but {other}; name the image that it was made from"
    if nearest.psnr_db >= least_db:
        return ""
    if least_db < inf:
        found = f"{_found(nearest, where, n_compared)}, less than {least_db:g} dB"
    elif n_compared == 1:
        found = f"the file is lossless, but not equal to {where}: {nearest.psnr_db:.2f} dB"
    else:
        found = (
            f"the file is lossless, but equal to none of the {n_compared} frames of the original: "
            f"{nearest.psnr_db:.2f} dB against frame {nearest.frame}"
        )
    or_anew = "" if any(note.startswith(ONLY_FIRST) for note in nearest.notes) else ", or encode that again"
    return f"{found}; name the image that it was made from{or_anew}"


def _found(nearest: Likeness, where: str, n_compared: int) -> str:
    """Return how near the picture is to the original, in words."""
    if nearest.psnr_db == inf:
        return f"equal to {where}"
    return f"{nearest.psnr_db:.2f} dB against {where}" + (f", the nearest of {n_compared}" if n_compared > 1 else "")


def _kind_of(picture: Picture) -> str:
    return f"{picture.width}x{picture.height}, {counted(picture.channels, 'channel')} of {picture.depth} bits"
