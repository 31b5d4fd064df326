"""Sweeps, what they store, and the averages over it, with a stub codec on tiny images."""

import json
import math
import struct
from dataclasses import asdict

import numpy as np
import pytest
from PIL import EpsImagePlugin, Image
from tests.compare_stub import ENVIRONMENT, Quantizer, small_comparison, subject

from fdcodec import learn
from fdcodec.compare import report
from fdcodec.compare.aggregate import (
    anchor_of,
    average_bd_rates,
    average_curves,
    complete_images,
    compressai_averages,
    image_bd_rates,
    speeds,
    spread,
)
from fdcodec.compare.records import Comparison, write_json
from fdcodec.compare.subjects import find, load_all
from fdcodec.compare.sweep import refuse_training_images, sweep
from fdcodec.errors import FormatError, ParameterError, UnsupportedError
from fdcodec.image.psnr import psnr

COMPRESSAI_KEYS = {"psnr-rgb", "ms-ssim-rgb", "bpp", "encoding_time", "decoding_time"}


def test_record_counts_whole_files():
    """Size is the length of the file, and rate is eight times it by the pixels."""
    image, codec = subject("a", 16, 24, seed=1), Quantizer()
    (record,) = sweep([image], [codec], ["psnr"])
    sizes = [len(codec.encode(image.samples, quality)) for quality in codec.qualities]
    assert sizes == record.results["size_bytes"]
    assert [8 * size / (16 * 24) for size in sizes] == record.results["bpp"]


def test_record_measures_the_decoded_image():
    """Quality is of what the decoder gives back, one value a setting."""
    image, codec = subject("a", 16, 24, seed=2), Quantizer()
    (record,) = sweep([image], [codec], ["psnr"], qualities=[20, 40])
    decoded = [codec.decode(codec.encode(image.samples, quality), image.samples) for quality in (20, 40)]
    assert [psnr(image.samples, d) for d in decoded] == record.results["psnr-rgb"]
    assert record.results["quality"] == [20, 40]


def test_record_has_the_keys_of_compressai_and_provenance(tmp_path):
    """The JSON has name, description with version, CompressAI's lists, and the image's hash and size."""
    comparison = small_comparison(tmp_path)
    stored = asdict(comparison.records[0])
    assert set(stored["results"]) >= COMPRESSAI_KEYS
    assert stored["description"] == "none; stub 1"
    assert (len(stored["image"]["sha256"]), stored["image"]["width"], stored["image"]["height"]) == (64, 192, 176)


def test_comparison_survives_storing(tmp_path):
    """What is loaded equals what was saved."""
    comparison = small_comparison(tmp_path)
    comparison.save(tmp_path / "results")
    assert comparison == Comparison.load(tmp_path / "results")


def test_images_are_stored_by_any_name(tmp_path):
    """Names that other files of a report have, and names that are no text, are those of images like any other."""
    subjects = [subject(name, 8, 8, seed=1, gray=True) for name in ("average", "run.json", "a,b\n<&>", "\udcff")]
    measured = Comparison(ENVIRONMENT, {}, list(sweep(subjects, [Quantizer()], ("psnr",))))
    measured.save(tmp_path / "results")
    page = report.write(measured, tmp_path).read_text(encoding="utf-8")
    assert Comparison.load(tmp_path / "results") == measured
    assert "<th>a,b\n&lt;&amp;&gt;</th>" in page


def test_infinite_values_are_null_in_json(tmp_path):
    """JSON has no infinity: it is written as null."""
    write_json(tmp_path / "x.json", {"a": [1.5, math.inf, math.nan]})
    assert json.loads((tmp_path / "x.json").read_text()) == {"a": [1.5, None, None]}


def test_images_that_a_model_was_learned_from_are_refused():
    """`learn` knows its images by their samples, from whatever file."""
    image = subject("a", 64, 64, seed=3)
    codec = Quantizer("fdc-mine", trained_on=frozenset(learn([image.samples]).recipe["images"]))
    with pytest.raises(ParameterError, match="fdc-mine> was learned from a, on which"):
        refuse_training_images([image], [codec])


