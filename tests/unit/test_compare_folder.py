"""The folder of a comparison: there once there is something to write."""

from unittest.mock import Mock

import pytest
from PIL import Image
from tests.images import ramp

from fdcodec.compare.rivals import WebP
from fdcodec.compare.run import compare
from fdcodec.compare.subjects import passed_over
from fdcodec.errors import ParameterError


@pytest.fixture
def picture(tmp_path):
    """Return the path of a small picture."""
    path = tmp_path / "picture.png"
    Image.fromarray(ramp(16, 16, 3)).save(path)
    return path


@pytest.mark.parametrize("made", [False, True])
def test_comparison_that_ends_early_leaves_no_folder(picture, tmp_path, monkeypatch, made):
    """A comparison that is interrupted while it codes leaves a folder only where there was one."""

    def interrupted(self, image, quality):
        assert (tmp_path / "new").exists() == made
        raise KeyboardInterrupt

    folder = tmp_path / "new" / "report"
    if made:
        folder.mkdir(parents=True)
    monkeypatch.setattr(WebP, "encode", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare([picture], folder, names=["webp"], metrics=["psnr"])
    assert (folder.exists(), (tmp_path / "new").exists()) == (made, made)


def test_folder_that_cannot_be_made_is_told_before_the_work(picture, tmp_path):
    """A folder below a file is refused before anything is coded."""
    with pytest.raises(OSError, match="picture"):
        compare(
            [picture],
            picture / "report",
            names=["webp"],
            metrics=["psnr"],
            accepted=lambda images: pytest.fail("begun"),
        )


def test_what_is_passed_over_is_told(cli, picture, monkeypatch):
    """Of a folder, files that are not stored losslessly and folders have a note; a file that is named has none."""
    (picture.parent / "photo.jpg").touch()
    (picture.parent / "below").mkdir()
    assert passed_over([picture.parent, picture]) == ["below", "photo.jpg"]
    monkeypatch.setattr("fdcodec.compare.run.compare", Mock(side_effect=ParameterError("no more than the note")))
    result = cli("compare", str(picture.parent), "-o", "report")
    assert "note: not compared, as they are not lossless images: below, photo.jpg" in result.err
