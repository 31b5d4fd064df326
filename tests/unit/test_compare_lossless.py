"""Lossless codecs compared: every sample comes back, sizes are of whole files, and the page shows what was measured."""

import json
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.images import ramp

import fdcodec
from fdcodec.cli import compare as command
from fdcodec.compare.lossless import report
from fdcodec.compare.lossless.codecs import CODECS, JPEGLS, LosslessFdc, LosslessWebP, select
from fdcodec.compare.lossless.records import Comparison, Record, Result
from fdcodec.compare.lossless.run import compare, measure
from fdcodec.compare.subjects import Subject, load_whole
from fdcodec.errors import FormatError, ParameterError, UnsupportedError, VerificationError

ENVIRONMENT = {
    "command": "fdcodec compare <a>",
    "date": "2026-12-01",
    "machine": {"processor": "Test & Co", "cores": 2, "system": "Linux"},
    "versions": {"fdcodec": "0.1.0"},
}


def subject(samples, name="picture"):
    """Return samples as an image of a comparison."""
    return Subject(name, "ab" * 32, ".png", samples)


def samples_of(channels, dtype):
    """Return a ramp; of the alpha a part is transparent."""
    values = ramp(24, 40, channels).astype(dtype) * (257 if dtype == np.uint16 else 1)
    return values[:, :, 0] if channels == 1 else values


@pytest.fixture(params=CODECS)
def codec(request):
    """Each lossless codec that is installed."""
    codec = CODECS[request.param]()
    if codec.missing():
        pytest.skip(f"needs {codec.missing()}")
    return codec


def test_command_names_what_there_is():
    """Help and completion of the command have the lossless codecs of the library."""
    assert tuple(CODECS) == command.LOSSLESS_CODECS


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_codec_gives_every_sample_back_or_refuses(codec, channels, dtype):
    """A codec gives back the samples that it was given, in their shape and type, or says what it does not take."""
    image = samples_of(channels, dtype)
    try:
        data = codec.encode(image, 100)
    except UnsupportedError as error:
        assert codec.name in {"webp", "jls"}
        assert str(error) == f"{codec.label} has no images of shape {image.shape}, {image.dtype}"
    else:
        decoded = codec.decode(data, image)
        assert (decoded.shape, decoded.dtype, decoded.tolist()) == (image.shape, image.dtype, image.tolist())


def test_opaque_alpha_comes_back_from_webp():
    """WebP leaves out an alpha that is opaque everywhere, and it is there again."""
    if LosslessWebP().missing():
        pytest.skip("needs imagecodecs")
    image = ramp(16, 16, 4)
    image[:, :, 3] = 255
    assert LosslessWebP().decode(LosslessWebP().encode(image), image).tolist() == image.tolist()


def test_unknown_codec_is_refused():
    """A name that no lossless codec has is refused with those there are; one named twice counts once."""
    with pytest.raises(ParameterError, match=r"^codecs: 'avif444' is no lossless codec; allowed are png, "):
        select(["fdc", "avif444"])
    assert [codec.name for codec in select(["fdc", "fdc"])[0]] == ["fdc"]


def test_codec_without_its_library_is_told(monkeypatch):
    """A codec whose library is not installed is left out, and if none remains that is an error with advice."""
    monkeypatch.setattr(JPEGLS, "missing", lambda self: "the package imagecodecs")
    assert select(["jls", "fdc"])[1] == {"JPEG-LS": "the package imagecodecs"}
    with pytest.raises(UnsupportedError, match="codecs: none of those chosen is installed; install"):
        compare([Path("a.png")], Path("report"), ["jls"])


def test_record_has_the_whole_file():
    """The size is that of the file that `encode` writes without loss."""
    image = ramp(16, 24, 3)
    (record,) = measure([subject(image)], [LosslessFdc()])
    assert record.results["fdc"].size_bytes == len(fdcodec.encode(image, lossless=True))
    assert (record.image["width"], record.image["height"]) == (24, 16)
    assert (record.image["channels"], record.image["depth"]) == (3, 8)
    assert record.pixels == 16 * 24


def test_samples_that_do_not_come_back_are_an_error(monkeypatch):
    """A codec that changes a sample is no lossless codec: its sizes are not shown."""
    monkeypatch.setattr(LosslessFdc, "decode", lambda self, data, like: like ^ 1)
    with pytest.raises(VerificationError, match="fdcodec does not give back every sample of picture"):
        list(measure([subject(ramp(8, 8, 1)[:, :, 0])], [LosslessFdc()]))


def test_images_are_taken_as_they_are_stored(tmp_path):
    """Alpha, 16 bits and single pixels stay as they are; a file that is no image is an error that names it."""
    for name, image in (("a", ramp(4, 4, 4)), ("b", samples_of(1, np.uint16)), ("c", ramp(1, 1, 1)[:, :, 0])):
        Image.fromarray(image).save(tmp_path / f"{name}.png")
        (loaded,) = load_whole([tmp_path / f"{name}.png"])
        assert (loaded.samples.dtype, loaded.samples.tolist()) == (image.dtype, image.tolist())
    (tmp_path / "d.png").write_bytes(b"no image")
    with pytest.raises(FormatError, match=r"d\.png: "):
        load_whole([tmp_path / "d.png"])


