"""Patches of the test images, read from a directory that is no part of the project."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

FloatArray = NDArray[np.float64]

FILES = {
    "couple": "sipi/gray/couple_512.png",
    "peppers": "sipi/gray/peppers_512_y601.png",
    "boat": "sipi/gray/boat_512.png",
    "pirate": "sipi/gray/pirate_man_512_box2.png",
    "aerial": "sipi/gray/aerial_512.png",
    "house": "sipi/gray/house_512_y601.png",
    "tank": "sipi/gray/tank_512.png",
    "washsat": "sipi/gray/w_washsat_512.png",
    "kodim03": "kodak/kodim03.png",
    "kodim05": "kodak/kodim05.png",
    "kodim23": "kodak/kodim23.png",
}
PAPER = ("couple", "peppers", "boat")
TRIPLES = (
    PAPER,
    ("pirate", "peppers", "boat"),
    ("aerial", "tank", "house"),
    ("couple", "house", "pirate"),
    ("kodim03", "kodim05", "kodim23"),
    ("washsat", "tank", "boat"),
)

SIDE = 8  # of the paper's patches


class Images:
    """The images of one directory.

    Parameters
    ----------
    directory
        Holds the paths of `FILES`.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def missing(self, experiments: list[str]) -> list[str]:
        """Return the files that are not there of those that experiments need: the images they name, or the paper's."""
        words = [set(experiment.split("-")) & {*FILES} or {*PAPER} for experiment in experiments]
        paths = [path for name, path in FILES.items() if any(name in word for word in words)]
        return [path for path in paths if not (self.directory / path).is_file()]

    def luma(self, name: str) -> FloatArray:
        """Return an image as BT.601 luma, shape (height, width), 0..255."""
        with Image.open(self.directory / FILES[name]) as image:
            return np.asarray(image.convert("L"), dtype=np.float64)

    def patches(self, names: tuple[str, ...] = PAPER, means: str = "patch") -> FloatArray:
        """Return all non-overlapping 8x8 patches, row by row, divided by 255.

        Parameters
        ----------
        names
            Images, one after another.
        means
            "patch" removes the mean of each patch, "feature" the mean of each position over all patches.
        """
        Y = np.concatenate([cut(self.luma(name), SIDE) for name in names])
        Y -= Y.mean(axis=1 if means == "patch" else 0, keepdims=True)
        return Y / 255.0

    def random_patches(self, side: int, count: int) -> FloatArray:
        """Return patches at random places of the paper's images, means removed, divided by 255."""
        random = np.random.default_rng(0)
        images = [self.luma(name) for name in PAPER]
        rows = []
        for _ in range(count):
            image = images[random.integers(len(images))]
            y, x = (random.integers(size - side + 1) for size in image.shape)
            rows.append(image[y : y + side, x : x + side].ravel())
        Y = np.array(rows)
        return (Y - Y.mean(axis=1, keepdims=True)) / 255.0


def cut(image: FloatArray, side: int) -> FloatArray:
    """Return the non-overlapping side x side patches of an image, row by row, shape (n_patches, side * side)."""
    height, width = (size - size % side for size in image.shape)
    blocks = image[:height, :width].reshape(height // side, side, width // side, side)
    return blocks.swapaxes(1, 2).reshape(-1, side * side)


def transposed_patches(Y: FloatArray) -> FloatArray:
    """Return the patches column by column, as Matlab vectorizes them."""
    side = int(np.sqrt(Y.shape[1]))
    return np.ascontiguousarray(Y.reshape(-1, side, side).swapaxes(1, 2).reshape(Y.shape))
