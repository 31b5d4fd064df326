"""What benchmarks run in a process of its own, so that memory, start-up and JIT settings are its alone.

usage: python tools/bench_child.py import | encode MEGAPIXELS QUALITY TRANSFORM FILE | decode FILE
       python tools/bench_child.py roundtrip THREADS FOLDER | threads FILE REPEATS

Prints one JSON object.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

Planes = tuple[bytes, tuple[int, ...], str]


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


def code_all(threads: str, folder: str) -> dict[str, object]:
    """Encode and decode every case of a folder in so many threads; return hashes of the file and of the pixels."""
    cases = json.loads(Path(folder, "cases.json").read_text())
    return {case: roundtrip(Path(folder, f"{case}.npy"), int(threads), cases[case]) for case in cases}


def roundtrip(path: Path, threads: int, settings: dict[str, Any]) -> dict[str, object]:
    """Encode and decode an array; tell too whether every tile left the encoder's loop as it left the decoder's."""
    import numpy as np

    import fdcodec

    with recorded_planes() as (encoded, decoded):
        data = fdcodec.encode(np.load(path), threads=threads, **settings)
        pixels = fdcodec.decode(data, threads=threads)
    hashes = {"file": sha256(data).hexdigest(), "pixels": sha256(pixels.tobytes()).hexdigest()}
    return hashes | {"same_planes": encoded == decoded}


@contextmanager
def recorded_planes() -> Iterator[tuple[set[Planes], set[Planes]]]:
    """Note payload, shape and hash of each tile's planes before the filter, as encoded and as decoded."""
    from fdcodec import tiles

    encoded: set[Planes] = set()
    decoded: set[Planes] = set()
    encode_planes, decode_planes = tiles.encode_planes, tiles.decode_planes

    def encode(*arguments: Any) -> Any:
        tile = encode_planes(*arguments)
        encoded.add((tile.payload, tile.planes.shape, sha256(tile.planes.tobytes()).hexdigest()))
        return tile

    def decode(payload: bytes, *arguments: Any) -> Any:
        planes, maps = decode_planes(payload, *arguments)
        decoded.add((bytes(payload), planes.shape, sha256(planes.tobytes()).hexdigest()))
        return planes, maps

    with patch.multiple(tiles, encode_planes=encode, decode_planes=decode):
        yield encoded, decoded


def measure_threads(file: str, repeats: str) -> dict[str, object]:
    """Return wall seconds of decoding a file in one and in two threads, by turns, after one decode that compiles."""
    import fdcodec

    data = Path(file).read_bytes()
    fdcodec.decode(data)
    ways = {threads: partial(fdcodec.decode, data, threads=threads) for threads in (1, 2)}
    runs = [{threads: seconds_of(decode) for threads, decode in ways.items()} for _ in range(int(repeats))]
    return {"seconds": {threads: [run[threads] for run in runs] for threads in ways}}


def seconds_of(function: Callable[[], object]) -> float:
    """Return the wall time of a call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


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


ACTIONS = {
    "import": measure_import,
    "encode": measure_encode,
    "decode": measure_decode,
    "roundtrip": code_all,
    "threads": measure_threads,
}

if __name__ == "__main__":
    print(json.dumps(ACTIONS[sys.argv[1]](*sys.argv[2:])))