@pytest.mark.parametrize("gray", [False, True])
@pytest.mark.parametrize("mode", ["1", "LA", "P", "RGB", "RGBA", "I;16"])
def test_files_that_a_model_was_learned_from_are_known(tmp_path, mode, gray):
    """What `learn` was given is known whether or not it drops colours, alpha, or bits of it."""
    samples = subject("a", 16, 16, seed=3).samples
    image = Image.fromarray(9 * samples[:, :, 0].astype(np.uint16) + 500 if mode == "I;16" else samples)
    if mode.endswith("A"):
        image.putalpha(Image.fromarray(samples[:, :, 1]))
    path = tmp_path / "a.tif"
    image.convert(mode).save(path)
    (loaded,) = load_all([path], gray)
    assert learn([path]).recipe["images"][0] in loaded.hashes


def test_negatives_that_a_model_was_learned_from_are_known(tmp_path):
    """A 16-bit TIFF whose 0 is white is known as the picture that it stands for."""
    path = tmp_path / "a.tif"
    Image.fromarray(9 * subject("a", 16, 16, seed=3).samples[:, :, 0].astype(np.uint16)).save(path)
    black, white = (struct.pack("<HHII", 262, 3, 1, value) for value in (1, 0))
    path.write_bytes(path.read_bytes().replace(black, white))
    (loaded,) = load_all([path], gray=False)
    assert learn([path]).recipe["images"][0] in loaded.hashes


def test_training_images_are_refused():
    """Images whose hashes are in a model's recipe may not be compared with that model; the error names all at once."""
    a, b, c = (subject(name, 16, 16, seed) for seed, name in enumerate("abc"))
    scans = Quantizer("fdc-scans", trained_on=frozenset({a.sha256, c.sha256}))
    maps = Quantizer("fdc-maps", trained_on=frozenset({b.sha256}))
    told = "images: stub <fdc-scans> was learned from a, c, and stub <fdc-maps> was learned from b, on which"
    with pytest.raises(ParameterError, match=told):
        sweep([a, b, c], [scans, Quantizer(), maps], ["psnr"])


def test_gray_and_colour_are_not_averaged(tmp_path):
    """Each kind has its own measure, curve and BD-rate: twice the bytes are +100 %."""
    comparison = small_comparison(tmp_path)
    assert comparison.measures == ["psnr-rgb", "ms-ssim-rgb", "psnr-y", "ms-ssim-y"]
    assert complete_images(comparison, "psnr-y") == ["grey"]
    for measure in ("psnr-rgb", "psnr-y"):
        assert pytest.approx(average_bd_rates(comparison, measure, "jpeg420")["fdc-auto"].percent, abs=0.5) == 100


def test_average_curve_is_the_mean_over_images():
    """A point of the average curve is the mean rate and the mean quality of that setting."""
    images = [subject("a", 16, 16, seed=5), subject("b", 16, 16, seed=6)]
    records = list(sweep(images, [Quantizer()], ["psnr"]))
    curve = average_curves(Comparison(ENVIRONMENT, {}, records), "psnr-rgb")["jpeg420"]
    assert np.mean([r.results["bpp"] for r in records], axis=0).tolist() == curve.bpp
    assert np.mean([r.results["psnr-rgb"] for r in records], axis=0).tolist() == curve.quality


def test_images_without_a_measure_are_left_out_of_its_average():
    """MS-SSIM is not defined on a small image: the average is over the others, for every codec."""
    images = [subject("small", 32, 32, seed=7), subject("large", 176, 176, seed=8)]
    comparison = Comparison(ENVIRONMENT, {}, list(sweep(images, [Quantizer()], ["psnr", "ms-ssim"])))
    assert tuple(complete_images(comparison, measure) for measure in ("psnr-rgb", "ms-ssim-rgb")) == (
        ["small", "large"],
        ["large"],
    )


