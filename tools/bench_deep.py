"""Pictures of 16 bits against JPEG XL, JPEG 2000 and our own DCT, by BD-rate over whole files.

usage: python tools/bench_deep.py --data DIR [-o FILE]

The rivals get the samples as they are, and besides spread over all 16 bits, as a careful user would do. (AVIF has 12
bits, but imagecodecs codes gray of 12 bits without loss only.)
Then `python tools/deep_table.py` writes docs/results/deep.md.
"""

import math
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import click
import imagecodecs
import numpy as np
from numpy.typing import NDArray
from PIL import Image

import fdcodec
from bench_record import store
from fdcodec.compare.bd_rate import bd_rate
from fdcodec.image.psnr import psnr

Samples = NDArray[np.uint16]
FOLDERS = ("ct16", "mri16", "xray16")
PEAK = 65535


class Coder(NamedTuple):
    """A codec: samples and a setting to bytes, those back, its settings, and whether samples are spread before."""

    encode: Callable[[Samples, Any], bytes]
    decode: Callable[[bytes], Samples]
    settings: Sequence[Any]
    spread: bool = False


def ours(transform: str) -> Coder:
    """Return our codec with a class model."""
    qualities = (25, 40, 55, 70, 80, 88, 94, 98)

    def encode(samples: Samples, quality: float) -> bytes:
        return fdcodec.encode(samples, quality=quality, lossless=False, transform=transform)

    return Coder(encode, fdcodec.decode, qualities)


def jpeg_xl(samples: Samples, distance: float) -> bytes:
    """Return JPEG XL at the default effort."""
    return bytes(imagecodecs.jpegxl_encode(samples, distance=distance, effort=7))


def jpeg_2000(samples: Samples, psnr_db: float) -> bytes:
    """Return JPEG 2000 with the 9-7 wavelet."""
    return bytes(imagecodecs.jpeg2k_encode(samples, level=psnr_db, reversible=False))


DISTANCES = (25, 15, 10, 6, 4, 2.5, 1.5, 0.8, 0.4, 0.2, 0.1, 0.05, 0.02)
LEVELS_DB = tuple(range(24, 108, 4))
CODERS = {
    "fdcodec": ours("auto"),
    "fdcodec, DCT": ours("dct"),
    "JPEG XL": Coder(jpeg_xl, imagecodecs.jpegxl_decode, DISTANCES),
    "JPEG XL, spread": Coder(jpeg_xl, imagecodecs.jpegxl_decode, DISTANCES, spread=True),
    "JPEG 2000": Coder(jpeg_2000, imagecodecs.jpeg2k_decode, LEVELS_DB),
    "JPEG 2000, spread": Coder(jpeg_2000, imagecodecs.jpeg2k_decode, LEVELS_DB, spread=True),
}


def curve(samples: Samples, coder: Coder) -> dict[str, list[float]]:
    """Return bits per pixel and PSNR, against the full scale of 16 bits, at each setting; equal files are one point."""
    low, span = int(samples.min()), max(int(np.ptp(samples)), 1)
    given = samples
    if coder.spread:
        given = np.rint((samples.astype(np.float64) - low) * PEAK / span).astype(np.uint16)
    points = {}
    for setting in coder.settings:
        data = coder.encode(given, setting)
        decoded = coder.decode(data).reshape(samples.shape)
        if coder.spread:
            decoded = np.rint(decoded.astype(np.float64) * span / PEAK) + low
        quality_db = psnr(samples, decoded)
        if quality_db < math.inf:
            points[8 * len(data) / samples.size] = quality_db
    return {"rate_bpp": list(points), "psnr_db": list(points.values())}


def measure(path: Path) -> dict[str, Any]:
    """Return everything about one image."""
    samples = np.asarray(Image.open(path)).astype(np.uint16)
    curves = {name: curve(samples, coder) for name, coder in CODERS.items()}
    test = curves["fdcodec"]
    rates = {
        name: bd_rate(each["rate_bpp"], each["psnr_db"], test["rate_bpp"], test["psnr_db"])._asdict()
        for name, each in curves.items()
        if each is not test
    }
    print(path.name, {name: round(rate["percent"], 1) for name, rate in rates.items()}, flush=True)
    return {
        "name": f"{path.parent.name}/{path.name}",
        "sha256": sha256(path.read_bytes()).hexdigest(),
        "shape": samples.shape,
        "sample_range": [int(samples.min()), int(samples.max())],
        "lossless_bpp": 8 * len(fdcodec.encode(samples, lossless=True)) / samples.size,
        "bd_rate": rates,
        "curves": curves,
    }


@click.command()
@click.option("--data", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="[tools/results/deep.json]")
def main(data: Path, output: Path | None) -> None:
    """Compare all codecs on every 16-bit image of the medical folders."""
    paths = [path for folder in FOLDERS for path in sorted((data / "medical" / folder).glob("*.png"))]
    versions = {name: getattr(imagecodecs, f"{name}_version")() for name in ("jpegxl", "jpeg2k")}
    store("deep", output, {"codecs": versions, "images": [measure(path) for path in paths]})


if __name__ == "__main__":
    main()
