"""The command line: what commands write and say; every command runs in this process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.shell_completion import ShellComplete
from PIL import Image
from tests.images import DRAWN, PNG, noise, orientation_exif, ramp, saved

import fdcodec
from fdcodec import container
from fdcodec.cli.main import fdcodec_group
from fdcodec.format.parameters import Parameters


def test_encode_and_decode_beside_the_input(cli):
    """Without -o the results lie beside the inputs."""
    assert cli("encode", "a.png").code == 0
    Path("a.png").rename("original.png")
    assert cli("decode", "a.fdc").code == 0
    with Image.open("a.png") as image:
        assert image.size == (40, 24)
        assert image.getexif()[274] == 6


def test_output_beside_the_input(cli):
    """A last name with an output's suffix is the output, of both commands."""
    assert cli("encode", "a.png", "b.fdc").code == 0
    assert cli("decode", "b.fdc", "c.ppm").code == 0
    assert Path("c.ppm").read_bytes().startswith(b"P6\n40 24\n255\n")
    assert not Path("a.fdc").exists()


def test_output_of_an_unknown_kind_is_refused_before_anything_is_written(cli):
    """A last name of decode that is no file is the output, so its suffix is checked first."""
    assert cli("encode", "a.png").code == 0
    assert cli("decode", "a.fdc", "x.xyz").code == 2
    Path("a.png").unlink()
    assert cli("decode", "a.fdc", "x.xyz").code == 2
    assert not Path("a.png").exists()


def test_dash_after_one_input_is_standard_output(cli):
    """Of two names a last dash is stdout, of both commands, also after a dash that is stdin."""
    data = cli("encode", "-", "-", stdin=PNG).out
    assert (cli("encode", "a.png", "-").out, Path("a.fdc").exists()) == (data, False)
    Path("b.fdc").write_bytes(data)
    assert cli("decode", "b.fdc", "-", "--format", "ppm").out.startswith(b"P6\n40 24\n255\n")


def test_directory_is_no_output(cli):
    """A directory with an output's suffix is taken for an input."""
    Path("album.fdc").mkdir()
    assert cli("encode", "-r", "a.png", "album.fdc").code == 0
    assert Path("a.fdc").exists()


def test_one_output_takes_one_input(cli):
    """Several inputs before an output are refused before anything is written."""
    assert cli("encode", "a.png", "a.png", "b.fdc").code == 2
    assert not Path("b.fdc").exists()


def test_pipes(cli):
    """A dash reads stdin and writes stdout, in the format that --format names."""
    data = cli("encode", "-", stdin=PNG).out
    decoded = cli("decode", "-", "--format", "ppm", stdin=data).out
    assert decoded.startswith(b"P6\n40 24\n255\n")


def test_encode_equals_the_library(cli):
    """The command adds nothing to what `fdcodec.encode` returns."""
    assert cli("encode", "a.png", "-q", "40", "--metadata", "none").code == 0
    assert Path("a.fdc").read_bytes() == fdcodec.encode(ramp(24, 40, 3), quality=40)


def test_directory_tree_is_mirrored(cli):
    """With -r the tree below a directory is mirrored below --out-dir."""
    Path("in/deep").mkdir(parents=True)
    Path("in/deep/x.png").write_bytes(PNG)
    Path("in/notes.txt").write_text("not an image")
    assert cli("encode", "in", "-r", "--out-dir", "out").code == 0
    assert [str(path) for path in Path("out").rglob("*") if path.is_file()] == ["out/deep/x.fdc"]


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize(("source", "target"), [("png", "png"), ("png", "jpg"), ("jpg", "png"), ("jpg", "jpg")])
def test_orientation_through_the_codec(cli, orientation, source, target):
    """The tag goes through encode and decode, and the stored pixels are not turned."""
    exif = b"Exif\0\0" + orientation_exif(orientation)
    Path(f"in.{source}").write_bytes(saved(ramp(8, 20, 3), {"png": "PNG", "jpg": "JPEG"}[source], exif=exif))
    assert cli("encode", f"in.{source}", "-o", "x.fdc").code == 0
    assert cli("decode", "x.fdc", "-o", f"out.{target}").code == 0
    with Image.open(f"out.{target}") as image:
        assert (image.size, image.getexif()[274]) == ((20, 8), orientation)


