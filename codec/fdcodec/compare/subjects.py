"""The images of a comparison: found, loaded as gray or RGB of 8 bits or gray of 16, named, hashed."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from fdcodec.errors import FormatError, LimitError, ParameterError, UnsupportedError
from fdcodec.image.picture import Samples
from fdcodec.image.pillow_modes import samples_of_pillow

LOSSLESS_SUFFIXES = {".png", ".ppm", ".pgm", ".bmp", ".tif", ".tiff"}
EIGHT_BIT_MODES = {"1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr"}
SIXTEEN_BIT_MODES = {"I;16", "I;16B", "I;16L", "I"}
MIN_SIDE_PX = 8  # below it SSIMULACRA 2 is not defined, and curves say nothing


@dataclass(frozen=True)
class Subject:
    """An image to compress: `name` is unique in its comparison, `sha256` is of the file, `source` before `--gray`."""

    name: str
    sha256: str
    format: str
    samples: Samples
    source: Samples | None = None

    @property
    def hashes(self) -> set[str]:
        """What a training image is known by: the SHA-256 of its file, or of its samples."""
        known = (samples for samples in (self.samples, self.source) if samples is not None)
        return {self.sha256, *(sha256(np.ascontiguousarray(samples).tobytes()).hexdigest() for samples in known)}

    @property
    def planes(self) -> str:
        """``rgb``, ``y`` or ``y16``, the suffix of metric names: what differs in it is never averaged together."""
        return "rgb" if self.samples.ndim == 3 else "y" if self.depth == 8 else "y16"

    @property
    def depth(self) -> int:
        """Bits of a sample."""
        return 8 * self.samples.dtype.itemsize

    @property
    def pixels(self) -> int:
        """Width times height."""
        return int(self.samples.shape[0] * self.samples.shape[1])


def find(paths: Iterable[Path]) -> list[Path]:
    """Return files as given, and in place of a directory the lossless images directly in it, sorted."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            files += sorted(entry for entry in path.iterdir() if entry.suffix.lower() in LOSSLESS_SUFFIXES)
        else:
            files.append(path)
    if not files:
        raise ParameterError(
            "images: none of the directories holds an image in a lossless format (PNG, PNM, BMP, TIFF)"
        )
    return files


def load_all(files: Sequence[Path], gray: bool) -> list[Subject]:
    """Load images of one depth; with `gray`, colour is reduced to BT.601 luma, and alpha is laid over white anyway."""
    subjects = [_load(path, name, gray) for path, name in zip(files, _names(files), strict=True)]
    for subject in subjects:
        if subject.depth != subjects[0].depth:
            raise ParameterError(
                f"images: {subjects[0].name} has {subjects[0].depth} bits a sample and {subject.name} {subject.depth}, "
                "for which codecs and measures differ; compare them apart"
            )
    return subjects


def _names(files: Sequence[Path]) -> list[str]:
    """Return the stem of each file, with its folder's name before it where stems repeat."""
    repeats = Counter(path.stem for path in files)
    names = [path.stem if repeats[path.stem] == 1 else f"{path.absolute().parent.name}-{path.stem}" for path in files]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ParameterError(f"images: {twice[0]!r} is the name of two images; give each once, or rename one")
    return names


def _load(path: Path, name: str, gray: bool) -> Subject:
    try:
        with Image.open(path) as image:
            samples, source = _samples_of(image, gray), _samples_of(image, False) if gray else None
            kind = image.format or ""
    except UnsupportedError as error:
        raise UnsupportedError(f"{path}: {error}") from error
    except Image.DecompressionBombError as error:
        raise LimitError(f"{path}: {error}") from error
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise FormatError(f"{path}: cannot be read as an image ({error})") from error
    if min(samples.shape[:2]) < MIN_SIDE_PX:
        raise UnsupportedError(f"{path}: a side is below {MIN_SIDE_PX} pixels; compare needs larger images")
    return Subject(name, sha256(path.read_bytes()).hexdigest(), kind, samples, source)


def _samples_of(image: Image.Image, gray: bool) -> Samples:
    if image.mode in SIXTEEN_BIT_MODES:
        return samples_of_pillow(image)[0]
    if image.mode not in EIGHT_BIT_MODES:
        raise UnsupportedError(f"mode {image.mode!r}; compare takes images of 8 bits a sample, and gray of 16")
    samples: Samples = np.asarray(_opaque(image).convert("L" if gray or image.mode in {"1", "L", "LA"} else "RGB"))
    return samples


def _opaque(image: Image.Image) -> Image.Image:
    if not image.has_transparency_data:
        return image
    colour = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", colour.size, "white"), colour)
