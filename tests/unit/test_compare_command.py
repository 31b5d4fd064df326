"""The command `compare`: what it prints and stores, what it refuses, and when it says how long it takes."""

import json
from hashlib import sha256

import pytest
from click.testing import CliRunner
from PIL import Image
from tests.compare_stub import small_comparison
from tests.images import ramp
from tests.stacks import stack

import fdcodec.cli.compare as command
from fdcodec.cli import comparisons
from fdcodec.compare import rivals
from fdcodec.compare.rivals import WebP
from fdcodec.errors import ParameterError, UnsupportedError
from fdcodec.model import ClassModel


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


def test_measure_that_no_image_has_is_told_with_both_reasons(tmp_path):
    """A measure can lack on every image because all are small, or because of drawn ones a file is exact."""
    lines = comparisons._lines({"psnr-y": {}}, small_comparison(tmp_path))
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


def test_duration_is_told_once_nothing_is_refused(cli, picture, tmp_path):
    """How long it takes is said before the work, and not before a refusal."""
    options = ["-o", str(tmp_path / "report"), "--codecs", "jpeg420", "--metrics", "psnr"]
    result = cli("compare", str(picture), str(picture), *options)
    assert (result.code, "about ten seconds" in result.err) == (2, False)
    assert f"images: {picture} and {picture} are one, or have one name; give each image once" in result.err
    result = cli("compare", str(picture), *options, "--qualities", "50")
    assert result.err.startswith("fdcodec: --qualities: 1 given, of which BD-rate needs 4; give 4 or more")
    assert "about ten seconds" in cli("compare", str(picture), *options).err
