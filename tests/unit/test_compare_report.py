"""The report is made from what is stored, needs no other file, and shows what was measured."""

import errno
import json
import os
import re
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image
from tests.compare_stub import small_comparison
from tests.images import ramp
from tests.stacks import stack

import fdcodec.cli.compare as command
from fdcodec.compare import plots, report, rivals, subjects
from fdcodec.compare.crops import ORIGINAL, TOLERANCE, hardest_box
from fdcodec.compare.environment import describe
from fdcodec.compare.records import Comparison
from fdcodec.compare.rivals import WebP
from fdcodec.errors import ParameterError, UnsupportedError
from fdcodec.model import ClassModel


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


@pytest.fixture
def picture(tmp_path):
    """Return the path of a PNG image of 48 x 40."""
    path = tmp_path / "picture.png"
    Image.fromarray(ramp(40, 48, 3)).save(path)
    return path


def result_of(*arguments):
    """Run the command and return click's result."""
    return CliRunner().invoke(command.compare, [str(argument) for argument in arguments], catch_exceptions=False)


def run(*arguments) -> str:
    """Run the command and return what it prints."""
    return result_of(*arguments).output


def test_command_writes_a_report_and_prints_json(picture, tmp_path):
    """`--json` prints to stdout BD-rates by measure and codec, and where the page is; nothing else."""
    output = tmp_path / "report"
    result = result_of(picture, "-o", output, "--codecs", "jpeg420,webp", "--metrics", "psnr", "--json")
    printed = json.loads(result.stdout)
    assert str(output / "index.html") == printed["report"]
    assert {"psnr-rgb"} == set(printed["bd_rate_percent"])
    assert printed["bd_rate_percent"]["psnr-rgb"]["jpeg420"] == 0
    assert (output / "results/images/picture/webp.json").exists()


def test_frames_left_out_are_told(cli, tmp_path):
    """Of a file of several frames only the first is compared: a note says so, as do the page and the stored records."""
    (tmp_path / "stack.tif").write_bytes(stack([ramp(40, 48, 3)] * 3))
    options = ["--codecs", "jpeg420", "--metrics", "psnr"]
    result = cli("compare", str(tmp_path / "stack.tif"), "-o", str(tmp_path / "report"), *options)
    told = "only the first of 3 frames was read"
    assert f"stack: note: {told}" in result.err
    assert told in (tmp_path / "report/index.html").read_text("utf-8")
    record = json.loads((tmp_path / "report/results/images/stack/jpeg420.json").read_text())
    assert record["image"]["notes"] == [told]


def test_command_names_the_tune(picture, tmp_path):
    """With `--tune visual` the page and the stored records of fdcodec say so."""
    output = tmp_path / "report"
    options = ["--codecs", "fdc", "--transforms", "dct", "--metrics", "psnr", "--qualities", "20,40,60,80"]
    run(picture, "-o", output, *options, "--tune", "visual")
    record = json.loads((output / "results/images/picture/fdc-dct-visual.json").read_text())
    assert (record["name"], "tune=visual" in record["description"]) == ("fdcodec dct visual", True)
    assert "fdcodec dct visual" in (output / "index.html").read_text("utf-8")


def test_refused_figures_say_why(picture, tmp_path, monkeypatch):
    """A BD-rate that is refused has the reason beside it, and below what to do; codecs left out have what they miss."""
    monkeypatch.setattr(WebP, "missing", lambda self: "a Pillow with WEBP support")
    options = ["--codecs", "jpeg420,webp", "--metrics", "psnr", "--qualities", "0,0.1,0.2,0.3"]  # one file of JPEG
    printed = run(picture, "-o", tmp_path / "report", *options)
    assert "JPEG 4:2:0 refused (1 usable point on a curve, 4 are needed)" in printed
    assert "if it is refused, give --qualities more values over a wider range" in printed
    assert "WebP was left out: it needs a Pillow with WEBP support" in printed
    figures = json.loads(result_of(picture, "-o", tmp_path / "another", *options, "--json").stdout)
    assert figures["bd_rate_percent"]["psnr-rgb"]["jpeg420"] is None
    assert figures["refused"]["psnr-rgb"]["jpeg420"] == "1 usable point on a curve, 4 are needed"


