"""Pillow saves our files as `encode` makes them."""

import warnings
from fractions import Fraction
from inspect import signature
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from PIL.ExifTags import Base
from PIL.TiffImagePlugin import IFDRational
from tests import pillow_files
from tests.images import photo, ramp
from tests.pillow_files import METADATA, MODES, opened, saved

import fdcodec
from fdcodec import container
from fdcodec.container import Metadata
from fdcodec.errors import ConversionWarning, ParameterError, UnsupportedError
from fdcodec.image import arrays


@pytest.fixture(autouse=True, scope="module")
def registered():
    """Register for all tests here."""
    fdcodec.register_pillow()


@pytest.mark.parametrize(
    "options",
    [
        {"quality": 20, "transform": "photo", "effort": 2, "tune": "visual", "tile": 32},
        {"size_bytes": 900, "effort": 1},
        {"lossless": True, "threads": 2, "verify": True},
        {},
    ],
    ids=str,
)
def test_saving_takes_the_arguments_of_encode(options):
    """A saved file is the one that `encode` makes of the same image with the same arguments."""
    image = Image.fromarray(photo(48, 64))
    assert saved(image, **options) == fdcodec.encode(image, **options)


def test_every_argument_of_encode_is_taken():
    """No argument of `encode` is ignored: each is refused where its value has a wrong type."""
    image = Image.fromarray(MODES["L"])
    for name in signature(fdcodec.encode).parameters.keys() - {"image", "icc"}:
        with pytest.raises(ValueError, match=f"^{name}: "):
            saved(image, **{name: {}})
    with pytest.raises(ValueError, match=r"^icc: "):
        saved(image, icc_profile={})


def rational(numerator: int, denominator: int) -> tuple[IFDRational, IFDRational]:
    """Return a resolution as Pillow reads it from TIFF."""
    return IFDRational(numerator, denominator), IFDRational(numerator, denominator)


@pytest.mark.parametrize(
    "dpi",
    [
        (300, 150),
        (72.5, 1e-3),
        (299.9994, 150.0124),
        rational(300, 1),
        rational(1, 3),
        (np.float32(96), np.int16(72)),
        (Fraction(1, 3), 1),
    ],
    ids=str,
)
def test_resolution_is_stored(dpi):
    """`dpi` is found again, of an image that has no EXIF, or no other than that of a resolution."""
    new, scan = Image.fromarray(MODES["L"]), Image.fromarray(MODES["L"])
    scan.format, scan.info["dpi"] = "PNG", (72, 72)
    data = saved(new, dpi=dpi, lossless=True)
    assert opened(data).info["dpi"] == pytest.approx(tuple(map(float, dpi)))
    assert saved(scan, dpi=dpi, lossless=True) == data
    assert saved(opened(saved(new, dpi=(72, 72), lossless=True)), dpi=dpi, lossless=True) == data


@pytest.mark.parametrize("dpi", [(0, 0), (-72, 72), (1e-12, 1e-12), (float("nan"), 72), (2.0**32, 72), "72", 72])
def test_what_is_no_resolution_is_ignored(dpi):
    """`dpi` that EXIF has no numbers for, or that is no pair of numbers, leaves no EXIF."""
    assert "dpi" not in opened(saved(Image.fromarray(MODES["L"]), dpi=dpi)).info


