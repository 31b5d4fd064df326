"""Decoded files, compared with the images that they were made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fdcodec.cli.batch import describe_os_error
from fdcodec.errors import FdcError, VerificationError
from fdcodec.words import counted, first_of

if TYPE_CHECKING:
    from fdcodec.image.frames import FrameReader
    from fdcodec.image.picture import Picture
    from fdcodec.image.reading import Reading


class Original(NamedTuple):
    """An image file, how many frames it has, and which of them, from 1, an encoded file is by its name.

    If there are several, but none of that number, it may be any. `called` is what messages call the image.
    """

    path: Path
    n_frames: int
    named: int
    called: str = "the original"

    @property
    def frames(self) -> Sequence[int]:
        """The frames to compare with."""
        return [self.named] if 1 <= self.named <= self.n_frames else range(1, self.n_frames + 1)


class Likeness(NamedTuple):
    """A frame of an original, from 1, notes on it, the kind of its samples, and how a file differs from it.

    The PSNR is infinite where samples are equal, and minus infinity where they are of different kinds.
    """

    frame: int
    notes: tuple[str, ...]
    kind: str
    psnr_db: float
    largest: int | None


class Compared(NamedTuple):
    """What was found of an original, as `compare` returns it, and the PSNR as a `Likeness` has it."""

    original: Original
    psnr_db: float
    facts: dict[str, Any]


def compare(
    decoded: Picture, originals: Sequence[Original], reader: FrameReader, least_db: float
) -> tuple[dict[str, Any], list[Path]]:
    """Compare a decoded picture with what may be its original; of several the nearest counts.

    Of an original of several frames it is compared with one, or with all of them until one is equal.

    Parameters
    ----------
    decoded
        The picture.
    originals
        Where its original may be, at least one place.
    reader
        Reads the frames of originals, none above its limit.
    least_db
        PSNR that the picture must have; infinite where it must be equal.

    Returns
    -------
    facts
        `original`, its path; `equal`; `psnr_db`, None if samples are equal or of different kinds; and
        `largest_difference` of two samples, None if of different kinds. With several frames these are of the nearest,
        and `original_frame` is its number. Then `found`, in words, and `notes`; or `fault`, the error of a picture that
        is not what it should be.
    nearest
        The originals that are nearest: several where they are equal.

    Raises
    ------
    FdcError, OSError
        No frame of any original can be read; its name begins the message.
    """
    compared, faults = list[Compared](), dict[str, FdcError | OSError]()
    for original in originals:
        try:
            compared.append(_compared(decoded, original, reader, least_db))
        except (FdcError, OSError) as error:
            faults[describe_os_error(error) if isinstance(error, OSError) else str(error)] = error
    if not compared:
        raise next(iter(faults.values()))
    nearest = max(compared, key=lambda one: one.psnr_db)
    if faults and "notes" in nearest.facts:
        nearest.facts["notes"] += tuple(f"not compared: {told}" for told in faults)
    return nearest.facts, [one.original.path for one in compared if one.psnr_db == nearest.psnr_db]


def _compared(decoded: Picture, original: Original, reader: FrameReader, least_db: float) -> Compared:
    """Compare a picture with one original; OSErrors and errors of ours begin with its name."""
    path, frames = original.path, original.frames
    with _named(path):
        nearest, unread = _nearest(decoded, _reading(original, reader), frames)
    notes = tuple(f"{path}: {note}" for note in (*nearest.notes, *unread))
    facts: dict[str, Any] = {
        "original": str(path),
        "equal": nearest.psnr_db == inf,
        "psnr_db": round(nearest.psnr_db, 2) if isfinite(nearest.psnr_db) else None,
        "largest_difference": nearest.largest,
        **({} if original.n_frames == 1 else {"original_frame": nearest.frame}),
    }
    if fault := _fault(nearest, _kind_of(decoded), original, least_db):
        facts["fault"] = VerificationError("; ".join((fault, *notes)))
    else:
        largest = "" if facts["equal"] else f"; no sample differs by more than {nearest.largest}"
        facts |= {"found": _found(nearest, original) + largest, "notes": notes}
    return Compared(original, nearest.psnr_db, facts)


@contextmanager
def _named(original: Path) -> Iterator[None]:
    """Let the original's name begin the messages of errors."""
    try:
        yield
    except FdcError as error:
        raise type(error)(f"{original}: {error}") from error
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(original)) from error


