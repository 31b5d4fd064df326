"""What an encode aims at: a quality, a size, a PSNR, or every sample exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from math import inf, isinf, log, log10
from typing import NamedTuple

from fdcodec import codec, container
from fdcodec.arguments import Target
from fdcodec.coding.settings import DecoderSettings, EncoderSettings
from fdcodec.drawn import POSSIBLE_PATTERNS, has_few_patterns, tries_exact
from fdcodec.errors import TargetWarning
from fdcodec.format.parameters import Parameters
from fdcodec.image.picture import Picture, colours_of
from fdcodec.image.psnr import psnr
from fdcodec.model import ClassModel, resolve
from fdcodec.model.embedding import model_of
from fdcodec.rate_control import FIRST_QUALITY, MAX_ENCODES, Goal, search, step_and_thrift
from fdcodec.tiles import split_alpha
from fdcodec.verification import with_pixel_hash
from fdcodec.words import counted

PSNR_TOLERANCE_DB = 0.08
"""Half the band in which a PSNR is accepted; a little inside what is promised."""

PROMISED_DB = 0.1
"""A PSNR farther off is said not to be met."""

FREE_CHOICES = 2
"""Encodes of a search that choose their class model themselves; later ones keep it, but at the lowest qualities."""

LEAST_FILL = 0.97
"""Share of a size limit that is used where it can be."""

_ROUNDING = 1e-6  # of a byte: a limit in bits per pixel that is a whole number of bytes may come out just below it
_LOG_SIZE_SLOPE = 0.042  # natural logarithm of the size for one unit of quality, typical of photographs
_PSNR_SLOPE = 0.27  # dB for one unit of quality
_MEDIAN_DB, _MEDIAN_QUALITY = 36.0, 46.6  # at that quality half of the pictures of 8 bits have this PSNR or more
_QUALITIES_PER_DB = 5.3  # from there to the median qualities of 30 and 42 dB
_STARTS = (4.0, 90.0)  # qualities between which a search for a PSNR starts


class Attempt(NamedTuple):
    """A file, its quality, and its measure."""

    data: bytes
    quality: float
    measure: float


class Encoded(NamedTuple):
    """A file, its PSNR in dB where the search for a target measured it, and in what the target was missed, if it was.

    The PSNR is infinite where the file has no error.
    """

    data: bytes
    psnr_db: float | None = None
    miss: TargetWarning | None = None


def encode_to_target(picture: Picture, settings: EncoderSettings, target: Target) -> Encoded:
    """Encode once for a quality or losslessly, up to eight times for a size or a PSNR.

    Of a drawn picture the exact file is tried, too: after that of a quality, or as the first of the eight (ADR 0030).
    """
    if target.kind == "lossless":
        return Encoded(_encoded(picture, replace(settings, lossless=True)))
    if settings.model != "auto":  # here, and not once for each encode: its file might change between them
        settings = replace(settings, model=resolve(settings.model))
    if target.kind == "quality":
        data = _encoded(picture, replace(settings, quality=target.value))
        exact = _exact_file(picture, settings, len(data))
        return Encoded(data if exact is None or len(exact) > len(data) else exact)
    if target.kind == "psnr_db":
        return _encode_to_psnr(picture, settings, target.value)
    pixels = picture.width * picture.height
    size_bytes = target.value * pixels / 8 + _ROUNDING if target.kind == "bpp" else target.value
    return _encode_to_size(picture, settings, int(size_bytes))


def _encode_to_size(picture: Picture, settings: EncoderSettings, limit_bytes: int) -> Encoded:
    goal, own = _size_goal(max(limit_bytes, 1)), _own_model(settings)

    def measure(data: bytes) -> float:
        """Return the logarithm of the size; an exact file is as good as full, as nothing can be added to it."""
        is_exact = log(len(data)) < goal.lowest and isinf(psnr_db(picture, data, own))
        return goal.highest if is_exact else log(len(data))

    exact = _exact_file(picture, settings, limit_bytes)
    if exact is not None and len(exact) <= limit_bytes:
        best = Attempt(exact, 100, goal.highest)
    else:
        goal = goal._replace(most_encodes=MAX_ENCODES - (exact is not None))
        best, _ = _searched(picture, settings, goal, measure)
        if exact is not None and len(exact) < len(best.data):
            best = Attempt(exact, 100, log(len(exact)))
    known_db = inf if best.measure > log(len(best.data)) else None
    return Encoded(best.data, known_db, _size_miss(best, limit_bytes, picture.width * picture.height))


def _encode_to_psnr(picture: Picture, settings: EncoderSettings, wanted_db: float) -> Encoded:
    goal = _psnr_goal(wanted_db, picture.depth)
    own, exact_db = _own_model(settings), _exact_db(picture)
    best, tried = _searched(picture, settings, goal, lambda data: min(psnr_db(picture, data, own), exact_db))
    if abs(best.measure - wanted_db) <= PROMISED_DB and best.measure < exact_db:
        return Encoded(best.data, best.measure)
    best = _finest_no_larger(best, tried)
    if best.measure == exact_db:
        told = f"a PSNR of {wanted_db:g} dB is exceeded: the file has no error"
        return Encoded(best.data, inf, TargetWarning(told, kept=True))
    if best.quality == 0 and best.measure > wanted_db:
        told = f"the coarsest file has {best.measure:.2f} dB already, by the peak {2**picture.depth - 1}"
    else:
        told = f"of the files tried the one that is kept has {best.measure:.3f} dB"
    miss = TargetWarning(f"a PSNR of {wanted_db:g} dB was not met; {told}")
    return Encoded(best.data, best.measure, miss)


def _encoded(picture: Picture, settings: EncoderSettings) -> bytes:
    """Return the whole file, so that a size is that of the file with its hash."""
    data = codec.encode(picture, settings)
    return with_pixel_hash(data, picture, _own_model(settings)) if settings.verify else data


def _exact_file(picture: Picture, settings: EncoderSettings, size_bytes: int) -> bytes | None:
    """Return the exact file of a drawn picture that may be no larger than a size; None if it is not made.

    It is not tried, or there is too little memory for it.
    """
    if not tries_exact(settings):
        return None
    coded_bytes = size_bytes - container.Metadata(picture.exif, picture.xmp, picture.icc).size_bytes
    if not has_few_patterns(picture.samples, codec.header_of(picture, settings), coded_bytes, POSSIBLE_PATTERNS):
        return None
    with suppress(MemoryError):
        return _encoded(picture, replace(settings, lossless=True))
    return None


def _own_model(settings: EncoderSettings) -> ClassModel | None:
    """Return the class model that was asked for, as a file that only names it may need; None for auto."""
    return settings.model if isinstance(settings.model, ClassModel) else None


def _exact_db(picture: Picture) -> float:
    """Return a PSNR above that of an error of 1 in one sample: what a search takes for that of an exact file."""
    return 10 * log10((2**picture.depth - 1) ** 2 * picture.samples.size) + 1


def _size_miss(best: Attempt, limit_bytes: int, pixels: int) -> TargetWarning | None:
    size_bytes = len(best.data)
    if size_bytes > limit_bytes:
        file = container.read(best.data, max_pixels=pixels)
        limit = counted(limit_bytes, "byte") if limit_bytes else "less than a byte"
        alpha_bytes, metadata_bytes = _alpha_bytes(file), file.metadata.size_bytes
        told = f", {alpha_bytes} of them for alpha, which is stored exactly" if alpha_bytes else ""
        told += f"; its metadata, which can be left out, have {metadata_bytes}" if metadata_bytes else ""
        return TargetWarning(
            f"a size of {limit} was not met; of the files tried the smallest has {size_bytes} bytes{told}"
        )
    if size_bytes >= LEAST_FILL * limit_bytes:
        return None
    is_exact = best.measure > log(size_bytes)
    told = "file without an error has" if is_exact else "nearest below of the files tried has"
    return TargetWarning(f"{limit_bytes} bytes were not filled; the {told} {size_bytes} bytes", kept=True)


def _alpha_bytes(file: container.File) -> int:
    """Return how many bytes of a lossy file's payloads are alpha's."""
    return sum(len(split_alpha(payload, file.header.channels)[1]) for payload in file.payloads)


def psnr_db(picture: Picture, data: bytes, own: ClassModel | None = None) -> float:
    """Return the PSNR in dB of an encoded file against its picture, alpha apart; infinite where all is equal."""
    decoded = codec.decode(data, DecoderSettings(picture.width * picture.height, own=own))
    return psnr(colours_of(picture.samples), colours_of(decoded.samples))


def _size_goal(size_bytes: int) -> Goal:
    return Goal(log(LEAST_FILL * size_bytes), log(size_bytes), _LOG_SIZE_SLOPE, True)


def _psnr_goal(wanted_db: float, depth: int) -> Goal:
    """Return what a search for a PSNR is after, from the quality on at which pictures have it."""
    start = _MEDIAN_QUALITY + _QUALITIES_PER_DB * (wanted_db - _MEDIAN_DB) if depth == 8 else FIRST_QUALITY
    lowest, highest = wanted_db - PSNR_TOLERANCE_DB, wanted_db + PSNR_TOLERANCE_DB
    return Goal(lowest, highest, _PSNR_SLOPE, False, min(max(start, _STARTS[0]), _STARTS[1]))


def _finest_no_larger(attempt: Attempt, tried: Iterable[Attempt]) -> Attempt:
    """Return the finest attempt that takes no more bytes than one; of drawn pictures it may be exact."""
    return max((other for other in tried if len(other.data) <= len(attempt.data)), key=lambda other: other.measure)


def _searched(
    picture: Picture, settings: EncoderSettings, goal: Goal, measure: Callable[[bytes], float]
) -> tuple[Attempt, Iterable[Attempt]]:
    """Return the attempt that comes nearest to a goal, and all that there were."""
    attempts: dict[float, Attempt] = {}
    own = _own_model(settings)
    kept, deep = settings, picture.depth == 16

    def measured(quality: float) -> float:
        nonlocal kept
        step, share = step_and_thrift(quality, deep)
        is_lowest = quality == 0 or (0 in attempts and attempts[0].measure > goal.highest)
        data = _encoded(picture, replace(settings if is_lowest else kept, quality=step, thrifty_share=share))
        attempts[quality] = Attempt(data, quality, measure(data))
        if len(attempts) == FREE_CHOICES:
            # near the goal by now, where another model or colour transform would make the size jump
            file = container.read(data, max_pixels=picture.width * picture.height)
            colour = Parameters.from_bytes(file.header.parameters, picture.depth).colour
            kept = replace(settings, model=model_of(file, own), colour=colour)
        return attempts[quality].measure

    return attempts[search(measured, goal, deep)], attempts.values()
