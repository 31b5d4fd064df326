"""The images of benchmarks: held-out files of each kind, and crops from their middle."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fdcodec.aliases import Samples
from fdcodec.errors import FdcError
from fdcodec.image.reading import READABLE_SUFFIXES, read_image

TRAINING = "train"


class Crop(NamedTuple):
    """The middle of an image: its name and kind, the hash of its file, and samples of shape (height, width[, n])."""

    name: str
    kind: str
    sha256: str
    samples: Samples

    @property
    def facts(self) -> dict[str, object]:
        """What a result stores of it."""
        return {"name": self.name, "kind": self.kind, "sha256": self.sha256, "shape": self.samples.shape}


def middle(samples: Samples, side: int) -> Samples:
    """Return the middle of an image, at most `side` by `side`."""
    top, left = (max(length - side, 0) // 2 for length in samples.shape[:2])
    return np.ascontiguousarray(samples[top : top + side, left : left + side])


def evenly(files: Sequence[Path], limit: int) -> list[Path]:
    """Return at most `limit` files, evenly spaced."""
    step = max(len(files) / limit, 1)
    return [files[int(i * step)] for i in range(min(limit, len(files)))]


def held_out_by_kind(data: Path) -> dict[str, list[Path]]:
    """Return the image files under each folder of `data`, sorted, without those below a folder named ``train``."""
    kinds = {}
    for folder in sorted(path for path in data.iterdir() if path.is_dir()):
        files = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() in READABLE_SUFFIXES]
        kinds[folder.name] = [path for path in files if TRAINING not in path.relative_to(data).parts]
    return {kind: files for kind, files in kinds.items() if files}


def in_turn(kinds: dict[str, list[Path]]) -> Iterator[tuple[str, Path]]:
    """Yield every file, one of each kind in turn, within a kind in an order drawn by a fixed seed."""
    drawn = {kind: np.random.default_rng(0).permutation(len(files)) for kind, files in kinds.items()}
    for k in range(max(map(len, kinds.values()), default=0)):
        for kind, files in kinds.items():
            if k < len(files):
                yield kind, files[drawn[kind][k]]


def crops(data: Path, limit: int, side: int, without: str = "") -> Iterator[Crop]:
    """Yield crops of `limit` images of all kinds but one, as stored; files that cannot be read are passed over."""
    kinds = {kind: files for kind, files in held_out_by_kind(data).items() if kind != without}
    return islice(_readable_crops(data, in_turn(kinds), side), limit)


def _readable_crops(data: Path, files: Iterable[tuple[str, Path]], side: int) -> Iterator[Crop]:
    for kind, path in files:
        try:
            samples = read_image(path).picture.array
        except FdcError as error:
            print(f"passed over: {error}")
            continue
        name = str(path.relative_to(data))
        yield Crop(name, kind, sha256(path.read_bytes()).hexdigest(), middle(samples, side))