def test_image_that_one_codec_gives_back_exactly_is_left_out(tmp_path):
    """An infinite PSNR at any setting of any codec, the first or the last, takes the image out of all averages."""
    for place in (0, -1):
        comparison = small_comparison(tmp_path)
        records = [record for record in comparison.records if record.image["name"] == "colour one"]
        assert "colour one" in complete_images(comparison, "psnr-rgb")
        records[place].results["psnr-rgb"][0] = math.inf
        assert "colour one" not in complete_images(comparison, "psnr-rgb")


def test_bd_rate_of_each_image(tmp_path):
    """Every image has its own BD-rate, zero for the anchor."""
    rates = image_bd_rates(small_comparison(tmp_path), "psnr-rgb", "jpeg420")
    assert {("colour one", "jpeg420"), ("colour one", "fdc-auto")} == set(rates)
    assert pytest.approx(rates["colour one", "jpeg420"].percent) == 0


def test_spread_of_known_values():
    """Median and mean are exact, refused values are not counted, the interval leaves out 2.5 % at each end.

    Of 27 means of three draws one is the least value and one the greatest, which is more; of four it is one of 256.
    """
    over = spread([-10.0, -20.0, math.nan, -60.0])
    assert (over.median, over.mean, over.images) == (-20.0, -30.0, 3)
    assert (over.low, over.high) == (-60.0, -10.0)
    four = spread([-10.0, -20.0, -30.0, -60.0])
    assert -60.0 < four.low < four.high < -10.0


def test_rates_are_against_jpeg_where_it_is_there(tmp_path):
    """The anchor is JPEG 4:2:0, wherever it stands among the codecs, and the first of them where it was not run."""
    comparison = small_comparison(tmp_path)
    turned, others = comparison.records[::-1], [r for r in comparison.records if r.codec != "jpeg420"]
    assert anchor_of(Comparison(ENVIRONMENT, {}, turned)) == "jpeg420" != turned[0].codec
    assert anchor_of(Comparison(ENVIRONMENT, {}, others)) == "fdc-auto"


def test_averages_for_other_tools_have_what_all_images_have(tmp_path):
    """Of gray and colour images together there is a rate, and no average of what only one kind has."""
    results = compressai_averages(small_comparison(tmp_path))["jpeg420"]["results"]
    assert "bpp" in results
    assert not {"psnr-rgb", "psnr-y"} & results.keys()


def test_speed_is_pixels_by_seconds(tmp_path):
    """Megapixels over all settings by the seconds they took together."""
    comparison = small_comparison(tmp_path)
    seconds = sum(sum(r.results["encoding_time"]) for r in comparison.records if r.codec == "jpeg420")
    pixels = 5 * (176 * 192 + 176 * 176)
    assert pixels / 1e6 / seconds == pytest.approx(speeds(comparison)["jpeg420"][0])


def test_folders_give_their_lossless_images(tmp_path):
    """A folder stands for the losslessly stored images in it; a file given by name is taken as it is."""
    for name in ("b.png", "a.png", "c.jpg"):
        Image.new("L", (16, 16)).save(tmp_path / name)
    found = find([tmp_path, tmp_path / "c.jpg"])
    assert [path.name for path in found] == ["a.png", "b.png", "c.jpg"]


def test_loading_reduces_to_gray_or_rgb(tmp_path):
    """Gray stays gray, everything else is RGB, transparency is laid over white, and --gray reduces colour."""
    Image.new("L", (16, 16), 7).save(tmp_path / "l.png")
    Image.new("RGBA", (16, 16), (0, 0, 0, 0)).save(tmp_path / "rgba.png")
    files = [tmp_path / "l.png", tmp_path / "rgba.png"]
    gray, colour = load_all(files, gray=False)
    assert (gray.samples.shape, colour.samples.shape) == ((16, 16), (16, 16, 3))
    assert (gray.samples.min(), colour.samples.min()) == (7, 255)
    assert [subject.samples.shape for subject in load_all(files, gray=True)] == [(16, 16)] * 2


