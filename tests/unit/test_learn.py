"""Learning a class model through the public function and the command."""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.images import photo, saved

import fdcodec
from fdcodec import container
from fdcodec.errors import ConversionWarning, EmbeddingWarning, FormatError, ParameterError, TransformNotFoundError
from fdcodec.model import ClassModel
from fdcodec.model.embedding import embedded
from fdcodec.training import train, training_images

IMAGES = [photo(64, 96), photo(96, 64)[:, :, 0]]


@pytest.fixture(scope="module")
def model() -> ClassModel:
    """Return a model learned from the images above."""
    return fdcodec.learn(IMAGES)


def test_sources_of_images_are_alike(model, tmp_path):
    """Arrays, Pillow images and paths of the same samples give the same model."""
    for i, image in enumerate(IMAGES):
        (tmp_path / f"{i}.png").write_bytes(saved(image, "PNG"))
    paths = [tmp_path / "0.png", str(tmp_path / "1.png")]
    assert fdcodec.learn(paths).hash == model.hash
    assert fdcodec.learn([Image.fromarray(image) for image in IMAGES]).hash == model.hash


def test_learned_model_is_embedded_and_decodes_without_being_installed(model):
    """A file made with a learned model carries it, and decodes from its bytes alone."""
    data = fdcodec.encode(IMAGES[0], transform=model)
    file = container.read(data)
    assert embedded(file.model_bytes).hash == model.hash
    assert fdcodec.decode(data).shape == IMAGES[0].shape


def test_model_by_reference_must_be_installed(model, tmp_path, monkeypatch):
    """A file that only names a learned model needs it in the model path."""
    with pytest.warns(EmbeddingWarning):
        data = fdcodec.encode(IMAGES[0], transform=model, embed=False)
    with pytest.raises(TransformNotFoundError, match=container.read(data).model_ref.hex()):
        fdcodec.decode(data)
    model.save(tmp_path / "crops.fdt")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    assert np.array_equal(fdcodec.decode(data), fdcodec.decode(fdcodec.encode(IMAGES[0], transform=model)))


def test_parent_is_where_learning_starts(model):
    """A child of a model says so in its recipe."""
    assert fdcodec.learn(IMAGES[1:], parent=model).recipe["parent"] == model.hash.hex()


def test_progress_is_counted():
    """The callback sees every stage, in order, end at its total."""
    seen = []
    fdcodec.learn([photo(32, 32)], progress=lambda *step: seen.append(step))
    last = {stage: (done, total) for stage, done, total in seen}
    assert list(last) == ["blocks, 1 of 4", "rotations, 2 of 4", "learned modes, 3 of 4", "contexts and filter, 4 of 4"]
    assert all(done == total for done, total in last.values())


@pytest.mark.parametrize(
    ("images", "error"),
    [
        *(([], ParameterError), ([7], ParameterError), ([np.zeros((8, 8), np.int16)], ParameterError)),
        *((photo(8, 8), ParameterError), (photo(8, 8)[:, :, 0], ParameterError), (np.array("a.png"), ParameterError)),
    ],
)
def test_unusable_images(images, error):
    """No image, something else, samples that are no image's, and one image in the place of several are refused."""
    with pytest.raises(error, match="image"):
        fdcodec.learn(images)


@pytest.mark.parametrize("images", [b"a.png", np.zeros((4, 8, 4), np.uint8)], ids=["bytes", "RGBA"])
def test_one_image_is_no_list_of_images(images):
    """One path or one image in the place of several is told by what to give."""
    with pytest.raises(ParameterError, match="give a list of images or paths, be it of one"):
        fdcodec.learn(images)


def test_conversions_are_warned_of(tmp_path, monkeypatch):
    """A file that is not learned from as it is has the warning of `encode`, which points at the caller."""
    monkeypatch.setattr("fdcodec.api_learn.learn_from", lambda *given: None)
    Image.new("CMYK", (8, 8)).save(tmp_path / "a.tif")
    with pytest.warns(ConversionWarning, match=r"a\.tif: ") as told:
        fdcodec.learn([tmp_path / "a.tif"])
    assert told[0].filename == __file__