def _reading(original: Original, reader: FrameReader) -> Callable[[int], Reading]:
    """Return a function that reads a frame, from 1, as `encode` does, or the image if there is one frame."""
    from fdcodec.image.reading import read_image

    if original.n_frames == 1:
        return lambda frame: read_image(original.path, max_pixels=reader.max_pixels)
    return lambda frame: reader.read(original.path, frame - 1)


def _nearest(decoded: Picture, read: Callable[[int], Reading], frames: Sequence[int]) -> tuple[Likeness, list[str]]:
    """Return the frame of the highest PSNR, and why others could not be read; if none can, that is raised."""
    found, faults = list[Likeness](), dict[int, FdcError]()
    for frame in frames:
        try:
            found.append(_likeness(decoded, frame, read(frame)))
        except FdcError as error:
            faults[frame] = error
            continue
        if found[-1].psnr_db == inf:
            break
    if not found:
        raise faults[frames[0]]
    unread = [f"frame {frame} was not compared: {error}" for frame, error in faults.items()]
    return max(found, key=lambda one: one.psnr_db), first_of(unread, "more frames were not compared")


def _likeness(decoded: Picture, frame: int, reading: Reading) -> Likeness:
    from fdcodec.image.psnr import largest_difference, psnr

    picture, notes = reading
    if (picture.samples.shape, picture.depth) != (decoded.samples.shape, decoded.depth):
        return Likeness(frame, notes, _kind_of(picture), -inf, None)
    both = picture.samples, decoded.samples
    return Likeness(frame, notes, _kind_of(picture), psnr(*both), largest_difference(*both))


def _fault(nearest: Likeness, kind: str, original: Original, least_db: float) -> str:
    """Return why a picture is not what it should be, and what to do; empty if it is.

    Of a pipe only the first frame is read, which may be the wrong one.
    """
    from fdcodec.image.losses import ONLY_FIRST

    compared, place = len(original.frames), _place(nearest, original)
    none_of = f"none of the {compared} frames of {original.called}"
    if nearest.psnr_db == -inf:
        other = f"{place} is {nearest.kind}" if compared == 1 else f"{none_of} does"
        return f"the file holds {kind}, but {other}; name the image that it was made from"
    if nearest.psnr_db >= least_db:
        return ""
    differs = f"{nearest.psnr_db:.2f} dB"
    if least_db < inf:
        found = f"{_found(nearest, original)}, less than {least_db:g} dB"
    elif compared == 1:
        found = f"the file is lossless, but not equal to {place}: {differs}"
    else:
        differs += f" against frame {nearest.frame}"
        found = f"the file is lossless, but equal to {none_of}: {differs}"
    or_anew = "" if any(note.startswith(ONLY_FIRST) for note in nearest.notes) else ", or encode that again"
    return f"{found}; name the image that it was made from{or_anew}"


def _found(nearest: Likeness, original: Original) -> str:
    """Return how near the picture is to the original, in words."""
    compared, place = len(original.frames), _place(nearest, original)
    if nearest.psnr_db == inf:
        return f"equal to {place}"
    return f"{nearest.psnr_db:.2f} dB against {place}" + (f", the nearest of {compared}" if compared > 1 else "")


def _place(nearest: Likeness, original: Original) -> str:
    return original.called if original.n_frames == 1 else f"frame {nearest.frame} of {original.called}"


def _kind_of(picture: Picture) -> str:
    return f"{picture.width}x{picture.height}, {counted(picture.channels, 'channel')} of {picture.depth} bits"