def test_refused_comparison_leaves_no_folder(picture, tmp_path):
    """A comparison of a transform with an image that it was learned from is refused before the folder is made."""
    ClassModel("own", recipe={"images": [sha256(picture.read_bytes()).hexdigest()]}).save(tmp_path / "own.fdt")
    options = ["--codecs", "fdc", "--transforms", str(tmp_path / "own.fdt")]
    with pytest.raises(ParameterError, match="fdcodec own was learned from picture"):
        run(picture, "-o", tmp_path / "report", *options)
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("absent", ["scipy", "imagecodecs"])
def test_missing_packages_are_named_with_what_installs_them(picture, tmp_path, monkeypatch, absent):
    """Without the packages of compare, or those of all codecs that were chosen, the error says how to get them."""
    for module in (command, rivals):
        monkeypatch.setattr(module, "find_spec", lambda name: None if name == absent else name)
    with pytest.raises(UnsupportedError, match=r"pip install -e '\.\[compare\]'") as caught:
        run(picture, "-o", tmp_path / "report", "--codecs", "jxl", "--metrics", "psnr")
    assert caught.value.exit_code == 3
    assert not (tmp_path / "report").exists()


def test_command_does_not_overwrite(picture, tmp_path):
    """A folder with something in it is refused without --force, and taken with it."""
    options = ["--codecs", "jpeg420", "--metrics", "psnr", "--qualities", "20,40,60,80"]
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "note.txt").write_text("mine")
    with pytest.raises(ParameterError, match="not empty"):
        run(picture, "-o", tmp_path / "report", *options)
    assert "index.html" in run(picture, "-o", tmp_path / "report", *options, "--force")
    assert (tmp_path / "report" / "note.txt").read_text() == "mine"


def test_measure_that_no_image_has_is_told_with_both_reasons(folder):
    """A measure can lack on every image because all are small, or because of drawn ones a file is exact."""
    lines = command._lines({"psnr-y": {}}, Comparison.load(folder / "results"))
    assert lines[0].endswith("psnr-y: none: each image is too small for it, or has a file that is exact")


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--qualities", "20,x", "is not a list of numbers"),
        ("--qualities", "20,101", "outside 0 to 100"),
        ("--codecs", "", "'' has no name in it"),
        ("--metrics", ",", "',' has no name in it"),
        ("-t", " ", "' ' has no name in it"),
    ],
)
def test_command_refuses_bad_lists(picture, tmp_path, option, value, said):
    """A usage error names the value."""
    assert said in " ".join(run(picture, "-o", tmp_path / "report", option, value).split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--metrics", "vmaf"], "'vmaf' cannot be computed"),
        (["--qualities", "20,50,80"], "3 given, of which BD-rate needs 4"),
        (["--qualities", "20,50,50,80"], "3 given, of which BD-rate needs 4"),
        (["--codecs", "gif"], "'gif' is unknown"),
    ],
)
def test_command_refuses_bad_choices(picture, tmp_path, options, said):
    """A wrong choice is an error that says what is allowed, before anything is written."""
    with pytest.raises(ParameterError, match=said):
        run(picture, "-o", tmp_path / "report", *options)
    assert not (tmp_path / "report").exists()


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


def test_duration_is_told_once_nothing_is_refused(cli, picture, tmp_path):
    """How long it takes is said before the work, and not before a refusal."""
    options = ["-o", str(tmp_path / "report"), "--codecs", "jpeg420", "--metrics", "psnr"]
    result = cli("compare", str(picture), str(picture), *options)
    assert (result.code, "about ten seconds" in result.err) == (2, False)
    assert f"images: {picture} and {picture} are one, or have one name; give each image once" in result.err
    result = cli("compare", str(picture), *options, "--qualities", "50")
    assert result.err.startswith("fdcodec: --qualities: 1 given, of which BD-rate needs 4; give 4 or more")
    assert "about ten seconds" in cli("compare", str(picture), *options).err


def test_command_is_stored_without_folders_of_this_machine(monkeypatch, tmp_path):
    """Of an absolute path the stored command keeps the last part; other arguments stay as they are."""
    monkeypatch.setattr("sys.argv", ["tools/bench.py", "classes", "--data", str(tmp_path / "images"), "--limit", "2"])
    assert describe()["command"] == "tools/bench.py classes --data images --limit 2"