def test_unreadable_file(tmp_path):
    """A file that is no image is a format error."""
    (tmp_path / "a.png").write_text("text")
    with pytest.raises(FormatError):
        fdcodec.learn([tmp_path / "a.png"])


def test_command_learns_from_what_can_be_read(cli):
    """Unreadable images are left out and said, the others make the model, and the exit code is 1."""
    Path("text.png").write_text("I am no image")
    result = cli("learn", "a.png", "text.png", "-o", "mine.fdt")
    assert (result.code, ClassModel.load("mine.fdt").name) == (1, "mine")
    assert "text.png: not an image" in result.err
    assert cli("encode", "a.png", "-t", "mine.fdt").code == 0


@pytest.mark.parametrize("name", ["photo", "dct", "auto"])
def test_command_refuses_a_name_that_means_something_else(cli, name):
    """A model that `-t` would not find by its name, of a preset or "auto", is refused before anything is learned."""
    result = cli("learn", "a.png", "-o", f"{name}.fdt")
    assert (result.code, Path(f"{name}.fdt").exists()) == (2, False)
    assert f"output: {name} means " in result.err


def test_command_keeps_an_existing_model(cli):
    """An existing output is refused before anything is learned."""
    Path("mine.fdt").write_bytes(b"precious")
    assert cli("learn", "a.png", "-o", "mine.fdt").code == 1
    assert Path("mine.fdt").read_bytes() == b"precious"


@pytest.mark.parametrize("command", [("learn", "a.png", "-o", "mine.fdt"), ("transforms", "export", "map", "mine.fdt")])
def test_directory_that_cannot_be_written_is_told_before_the_work(cli, monkeypatch, learned_from, command):
    """Nothing is learned for a directory that takes no class model."""
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    result = cli(*command)
    assert (result.code, learned_from) == (1, [])
    assert result.err.endswith(f"{Path.cwd()} cannot be written to; name another directory\n")


@pytest.mark.parametrize(("most", "used"), [(3, [10, 11, 13]), (5, [10, 11, 12, 13, 14])])
def test_at_most_so_many_images_are_used_evenly_chosen(monkeypatch, most, used):
    """Of more images than the windows have pixels for `learn` takes some, with their stacks, from first to last."""
    given = []
    monkeypatch.setattr(training_images, "MAX_IMAGES", most)
    monkeypatch.setattr(train, "learn_model", lambda images, *_: given.extend(images))
    fdcodec.learn([np.full((8, 8), 10 + k, np.uint8) for k in range(5)], stacks=range(5))
    assert [int(image.middle[0, 0, 0]) for image in given] == used


def test_command_tells_how_many_images_it_uses(cli, monkeypatch, learned_from):
    """Images that are not used are not read, and a note tells of them."""
    monkeypatch.setattr(training_images, "MAX_IMAGES", 2)
    for name in ("b.png", "c.png"):
        Path(name).write_bytes(Path("a.png").read_bytes())
    result = cli("learn", "a.png", "b.png", "c.png", "-o", "mine.fdt")
    assert "note: 2 of 3 images are used, evenly chosen; more make no better model" in result.err
    assert len(learned_from) == 2


def test_most_images_are_those_whose_windows_have_the_most_pixels():
    """The bound of images leaves the windows of fewer images as they are."""
    most = training_images.MAX_IMAGES
    assert most * 64**2 <= training_images.MAX_PIXELS < (most + 1) * 64**2
    assert training_images.evenly_chosen(range(most)) == list(range(most))


def test_command_keeps_a_model_that_appears_while_it_learns(cli, monkeypatch):
    """What another process wrote meanwhile is not replaced without --force."""

    def learn_from(*arguments):
        Path("mine.fdt").write_bytes(b"precious")
        return ClassModel("mine", recipe={})

    monkeypatch.setattr("fdcodec.api_learn.learn_from", learn_from)
    result = cli("learn", "a.png", "-o", "mine.fdt")
    assert (result.code, Path("mine.fdt").read_bytes()) == (1, b"precious")
    assert "it exists by now; add --force" in result.err
