"""A codec that is quick and exact to reason about, and a small comparison made with it."""

import zlib
from hashlib import sha256
from pathlib import Path

import numpy as np

from fdcodec.compare.aggregate import ANCHOR
from fdcodec.compare.base import Codec
from fdcodec.compare.crops import cut
from fdcodec.compare.records import Comparison
from fdcodec.compare.subjects import Subject
from fdcodec.compare.sweep import sweep

ENVIRONMENT = {
    "command": "fdcodec compare a.png -o <report>",
    "date": "2026-01-02",
    "machine": {"processor": "Test & Co", "cores": 2, "system": "none"},
    "versions": {"python": "3", "fdcodec": "0"},
}


class Quantizer(Codec):
    """Drops low bits and deflates; `waste` bytes are put before the data, so that rates are known to differ."""

    qualities = (10, 30, 50, 70, 90)
    settings = "none"

    def __init__(self, name: str = ANCHOR, waste: float = 0.0, trained_on: frozenset[str] = frozenset()) -> None:
        self.name, self.label, self.waste, self.trained_on = name, f"stub <{name}>", waste, trained_on

    def missing(self) -> str:
        """Nothing is missing."""
        return ""

    def version(self) -> str:
        """Return a fixed version."""
        return "stub 1"

    def training_hashes(self) -> frozenset[str]:
        """Return what the test says."""
        return self.trained_on

    def encode(self, image: np.ndarray, quality: float) -> bytes:
        """Quantize with a step that falls with quality."""
        step = self.step(quality)
        data = zlib.compress((image // step).astype(np.uint8).tobytes())
        return bytes([step]) + bytes(int(self.waste * len(data))) + data

    def decode(self, data: bytes, like: np.ndarray) -> np.ndarray:
        """Put each sample in the middle of its interval."""
        levels = zlib.decompress(data[1:].lstrip(b"\0"))
        samples = np.frombuffer(levels, np.uint8).reshape(like.shape) * float(data[0]) + (data[0] - 1) // 2
        return np.clip(samples, 0, 255).astype(np.uint8)

    @staticmethod
    def step(quality: float) -> int:
        """Return 64 at quality 0 to 2 at quality 100."""
        return round(64 * 2 ** (-quality / 20))


def subject(name: str, height: int, width: int, seed: int, gray: bool = False) -> Subject:
    """Return a subject of noise over a ramp."""
    shape = (height, width) if gray else (height, width, 3)
    ramp = np.arange(width)[:, None] if not gray else np.arange(width)
    noise = np.random.default_rng(seed).integers(0, 24, shape)
    samples = ((ramp * 2 + noise) % 256).astype(np.uint8)
    return Subject(name, sha256(samples.tobytes()).hexdigest(), "PNG", samples)


def small_comparison(folder: Path) -> Comparison:
    """Return a comparison of two stub codecs on a colour and a gray image; its crops lie in `folder`."""
    subjects = [subject("colour one", 176, 192, seed=1), subject("grey", 176, 176, seed=2, gray=True)]
    codecs = [Quantizer(), Quantizer("fdc-auto", waste=1.0)]
    records = list(sweep(subjects, codecs, ("psnr", "ms-ssim")))
    measured = Comparison(ENVIRONMENT, {"AVIF <4:2:0>": "a Pillow with AVIF support"}, records)
    return Comparison(ENVIRONMENT, measured.skipped, records, list(cut(measured, subjects, codecs, folder)))