@pytest.mark.parametrize(("choice", "kept"), [("all", 1), ("none", 0), ("exif", 1), ("xmp,icc", 0)])
def test_metadata_choice(cli, choice, kept):
    """--metadata says which blocks go into the file."""
    assert cli("encode", "a.png", "--metadata", choice).code == 0
    assert (container.read(Path("a.fdc").read_bytes()).metadata.exif is not None) == kept


def test_json_reports(cli):
    """With --json stdout holds one object a line and nothing else."""
    encode = json.loads(cli("encode", "a.png", "--json").out)
    assert {"input": "a.png", "output": "a.fdc", "width": 40, "height": 24, "channels": 3}.items() <= encode.items()
    assert encode["bytes"] == Path("a.fdc").stat().st_size
    info = json.loads(cli("info", "a.fdc", "--json").out)
    assert (info["width"], info["samples"], info["metadata_bytes"]["exif"] > 0) == (40, "RGB", True)
    assert info["file_bytes"] == encode["bytes"]
    lines = cli("check", "a.fdc", "missing.fdc", "--json").out.splitlines()
    assert [sorted(json.loads(line)) for line in lines] == [["checked", "input", "summary"], ["error", "input"]]


def test_region(cli, encoded):
    """--region decodes a rectangle."""
    assert cli("decode", "a.fdc", "-o", "whole.npy").code == 0
    assert cli("decode", "a.fdc", "-o", "part.npy", "--region", "5,3,20,10").code == 0
    assert np.array_equal(np.load("part.npy"), np.load("whole.npy")[3:13, 5:25])


def test_quiet(cli):
    """--quiet says nothing but errors."""
    assert cli("encode", "a.png", "--quiet") == (0, b"", "")
    assert "exists" in cli("encode", "a.png", "--quiet").err


def test_no_control_characters_when_piped(cli):
    """Progress is for terminals."""
    Path("b.png").write_bytes(PNG)
    assert "\x1b" not in cli("encode", "a.png", "b.png").err


@pytest.mark.parametrize("name", ["with space.png", "-dash.png", "\N{GRINNING FACE}.png"])
def test_any_file_name(cli, name):
    """Spaces, leading dashes and other alphabets are file names."""
    Path(name).write_bytes(PNG)
    assert cli("encode", "--out-dir", "out", "--", name).code == 0
    assert Path("out", name).with_suffix(".fdc").exists()


def test_notes_are_said(cli):
    """What was left out on reading is said, with the name of the input."""
    frames = [Image.fromarray(ramp(4, 4, 3)), Image.fromarray(ramp(4, 4, 3)[::-1])]
    frames[0].save("moving.png", save_all=True, append_images=frames[1:])
    assert "moving.png: note: only the first of 2 frames" in cli("encode", "moving.png").err


def test_hint_at_lossless(cli):
    """Where `encode` did not try it, drawn pictures likely smaller so get a note that names --lossless; others none."""
    Image.fromarray(DRAWN).save("drawn.png")
    told = "note: drawn pictures like this are often smaller with --lossless"
    for target in (("-q", "30", "-t", "map"), ("-q", "30", "-e", "3"), ("-q", "95", "--embed")):
        assert told in cli("encode", "drawn.png", "-f", *target).err
    for target in (("--lossless",), ("-q", "30"), ("--bpp", "1"), ("--psnr", "60")):
        assert "--lossless" not in cli("encode", "drawn.png", "-f", *target).err
    for target in (("-q", "95"), ("--psnr", "45"), ("--size", "200")):
        assert "--lossless" not in cli("encode", "a.png", "-f", *target).err
    Image.open(Path(__file__).parents[2] / "corpus/samples/cartoon.png").crop((0, 0, 128, 96)).save("cartoon.png")
    assert told in cli("encode", "cartoon.png", "--psnr", "34").err


