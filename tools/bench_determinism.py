"""The same file, the same pixels: with and without JIT, in one thread and in several; encoder and decoder agree."""

from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import fdcodec
from bench_images import of_all_kinds
from bench_process import child
from fdcodec.coding.lossy import decode_tile, encode_tile
from fdcodec.coding.parameters import step_index_for
from fdcodec.coding.settings import EncoderSettings
from fdcodec.coding.tuning import search_options
from fdcodec.compare.metrics import Samples
from fdcodec.image.colour import colour_matrix, plane_bounds, to_planes
from fdcodec.model import get

CORPUS = Path(__file__).parent.parent / "corpus" / "samples"
SIDE_PX, TILE_PX = 128, 32
TINY_PX = 24  # without JIT a block takes milliseconds
THREADS = (1, 2, 3, 4)


def run(data: Path | None, limit: int, transform: str, quality: float) -> dict[str, object]:
    """Encode a square of each image in 1 to 4 threads, decode in several ways, compare hashes.

    `data` None takes the images of the repository.
    """
    images = dict(of_all_kinds(data or CORPUS, limit, SIDE_PX))
    settings = {"quality": quality, "transform": transform, "tile": TILE_PX}
    files = {name: fdcodec.encode(image, **settings) for name, image in images.items()}
    encoded = {
        threads: {
            name: sha256(fdcodec.encode(image, threads=threads, **settings)).hexdigest()
            for name, image in images.items()
        }
        for threads in THREADS
    }
    decoded = {threads: _decoded(files, threads) for threads in THREADS}
    tiny = {name: fdcodec.encode(image[:TINY_PX, :TINY_PX], **settings) for name, image in images.items()}
    without_jit = _without_jit(tiny)
    equal = {
        "bytes_by_threads": all(hashes == encoded[1] for hashes in encoded.values()),
        "pixels_by_threads": all(hashes == decoded[1] for hashes in decoded.values()),
        "pixels_without_jit": without_jit == _decoded(tiny, 1),
        "encoder_and_decoder": all(_agrees(image, quality) for image in images.values()),
    }
    print(f"{len(images)} images: {equal}")
    return {
        "equal": equal,
        "images": len(images),
        "settings": settings,
        "sha256_files": encoded[1],
        "sha256_pixels": decoded[1],
    }


def _decoded(files: dict[str, bytes], threads: int) -> dict[str, str]:
    return {name: sha256(fdcodec.decode(data, threads=threads).tobytes()).hexdigest() for name, data in files.items()}


def _without_jit(files: dict[str, bytes]) -> dict[str, str]:
    """Return the hashes of what a process without JIT decodes, by image."""
    with TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{k}.fdc" for k, name in enumerate(files)}
        for name, path in paths.items():
            path.write_bytes(files[name])
        hashes = child("hash", 1, *paths.values(), NUMBA_DISABLE_JIT="1")
    return {name: hashes[path.stem] for name, path in paths.items()}


def _agrees(image: Samples, quality: float) -> bool:
    """Tell whether the decoder reconstructs each plane of an image exactly as the encoder did."""
    samples = np.atleast_3d(image)
    colours = samples[:, :, : 3 if samples.shape[2] >= 3 else 1]
    matrix = colour_matrix(None) if colours.shape[2] == 3 else None
    step_index, bounds, model = step_index_for(quality), plane_bounds(matrix), get("photo")
    planes = to_planes(np.ascontiguousarray(colours), matrix)
    tile = encode_tile(planes, model, search_options(EncoderSettings(), step_index, bounds))
    decoded, maps = decode_tile(tile.payload, planes.shape, model, step_index, bounds)
    same_maps = all(
        np.array_equal(a, b) for x, y in zip(maps, tile.maps, strict=True) for a, b in zip(x, y, strict=True)
    )
    return same_maps and np.array_equal(decoded, tile.planes)
