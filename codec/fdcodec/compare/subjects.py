"""The images of a comparison: found, named, hashed; loaded as gray or RGB of 8 bits or gray of 16, or as they are."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from fdcodec.aliases import Samples
from fdcodec.errors import FdcError, ParameterError, UnsupportedError
from fdcodec.image import npy
from fdcodec.image.picture import Picture
from fdcodec.image.reading import guarded, opened, read_image
from fdcodec.limits import DEFAULT_MAX_PIXELS
from fdcodec.paths import content_of
from fdcodec.training.training_images import training_hash, training_samples

LOSSLESS_SUFFIXES = {".png", ".ppm", ".pgm", ".bmp", ".tif", ".tiff", ".npy"}
MIN_SIDE_PX = 8  # below it SSIMULACRA 2 is not defined, and curves say nothing


@dataclass(frozen=True)
class Subject:
    """An image to compress: `name` is unique in its comparison, hashes are of the file and of what `learn` takes.

    `notes` are those that `encode` has on its file, such as on other frames.
    """

    name: str
    sha256: str
    format: str
    samples: Samples
    learned_sha256: str = ""
    notes: tuple[str, ...] = ()

    @property
    def hashes(self) -> set[str]:
        """What identifies a training image: the SHA-256 of its file, of its samples, or of what `learn` uses."""
        return {self.sha256, self.learned_sha256, training_hash(self.samples)}

    @property
    def planes(self) -> str:
        """``rgb``, ``y`` or ``y16``, the suffix of metric names: what differs in it is never averaged together."""
        return "rgb" if self.samples.ndim == 3 else "y" if self.depth == 8 else "y16"

    @property
    def depth(self) -> int:
        """Bits of a sample."""
        return 8 * self.samples.dtype.itemsize

    @property
    def facts(self) -> dict[str, Any]:
        """What every record stores of it."""
        height, width = self.samples.shape[:2]
        facts = {"name": self.name, "sha256": self.sha256, "format": self.format, "width": width, "height": height}
        return facts | {"notes": [*self.notes]}

    @property
    def pixels(self) -> int:
        """Width times height."""
        return int(self.samples.shape[0] * self.samples.shape[1])


def find(paths: Iterable[Path]) -> list[Path]:
    """Return files as given, and for a directory the lossless images directly in it, sorted."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            files += sorted(entry for entry in path.iterdir() if entry.suffix.lower() in LOSSLESS_SUFFIXES)
        else:
            files.append(path)
    if not files:
        raise ParameterError(
            "images: none of the directories holds an image in a lossless format (PNG, PNM, BMP, TIFF, NPY)"
        )
    return files


def passed_over(paths: Iterable[Path]) -> list[str]:
    """Return the names of what lies directly in directories and is not compared: other files, and directories."""
    entries = (entry for path in paths if path.is_dir() for entry in sorted(path.iterdir()))
    return [entry.name for entry in entries if entry.suffix.lower() not in LOSSLESS_SUFFIXES]


def load_all(files: Sequence[Path], gray: bool) -> list[Subject]:
    """Load images of one depth. With `gray`, colour is reduced to BT.601 luma; alpha is always blended with white."""
    subjects = _loaded(files, partial(_shown, gray=gray))
    for subject in subjects:
        if subject.depth != subjects[0].depth:
            raise ParameterError(
                f"images: {subjects[0].name} has {subjects[0].depth} bits a sample and {subject.name} {subject.depth}, "
                "for which codecs and measures differ; compare them apart"
            )
    return subjects


def load_whole(files: Sequence[Path]) -> list[Subject]:
    """Load images as they are stored, of 8 and 16 bits, as (height, width) or (height, width, 2..4) with alpha."""
    return _loaded(files, _stored)


def _loaded(files: Sequence[Path], samples_of: Callable[[Picture], Samples]) -> list[Subject]:
    return [_load(path, name, samples_of) for path, name in zip(files, _names(files), strict=True)]


def _names(files: Sequence[Path]) -> list[str]:
    """Return the stem of each file, with as many folders before it as tell it from others."""
    names = [path.stem if path.stem.strip(".") else path.name for path in files]
    folders = [list(path.absolute().parent.parts[1:]) for path in files]
    while any((count := Counter(names))[name] > 1 and rest for name, rest in zip(names, folders, strict=True)):
        names = [
            f"{rest.pop()}-{name}" if count[name] > 1 and rest else name
            for name, rest in zip(names, folders, strict=True)
        ]
    owners: dict[str, Path] = {}
    for name, path in zip(names, files, strict=True):
        if name in owners:
            raise ParameterError(f"images: {owners[name]} and {path} are one, or have one name; give each image once")
        owners[name] = path
    return names


def _load(path: Path, name: str, samples_of: Callable[[Picture], Samples]) -> Subject:
    """Load an image as `encode` reads it, with the samples that a comparison takes of it."""
    data = content_of(path)
    try:
        picture, notes = read_image(data)
        samples, kind = samples_of(picture), _format_of(data)
    except FdcError as error:
        raise type(error)(f"{path}: {error}") from error
    learned = training_hash(training_samples(picture.samples))
    return Subject(name, sha256(data).hexdigest(), kind, samples, learned, notes)


def _format_of(data: bytes) -> str:
    """Return Pillow's name of the format of an image file; NPY of an array."""
    if data.startswith(npy.SIGNATURE):
        return "NPY"
    with guarded(DEFAULT_MAX_PIXELS), opened(data) as image:
        return str(image.format)


def _shown(picture: Picture, gray: bool) -> Samples:
    """Return gray or RGB of 8 bits, or gray of 16: what curves are drawn of."""
    if picture.depth == 16 and picture.channels > 1:
        raise UnsupportedError(f"{picture.channels} channels of 16 bits; compare takes 8 bits a sample, and gray of 16")
    if min(picture.width, picture.height) < MIN_SIDE_PX:
        raise UnsupportedError(f"a side is below {MIN_SIDE_PX} pixels; compare needs larger images")
    if picture.depth == 16:
        return _stored(picture)
    is_gray = gray or picture.channels < 3
    samples: Samples = np.asarray(_opaque(Image.fromarray(_stored(picture))).convert("L" if is_gray else "RGB"))
    return samples


def _stored(picture: Picture) -> Samples:
    """Return all samples, (height, width) of one channel."""
    return picture.samples[:, :, 0] if picture.channels == 1 else picture.samples


def _opaque(image: Image.Image) -> Image.Image:
    if not image.has_transparency_data:
        return image
    colour = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", colour.size, "white"), colour)
