"""Compare the lossless plane coder with PNG, WebP, JPEG XL and JPEG-LS on a folder of images by class.

Usage: ``python tools/bench_lossless.py DATA [-o tools/results/lossless.json] [--limit 4] [--only CLASS ...]``

`DATA` holds one folder per class; the classes and their folders are in `CLASSES`. Sizes are of the bare payload for the
plane coder and of whole files for the others (a container adds at most 25 bytes). Every payload is decoded and
compared.
"""

import argparse
import io
import json
import platform
import time
from collections.abc import Callable
from pathlib import Path

import imagecodecs
import numpy as np
from numpy.typing import NDArray
from PIL import Image

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

Samples = NDArray[np.uint8] | NDArray[np.uint16]


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


def measure(path: Path, known: dict[str, dict[str, float]]) -> dict[str, object]:
    """Return one row: sizes in bytes by codec and our speed; rivals' sizes are reused from `known`."""
    samples = read_samples(path)
    channels = 1 if samples.ndim == 2 else samples.shape[2]
    row: dict[str, object] = {
        "image": path.name,
        "width": samples.shape[1],
        "height": samples.shape[0],
        "channels": channels,
        "depth": 8 * samples.dtype.itemsize,
    }
    old = known.get(path.name, {})
    row |= {name: old[name] if name in old else size(samples) for name, size in RIVALS.items()}
    return row | measure_ours(samples)


def totals(rows: list[dict[str, object]]) -> dict[str, float]:
    """Return the geometric mean over images of our size relative to each rival, in percent."""
    result = {}
    for name in RIVALS:
        ratios = [np.log(row["fdcodec"] / row[name]) for row in rows if row[name]]  # type: ignore[operator]
        if ratios:
            result[name] = round(100 * (float(np.exp(np.mean(ratios))) - 1), 2)
    return result


def main() -> None:
    """Measure and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("tools/results/lossless.json"))
    parser.add_argument("--limit", type=int, default=6)
    parser.add_argument("--only", nargs="*", default=list(CLASSES))
    options = parser.parse_args()
    known = {}
    if options.output.exists():
        classes = json.loads(options.output.read_text())["classes"]
        known = {row["image"]: row for entry in classes.values() for row in entry["images"]}
    encode_planes(np.zeros((1, 8, 8), np.uint8), 8)
    command = f"python tools/bench_lossless.py DATA --limit {options.limit}"
    record: dict[str, object] = {}
    document = {"command": command, "machine": platform.platform(), "classes": record}
    for name in options.only:
        paths = sorted(path for path in options.data.glob(CLASSES[name] + "/*") if path.suffix == ".png")
        rows = [measure(path, known) for path in paths[:: max(1, len(paths) // options.limit)]]
        record[name] = {"percent_against": totals(rows), "images": rows}
        for row in rows:
            print(name, *(f"{value:.2f}" if isinstance(value, float) else value for value in row.values()))
        print(name, totals(rows), flush=True)
        options.output.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
