"""The codecs to compare: one small class each, at the settings a careful user would choose, version in the result."""

import importlib
import io
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from importlib.metadata import version as package_version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from PIL import Image, features

import fdcodec
from fdcodec.compare.metrics import Samples
from fdcodec.errors import ParameterError
from fdcodec.model import registry
from fdcodec.model.class_model import ClassModel

SHA256 = re.compile("[0-9a-f]{64}")


class Codec(ABC):
    """A codec at fixed settings.

    `name` is its key in results, `label` what people read, `settings` everything but the quality. `qualities` is the
    default ladder, 0 (worst) to 100; ladders differ so that the curves cover about the same PSNR.
    """

    name: str
    label: str
    settings: str
    qualities: tuple[int, ...] = (10, 20, 35, 50, 65, 80, 90, 95)

    @abstractmethod
    def missing(self) -> str:
        """Return what has to be installed for this codec to work here, empty if nothing."""

    @abstractmethod
    def version(self) -> str:
        """Return the versions of the library and of its wrapper."""

    @abstractmethod
    def encode(self, image: Samples, quality: float) -> bytes:
        """Return the complete file of a uint8 image of shape (height, width) or (height, width, 3)."""

    @abstractmethod
    def decode(self, data: bytes, like: Samples) -> Samples:
        """Return the image in a file that `encode` made of an image shaped `like`."""

    def training_hashes(self) -> frozenset[str]:
        """Return the sha256 of every image file that the codec has learned from: none, for most."""
        return frozenset()


class PillowCodec(Codec):
    """A codec that comes with Pillow."""

    format: str
    feature: str
    options: ClassVar[dict[str, object]]

    def __init__(self) -> None:
        self.settings = ", ".join(f"{name}={value}" for name, value in self.options.items())

    def missing(self) -> str:
        """Return the name of the feature that this Pillow was built without."""
        return "" if features.check(self.feature) else f"a Pillow with {self.format} support"

    def version(self) -> str:
        """Return for instance ``libwebp 1.6.0, Pillow 13.0.0``."""
        return f"{self.feature} {features.version(self.feature)}, Pillow {package_version('pillow')}"

    def encode(self, image: Samples, quality: float) -> bytes:
        """Save through Pillow, without metadata."""
        file = io.BytesIO()
        Image.fromarray(image).save(file, self.format, quality=round(quality), **self.options)
        return file.getvalue()

    def decode(self, data: bytes, like: Samples) -> Samples:
        """Open through Pillow, as gray or RGB."""
        return np.asarray(Image.open(io.BytesIO(data)).convert("L" if like.ndim == 2 else "RGB"))


class JPEG420(PillowCodec):
    """JPEG as most files are: chroma halved both ways; optimized Huffman tables and progressive scans are free."""

    name, label, format, feature = "jpeg420", "JPEG 4:2:0", "JPEG", "libjpeg_turbo"
    options: ClassVar[dict[str, object]] = {"subsampling": "4:2:0", "optimize": True, "progressive": True}


class JPEG444(PillowCodec):
    """JPEG with full chroma."""

    name, label, format, feature = "jpeg444", "JPEG 4:4:4", "JPEG", "libjpeg_turbo"
    options: ClassVar[dict[str, object]] = {"subsampling": "4:4:4", "optimize": True, "progressive": True}


class WebP(PillowCodec):
    """Lossy WebP, which is always 4:2:0, at its slowest method."""

    name, label, format, feature = "webp", "WebP", "WEBP", "webp"
    options: ClassVar[dict[str, object]] = {"method": 6}
    qualities = (1, 10, 30, 50, 70, 85, 92, 97)


class AVIF420(PillowCodec):
    """AVIF with halved chroma."""

    name, label, format, feature = "avif420", "AVIF 4:2:0", "AVIF", "avif"
    options: ClassVar[dict[str, object]] = {"speed": 4, "subsampling": "4:2:0", "max_threads": 1}
    qualities = (20, 32, 45, 58, 70, 80, 88, 93)


class AVIF444(PillowCodec):
    """AVIF with full chroma."""

    name, label, format, feature = "avif444", "AVIF 4:4:4", "AVIF", "avif"
    options: ClassVar[dict[str, object]] = {"speed": 4, "subsampling": "4:4:4", "max_threads": 1}
    qualities = (20, 32, 45, 58, 70, 80, 88, 93)


class ImagecodecsCodec(Codec):
    """A codec that comes with the package `imagecodecs`."""

    module: str

    def missing(self) -> str:
        """Return the package's name if it, or the codec in it, is not there."""
        if find_spec("imagecodecs") is None:
            return "the package imagecodecs"
        return "" if getattr(importlib.import_module("imagecodecs"), self.module.upper()).available else self.module

    def version(self) -> str:
        """Return for instance ``openjpeg 2.5.4, imagecodecs 2026.3.6``."""
        return f"{self._call('version')}, imagecodecs {package_version('imagecodecs')}"

    def decode(self, data: bytes, like: Samples) -> Samples:
        """Decode; a gray image may come back with a last axis of one."""
        decoded: Samples = self._call("decode", data)
        return decoded.reshape(like.shape)

    def _call(self, function: str, *args: object, **options: object) -> Any:
        return getattr(importlib.import_module("imagecodecs"), f"{self.module}_{function}")(*args, **options)


