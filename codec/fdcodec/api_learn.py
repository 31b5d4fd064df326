"""`fdcodec.learn`: what it is given, validated and read."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from fdcodec.arguments import resolved
from fdcodec.errors import ConversionWarning, ParameterError
from fdcodec.paths import checked_path

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

    from fdcodec.api import Transform
    from fdcodec.image.picture import Picture, Samples
    from fdcodec.model import ClassModel


def learn(
    images: Iterable[Samples | Image.Image | Picture | str | os.PathLike[str]],
    *,
    parent: Transform | None = "photo",
    progress: Callable[[str, int, int], None] | None = None,
) -> ClassModel:
    """Learn a class model: the transforms, start states and filter that make images of a kind cheap.

    Parameters
    ----------
    images
        Images as for `encode`, or paths of image files; the middle of each is used, ten megapixels of them all. Those
        of 16 bits are reduced to 8 within the range of their samples, as which they are coded.
    parent
        Model to start from, and to keep where the images say too little; None starts from nothing learned.
    progress
        Called with stage, steps done and steps in all.

    Returns
    -------
    ClassModel
        Give it to `encode` as `transform`, or keep it with its method ``save``: the file's name is then the model's.

    Raises
    ------
    ParameterError
        No image is given, or one is not an image.
    FormatError, OSError
        A file cannot be read as an image, or as the class model that `parent` names.
    TransformNotFoundError
        No preset and no file has the name of `parent`.

    Warns
    -----
    ConversionWarning
        As for `encode`, of Pillow images and of files.
    """
    from fdcodec.training.train import learn_model

    if _is_single(images) or not isinstance(images, Iterable):
        raise ParameterError("images: give a list of images or paths, be it of one")
    start = None if parent is None else resolved(parent, "parent")
    return learn_model(list(map(_training_samples, images)), "learned", start, progress)


def _is_single(images: Any) -> bool:
    """Say whether this is a path or an array of one image, whose letters or rows would be taken for images."""
    match getattr(images, "shape", None):
        case () | (_, _) | (_, _, 1 | 2 | 3 | 4):
            return True
    return isinstance(images, str | bytes)


def _training_samples(image: Samples | Image.Image | Picture | str | os.PathLike[str]) -> NDArray[np.uint8]:
    from fdcodec.image.arrays import as_picture
    from fdcodec.image.reading import read_image
    from fdcodec.training.training_images import training_samples

    if not isinstance(image, str | os.PathLike):
        return training_samples(as_picture(image).samples)
    picture, notes = read_image(checked_path("images", image))
    for note in notes:
        warnings.warn(ConversionWarning(f"{image}: {note}"), stacklevel=3)
    return training_samples(picture.samples)
