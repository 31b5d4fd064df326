"""Copies of an image are known by its relief, and never judge what their like taught."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from tests.images import noise, photo, saved

import fdcodec
from fdcodec.training import train
from fdcodec.training.duplicates import LIKENESS, copies_among, relief_of
from fdcodec.training.held_out import Part, parts_of
from fdcodec.training.training_images import training_image

PHOTO = photo(200, 280)
SIDES = (Part.SEEN, Part.HELD_OUT)


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
    """Empty images of small size, or of the last bit's noise, have no relief, and are alike only by their samples."""
    noise = np.random.default_rng(1).integers(7, 9, (512, 512, 1)).astype(np.uint8)
    for flat in (np.full((5, 3, 1), 7, np.uint8), noise):
        assert likeness(flat, flat) == 0


def test_copies_are_told_among_images():
    """Images are copies if their reliefs or their samples are the same, and each is one of itself."""
    flat = [np.full((8, 8, 1), value, np.uint8) for value in (7, 7, 9)]
    images = [training_image(samples) for samples in (PHOTO, *flat, PHOTO // 2 + 90)]
    are_alike = copies_among([image.relief for image in images], [image.hash for image in images])
    assert sorted(zip(*np.nonzero(np.triu(are_alike, 1)), strict=True)) == [(0, 4), (1, 2)]
    assert (are_alike == are_alike.T).all()
    assert are_alike.diagonal().all()


@pytest.mark.parametrize(
    ("pictures", "expected"),
    [
        ("aaa", "sxx"),
        ("aaaaaaaaaa", "sxxxxxxxxx"),
        ("ababababab", "ssxxxxxxxx"),
        ("aaaabcdefg", "sssshssssh"),
        ("bcdefgaaaa", "hsssshssss"),
        ("aabbccddee", "hxssssssss"),
        ("aabcd", "sshss"),
        ("aaaaaaaaaabcde", "sssssssssshsss"),
    ],
)
def test_learning_sees_no_copies_of_what_is_held_out(monkeypatch, pictures, expected):
    """A copy of what judges is left out, be it an image or, where a fifth and more of all are its copies, a block."""
    given = []
    monkeypatch.setattr(train, "learn_model", lambda images, name, parent, progress, parts: given.extend(parts))
    fdcodec.learn([noise(64, 64, 1, seed=ord(picture)) // (1 + k % 2) for k, picture in enumerate(pictures)])
    letters = {Part.HELD_OUT: "h", Part.SKIPPED: "x", Part.SEEN: "s"}
    assert "".join(letters[part] for part in given) == expected


@pytest.mark.parametrize("seed", range(20))
def test_no_image_that_is_seen_is_a_copy_of_one_that_is_held_out(seed):
    """Whatever is alike, and whatever the stacks are, copies are on one side, and more than half is seen."""
    rng = np.random.default_rng(seed)
    pictures, stacks = rng.integers(0, 200, 100), np.sort(rng.integers(0, rng.integers(1, 101), 100))
    parts = parts_of(stacks.tolist(), pictures[:, None] == pictures)
    seen, held_out = ({p for p, part in zip(pictures, parts, strict=True) if part is side} for side in SIDES)
    assert not seen & held_out
    assert held_out
    assert parts.count(Part.SEEN) > 50


def test_blank_slices_do_not_keep_stacks_from_being_held_out():
    """Of a stack that is held out the images that all stacks have are left out, and seen in the others."""
    pictures = np.array([[0, 10 * k + 1, 10 * k + 2, 0] for k in range(6)]).ravel()
    parts = parts_of(np.repeat(range(6), 4).tolist(), pictures[:, None] == pictures)
    assert parts[:4] == [Part.SKIPPED, Part.HELD_OUT, Part.HELD_OUT, Part.SKIPPED]
    assert set(parts[4:20]) == {Part.SEEN}