def test_drawn_picture_that_is_smaller_without_loss_is_told_to_be_exact(cli):
    """The line and the JSON of a file that was coded without loss, though a quality was asked for, say so."""
    Image.fromarray(DRAWN).save("drawn.png")
    assert cli("encode", "drawn.png").err.endswith(" bpp, exact\n")
    assert json.loads(cli("encode", "drawn.png", "-f", "--json").out)["lossless"] is True
    assert "exact" not in cli("encode", "drawn.png", "-f", "-t", "map").err.splitlines()[-1]
    told = "note: 1 of 2 is exact; --lossless makes all so\n"
    assert told in cli("encode", "drawn.png", "a.png", "-f").err
    assert told not in cli("encode", "drawn.png", "a.png", "-f", "--lossless").err


def test_default_quality_of_sixteen_bits_is_told_once(cli):
    """That samples of 16 bits are off is said once a run, if no quality was named and a file has errors."""
    for k in range(2):
        np.save(f"{k}.npy", 99 * noise(24, 24, 1, seed=k)[:, :, 0].astype(np.uint16))
    told = "note: at the default quality samples of 16 bits may be off by some percent of their range"
    assert cli("encode", "a.png", "0.npy", "1.npy").err.count(told) == 1
    for options in (
        ("a.png", "-f"),
        ("0.npy", "-f", "-q", "75"),
        ("0.npy", "-f", "--lossless"),
        ("0.npy", "-f", "--quiet"),
    ):
        assert told not in cli("encode", *options).err


@pytest.mark.parametrize("options", [(), ("--tile", "32")], ids=str)
def test_no_hint_at_lossless_for_noise(cli, options):
    """Drawn or not, a page with noise, as scanners give it, is larger without loss and gets no note for metadata."""
    page = 200 + noise(96, 96, 1, seed=1)[:, :, 0] % 8
    page[64:], page[64::7] = 255, 0
    Image.fromarray(page).save("scan.png", icc_profile=bytes(20_000))
    for quality in ("30", "95"):
        line = cli("encode", "scan.png", "-f", "-q", quality, *options).err
        assert "--lossless" not in line and "exact" not in line
    assert Parameters.from_bytes(container.read_header(Path("scan.fdc").read_bytes()).parameters, 8).screen
    size = Path("scan.fdc").stat().st_size
    assert cli("encode", "scan.png", "-f", "--lossless", *options).code == 0
    assert Path("scan.fdc").stat().st_size > size


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(cli, shell):
    """Each shell gets its script."""
    assert b"_FDCODEC_COMPLETE" in cli("completion", shell).out


@pytest.mark.parametrize(
    ("words", "begun", "offered"),
    [
        (("decode", "--format"), "p", ["png", "ppm", "pgm"]),
        (("encode", "--metadata"), "exif,x", ["exif,xmp"]),
        (("compare", "--codecs"), "jxl,av", ["jxl,avif420", "jxl,avif444"]),
        (("compare", "--metrics"), "", ["psnr", "ms-ssim", "ssimulacra2"]),
    ],
)
def test_names_of_a_fixed_list_are_completed(words, begun, offered):
    """A shell is offered the names that an option takes, after those that are there already."""
    complete = ShellComplete(fdcodec_group, {}, "fdcodec", "_FDCODEC_COMPLETE").get_completions
    assert [item.value for item in complete(list(words), begun)] == offered


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("encode", "--help"), ("compare", "--help")])
def test_help_and_version(cli, arguments):
    """Help and version are exit code 0."""
    assert cli(*arguments).code == 0


def test_help_tells_the_limits(cli):
    """How many threads there may be, and how large tiles, stands in the help, and not in the error only."""
    told = " ".join(cli("encode", "--help").out.decode().split())
    assert "Threads, at most 64," in told
    assert "16 to 65535 pixels" in told


def test_closed_pipe_is_silent(encoded):
    """A reader that stops reading is no error."""
    command = f"{sys.executable} -m fdcodec info {'a.fdc ' * 3000}| head -1; exit ${{PIPESTATUS[0]}}"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert (run.stdout, run.stderr) == ("a.fdc\n", "")


@pytest.mark.parametrize("arguments", [["--help"], ["encode", "--help"], ["--version"]])
def test_help_that_nobody_reads_is_no_failure(arguments):
    """A reader of help that has gone is no error, as of any other text."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "fdcodec", *arguments]
    run = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (run.returncode, run.stderr) == (0, "")
