"""Copies of an image are known by its relief, and never judge what their like taught."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from tests.images import noise, photo, saved

import fdcodec
from fdcodec.training import train
from fdcodec.training.duplicates import LIKENESS, relief_of, with_duplicates

PHOTO = photo(200, 280)


def likeness(first, second):
    """Return how like two images are."""
    return float(relief_of(first) @ relief_of(second))


def opened(data):
    """Return the samples of an image file."""
    with Image.open(BytesIO(data)) as image:
        return np.asarray(image)


@pytest.mark.parametrize(
    "copy",
    [
        opened(saved(PHOTO, "JPEG", quality=20)),
        np.asarray(Image.fromarray(PHOTO).resize((140, 100))),
        np.asarray(Image.fromarray(PHOTO).resize((560, 400))),
        PHOTO // 2 + 90,
        np.asarray(Image.fromarray(PHOTO).convert("L"))[:, :, None],
        PHOTO[1:-1, 1:-1],
    ],
    ids=["saved again", "half the size", "twice the size", "lighter", "gray", "cut by a row"],
)
def test_copies_are_alike(copy):
    """What is done to a copy on its way leaves its relief."""
    assert likeness(PHOTO, copy) > LIKENESS


@pytest.mark.parametrize(
    "other",
    [photo(400, 560), PHOTO[:, ::-1], 255 - PHOTO, noise(200, 280, 3, seed=1), np.full((200, 280, 3), 90, np.uint8)],
    ids=["more of it", "mirrored", "negative", "noise", "flat"],
)
def test_others_are_not_alike(other):
    """Another image is not taken for a copy."""
    assert likeness(PHOTO, other) < LIKENESS


def test_flat_images_are_like_none():
    """Empty images of small size have no relief, so that they do not count as copies of each other."""
    flat = np.full((5, 3, 1), 7, np.uint8)
    assert likeness(flat, flat) == 0


def test_stacks_that_share_an_image_are_one():
    """Copies join the stacks that they are of, also over several steps, and nothing else is joined."""
    kinds = [relief_of(noise(64, 64, 1, seed=seed)) for seed in range(6)]
    joined = with_duplicates("abccde", [kinds[k] for k in (0, 1, 0, 2, 2, 3)])
    assert joined == [joined[0], joined[1], joined[0], joined[0], joined[0], joined[5]]
    assert len(set(joined)) == 3


def test_images_without_copies_keep_their_stacks():
    """Where no image is like another the stacks are as they were told."""
    reliefs = [relief_of(noise(64, 64, 1, seed=seed)) for seed in range(5)]
    assert with_duplicates(["x", "y", "x", 3, "y"], reliefs) == [0, 1, 0, 2, 1]


def test_learning_holds_copies_out_together(monkeypatch):
    """`learn` hands on copies as images of one stack."""
    given = []
    monkeypatch.setattr(train, "learn_model", lambda images, name, parent, progress, stacks: given.extend(stacks))
    images = [noise(64, 64, 1, seed=seed) for seed in range(5)]
    fdcodec.learn([*images, np.repeat(np.repeat(images[2], 2, axis=0), 2, axis=1)])
    assert given.count(given[2]) == 2
    assert given[5] == given[2]
