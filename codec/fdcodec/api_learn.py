"""`fdcodec.learn`: what it is given, validated and read."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from fdcodec.arguments import resolved
from fdcodec.errors import ConversionWarning, ParameterError, warn_caller
from fdcodec.paths import checked_path
from fdcodec.words import counted

if TYPE_CHECKING:
    from PIL import Image

    from fdcodec.aliases import Samples
    from fdcodec.api import Transform
    from fdcodec.image.picture import Picture
    from fdcodec.model import ClassModel
    from fdcodec.training.training_images import TrainingImage


def learn(
    images: Iterable[Samples | Image.Image | Picture | str | os.PathLike[str]],
    *,
    parent: Transform | None = "photo",
    progress: Callable[[str, int, int], None] | None = None,
    stacks: Sequence[Hashable] | None = None,
) -> ClassModel:
    """Learn a class model: the transforms, start states and filter that make images of a kind cheap.

    Parameters
    ----------
    images
        Images as for `encode`, or paths of image files. The middle of each is used, ten megapixels of them all: of
        more than 2441 images so many, evenly chosen. 16-bit images are reduced to 8 bits within the range of their
        samples.
    parent
        Model to start from, and to keep where the images say too little; None starts from the plain DCT.
    progress
        Called with stage, steps done and steps in all; a stage is for instance "rotations, 2 of 5".
    stacks
        For slices or frames: the stack or film of each image, as a name or number. One image in five is held out, to
        judge what is learned from the others. Neighbouring slices are nearly the same picture, so whole stacks are held
        out, or a part of a long one without the slices beside it. Copies of a held-out image, also those that were
        saved again or scaled, are left out. An image with as many copies as a fifth of all images is not held out;
        where none is held out, one image of those that are copies of each other is used.

    Returns
    -------
    ClassModel
        Give it to `encode` as `transform`, or write it with its method ``save``; its name is then that of the file.

    Raises
    ------
    ParameterError
        No image is given, one is not an image, or `stacks` has another length.
    FormatError, OSError
        A file cannot be read as an image, or as the class model that `parent` names.
    TransformNotFoundError
        No model has the name that `parent` gives, or there is no such file.

    Warns
    -----
    ConversionWarning
        As for `encode`, of Pillow images and of files.
    """
    if _is_single(images) or not isinstance(images, Iterable):
        raise ParameterError("images: give a list of images or paths, be it of one")
    start = None if parent is None else resolved(parent, "parent")
    origins = None if stacks is None else _checked_stacks(stacks)
    given = [_training_image(image, n_before) for n_before, image in enumerate(images)]
    if origins is not None and len(origins) != len(given):
        raise ParameterError(f"stacks: {len(origins)} for {counted(len(given), 'image')}; give one for each")
    return learn_from(given, start, progress, range(len(given)) if origins is None else origins)


def learn_from(
    images: list[TrainingImage],
    parent: ClassModel | None,
    progress: Callable[[str, int, int], None] | None,
    stacks: Sequence[Hashable],
) -> ClassModel:
    """Learn a class model from what is kept of images; copies of one do not judge what it taught."""
    from fdcodec.training.duplicates import copies_among
    from fdcodec.training.held_out import parts_of
    from fdcodec.training.train import learn_model
    from fdcodec.training.training_images import evenly_chosen

    used, origins = evenly_chosen(images), evenly_chosen(stacks)
    are_alike = copies_among([image.relief for image in used], [image.hash for image in used])
    return learn_model(used, "learned", parent, progress, parts_of(origins, are_alike))


def _checked_stacks(stacks: Any) -> list[Hashable]:
    try:
        listed = list(stacks)
        set(listed)
    except TypeError:
        raise ParameterError("stacks: give a list of names or numbers, one for each image") from None
    return listed


def _is_single(images: Any) -> bool:
    """Say whether this is a path or an array of one image, whose letters or rows would be taken for images."""
    match getattr(images, "shape", None):
        case () | (_, _) | (_, _, 1 | 2 | 3 | 4):
            return True
    return isinstance(images, str | bytes)


def _training_image(image: Samples | Image.Image | Picture | str | os.PathLike[str], n_before: int) -> TrainingImage:
    from fdcodec.image.arrays import as_picture
    from fdcodec.image.reading import read_image
    from fdcodec.training.training_images import training_image

    if not isinstance(image, str | os.PathLike):
        return training_image(as_picture(image).samples, n_before)
    picture, notes = read_image(checked_path("images", image))
    for note in notes:
        warn_caller(ConversionWarning(f"{image}: {note}"))
    return training_image(picture.samples, n_before)
