"""Images of all kinds for the benchmarks: evenly over the classes of a data folder, cut to a size."""

from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import numpy as np

from bench_classes import evenly
from fdcodec.compare.metrics import Samples
from fdcodec.errors import FdcError
from fdcodec.image.reading import READABLE_SUFFIXES, read_image


def of_all_kinds(data: Path, limit: int, side: int, depths: tuple[int, ...] = (8,)) -> Iterator[tuple[str, Samples]]:
    """Yield at most `limit` named images, one of each folder in turn, the middle `side` x `side` of each.

    Files that are no images, and depths other than `depths`, are passed over: test suites hold broken files.
    """
    found = 0
    for path in _in_turn(data, limit):
        try:
            samples = read_image(path).picture.array
        except (FdcError, OSError):
            continue
        if 8 * samples.dtype.itemsize not in depths:
            continue
        yield str(path.relative_to(data)), middle(samples, side)
        found += 1
        if found == limit:
            return


def middle(samples: Samples, side: int) -> Samples:
    """Return the middle of an image, at most `side` x `side`."""
    top, left = (max(length - side, 0) // 2 for length in samples.shape[:2])
    return np.ascontiguousarray(samples[top : top + side, left : left + side])


def _in_turn(data: Path, limit: int) -> Iterator[Path]:
    """Yield files of every folder that holds images, training folders left out: the first of each, the second, ..."""
    files = sorted(path for path in data.rglob("*") if path.suffix.lower() in READABLE_SUFFIXES)
    folders: dict[Path, list[Path]] = {}
    for path in files:
        if "train" not in path.parts:
            folders.setdefault(path.parent, []).append(path)
    for row in zip_longest(*(evenly(paths, limit) for paths in folders.values())):
        yield from (path for path in row if path is not None)