def comparison(*sizes):
    """Return a comparison of images for which codecs have sizes; each is coded in 1 s and decoded in 0.5."""
    facts = {"name": "a<b", "sha256": "ab" * 32, "width": 1000, "height": 500, "channels": 3, "depth": 8, "notes": []}
    records = [Record(facts, {codec: Result(size, 1.0, 0.5) for codec, size in of.items()}) for of in sizes]
    labels = {"png": "PNG", "jls": "JPEG-LS", "fdc": "fdcodec"}
    return Comparison(ENVIRONMENT, {"WebP": "a <library>"}, labels, dict.fromkeys(labels, "level=9"), records)


def test_percent_is_the_geometric_mean_over_common_images():
    """Half and twice the bytes cancel; images that one of two codecs does not take count for neither."""
    made = comparison({"png": 100, "fdc": 50}, {"png": 100, "fdc": 200}, {"png": 100, "jls": 10})
    assert made.size_percent("fdc", "png") == pytest.approx(0)
    assert made.size_percent("jls", "png") == pytest.approx(-90)
    assert isnan(made.size_percent("jls", "fdc"))


def test_speed_is_of_the_images_that_are_taken():
    """Megapixels a second are those of all images that the codec takes, and no number of none."""
    made = comparison({"png": 1, "fdc": 1}, {"png": 1})
    assert [made.speeds(codec) for codec in ("png", "fdc")] == [(0.5, 1.0)] * 2
    assert all(map(isnan, made.speeds("jls")))


def test_anchor_is_png_or_the_first():
    """Sizes are against PNG where it was run, and else against the first codec that takes an image."""
    made = comparison({"png": 1})
    assert made.anchor == "png"
    assert Comparison({}, {}, {"jls": "JPEG-LS", "fdc": "fdcodec"}, {}, []).anchor == "jls"
    taken = [Record({}, {"fdc": Result(1, 1.0, 1.0)})]
    assert Comparison({}, {}, {"jls": "JPEG-LS", "fdc": "fdcodec"}, {}, taken).anchor == "fdc"


def test_page_shows_sizes_and_what_is_not_taken():
    """The page has each size with its difference from the anchor and what a codec does not take, and escapes names."""
    page = report.render(comparison({"png": 4000, "fdc": 3000}))
    assert "3000<small>\N{MINUS SIGN}25.0 %</small>" in page
    assert "<b>\N{MINUS SIGN}25.0 %</b><span>bytes of fdcodec against PNG</span>" in page
    assert "not taken" in page
    assert "a&lt;b" in page
    assert "a<b" not in page
    assert "<dt>WebP (skipped)</dt><dd>needs a &lt;library&gt;</dd>" in page


def test_command_writes_report_and_results(cli):
    """The command prints sizes against the anchor, and writes a page and the results; with --json it prints them."""
    Image.fromarray(ramp(16, 16, 3)).save("a.png")
    result = cli("compare", "a.png", "-o", "report", "--lossless", "--codecs", "fdc")
    assert result.out.decode().splitlines() == ["bytes against fdcodec: there is no other codec", "report/index.html"]
    stored = json.loads(Path("report/results/lossless.json").read_text())
    assert stored["records"][0]["results"]["fdc"]["size_bytes"] == len(fdcodec.encode(ramp(16, 16, 3), lossless=True))
    assert "fdcodec" in Path("report/index.html").read_text(encoding="utf-8")


def test_command_prints_percents_as_json(cli, monkeypatch):
    """With --json the anchor and the percents are there, null of a codec that shares no image with it, and the page."""
    monkeypatch.setattr("fdcodec.compare.lossless.run.compare", lambda *given: comparison({"png": 4000, "fdc": 3000}))
    Image.fromarray(ramp(16, 16, 3)).save("a.png")
    result = cli("compare", "a.png", "-o", "report", "--lossless", "--json")
    expected = {"anchor": "png", "size_percent": {"jls": None, "fdc": -25.0}, "report": "report/index.html"}
    assert json.loads(result.out) == expected
    lines = cli("compare", "a.png", "-o", "report", "--lossless").out.decode().splitlines()
    assert lines == [
        "bytes against PNG: JPEG-LS has no image in common, fdcodec -25.0 %",
        "WebP was left out: it needs a <library>",
        "report/index.html",
    ]


@pytest.mark.parametrize(
    "option",
    [("--gray",), ("--tune", "psnr"), ("--metrics", "psnr"), ("-t", "dct"), ("--no-embed",), ("--qualities", "9")],
)
def test_command_refuses_what_lossless_would_ignore(cli, option):
    """An option that says nothing of lossless files is a usage error that names it."""
    Image.fromarray(ramp(16, 16, 3)).save("a.png")
    result = cli("compare", "a.png", "-o", "report", "--lossless", *option)
    name = {"-t": "--transforms"}.get(option[0], option[0])
    assert (result.code, Path("report").exists()) == (2, False)
    assert f"{name} and --lossless were given, but exclude each other" in result.err
