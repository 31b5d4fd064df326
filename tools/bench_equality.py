"""Whether lossless files give back every sample: images of every kind and size, generated and read."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import fdcodec
from bench_images import of_all_kinds
from fdcodec.compare.metrics import Samples

SIDES = (1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 63, 65)


def run(data: Path | None, limit: int, side: int) -> dict[str, object]:
    """Encode and decode each image without loss and compare; half of the images are generated (all without `data`)."""
    kinds, unequal = Counter[str](), []
    for name, samples in _images(data, limit, side):
        decoded = fdcodec.decode(fdcodec.encode(samples, lossless=True))
        kinds[f"{samples.shape[2] if samples.ndim == 3 else 'gray'} x {samples.dtype}"] += 1
        if decoded.dtype != samples.dtype or not np.array_equal(decoded, samples):
            unequal.append(name)
    print(f"{kinds.total()} images, {len(unequal)} unequal; {dict(kinds)}")
    return {"images": kinds.total(), "unequal": unequal, "kinds": dict(kinds)}


def _images(data: Path | None, limit: int, side: int) -> Iterator[tuple[str, Samples]]:
    generated = limit if data is None else limit // 2
    for k in range(generated):
        yield f"generated {k}", generated_image(k)
    if data is not None:
        yield from of_all_kinds(data, limit - generated, side, depths=(8, 16))


def generated_image(seed: int) -> Samples:
    """Return noise, a ramp, few colours or one, of 8 or 16 bits, 1 to 4 channels or none, sides from 1 pixel."""
    rng = np.random.default_rng(seed)
    dtype = np.uint8 if seed % 2 else np.uint16
    top = int(np.iinfo(dtype).max)
    shape: tuple[int, ...] = (SIDES[seed % len(SIDES)], SIDES[seed // len(SIDES) % len(SIDES)])
    shape = shape if seed % 5 == 0 else (*shape, 1 + seed % 4)
    kind = seed // 3 % 4
    if kind == 0:
        return rng.integers(top, size=shape, endpoint=True, dtype=dtype)
    if kind == 1:
        return (np.indices(shape).sum(axis=0) * int(rng.integers(1, 999)) % (top + 1)).astype(dtype)
    return rng.choice(rng.integers(top, size=1 if kind == 2 else 5, endpoint=True, dtype=dtype), shape)