class JPEG2000(ImagecodecsCodec):
    """JPEG 2000 with the irreversible 9/7 wavelet; qualities 0..100 stand for a target PSNR of 24..44 dB."""

    name, label, module, settings = "jp2", "JPEG 2000", "jpeg2k", "9/7 wavelet, one layer, level = 24 + quality / 5 dB"

    def encode(self, image: Samples, quality: float) -> bytes:
        """Encode at a target PSNR."""
        return bytes(self._call("encode", image, level=24 + quality / 5, reversible=False))


class JPEGXL(ImagecodecsCodec):
    """Lossy JPEG XL; qualities are mapped to Butteraugli distances as libjxl's own tools do."""

    name, label, module, settings = "jxl", "JPEG XL", "jpegxl", "effort=7, distance as cjxl's --quality"
    qualities = (15, 25, 40, 55, 70, 82, 90, 95)

    def encode(self, image: Samples, quality: float) -> bytes:
        """Encode at the distance of `quality`."""
        return bytes(self._call("encode", image, distance=_butteraugli_distance(quality), effort=7, numthreads=1))


class Fdc(Codec):
    """fdcodec itself, with a transform by name ("auto", a preset) or by the path of an .fdt file."""

    def __init__(self, transform: str) -> None:
        self.transform = transform
        stem = Path(transform).stem
        self.name, self.label, self.settings = f"fdc-{stem}", f"fdcodec {stem}", f"transform={stem}"

    def missing(self) -> str:
        """Return nothing: the codec is this package."""
        return ""

    def version(self) -> str:
        """Return the version of the package and, of a transform that is chosen, the identity."""
        models = ", ".join(f"model {model.hash.hex()[:16]}" for model in self._models() if self.transform != "auto")
        return ", ".join(filter(None, (f"fdcodec {fdcodec.__version__}", models)))

    def training_hashes(self) -> frozenset[str]:
        """Return the hashes in the recipes of all class models that the transform may choose from."""
        return frozenset(hash_ for model in self._models() for hash_ in _hashes_in(model.recipe))

    def encode(self, image: Samples, quality: float) -> bytes:
        """Encode with the public function."""
        return fdcodec.encode(image, quality=quality, transform=self.transform)

    def decode(self, data: bytes, like: Samples) -> Samples:
        """Decode with the public function."""
        return np.asarray(fdcodec.decode(data), dtype=np.uint8)

    def _models(self) -> list[ClassModel]:
        return (
            [registry.get(n) for n in registry.names()]
            if self.transform == "auto"
            else [registry.resolve(self.transform)]
        )


RIVALS: dict[str, type[Codec]] = {
    rival.name: rival for rival in (JPEG420, JPEG444, WebP, JPEG2000, AVIF420, AVIF444, JPEGXL)
}
NAMES = (*RIVALS, "fdc")


def select(names: tuple[str, ...], transforms: tuple[str, ...]) -> tuple[list[Codec], dict[str, str]]:
    """Return the codecs that work here, and for each that does not what it misses.

    Parameters
    ----------
    names
        Keys of `RIVALS`, or "fdc" for fdcodec, which is taken once for each of `transforms`.
    transforms
        What ``fdcodec.encode(transform=...)`` takes.
    """
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise ParameterError(f"codecs: {', '.join(unknown)!r} is unknown; allowed are {', '.join(NAMES)}")
    wanted = [
        codec
        for name in names
        for codec in ([Fdc(transform) for transform in transforms] if name == "fdc" else [RIVALS[name]()])
    ]
    return [c for c in wanted if not c.missing()], {c.label: c.missing() for c in wanted if c.missing()}


def _hashes_in(recipe: object) -> Iterator[str]:
    """Yield every sha256 in hexadecimal, wherever in a recipe it stands."""
    if isinstance(recipe, str) and SHA256.fullmatch(recipe):
        yield recipe
    elif isinstance(recipe, Mapping):
        for part in (*recipe, *recipe.values()):
            yield from _hashes_in(part)
    elif isinstance(recipe, list | tuple):
        for part in recipe:
            yield from _hashes_in(part)


def _butteraugli_distance(quality: float) -> float:
    """Return libjxl's JxlEncoderDistanceFromQuality: linear above quality 30, quadratic below."""
    if quality >= 30:
        return 0.1 + (100 - quality) * 0.09
    return 53 / 3000 * quality**2 - 23 / 20 * quality + 25