@pytest.mark.parametrize(
    ("shape", "dtype", "planes"),
    [((16, 24), "u1", "y"), ((16, 24, 1), "u1", "y"), ((16, 24, 2), "u1", "y"), ((16, 24), "u2", "y16")]
    + [((16, 24, channels), "u1", "rgb") for channels in (3, 4)],
)
def test_arrays_are_images(tmp_path, shape, dtype, planes):
    """A file of `numpy.save` is what `encode` takes it for, also in a folder."""
    np.save(tmp_path / "a.npy", np.full(shape, 255, dtype))
    (loaded,) = load_all(find([tmp_path]), gray=False)
    assert (loaded.planes, loaded.format, set(loaded.samples.flat)) == (planes, "NPY", {255})
    assert learn([tmp_path / "a.npy"]).recipe["images"][0] in loaded.hashes


def test_arrays_that_are_no_images_to_compare_name_the_file(tmp_path):
    """Colour of 16 bits and numbers that are no samples are refused with the path."""
    for name, array in (("deep", np.zeros((16, 16, 3), np.uint16)), ("float", np.zeros((16, 16)))):
        np.save(tmp_path / name, array)
        with pytest.raises(UnsupportedError, match=f"{name}.npy: "):
            load_all([tmp_path / f"{name}.npy"], gray=False)


def test_equal_stems_are_told_apart(tmp_path):
    """Images of the same name in two folders are named with their folders."""
    files = [tmp_path / folder / "x.png" for folder in ("one", "two")]
    for file in files:
        file.parent.mkdir()
        Image.new("L", (16, 16)).save(file)
    assert [subject.name for subject in load_all(files, gray=False)] == ["one-x", "two-x"]


@pytest.mark.parametrize("name", ["..png", "...png"])
def test_name_of_dots_is_no_folder_above(tmp_path, name):
    """Of a file whose name is dots up to the suffix the whole name is that of its results."""
    Image.new("L", (16, 16)).save(tmp_path / name, "PNG")
    assert [subject.name for subject in load_all([tmp_path / name], gray=False)] == [name]


def test_unreadable_images_name_the_file(tmp_path):
    """Text named .png, floating point and tiny images are refused with the path."""
    (tmp_path / "text.png").write_text("no image")
    Image.new("F", (16, 16)).save(tmp_path / "float.tif")
    Image.new("L", (4, 16)).save(tmp_path / "tiny.png")
    for name, error in (("text.png", FormatError), ("float.tif", UnsupportedError), ("tiny.png", UnsupportedError)):
        with pytest.raises(error, match=name):
            load_all([tmp_path / name], gray=False)


def test_only_readers_of_encode_are_used(tmp_path, monkeypatch):
    """A format that `encode` does not read is refused before its reader runs, which for EPS calls another program."""
    monkeypatch.setattr(EpsImagePlugin, "Ghostscript", lambda *_, **__: pytest.fail("the reader was called"))
    (tmp_path / "a.png").write_text("%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 20 20\n%%EndComments\nshowpage\n")
    with pytest.raises(FormatError, match=r"a\.png: not an image in a format that can be read"):
        load_all([tmp_path / "a.png"], gray=False)


def test_depths_are_compared_apart(tmp_path):
    """Images of 16 bits are compared among themselves; beside one of 8 bits they are refused, with both names."""
    Image.new("I;16", (16, 16)).save(tmp_path / "deep.png")
    Image.new("L", (16, 16)).save(tmp_path / "shallow.png")
    files = [tmp_path / "deep.png", tmp_path / "shallow.png"]
    (deep,) = load_all(files[:1], gray=False)
    assert (deep.depth, deep.planes, deep.samples.dtype) == (16, "y16", np.uint16)
    with pytest.raises(ParameterError, match="deep has 16 bits a sample and shallow 8"):
        load_all(files, gray=False)
