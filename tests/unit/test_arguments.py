"""Arguments that do not go together, in the library and on the command line, and integers that are not int."""

from pathlib import Path

import numpy as np
import pytest
from tests.images import PNG, ramp

import fdcodec
from fdcodec.arguments import LOSSY_ONLY, checked_encoding
from fdcodec.errors import ParameterError

LOSSY = {"transform": "dct", "embed": False, "effort": 9, "sparsity": 4, "tune": "visual"}
OPTIONS = {
    "--transform": ("-t", "auto"),
    "--embed/--no-embed": ("--no-embed",),
    "--effort": ("-e", "5"),
    "--sparsity": ("--sparsity", "4"),
    "--tune": ("--tune", "psnr"),
}


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.uint16, np.uint64])
def test_numpy_integers_are_integers(kind):
    """Narrow and unsigned integers do not wrap around on their way."""
    plain = {"tile": 16, "effort": 3, "threads": 2, "sparsity": 40}
    data = fdcodec.encode(ramp(40, 150, 1), transform="dct", **plain)
    assert data == fdcodec.encode(ramp(40, 150, 1), transform="dct", **{name: kind(v) for name, v in plain.items()})
    region = tuple(kind(v) for v in (33, 20, 100, 15))
    assert fdcodec.decode_region(data, region).tolist() == fdcodec.decode(data)[20:35, 33:133].tolist()
    assert fdcodec.decode_region(data, np.array(region)).shape == (15, 100, 1)
    with pytest.raises(ParameterError, match=r"^region"):
        fdcodec.decode_region(data, tuple(kind(v) for v in (100, 30, 100, 30)))


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        *(("quality", (0, 100)), ("psnr_db", (1, 120)), ("bpp", (1e-6, 64)), ("size_bytes", (1, 10**12))),
        *(("effort", (1, 9)), ("threads", (1, 64)), ("tile", (16, 65535)), ("sparsity", (1, 65535))),
    ],
)
def test_ends_of_ranges_are_allowed(name, ends):
    """The least and the greatest value of each argument are taken as they are."""
    plain = dict.fromkeys(("tile", "sparsity")) | {"lossless": False, "verify": False, "transform": "auto"}
    plain |= {"embed": "auto", "tune": "psnr", "effort": 5, "threads": 1}
    for value in ends:
        settings, target = checked_encoding(**plain | {name: value})
        assert value == (target.value if target.kind == name else getattr(settings, name, None))


@pytest.mark.parametrize("name", ["effort", "threads", "tile", "sparsity"])
def test_floats_are_shown_as_such(name):
    """A whole number that is a float is refused as one, and not as an integer of the range that is allowed."""
    with pytest.raises(ParameterError, match=rf"^{name}: 20\.0 is not allowed; give an integer in "):
        fdcodec.encode(ramp(8, 8, 1), **{name: 20.0})


def test_numpy_flags_are_flags():
    """Where True and False are taken, so are those that comparisons of numpy give, with the same bytes."""
    image, flags = ramp(16, 16, 1), {"lossless": True, "verify": True}
    data = fdcodec.encode(image, **{name: np.bool_(flag) for name, flag in flags.items()}, embed="auto")
    assert data == fdcodec.encode(image, **flags)
    assert fdcodec.decode(data, partial=np.False_).tolist() == image.tolist()
    for embed in (True, False):
        named = fdcodec.encode(image, transform="dct", embed=np.bool_(embed))
        assert named == fdcodec.encode(image, transform="dct", embed=embed)


@pytest.mark.parametrize("name", LOSSY_ONLY)
def test_lossless_refuses_what_it_would_ignore(name):
    """An argument that says nothing about a lossless file is refused by name, at its default it is not."""
    with pytest.raises(ParameterError, match=f"^{name} and lossless were given, .*; leave out {name} or"):
        fdcodec.encode(ramp(8, 8, 3), lossless=True, **{name: LOSSY[name]})
    with pytest.raises(ParameterError, match=r"^effort and tune and lossless were given"):
        fdcodec.encode(ramp(8, 8, 3), lossless=True, effort=1, tune="visual")


def test_lossless_takes_what_holds_for_it():
    """Tiles, threads, metadata and the hash go together with lossless."""
    data = fdcodec.encode(ramp(40, 40, 3), lossless=True, tile=16, threads=2, xmp=b"<x/>", verify=True, effort=5)
    assert fdcodec.decode(data).tolist() == ramp(40, 40, 3).tolist()


@pytest.mark.parametrize("name", OPTIONS)
def test_lossless_refuses_given_options(cli, name):
    """With --lossless an option that means nothing is a usage error that names it, also when it is its default."""
    result = cli("encode", "a.png", "--lossless", *OPTIONS[name])
    assert (result.code, Path("a.fdc").exists()) == (2, False)
    assert f"{name} and --lossless were given" in result.err
    assert f"leave out {name} or leave out --lossless" in result.err


@pytest.mark.parametrize("arguments", [("--lossless", "-e", "9"), ("--lossless", "-q", "50"), ("-q", "101")])
def test_wrong_options_are_refused_once(cli, arguments):
    """Of several inputs wrong options are one usage error, before any of them is read."""
    Path("b.png").write_bytes(PNG)
    result = cli("encode", "a.png", "b.png", *arguments)
    assert (result.code, len(result.err.splitlines()), list(Path().glob("*.fdc"))) == (2, 1, [])


@pytest.mark.parametrize(("command", "name"), [("encode", "b.png"), ("decode", "b.fdc")])
def test_unknown_class_model_is_refused_once(cli, encoded, command, name):
    """Of several inputs a class model that is not there is one error, exit code 3, before any of them is read."""
    result = cli(command, f"a{Path(name).suffix}", name, "-t", "none-such", "--out-dir", "out")
    assert (result.code, result.err.count("none-such"), Path("out").exists()) == (3, 1, False)


@pytest.mark.parametrize(
    "arguments",
    [
        *(("encode", "-r", ""), ("decode", ""), ("encode", "a.png", "--out-dir", "")),
        *(("learn", "a.png", "-o", ""), ("compare", "a.png", "-f", "-o", "")),
    ],
)
def test_empty_path_is_not_the_current_directory(cli, arguments):
    """An empty path, as of a variable that is not set, is a usage error."""
    result = cli(*arguments)
    assert (result.code, "the path is empty" in result.err) == (2, True)


def test_output_and_directory_are_not_taken_for_each_other(cli):
    """A directory given as output and a file given as directory are refused, and the message says which it is."""
    Path("folder").mkdir()
    result = cli("encode", "a.png", "-o", "folder", "--force")
    assert (result.code, "folder is a directory; name a file in it" in result.err) == (1, True)
    result = cli("encode", "a.png", "--out-dir", "a.png")
    assert (result.code, "'a.png' is a file" in result.err) == (2, True)
    result = cli("learn", "a.png", "-o", "folder")
    assert (result.code, "'folder' is a directory" in result.err) == (2, True)
