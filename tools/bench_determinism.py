"""The same file, the same pixels: with and without JIT, in one thread and in several."""

from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image

import fdcodec
from bench_process import child

SAMPLES = Path(__file__).parent.parent / "corpus" / "samples"
SIDE_PX = 96  # without JIT a block takes milliseconds
TILE_PX = 32
THREADS = (1, 2, 4)


def run(transform: str, quality: float) -> dict[str, object]:
    """Encode a square of every sample in 1, 2 and 4 threads, decode in several ways, compare hashes."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        encoded = {threads: _encode_all(transform, quality, threads, folder) for threads in THREADS}
        files = sorted(folder.iterdir())
        decoded = {f"{threads} threads": child("hash", threads, *files) for threads in THREADS}
        decoded["NUMBA_DISABLE_JIT=1"] = child("hash", 1, *files, NUMBA_DISABLE_JIT="1")
    same_bytes = all(hashes == encoded[1] for hashes in encoded.values())
    same_pixels = all(hashes == decoded["1 threads"] for hashes in decoded.values())
    print(f"bytes equal with {THREADS} threads: {same_bytes}; pixels equal for {', '.join(decoded)}: {same_pixels}")
    return {
        "equal": same_bytes and same_pixels,
        "quality": quality,
        "transform": transform,
        "sha256_files": encoded,
        "sha256_pixels": decoded,
    }


def _encode_all(transform: str, quality: float, threads: int, folder: Path) -> dict[str, str]:
    hashes = {}
    for path in sorted(SAMPLES.glob("*.png")):
        samples = np.asarray(Image.open(path))[:SIDE_PX, :SIDE_PX]
        data = fdcodec.encode(samples, quality=quality, transform=transform, threads=threads, tile=TILE_PX)
        (folder / f"{path.stem}.fdc").write_bytes(data)
        hashes[path.stem] = sha256(data).hexdigest()
    return hashes
