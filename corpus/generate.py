"""Generate synthetic images by class; the same class, seed and size give the same pixels on any machine.

usage: python corpus/generate.py [--output DIR] [--classes photo,map] [--seeds 0,1] [--size 256x256]

Without options: writes the samples that are in the repository, and their manifest.
"""

import argparse
import json
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
from canvas import Dice
from numpy.typing import NDArray
from PIL import Image
from scenes import SCENES

HERE = Path(__file__).parent
SAMPLES = {"photo": (256, 384), "gray": (192, 192), "sticker": (128, 128)}  # (height, width); others SAMPLE_SIZE
SAMPLE_SIZE = (192, 192)


def generate(name: str, seed: int = 0, shape: tuple[int, int] = (256, 256)) -> NDArray[np.uint8]:
    """Return an image of class `name`, uint8, shape (height, width) or (height, width, 3 or 4).

    Parameters
    ----------
    name
        A key of ``SCENES``.
    seed
        Any integer >= 0.
    shape
        Height and width, at least 128 each.
    """
    dice = Dice(int.from_bytes(sha256(f"{name} {seed}".encode()).digest()[:8], "big"))
    return np.clip(SCENES[name](dice, shape), 0, 255).astype(np.uint8)


def pixel_hash(image: NDArray[np.uint8]) -> str:
    """Return the sha256 of shape and samples: unlike a PNG's it does not depend on the zlib that wrote the file."""
    return sha256(f"{image.shape}".encode() + image.tobytes()).hexdigest()


def write_samples(folder: Path = HERE / "samples") -> list[dict[str, str]]:
    """Write one small image of each class and return its manifest rows."""
    rows = []
    for name in SCENES:
        path = folder / f"{name}.png"
        image = generate(name, 0, SAMPLES.get(name, SAMPLE_SIZE))
        save(image, path)
        rows.append(
            {
                "class": name,
                "path": f"samples/{path.name}",
                "split": "test",
                "origin": "corpus/generate.py, seed 0",
                "licence": "MIT",
                "sha256": sha256(path.read_bytes()).hexdigest(),
                "sha256_pixels": pixel_hash(image),
            }
        )
    return rows


def save(image: NDArray[np.uint8], path: Path) -> None:
    """Write a PNG, creating directories."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(image).save(path, optimize=True)


def main() -> None:
    """Write what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="folder to write CLASS/SEED.png into")
    parser.add_argument("--classes", default=",".join(SCENES))
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--size", default="256x256", help="WIDTHxHEIGHT")
    arguments = parser.parse_args()
    if arguments.output is None:
        if len(sys.argv) > 1:
            parser.error("these options need --output; without any, the samples of the repository are written")
        (HERE / "manifest" / "samples.json").write_text(json.dumps(write_samples(), indent=1) + "\n")
        return
    width, height = map(int, arguments.size.split("x"))
    for name in arguments.classes.split(","):
        for seed in map(int, arguments.seeds.split(",")):
            save(generate(name, seed, (height, width)), arguments.output / name / f"{seed}.png")


if __name__ == "__main__":
    main()
