"""Details of images, each codec at (nearly) the same rate: what a curve cannot show."""

import math
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from fdcodec.aliases import Samples
from fdcodec.compare.aggregate import anchor_of
from fdcodec.compare.base import Codec
from fdcodec.compare.records import Comparison, Crop, Record, write_file
from fdcodec.compare.subjects import Subject
from fdcodec.image.psnr import psnr
from fdcodec.image.sample_range import eight_bits

SIDE_PX = 144
ANCHOR_POINT = 1  # the second lowest quality of the anchor: damage shows, and no codec is off its scale
TOLERANCE = 0.02  # of the target rate
MAX_ENCODES = 7
THUMBNAIL_PX = 320
ORIGINAL = "original"


def cut(comparison: Comparison, subjects: Sequence[Subject], codecs: Sequence[Codec], folder: Path) -> Iterator[Crop]:
    """Write PNG crops under `folder` and yield what is in them, the original of each image first."""
    anchor = anchor_of(comparison)
    records = {(record.image["name"], record.codec): record for record in comparison.records}
    for subject in subjects:
        target = records[subject.name, anchor].results["bpp"][ANCHOR_POINT]
        coded = {c.name: _at_rate(c, subject, records[subject.name, c.name], target) for c in codecs}
        box = hardest_box(subject.samples, coded[anchor][1])
        uncoded_bpp = subject.depth * subject.samples.size / subject.pixels
        versions = {ORIGINAL: (uncoded_bpp, subject.samples)} | coded
        _save(_thumbnail(subject), folder / thumbnail_file(subject.name))
        for codec, (bpp, image) in versions.items():
            file = f"crops/{subject.name}/{codec}.png"
            _save(Image.fromarray(_shown(image, subject)).crop(box), folder / file)
            yield Crop(subject.name, codec, box, target, bpp, psnr(subject.samples, image), file)


def thumbnail_file(image: str) -> str:
    """Return where the small version of an image lies in a comparison's folder."""
    return f"crops/{image}/thumbnail.png"


def hardest_box(original: Samples, decoded: Samples, side: int = SIDE_PX) -> tuple[int, int, int, int]:
    """Return (left, top, right, bottom) of the square, of at most `side`, with the largest squared error."""
    error = (original.astype(np.float64) - decoded) ** 2
    error = error.reshape(*error.shape[:2], -1).sum(axis=2)
    height, width = min(side, error.shape[0]), min(side, error.shape[1])
    total = np.pad(error, ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    sums = total[height:, width:] - total[:-height, width:] - total[height:, :-width] + total[:-height, :-width]
    top, left = np.unravel_index(np.argmax(sums), sums.shape)
    return int(left), int(top), int(left) + width, int(top) + height


def _at_rate(codec: Codec, subject: Subject, record: Record, target_bpp: float) -> tuple[float, Samples]:
    """Return (bits per pixel, decoded image) of the file nearest to the target rate that a few encodes find."""
    known = dict(zip(record.results["quality"], record.results["bpp"], strict=True))
    files: dict[float, bytes] = {}
    while len(files) < MAX_ENCODES:
        quality = _interpolated_quality(known, target_bpp)
        if quality in files:
            break
        files[quality] = codec.encode(subject.samples, quality)
        known[quality] = 8 * len(files[quality]) / subject.pixels
        if abs(known[quality] / target_bpp - 1) < TOLERANCE:
            break
    nearest = min(files, key=lambda quality: abs(known[quality] - target_bpp))
    return known[nearest], codec.decode(files[nearest], subject.samples)


def _interpolated_quality(known: Mapping[float, float], target_bpp: float) -> float:
    """Return the whole quality at which log rate, linear between the known points, meets the target."""
    quality, bpp = np.array(sorted(known.items())).T
    return round(float(np.interp(math.log(target_bpp), np.maximum.accumulate(np.log(bpp)), quality)))


def _shown(image: Samples, subject: Subject) -> NDArray[np.uint8]:
    """Return an image as it is shown: 16 bits are reduced to 8 within the range of the original."""
    if subject.depth == 8:
        return image.astype(np.uint8, copy=False)
    low, high = int(subject.samples.min()), int(subject.samples.max())
    within = np.clip(image, low, high).astype(np.uint16)
    return eight_bits(within[:, :, np.newaxis], (low, high))[:, :, 0]


def _save(image: Image.Image, path: Path) -> None:
    buffer = BytesIO()
    image.save(buffer, "PNG", optimize=True)
    write_file(path, buffer.getvalue())


def _thumbnail(subject: Subject) -> Image.Image:
    small = Image.fromarray(_shown(subject.samples, subject))
    small.thumbnail((THUMBNAIL_PX, THUMBNAIL_PX))
    return small.quantize(128)
