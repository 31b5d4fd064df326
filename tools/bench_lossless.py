"""Compare the lossless plane coder with PNG, WebP, JPEG XL and JPEG-LS on a folder of images by class.

usage: python tools/bench_lossless.py DATA [--limit 6] [--classes photo,map] [-o FILE]

DATA holds one folder per class; the classes and their folders are in `CLASSES`. Sizes are of the bare payload for the
plane coder and of whole files for the others (a container adds at most 25 bytes). Every payload is decoded and
compared.
"""

import io
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
import imagecodecs
import numpy as np
from PIL import Image

from bench_images import evenly
from bench_record import store
from fdcodec.aliases import Samples
from fdcodec.coding.lossless import decode_planes, encode_planes

CLASSES = {
    "photo": "kodak",
    "screenshot": "screenshot/test",
    "document": "document/test",
    "map": "map/test",
    "ct": "ct/test",
    "medical": "medical/*",
    "microscopy": "microscopy/test",
    "pixelart": "pixelart/test",
}


def read_samples(path: Path) -> Samples:
    """Return the samples of an image file, (height, width) or (height, width, channels), palettes expanded."""
    image = Image.open(path)
    if image.mode in ("P", "1"):
        image = image.convert("RGB" if image.mode == "P" else "L")
    samples = np.asarray(image)
    if samples.dtype not in (np.uint8, np.uint16):
        samples = samples.astype(np.uint16)
    if samples.ndim == 3 and samples.shape[2] == 3 and (samples == samples[:, :, :1]).all():
        samples = samples[:, :, 0]
    return np.ascontiguousarray(samples)


def png_size(samples: Samples) -> int:
    """Return the size of Pillow's optimized PNG."""
    stream = io.BytesIO()
    Image.fromarray(samples).save(stream, "PNG", optimize=True)
    return stream.tell()


def webp_size(samples: Samples) -> int | None:
    """Return the size of lossless WebP, method 6, or None where WebP cannot hold the samples."""
    if samples.dtype != np.uint8 or max(samples.shape[:2]) > 16383:
        return None
    stream = io.BytesIO()
    Image.fromarray(samples).save(stream, "WEBP", lossless=True, quality=100, method=6, exact=True)
    return stream.tell()


def jpegxl_size(samples: Samples) -> int:
    """Return the size of lossless JPEG XL, effort 7."""
    return len(imagecodecs.jpegxl_encode(samples, lossless=True, effort=7))


def jpegls_size(samples: Samples) -> int:
    """Return the size of JPEG-LS as CharLS writes it."""
    return len(imagecodecs.jpegls_encode(samples))


RIVALS: dict[str, Callable[[Samples], int | None]] = {
    "png": png_size,
    "webp": webp_size,
    "jpegxl": jpegxl_size,
    "jpegls": jpegls_size,
}


def measure_ours(samples: Samples) -> dict[str, float]:
    """Return size and speed (in CPU time) of the plane coder; raise if the samples do not come back."""
    planes = np.ascontiguousarray(np.atleast_3d(samples).transpose(2, 0, 1))
    depth = 8 * planes.dtype.itemsize
    started = time.process_time()
    payload = encode_planes(planes, depth)
    encoded = time.process_time()
    decoded = decode_planes(payload, *planes.shape, depth)
    finished = time.process_time()
    if not np.array_equal(planes, decoded):
        raise AssertionError("the decoded planes differ from the encoded ones")
    return {
        "fdcodec": len(payload),
        "encode_mps": planes.shape[1] * planes.shape[2] / (encoded - started) / 1e6,
        "decode_mps": planes.shape[1] * planes.shape[2] / (finished - encoded) / 1e6,
    }


def measure(path: Path) -> dict[str, Any]:
    """Return one row: sizes in bytes by codec and our speed."""
    samples = read_samples(path)
    row: dict[str, Any] = {
        "image": path.name,
        "sha256": sha256(path.read_bytes()).hexdigest(),
        "width": samples.shape[1],
        "height": samples.shape[0],
        "channels": 1 if samples.ndim == 2 else samples.shape[2],
        "depth": 8 * samples.dtype.itemsize,
    }
    return row | {name: size(samples) for name, size in RIVALS.items()} | measure_ours(samples)


def totals(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Return the geometric mean over images of our size relative to each rival, in percent."""
    result = {}
    for name in RIVALS:
        ratios = [np.log(row["fdcodec"] / row[name]) for row in rows if row[name]]
        if ratios:
            result[name] = round(100 * (float(np.exp(np.mean(ratios))) - 1), 2)
    return result


@click.command()
@click.argument("data", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--limit", default=6, show_default=True, help="Images of each class, evenly over the sorted names.")
@click.option("--classes", default=",".join(CLASSES), help="Only these, separated by commas [all].")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="[tools/results/lossless.json]")
def main(data: Path, limit: int, classes: str, output: Path | None) -> None:
    """Compare all codecs; the result file is complete after every class."""
    table: dict[str, Any] = {}
    names = classes.split(",")
    unknown = [name for name in names if name not in CLASSES]
    if unknown:
        raise click.BadParameter(f"{unknown[0]} is unknown; classes are {', '.join(CLASSES)}", param_hint="--classes")
    encode_planes(np.zeros((1, 8, 8), np.uint8), 8)  # compiles
    for name in names:
        rows = [measure(path) for path in evenly(sorted(data.glob(f"{CLASSES[name]}/*.png")), limit)]
        table[name] = {"percent_against": totals(rows), "images": rows}
        print(name, totals(rows), flush=True)
        store("lossless", output, {"classes": table})


if __name__ == "__main__":
    main()
