"""The synthetic images: the same on every machine, as the manifest says."""

import json
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

CORPUS = Path(__file__).parents[2] / "corpus"
sys.path.insert(0, str(CORPUS))

from generate import SAMPLE_SIZE, SAMPLES, generate, main, pixel_hash  # noqa: E402
from scenes import SCENES  # noqa: E402

ROWS = json.loads((CORPUS / "manifest" / "samples.json").read_text())


def test_every_class_has_a_sample():
    """The manifest lists one sample for each scene."""
    assert list(SCENES) == [row["class"] for row in ROWS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["class"])
def test_regeneration_gives_the_same_pixels(row):
    """The generator still gives the pixels whose hash is in the manifest."""
    image = generate(row["class"], 0, SAMPLES.get(row["class"], SAMPLE_SIZE))
    assert row["sha256_pixels"] == pixel_hash(image)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["class"])
def test_stored_samples_are_those_of_the_manifest(row):
    """The file has the hash of the manifest, and its pixels have theirs."""
    path = CORPUS / row["path"]
    assert row["sha256"] == sha256(path.read_bytes()).hexdigest()
    assert row["sha256_pixels"] == pixel_hash(np.asarray(Image.open(path)))


def test_samples_are_small_and_cover_what_tests_need():
    """All samples together stay below 500 kB; there is colour of at least 256 x 256, gray, and alpha."""
    assert sum((CORPUS / row["path"]).stat().st_size for row in ROWS) < 500_000
    images = {row["class"]: Image.open(CORPUS / row["path"]) for row in ROWS}
    assert (images["photo"].mode, images["gray"].mode, images["sticker"].mode) == ("RGB", "L", "RGBA")
    assert min(images["photo"].size) >= 256


def test_seeds_give_different_images():
    """Another seed is another image of the class."""
    assert pixel_hash(generate("map", 0, (128, 128))) != pixel_hash(generate("map", 1, (128, 128)))


def test_options_without_a_folder_leave_the_samples(monkeypatch, capsys):
    """The samples of the repository are written without options only."""
    monkeypatch.setattr(sys, "argv", ["generate.py", "--classes", "map"])
    monkeypatch.setattr(sys.modules["generate"], "write_samples", lambda: pytest.fail("samples are written"))
    with pytest.raises(SystemExit):
        main()
    assert "these options need --output" in capsys.readouterr().err


def test_splits_do_not_overlap():
    """No image of a test split is in a training split, of any class."""
    rows = [row for path in (CORPUS / "manifest").glob("*.json") for row in json.loads(path.read_text())]
    hashes = {split: {row["sha256"] for row in rows if row["split"] == split} for split in ("train", "test")}
    assert set() == hashes["train"] & hashes["test"]
