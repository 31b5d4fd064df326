"""The report is made from what is stored, needs no other file, and shows what was measured."""

import errno
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.compare_stub import small_comparison

from fdcodec.compare import plots, report, subjects
from fdcodec.compare.crops import ORIGINAL, TOLERANCE, hardest_box
from fdcodec.compare.environment import describe
from fdcodec.compare.records import Comparison


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a stored comparison and its report."""
    folder = tmp_path_factory.mktemp("report")
    small_comparison(folder).save(folder / "results")
    report.write(Comparison.load(folder / "results"), folder)
    return folder


def test_report_is_the_same_for_the_same_results(folder):
    """Rendering stored results again gives the same page."""
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert page == report.render(Comparison.load(folder / "results"), folder)


def test_failure_leaves_the_files_of_an_earlier_report(tmp_path, monkeypatch):
    """Where a file of a report cannot be written, the one that was there is as it was, and no part of another."""
    comparison = small_comparison(tmp_path)

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def files():
        return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    comparison.save(tmp_path / "results")
    report.write(comparison, tmp_path)
    before = files()
    monkeypatch.setattr(os, "fsync", full)
    for write in (small_comparison, lambda folder: report.write(comparison, folder), comparison.save):
        with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
            write(tmp_path)
    assert files() == before
    assert {path.suffix for path in before} == {".html", ".json", ".png", ".svg"}


def test_page_is_self_contained(folder):
    """Nothing is loaded from elsewhere and nothing is executed."""
    html = (folder / "index.html").read_text("utf-8")
    assert re.findall(r"""(?:src|href)\s*=\s*["'](?!data:|#)[^"']*""", html) == []
    assert re.findall(r"url\((?!data:|#)[^)]*", html) == []
    assert "<script" not in html


def test_names_are_escaped(folder):
    """Labels, commands and machine names with markup characters appear as text."""
    html = (folder / "index.html").read_text("utf-8")
    assert "stub &lt;fdc-auto&gt;" in html
    assert "stub <" not in html
    assert "Test &amp; Co" in html


def test_ids_are_unique(folder):
    """The drawings share the page without sharing clip paths or markers."""
    ids = re.findall(r'\bid="([^"]+)"', (folder / "index.html").read_text("utf-8"))
    clips = [name for name in ids if re.fullmatch(r"[pm][0-9a-f]{10}", name)]
    assert len(set(clips)) == len(clips) > 0


def test_page_shows_the_bd_rates(folder):
    """Twice the bytes are reported as +100 %, and the skipped codec with what it misses."""
    html = (folder / "index.html").read_text("utf-8")
    assert re.search(r"<b>\+(99|100)\.\d %</b>", html)
    assert "AVIF &lt;4:2:0&gt; (skipped)" in html
    assert "needs a Pillow with AVIF support" in html


def test_plots_are_written_in_both_forms(folder):
    """Each measure has an SVG and a PNG."""
    for measure in ("psnr-rgb", "ms-ssim-rgb", "psnr-y", "ms-ssim-y"):
        assert (folder / f"{measure}.svg").read_text("utf-8").startswith("<?xml")
        with Image.open(folder / f"{measure}.png") as image:
            assert image.size == (800, 832)


def test_legend_covers_no_curve(tmp_path):
    """The legend lies below the axes, whatever the curves."""
    figure = plots.rate_distortion(small_comparison(tmp_path), "psnr-rgb")
    figure.draw_without_rendering()
    (legend,), (axes,) = figure.legends, figure.axes
    assert not legend.get_window_extent().overlaps(axes.get_tightbbox())
    assert [text.get_text() for text in legend.get_texts()] == ["stub <jpeg420>", "stub <fdc-auto>"]


def test_averages_are_in_the_form_of_compressai(folder):
    """The averages have name, description and results, as CompressAI's plotting tool reads them."""
    average = json.loads((folder / "results" / "average" / "jpeg420.json").read_text())
    assert {"name", "description", "results"} == set(average)
    assert len(average["results"]["bpp"]) == 5


def test_crops_are_near_the_same_rate(folder):
    """Every coded crop is of a file near the target rate, the original comes first and is exact."""
    comparison = Comparison.load(folder / "results")
    first, *coded = [crop for crop in comparison.crops if crop.image == "colour one"]
    assert (first.codec, [crop.codec for crop in coded]) == (ORIGINAL, ["jpeg420", "fdc-auto"])
    anchor, wasteful = coded
    assert abs(anchor.bpp / anchor.target_bpp - 1) < TOLERANCE
    assert wasteful.psnr_db < anchor.psnr_db


def test_hardest_box_finds_the_error():
    """The square with the largest squared error is found, and stays inside the image."""
    image = np.zeros((50, 60), np.uint8)
    wrong = image.copy()
    wrong[45:50, 50:60] = 9
    left, top, right, bottom = hardest_box(image, wrong, side=10)
    assert (left, right, top, bottom) == (50, 60, 40, 50)


def test_small_images_are_shown_whole():
    """A side shorter than the square is taken whole."""
    image = np.zeros((8, 30), np.uint8)
    assert hardest_box(image, image, side=16) == (0, 0, 16, 8)


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (["1/a.png", "2/b.png"], ["a", "b"]),
        (["1/a.png", "2/a.png", "2/b.png"], ["1-a", "2-a", "b"]),
        (["12/1/a.png", "13/1/a.png", "13/2/a.png"], ["12-1-a", "13-1-a", "2-a"]),
        (["/a.png", "/x/a.png"], ["a", "x-a"]),
    ],
)
def test_names_have_the_folders_that_tell_them_apart(files, names):
    """Images are called by their stems, those of one stem by as many folders as it takes, as tiles of maps need."""
    assert subjects._names([Path(file) for file in files]) == names


def test_command_is_stored_without_folders_of_this_machine(monkeypatch, tmp_path):
    """Of an absolute path the stored command keeps the last part; other arguments stay as they are."""
    monkeypatch.setattr("sys.argv", ["tools/bench.py", "classes", "--data", str(tmp_path / "images"), "--limit", "2"])
    assert describe()["command"] == "tools/bench.py classes --data images --limit 2"
