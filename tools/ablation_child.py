"""Measure one row of the ablation, in a process that then ends: ``ablation_child.py ROW DATA LIMIT`` prints JSON."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
from PIL import Image

from ablation_rows import ROWS, NothingToRemoveError, Setup
from bench_curves import measure
from bench_images import evenly, middle
from fdcodec.model import registry

SIDE_PX = 512
MODEL = "photo"


def images(data: Path, limit: int, colour: bool) -> list[np.ndarray]:
    """Return the middle of Kodak images, RGB or gray."""
    files = evenly(sorted((data / "kodak").glob("*.png")), limit)
    return [middle(np.asarray(Image.open(path).convert("RGB" if colour else "L")), SIDE_PX) for path in files]


def run(name: str, data: Path, limit: int) -> dict[str, object]:
    """Patch the package, then measure each image."""
    row, setup = ROWS[name], Setup(registry.get(MODEL))
    try:
        row.apply(setup)
    except NothingToRemoveError as reason:
        return {"skipped": str(reason)}
    curves = [measure(image, setup.model, **setup.settings) for image in images(data, limit, row.colour)]
    return {"curves": [asdict(curve) for curve in curves]}


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))))
