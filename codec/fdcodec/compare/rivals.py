"""The other codecs: one small class each, at the settings a careful user would choose, version in the result."""

import importlib
import io
import math
from importlib.metadata import version as package_version
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from PIL import Image, features

from fdcodec.aliases import Samples
from fdcodec.compare.base import Codec


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
    qualities = (5, 20, 38, 55, 68, 80, 88, 93)


class AVIF444(PillowCodec):
    """AVIF with full chroma."""

    name, label, format, feature = "avif444", "AVIF 4:4:4", "AVIF", "avif"
    options: ClassVar[dict[str, object]] = {"speed": 4, "subsampling": "4:4:4", "max_threads": 1}
    qualities = (5, 20, 38, 55, 68, 80, 88, 93)


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
    """JPEG 2000 with the irreversible 9/7 wavelet; qualities 0..100 stand for a target PSNR of 24..49 dB.

    For 16 bits it is that much above the PSNR of an error as large as the range of the samples.
    """

    name, label, module, settings = "jp2", "JPEG 2000", "jpeg2k", "9/7 wavelet, one layer, level = 24 + quality / 4 dB"
    qualities = (5, 15, 28, 42, 56, 70, 84, 95)
    is_deep = True

    def encode(self, image: Samples, quality: float) -> bytes:
        """Encode at a target PSNR."""
        spread = 20 * math.log10(65535 / max(int(np.ptp(image)), 1)) if image.dtype == np.uint16 else 0
        return bytes(self._call("encode", image, level=24 + quality / 4 + spread, reversible=False))


class JPEGXL(ImagecodecsCodec):
    """Lossy JPEG XL; qualities are mapped to Butteraugli distances as libjxl's own tools do."""

    name, label, module, settings = "jxl", "JPEG XL", "jpegxl", "effort=7, distance as cjxl's --quality"
    qualities = (8, 22, 40, 55, 70, 82, 90, 95)
    is_deep = True

    def encode(self, image: Samples, quality: float) -> bytes:
        """Encode at the distance of `quality`."""
        return bytes(self._call("encode", image, distance=_butteraugli_distance(quality), effort=7, numthreads=1))


RIVALS: dict[str, type[Codec]] = {
    rival.name: rival for rival in (JPEG420, JPEG444, WebP, JPEG2000, AVIF420, AVIF444, JPEGXL)
}


def _butteraugli_distance(quality: float) -> float:
    """Return libjxl's JxlEncoderDistanceFromQuality: linear above quality 30, quadratic below."""
    if quality >= 30:
        return 0.1 + (100 - quality) * 0.09
    return 53 / 3000 * quality**2 - 23 / 20 * quality + 25
