"""The same bytes and the same pixels: with and without JIT, in one thread and in several, in encoder and decoder."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench_images import Crop, crops, middle
from bench_process import child
from fdcodec.model import registry

SIDES_PX = (64, 40, 33, 17, 5)  # in turn; without JIT a block takes milliseconds
QUALITIES = (30, 60, 85)  # in turn
TILE_PX = 32
THREADS = (1, 2, 3, 4)
PLAIN = "1 thread"


def run(data: Path, limit: int) -> dict[str, Any]:
    """Code small crops in several ways, each in its own process, and compare what comes out with the first."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        images = write_cases(list(crops(data, limit, max(SIDES_PX))), folder)
        ways = {PLAIN: child("roundtrip", 1, folder)}
        ways |= {f"{threads} threads": child("roundtrip", threads, folder) for threads in THREADS[1:]}
        ways["NUMBA_DISABLE_JIT=1"] = child("roundtrip", 1, folder, NUMBA_DISABLE_JIT="1")
    different = {way: differences(ways[PLAIN], hashes) for way, hashes in ways.items()}
    drifted = sorted({case for hashes in ways.values() for case, row in hashes.items() if not row["same_planes"]})
    print(f"{len(images)} images in {', '.join(ways)}: different {different}; encoder's planes differ: {drifted}")
    return {
        "equal": not drifted and not any(different.values()),
        "different": different,
        "planes_differ": drifted,
        "images": images,
        "ways": ways,
    }


def differences(expected: dict[str, Any], hashes: dict[str, Any]) -> list[str]:
    """Return the cases whose file or pixels are not those expected."""
    return [case for case, row in hashes.items() if row != expected[case]]


def write_cases(images: list[Crop], folder: Path) -> list[dict[str, Any]]:
    """Write each crop, cut to the sides in turn, and the settings it is coded with; return what they are."""
    presets, facts, cases = registry.names(), [], {}
    for k, crop in enumerate(images):
        samples, case = middle(crop.samples, SIDES_PX[k % len(SIDES_PX)]), f"{k:03}"
        np.save(folder / f"{case}.npy", samples)
        lossy = {"quality": QUALITIES[k % len(QUALITIES)], "transform": presets[k % len(presets)]}
        is_lossy = samples.dtype == np.uint8 or k % 2  # every other one of 16 bits
        cases[case] = {"tile": TILE_PX} | (lossy if is_lossy else {"lossless": True})
        facts.append(crop._replace(samples=samples).facts | {"case": case} | cases[case])
    (folder / "cases.json").write_text(json.dumps(cases))
    return facts
