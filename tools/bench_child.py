"""What benchmarks run in a process of its own, so that memory, start-up and JIT settings are its alone.

usage: python tools/bench_child.py import | encode MEGAPIXELS QUALITY TRANSFORM FILE | decode FILE
       python tools/bench_child.py hash THREADS FILE...

Prints one JSON object.
"""

import json
import resource
import sys
import time
from hashlib import sha256
from pathlib import Path


def measure_import() -> dict[str, object]:
    """Return the seconds that ``import fdcodec`` takes, and whether it brought numba."""
    start = time.perf_counter()
    import fdcodec

    seconds = time.perf_counter() - start
    return {"version": fdcodec.__version__, "seconds": seconds, "numba_imported": "numba" in sys.modules}


def measure_encode(megapixels: str, quality: str, transform: str, file: str) -> dict[str, object]:
    """Encode a picture of 3:2 made of repeated samples; write the file."""
    import fdcodec

    image = picture(float(megapixels))
    before = peak_bytes()
    start = time.perf_counter()
    data = fdcodec.encode(image, quality=float(quality), transform=transform)
    seconds = time.perf_counter() - start
    Path(file).write_bytes(data)
    return {"pixels": image.shape[0] * image.shape[1], "seconds": seconds, "size_bytes": len(data), **peaks(before)}


def measure_decode(file: str) -> dict[str, object]:
    """Decode a file."""
    import fdcodec

    data = Path(file).read_bytes()
    before = peak_bytes()
    start = time.perf_counter()
    image = fdcodec.decode(data)
    seconds = time.perf_counter() - start
    return {"pixels": image.shape[0] * image.shape[1], "seconds": seconds, **peaks(before)}


def hash_pixels(threads: str, *files: str) -> dict[str, object]:
    """Return the sha256 of the decoded samples of each file, its tiles decoded in so many threads."""
    import fdcodec

    images = (fdcodec.decode(Path(file), threads=int(threads)) for file in files)
    return {Path(file).stem: sha256(image.tobytes()).hexdigest() for file, image in zip(files, images, strict=True)}


def picture(megapixels: float):
    """Return RGB samples, uint8, of that size: the photo sample over and over, each time shifted in tone."""
    import numpy as np
    from PIL import Image

    sample = np.asarray(Image.open(Path(__file__).parent.parent / "corpus" / "samples" / "photo.png"))
    height = round((megapixels * 1e6 / 1.5) ** 0.5)
    width = round(height * 1.5)
    rows, columns = -(-height // sample.shape[0]), -(-width // sample.shape[1])
    strips = [np.tile(sample + np.uint8(row % 8), (1, columns, 1)) for row in range(rows)]
    return np.concatenate(strips)[:height, :width].copy()


def peaks(before: int) -> dict[str, int]:
    """Return the peak resident size of the process, and what it was before the measured call."""
    return {"peak_bytes": peak_bytes(), "peak_bytes_before": before}


def peak_bytes() -> int:
    """Return the peak resident size of this process (ru_maxrss is in KiB on Linux)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


ACTIONS = {"import": measure_import, "encode": measure_encode, "decode": measure_decode, "hash": hash_pixels}

if __name__ == "__main__":
    print(json.dumps(ACTIONS[sys.argv[1]](*sys.argv[2:])))
