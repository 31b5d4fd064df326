"""Warnings point at the line that called fdcodec, however deep inside they are raised."""

import ast
import warnings
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.images import noise, orientation_exif, photo, ramp

import fdcodec
from fdcodec import learning
from fdcodec.errors import ConversionWarning, EmbeddingWarning, LearningWarning, PartialWarning, TargetWarning
from fdcodec.image.picture import Picture
from fdcodec.integrations.pillow import register_pillow
from fdcodec.learning.samples import ArraySamples
from fdcodec.model import ClassModel

PACKAGE = Path(fdcodec.__file__).parent
ZEROS = np.zeros((50, 16))


def converted():
    """Return a Pillow image whose mode is converted."""
    return Image.new("CMYK", (8, 8))


def of_two_frames():
    """Return an opened Pillow image that has another frame."""
    buffer = BytesIO()
    Image.new("L", (8, 8)).save(buffer, "TIFF", save_all=True, append_images=[Image.new("L", (8, 8), 9)])
    return Image.open(buffer)


def with_comment():
    """Return an opened Pillow image whose comment is left out."""
    buffer = BytesIO()
    Image.new("L", (8, 8)).save(buffer, "JPEG", comment=b"of mine")
    return Image.open(buffer)


def with_transparent_value():
    """Return a Pillow image of 16 bits one of whose values is transparent."""
    image = Image.new("I;16", (8, 8))
    image.info["transparency"] = 0
    return image


IMAGES = {
    "a converted mode": converted,
    "another frame": of_two_frames,
    "a comment": with_comment,
    "a transparent value": with_transparent_value,
}
FILES = {
    "a converted mode": (converted, "a.tif", {}),
    "another frame": (of_two_frames, "a.tif", {"save_all": True}),
    "a comment": (with_comment, "a.jpg", {"comment": b"of mine"}),
}


def only_told_here(call, category):
    """Make a call, and check that it warns, always of this category and at a line of this file."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    assert {(warning.category, warning.filename) for warning in told} == {(category, __file__)}


@pytest.fixture
def learn(monkeypatch):
    """Return `fdcodec.learn` without the learning, which warns of nothing."""
    monkeypatch.setattr("fdcodec.api_learn.learn_from", lambda *given: None)
    return fdcodec.learn


@pytest.mark.parametrize("make", IMAGES.values(), ids=IMAGES)
@pytest.mark.parametrize(
    "several", [list, iter, lambda images: (image for image in images)], ids=["list", "iterator", "generator"]
)
def test_learn_warns_of_pillow_images_at_its_caller(learn, make, several):
    """What is lost of a Pillow image to learn from is told at the caller's line."""
    only_told_here(lambda: learn(several([photo(8, 8), make()])), ConversionWarning)


@pytest.mark.parametrize("as_path", [Path, str])
@pytest.mark.parametrize(("make", "name", "options"), FILES.values(), ids=FILES)
def test_learn_warns_of_files_at_its_caller(learn, make, name, options, as_path, tmp_path):
    """What is lost of a file to learn from is told at the caller's line, by the file's name."""
    make().save(tmp_path / name, **options)
    only_told_here(lambda: learn([as_path(tmp_path / name)]), ConversionWarning)


@pytest.mark.parametrize(
    "image",
    [photo(8, 8), 257 * ramp(8, 8, 1).astype(np.uint16), Picture(photo(8, 8))],
    ids=["8 bits", "16 bits", "picture"],
)
def test_learn_warns_of_no_array(learn, image):
    """Nothing is lost of arrays and pictures, and nothing is told."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learn([image])


def damaged():
    """Return a file of four tiles, the first of which is damaged."""
    data = bytearray(fdcodec.encode(noise(64, 64, 1, seed=1), quality=20, transform="dct", tile=32))
    data[data.index(b"DATA") + 5] ^= 1
    return bytes(data)


CALLS = {
    "encode, a conversion": (lambda: fdcodec.encode(converted()), ConversionWarning),
    "encode, a target": (lambda: fdcodec.encode(photo(8, 8), size_bytes=1), TargetWarning),
    "encode, a class model": (
        lambda: fdcodec.encode(photo(8, 8), transform=ClassModel("own"), embed=False),
        EmbeddingWarning,
    ),
    "decode": (lambda: fdcodec.decode(damaged(), partial=True), PartialWarning),
    "decode_region": (lambda: fdcodec.decode_region(damaged(), (0, 0, 64, 64), partial=True), PartialWarning),
    "info": (lambda: fdcodec.info(damaged(), partial=True), PartialWarning),
    "open": (lambda: fdcodec.open(damaged(), partial=True).read(), PartialWarning),
    "save, a conversion": (lambda: converted().save(BytesIO(), "FDC"), ConversionWarning),
    "save, a resolution": (
        lambda: Image.new("L", (8, 8)).save(BytesIO(), "FDC", dpi=(72, 72), exif=orientation_exif(6)),
        ConversionWarning,
    ),
    "save, a misspelt name": (lambda: Image.new("L", (8, 8)).save(BytesIO(), "FDC", qualty=9), UserWarning),
    "fit": (lambda: learning.RmDLA(4, 1, 1).fit(ZEROS), LearningWarning),
    "fit_transform": (lambda: learning.RmDLA(4, 1, 1).fit_transform(ZEROS), LearningWarning),
    "fit_batches": (lambda: learning.RmDLA(4, 1, 1).fit_batches([ZEROS, ZEROS]), LearningWarning),
    "fit_samples": (lambda: learning.RmDLA(4, 1, 1).fit_samples(ArraySamples(ZEROS)), LearningWarning),
}


@pytest.mark.parametrize(("call", "category"), CALLS.values(), ids=CALLS)
def test_every_call_warns_at_its_caller(call, category):
    """Each public call that warns does so at the caller's line."""
    register_pillow()
    only_told_here(call, category)


def test_warnings_have_one_door():
    """Only `warn_caller` warns, so that no call counts its own depth."""
    calls = [
        source.relative_to(PACKAGE).as_posix()
        for source in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(source.read_text()))
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "warnings.warn"
    ]
    assert calls == ["errors.py"]
