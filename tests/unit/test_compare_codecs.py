"""The rival codecs: whole files, right shapes, quality that grows, absence that is reported."""

import numpy as np
import pytest
from tests.images import photo, ramp

import fdcodec
from fdcodec.compare.codecs import NAMES, Fdc, select
from fdcodec.compare.metrics import psnr
from fdcodec.compare.rivals import RIVALS, WebP
from fdcodec.errors import ParameterError
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
