"""The rival codecs: whole files, right shapes, quality that grows, absence that is reported."""

import warnings

import numpy as np
import pytest
from PIL import Image
from tests.images import photo, ramp

import fdcodec
from fdcodec.cli import compare as command
from fdcodec.compare.codecs import NAMES, Fdc, select
from fdcodec.compare.metrics import METRICS
from fdcodec.compare.rivals import JPEG2000, JPEGXL, RIVALS, WebP
from fdcodec.compare.run import compare
from fdcodec.errors import ParameterError, UnsupportedError
from fdcodec.image.psnr import psnr
from fdcodec.model import registry
from fdcodec.model.class_model import ClassModel

SIGNATURES = {
    "jpeg420": (0, b"\xff\xd8\xff"),
    "jpeg444": (0, b"\xff\xd8\xff"),
    "webp": (8, b"WEBP"),
    "jp2": (4, b"jP  "),
    "avif420": (4, b"ftypavif"),
    "avif444": (4, b"ftypavif"),
    "jxl": (0, b"\xff\x0a"),
}


def test_command_names_what_there_is():
    """Help and completion of the command have the codecs and metrics of the library."""
    assert (NAMES, tuple(METRICS)) == (command.CODECS, command.METRICS)


@pytest.fixture(params=RIVALS)
def rival(request):
    """Each rival codec that is installed."""
    codec = RIVALS[request.param]()
    if codec.missing():
        pytest.skip(f"needs {codec.missing()}")
    return codec


@pytest.mark.parametrize("channels", [1, 3])
def test_round_trip(rival, channels):
    """A file has its format's signature, decodes to the shape that went in, and higher quality is nearer."""
    image = ramp(40, 56, channels)
    image = image[..., 0] if channels == 1 else image
    files = [rival.encode(image, quality) for quality in (rival.qualities[0], rival.qualities[-1])]
    decoded = [rival.decode(data, image) for data in files]
    offset, signature = SIGNATURES[rival.name]
    assert signature == files[0][offset : offset + len(signature)]
    assert [(image.shape, np.uint8)] * 2 == [(d.shape, d.dtype) for d in decoded]
    assert psnr(image, decoded[0]) < psnr(image, decoded[1])


def test_versions_name_library_and_wrapper(rival):
    """The version says which library and which Python package."""
    assert rival.version().count(" ") >= 3
    assert rival.version().split(", ")[1].startswith(("Pillow ", "imagecodecs "))


def test_unknown_codec_is_refused():
    """An unknown name is an error that lists the known ones."""
    with pytest.raises(ParameterError, match="'gif' is unknown; allowed are jpeg420"):
        select(("jpeg420", "gif"), ("auto",))


def test_missing_codec_is_skipped_and_listed(monkeypatch):
    """A codec that is not installed is no error: it is listed with what it misses."""
    monkeypatch.setattr(WebP, "missing", lambda self: "a Pillow with WEBP support")
    chosen, skipped = select(("jpeg420", "webp"), ())
    assert ([codec.name for codec in chosen], skipped) == (["jpeg420"], {"WebP": "a Pillow with WEBP support"})


def test_fdcodec_is_taken_once_for_each_transform():
    """`fdc` stands for one codec a transform, named by it; a path is named by its stem."""
    chosen, _ = select(("fdc",), ("auto", "dct", "models/scans.fdt"))
    assert [codec.name for codec in chosen] == ["fdc-auto", "fdc-dct", "fdc-scans"]
    assert "fdc" in NAMES


def test_codecs_have_names_of_their_own():
    """What is given twice is taken once, and two models whose files have one name are refused."""
    chosen, _ = select(("fdc", "jpeg420", "fdc", "jpeg420"), ("dct", "dct"))
    assert [codec.name for codec in chosen] == ["fdc-dct", "jpeg420"]
    with pytest.raises(ParameterError, match=r"transforms: dct and mine/dct\.fdt have one name, 'dct'"):
        select(("fdc",), ("dct", "auto", "mine/dct.fdt"))


def test_tune_is_named_and_used():
    """Tuned by eye, fdcodec has names and settings that say so and files that are so; tuned for PSNR it has neither."""
    plain, visual = (select(("fdc",), ("dct",), tune)[0][0] for tune in ("psnr", "visual"))
    assert (plain.name, plain.label, plain.settings) == ("fdc-dct", "fdcodec dct", "transform=dct")
    assert (visual.name, visual.label) == ("fdc-dct-visual", "fdcodec dct visual")
    assert visual.settings == "transform=dct, tune=visual"
    image = photo(32, 48)
    assert visual.encode(image, 50) == fdcodec.encode(image, quality=50, transform="dct", tune="visual")
    with pytest.raises(ParameterError, match="tune: 'ear'"):
        select(("fdc",), ("dct",), "ear")


