"""Train the presets from the corpus manifests: training images only, each checked against its hash.

usage: python tools/train_presets.py --data DIR [NAME ...]

DIR holds CLASS/train/ as the manifests in corpus/manifest say. `photo` is trained first; the others start from it.
`dct` is the photo model without its transforms and learned modes: what the same codec does with the plain DCT.
"""

import argparse
import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from fdcodec.image.reading import read_image
from fdcodec.model import ClassModel
from fdcodec.model.registry import PRESETS_DIR
from fdcodec.training.train import learn_model
from fdcodec.training.training_images import training_image

MANIFESTS = Path(__file__).parent.parent / "corpus" / "manifest"
PRESETS = {
    "photo": ["natural"],
    "gray": ["natural"],
    "document": ["document"],
    "screenshot": ["screenshot"],
    "map": ["map"],
    "satellite": ["satellite"],
    "microscopy": ["microscopy"],
    "medical": ["ct", "mri"],
    "texture": ["texture"],
    "cartoon": ["cartoon"],
    "fingerprint": ["fingerprint"],
    "face": ["face"],
    "pixelart": ["pixelart"],
    "astronomy": ["astronomy"],
}
SMALLEST_SIDE = 48


def training_rows(class_name: str) -> list[dict[str, Any]]:
    """Return the manifest rows of a class's training images."""
    rows = json.loads((MANIFESTS / f"{class_name}.json").read_text())
    return [row for row in rows if row["split"] == "train"]


def load(row: dict[str, Any], data: Path) -> np.ndarray:
    """Return an image's samples; the file must have the hash its manifest row names."""
    path = data / row["path"]
    if sha256(path.read_bytes()).hexdigest() != row["sha256"]:
        raise SystemExit(f"{path}: not the file that the manifest names; run tools/build_manifest.py")
    return read_image(path).picture.samples


def to_gray(samples: np.ndarray) -> np.ndarray:
    """Return the rounded mean of red, green and blue weighted as BT.601 luma, shape (height, width, 1)."""
    if samples.shape[2] < 3:
        return samples[:, :, :1]
    return np.rint(samples[:, :, :3] @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)[:, :, None]


def images_of(name: str, data: Path) -> tuple[list[np.ndarray], list[str]]:
    """Return the training images of a preset, and the hashes of their files."""
    images, hashes = [], []
    for class_name in PRESETS[name]:
        for row in training_rows(class_name):
            samples = load(row, data)
            if min(samples.shape[:2]) >= SMALLEST_SIDE:
                images.append(to_gray(samples) if name == "gray" else samples)
                hashes.append(row["sha256"])
    return images, hashes


def train(name: str, data: Path) -> ClassModel:
    """Train one preset and save it."""
    images, hashes = images_of(name, data)
    parent = None if name == "photo" else ClassModel.load(PRESETS_DIR / "photo.fdt")

    def report(stage: str, done: int, total: int) -> None:
        if done % 16 == 0 or done == total:
            print(f"{name}: {stage} {done}/{total}", flush=True)

    model = learn_model([training_image(samples) for samples in images], name, parent, report)
    recipe = model.recipe | {"images": hashes, "classes": PRESETS[name], "command": "tools/train_presets.py"}
    model = replace(model, recipe=recipe)
    model.save(PRESETS_DIR / f"{name}.fdt")
    return model


def main() -> None:
    """Train the presets named, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*PRESETS, []])
    parser.add_argument("--data", type=Path, required=True)
    arguments = parser.parse_args()
    for name in arguments.names or PRESETS:
        model = train(name, arguments.data)
        print(f"{name}: {model.hash.hex()[:16]} {len(model.to_bytes())} bytes", flush=True)
        if name == "photo":
            replace(model, name="dct", transforms={}, learned=()).save(PRESETS_DIR / "dct.fdt")


if __name__ == "__main__":
    main()