def test_exif_has_its_own_resolution():
    """EXIF that was there or is given stays as it is; a warning tells of a `dpi` that it does not state."""
    image = opened(fdcodec.encode(MODES["L"], exif=METADATA["exif"]))
    stating = Image.Exif()
    stating[Base.XResolution], stating[Base.YResolution], stating[Base.Make] = 300, 300, "us"
    for options in ({}, {"exif": stating}):
        with pytest.warns(ConversionWarning, match=r"^dpi: left out, .* give it as exif$") as told:
            data = saved(image, dpi=(72, 72), **options)
        assert (len(told), told[0].filename) == (1, pillow_files.__file__)
        assert data == saved(image, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert saved(image, dpi=(300, 300), exif=stating) == saved(image, exif=stating)


OF_OTHER_FORMATS = """
    optimize progressive subsampling qtables comment compress_level pnginfo transparency duration loop disposal
    method exact alpha_quality near_lossless kmin kmax background compression tiffinfo append_images
    speed codec range tile_rows tile_cols quality_mode quality_layers tile_size tile_offset max_threads chroma bits
"""


def test_arguments_of_other_formats_are_ignored():
    """As Pillow documents it, an argument that a format does not know is ignored."""
    image = Image.fromarray(MODES["L"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert saved(image, **dict.fromkeys(OF_OTHER_FORMATS.split(), 1), dpi=300) == saved(image)


@pytest.mark.parametrize(
    ("name", "meant"), [("qualty", "quality"), ("Lossless", "lossless"), ("psnrdb", "psnr_db"), ("iccprofile", "icc_p")]
)
def test_misspelt_arguments_are_warned_of(name, meant):
    """What is nearly the name of an argument is ignored with a warning that has the right one, and all others."""
    with pytest.warns(UserWarning, match=f"^{name}: ignored; did you mean {meant}.*effort.*tune") as told:
        saved(Image.fromarray(MODES["L"]), **{name: 30})
    assert len(told) == 1


@pytest.mark.parametrize(("name", "right"), [("psnr", "psnr_db"), ("size", "size_bytes"), ("icc", "icc_profile")])
def test_arguments_by_the_names_of_the_command_line_or_of_encode_are_refused(name, right):
    """What would be ignored without a word, as it has another name here, is an error that gives that."""
    with pytest.raises(ParameterError, match=f"^{name}: this is called {right} here"):
        saved(Image.fromarray(MODES["L"]), **{name: 30})


def test_wrong_values_are_a_valueerror_and_leave_no_file(tmp_path):
    """A wrong argument is the ValueError of `encode`, and Pillow removes the file."""
    with pytest.raises(ParameterError, match="quality: 101"):
        Image.fromarray(MODES["L"]).save(tmp_path / "a.fdc", quality=101)
    assert list(tmp_path.iterdir()) == []


def test_flags_of_numpy_are_flags():
    """`lossless=np.True_` refuses what `True` does, here and in `encode`."""
    image = Image.new("CMYK", (4, 4))
    for save, error in ((saved, OSError), (fdcodec.encode, UnsupportedError)):
        with pytest.raises(error, match="CMYK colours would be converted"):
            save(image, lossless=np.True_)


def test_too_little_memory_to_convert_says_what_to_do(monkeypatch):
    """`save` makes an OSError of the LimitError of `encode`."""

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(arrays, "_checked_pillow", fail)
    with pytest.raises(OSError, match="too little memory; make some free"):
        saved(Image.new("L", (4, 4)))


def test_conversions_are_warned_of():
    """A mode that is not stored as it is gives the warning of `encode`."""
    with pytest.warns(ConversionWarning, match="CMYK colours are stored as RGB"):
        saved(Image.new("CMYK", (4, 4)), quality=5)


@pytest.mark.parametrize("mode", ["CMYK", "YCbCr", "HSV", "RGBX"])
def test_conversions_are_refused_without_loss(mode):
    """Colours that would be converted are not saved as lossless."""
    with pytest.raises(OSError, match=f"lossless: the {mode} colours would be converted"):
        saved(Image.new(mode, (4, 4)), lossless=True)


def test_what_cannot_be_saved_is_an_oserror():
    """A mode without a place in the format is an OSError."""
    with pytest.raises(OSError, match="image mode F"):
        saved(Image.new("F", (4, 4)))


@pytest.mark.filterwarnings("ignore::fdcodec.errors.ConversionWarning")
@pytest.mark.parametrize("mode", ["1", "P", "PA", "CMYK", "YCbCr", "HSV", "I", "La", "RGBX"])
def test_other_modes_are_converted_as_encode_does(mode):
    """Modes that the format does not hold are saved as `encode` stores them."""
    image = Image.new(mode, (6, 5), 1 if mode in "1PIL" else None)
    assert saved(image, quality=50) == fdcodec.encode(image, quality=50)


@pytest.mark.parametrize("prefix", [b"", b"Exif\0\0"])
def test_metadata_that_is_given_is_stored(prefix):
    """EXIF with or without its prefix, XMP and ICC are stored byte for byte."""
    given = {"exif": prefix + METADATA["exif"], "xmp": METADATA["xmp"], "icc_profile": METADATA["icc"]}
    file = container.read(saved(Image.fromarray(MODES["L"]), **given))
    assert file.metadata == Metadata(**METADATA)


def test_exif_of_pillow_is_stored():
    """`exif` may be what `getexif` returns."""
    exif = Image.Exif()
    exif[274] = 8
    assert opened(saved(Image.fromarray(MODES["L"]), exif=exif)).getexif()[274] == 8


def test_metadata_survives_unless_it_is_left_out():
    """A file saved again keeps its metadata; as for Pillow's formats, None and what is empty leave a block out."""
    image = opened(fdcodec.encode(ramp(8, 8, 3), **METADATA))
    assert container.read(saved(image)).metadata == Metadata(**METADATA)
    for nothing in (b"", "", None):
        assert container.read(saved(image, exif=nothing, icc_profile=nothing)).metadata == Metadata(xmp=METADATA["xmp"])
        assert container.read(saved(image, xmp=nothing)).metadata == Metadata(**METADATA | {"xmp": None})


@pytest.mark.parametrize("suffix", ["jpeg", "png", "webp"])
def test_exif_goes_on_to_other_formats(suffix):
    """EXIF of one of our files, given to another format as Pillow's users do, is understood there."""
    image = opened(fdcodec.encode(ramp(8, 8, 3), **METADATA))
    buffer = BytesIO()
    image.save(buffer, suffix, exif=image.info["exif"])
    assert Image.open(buffer).getexif()[274] == 6
