"""The lossless codecs that can be compared: fdcodec itself, and the rivals that are installed."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

import fdcodec
from fdcodec.aliases import Samples
from fdcodec.compare.base import Codec
from fdcodec.compare.rivals import ImagecodecsCodec
from fdcodec.errors import ParameterError, UnsupportedError


class LosslessRival(ImagecodecsCodec):
    """A lossless codec of the package `imagecodecs`, at its `options`; no quality means anything to it."""

    options: ClassVar[dict[str, object]]
    qualities = (100,)

    def __init__(self) -> None:
        self.settings = ", ".join(f"{name}={value}" for name, value in self.options.items())

    def encode(self, image: Samples, quality: float = 100) -> bytes:
        """Return the complete file of samples of shape (height, width) or (height, width, 2..4), uint8 or uint16.

        UnsupportedError if the format has no such images.
        """
        try:
            return bytes(self._call("encode", self.as_coded(image), **self.options))
        except (ValueError, RuntimeError) as error:
            raise UnsupportedError(f"{self.label} has no images of shape {image.shape}, {image.dtype}") from error

    def as_coded(self, image: Samples) -> Samples:
        """Return the samples that the library is given."""
        return image


class PNG(LosslessRival):
    """PNG with libpng's choice of filters, at the level that compresses most."""

    name, label, module = "png", "PNG", "png"
    options: ClassVar[dict[str, object]] = {"level": 9}


class LosslessWebP(LosslessRival):
    """Lossless WebP, which has 8-bit colours only: gray is coded as three equal channels."""

    name, label, module = "webp", "WebP", "webp"
    options: ClassVar[dict[str, object]] = {"lossless": True, "level": 100, "method": 6}

    def as_coded(self, image: Samples) -> Samples:
        """Return gray as colour."""
        return image[:, :, np.newaxis].repeat(3, axis=2) if image.ndim == 2 else image

    def decode(self, data: bytes, like: Samples) -> Samples:
        """Return gray of colour, and the opaque alpha that the format leaves out."""
        decoded: Samples = self._call("decode", data)
        if like.ndim == 2:
            return decoded[:, :, 0]
        whole = np.full(like.shape, 255, np.uint8)
        whole[:, :, : decoded.shape[2]] = decoded
        return whole


class LosslessJPEG2000(LosslessRival):
    """JPEG 2000 with the reversible 5/3 wavelet."""

    name, label, module = "jp2", "JPEG 2000", "jpeg2k"
    options: ClassVar[dict[str, object]] = {"reversible": True, "level": 0}


class JPEGLS(LosslessRival):
    """JPEG-LS as CharLS writes it."""

    name, label, module = "jls", "JPEG-LS", "jpegls"
    options: ClassVar[dict[str, object]] = {}


class LosslessJPEGXL(LosslessRival):
    """Lossless JPEG XL at the effort of libjxl's own tools; gray with alpha as colour, which takes fewer bytes."""

    name, label, module = "jxl", "JPEG XL", "jpegxl"
    options: ClassVar[dict[str, object]] = {"lossless": True, "effort": 7, "numthreads": 1}

    def as_coded(self, image: Samples) -> Samples:
        """Return gray with alpha as colour with alpha."""
        return image[:, :, [0, 0, 0, 1]] if image.shape[2:] == (2,) else image

    def decode(self, data: bytes, like: Samples) -> Samples:
        """Return gray with alpha of colour with alpha."""
        decoded: Samples = self._call("decode", data)
        return decoded[:, :, [0, 3]] if like.shape[2:] == (2,) else decoded.reshape(like.shape)


class LosslessFdc(Codec):
    """fdcodec without loss."""

    name, label, settings = "fdc", "fdcodec", "lossless=True"
    qualities = (100,)

    def missing(self) -> str:
        """Return nothing: the codec is this package."""
        return ""

    def version(self) -> str:
        """Return the version of the package."""
        return f"fdcodec {fdcodec.__version__}"

    def encode(self, image: Samples, quality: float = 100) -> bytes:
        """Encode with the public function."""
        return fdcodec.encode(image, lossless=True)

    def decode(self, data: bytes, like: Samples) -> Samples:
        """Decode with the public function."""
        return fdcodec.decode(data)


CODECS: dict[str, type[Codec]] = {
    codec.name: codec for codec in (PNG, LosslessWebP, LosslessJPEG2000, JPEGLS, LosslessJPEGXL, LosslessFdc)
}


def select(names: Sequence[str]) -> tuple[list[Codec], dict[str, str]]:
    """Return the codecs of those names that work here, and for each that does not what it misses."""
    unknown = [name for name in names if name not in CODECS]
    if unknown:
        raise ParameterError(f"codecs: {unknown[0]!r} is no lossless codec; allowed are {', '.join(CODECS)}")
    wanted = [CODECS[name]() for name in dict.fromkeys(names)]
    return [c for c in wanted if not c.missing()], {c.label: c.missing() for c in wanted if c.missing()}