def test_models_of_ones_own_can_be_named(tmp_path):
    """Files that name a model are smaller by the model, decode with it, and their settings say so."""
    own = ClassModel("own", start_states=registry.get("photo").start_states)
    own.save(tmp_path / "own.fdt")
    image = photo(32, 48)
    carrying, naming = (select(("fdc",), (str(tmp_path / "own.fdt"),), embed=embed)[0][0] for embed in ("auto", False))
    assert (carrying.settings, naming.settings) == ("transform=own", "transform=own, models named")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        files = carrying.encode(image, 50), naming.encode(image, 50)
    assert len(files[0]) > len(files[1]) + len(own.to_bytes())
    assert np.array_equal(carrying.decode(files[0], image), naming.decode(files[1], image))


def test_training_hashes_are_found_in_any_recipe(tmp_path):
    """Every sha256 in a recipe counts, however deep it stands."""
    hashes = [character * 64 for character in "abc"]
    recipe = {"images": [{"sha256": hashes[0]}, hashes[1]], hashes[2]: 1, "seed": "0", "curve": [0.5]}
    ClassModel("scans", recipe=recipe).save(tmp_path / "scans.fdt")
    assert frozenset(hashes) == Fdc(str(tmp_path / "scans.fdt")).training_hashes()


def test_auto_counts_presets_only(tmp_path, monkeypatch):
    """A model of one's own, which "auto" never takes, forbids no image."""
    ClassModel("scans", recipe={"images": ["a" * 64]}).save(tmp_path / "scans.fdt")
    monkeypatch.setenv("FDCODEC_MODEL_PATH", str(tmp_path))
    assert "scans" in registry.names()
    assert "a" * 64 not in Fdc("auto").training_hashes()


def test_version_names_the_chosen_model():
    """The identity of a transform that is chosen by name is in the version."""
    assert registry.get("dct").hash.hex()[:16] in Fdc("dct").version()


def test_images_of_16_bits_are_compared_by_codecs_that_take_them(tmp_path):
    """Codecs of 8 bits and SSIMULACRA 2 are left out, the report is written, and pictures are shown in 8 bits."""
    samples = 9 * photo(192, 208)[:, :, 0].astype(np.uint16) + 500
    Image.fromarray(samples).save(tmp_path / "scan.png")
    given = {"qualities": (30, 50, 70, 90), "transforms": ("photo",)}
    comparison = compare([tmp_path / "scan.png"], tmp_path / "report", names=("jpeg420", "jxl", "fdc"), **given)
    assert comparison.measures == ["psnr-y16", "ms-ssim-y16"]
    assert list(comparison.codecs) == ["jxl", "fdc-photo"]
    assert comparison.skipped == {"JPEG 4:2:0": "images of 8 bits a sample"}
    assert all(value > 40 for record in comparison.records for value in record.results["psnr-y16"])
    with Image.open(tmp_path / "report" / "crops" / "scan" / "original.png") as shown:
        assert (shown.mode, shown.getextrema()[1] > 200) == ("L", True)
    assert "PSNR of JPEG XL (16-bit gray)" in (tmp_path / "report" / "index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("given", "told"), [({"names": ("webp",)}, "take fdc, jxl or jp2"), ({"metrics": ("ssimulacra2",)}, "8 bits")]
)
def test_what_is_for_8_bits_only_is_refused_for_16(tmp_path, given, told):
    """No codec that takes 16 bits, or a measure that does not, is an error before any work."""
    Image.new("I;16", (16, 16)).save(tmp_path / "scan.png")
    with pytest.raises((UnsupportedError, ParameterError), match=told):
        compare([tmp_path / "scan.png"], tmp_path / "report", **given)
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("codec", [JPEG2000(), JPEGXL(), Fdc("dct")], ids=lambda codec: codec.name)
def test_deep_codecs_give_16_bits_back(codec):
    """A codec that says so takes gray of 16 bits and gives it back, the finer the better the quality."""
    samples = 9 * photo(64, 64)[:, :, 0].astype(np.uint16) + 500
    decoded = [codec.decode(codec.encode(samples, quality), samples) for quality in (20, 90)]
    assert {(image.dtype.name, image.shape) for image in decoded} == {("uint16", (64, 64))}
    assert psnr(samples, decoded[0]) < psnr(samples, decoded[1])
