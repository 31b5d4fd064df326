"""Targets of the public `encode`: sizes, bits per pixel, PSNR."""

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.images import DRAWN, noise, photo, ramp

import fdcodec
from fdcodec import codec
from fdcodec.container import read_header
from fdcodec.errors import EmbeddingWarning, TargetWarning
from fdcodec.format.parameters import Parameters
from fdcodec.image.arrays import as_picture
from fdcodec.image.colour import choose_colour
from fdcodec.model import get
from fdcodec.targets import psnr_db

IMAGE = photo(96, 128)
LARGER = photo(192, 256)  # at 36 dB 500 bytes; of a file of 135 a step changes the PSNR by more than is promised


@pytest.mark.parametrize("share", [0.4, 1.0, 2.5])
def test_size_target(share):
    """The file is never above the size and fills it as far as the steps of so small a picture allow."""
    size = round(share * len(fdcodec.encode(IMAGE)))
    assert 0.9 * size <= len(fdcodec.encode(IMAGE, size_bytes=size)) <= size


def test_bpp_target_is_a_size_target():
    """Bits per pixel are those of the whole file."""
    assert fdcodec.encode(IMAGE, bpp=1.0) == fdcodec.encode(IMAGE, size_bytes=IMAGE.shape[0] * IMAGE.shape[1] // 8)


@pytest.mark.parametrize("target", [36.0, 40.0, 42.0])
def test_psnr_target(target):
    """The PSNR of the written file is within 0.1 dB of the target."""
    assert psnr_db(as_picture(LARGER), fdcodec.encode(LARGER, psnr_db=target)) == pytest.approx(target, abs=0.1)


@pytest.mark.filterwarnings("ignore::fdcodec.errors.TargetWarning")
@pytest.mark.parametrize(
    "target", [{}, {"quality": 0}, {"quality": 100, "verify": True}, {"size_bytes": 90}, {"bpp": 2}, {"tune": "visual"}]
)
def test_drawn_picture_is_exact_where_that_is_smaller(target):
    """For a quality or a size, a drawn picture is kept without loss if that takes no more bytes than with it."""
    data = fdcodec.encode(DRAWN, **target)
    assert read_header(data).lossless
    assert len(data) <= len(fdcodec.encode(DRAWN, transform="dct", **target))
    np.testing.assert_array_equal(fdcodec.decode(data), DRAWN)


@pytest.mark.parametrize(
    "given",
    [
        {"lossless": False},
        {"psnr_db": 40},
        {"transform": "dct"},
        {"transform": get("dct")},
        {"effort": 3},
        {"sparsity": 9},
        {"embed": True},
    ],
    ids=str,
)
def test_drawn_picture_is_coded_as_told(given):
    """For a PSNR, with what says how to code, or in a hurry, a drawn picture is not coded without loss."""
    with warnings.catch_warnings(action="ignore", category=TargetWarning):
        assert not read_header(fdcodec.encode(DRAWN, **given)).lossless


@pytest.mark.filterwarnings("ignore::fdcodec.errors.TargetWarning")
@pytest.mark.parametrize("picture", [ramp(64, 64, 3), np.where(ramp(64, 64, 1) > 99, noise(64, 64, 1, seed=2), 9)])
@pytest.mark.parametrize("target", [{"quality": 60}, {"size_bytes": 700}])
def test_picture_that_is_larger_without_loss_is_coded_with_it(picture, target):
    """Exact files that are larger, drawn or not, are not kept."""
    data = fdcodec.encode(picture, **target)
    assert not read_header(data).lossless
    assert len(data) < len(fdcodec.encode(picture, lossless=True))


def test_exact_file_that_just_fits_is_taken():
    """For a size a drawn picture is exact if that fits, however small the lossy files are, to the byte."""
    drawn = np.kron(np.random.default_rng(3).integers(0, 2, (12, 16), np.uint8) * 200, np.ones((4, 3), np.uint8))
    size_bytes = len(fdcodec.encode(drawn, lossless=True))
    assert read_header(fdcodec.encode(drawn, size_bytes=size_bytes)).lossless
    assert read_header(fdcodec.encode(drawn, bpp=8 * size_bytes / drawn.size)).lossless


def test_no_memory_for_the_exact_file_leaves_the_lossy_one(monkeypatch):
    """A file that is made is not lost because there is too little memory to try another."""
    encode = codec.encode

    def with_little_memory(picture, settings):
        if settings.lossless is True:
            raise MemoryError
        return encode(picture, settings)

    monkeypatch.setattr(codec, "encode", with_little_memory)
    assert fdcodec.encode(DRAWN) == fdcodec.encode(DRAWN, lossless=False)


def test_exact_file_that_is_too_large_misses_its_size():
    """Where a drawn picture's exact file is the smallest, and yet above the limit, its size is told."""
    with pytest.warns(TargetWarning, match="a size of 9 bytes was not met; of the files tried the smallest has 33 byt"):
        assert read_header(fdcodec.encode(DRAWN, size_bytes=9)).lossless


@pytest.fixture
def encodes(monkeypatch):
    """Return a list that takes the settings and the file of each encode."""
    made, encode = [], codec.encode

    def noting(picture, settings):
        made.append((settings, encode(picture, settings)))
        return made[-1][1]

    monkeypatch.setattr(codec, "encode", noting)
    return made


def test_search_is_bounded_and_never_repeats(encodes):
    """A target costs at most eight encodes, each at another quality."""
    fdcodec.encode(IMAGE, psnr_db=39.987)
    tried = [settings.quality for settings, _ in encodes]
    assert len(tried) == len(set(tried)) <= 8


@pytest.mark.filterwarnings("ignore::fdcodec.errors.TargetWarning")
@pytest.mark.parametrize(("size_bytes", "most"), [(40, 1), (30, 8), (9, 8)])
def test_exact_encode_is_one_of_the_eight(encodes, size_bytes, most):
    """Of a drawn picture the exact file is tried first: if it fits, nothing is left to seek, and else seven encodes."""
    fdcodec.encode(DRAWN, size_bytes=size_bytes)
    assert [settings.lossless for settings, _ in encodes].count(True) == 1
    assert len(encodes) <= most


def test_colour_transform_is_that_of_the_second_encode(encodes):
    """From the third encode on a search keeps the colour transform, which goes by the step where it is chosen."""
    fdcodec.encode(LARGER, psnr_db=47, effort=1)
    steps = [Parameters.from_bytes(read_header(data).parameters, 8) for _, data in encodes]
    chosen = [choose_colour(LARGER, 2.0 ** (step.step_index / 32 - 4)) for step in steps]
    assert len(set(chosen[1:])) > 1
    assert [step.colour for step in steps] == chosen[:2] + (len(steps) - 2) * [chosen[1]]


@pytest.mark.parametrize("target", [{"size_bytes": 900}, {"psnr_db": 33.0}, {"quality": 60, "verify": True}])
def test_targets_with_a_model_that_is_only_named(target):
    """A model that is not installed is known to the encode that it was given to."""
    own = replace(get("dct"), name="own", filters=None)
    with pytest.warns(EmbeddingWarning, match="own is not installed"):
        data = fdcodec.encode(IMAGE, transform=own, embed=False, effort=1, **target)
    assert fdcodec.decode(data, transform=own).shape == IMAGE.shape


@pytest.mark.parametrize(
    "target", [{"quality": 50}, {"quality": 50, "embed": False}, {"psnr_db": 36, "verify": True}, {"size_bytes": 900}]
)
def test_file_of_the_class_model_is_read_before(monkeypatch, tmp_path, target):
    """An encode and its search for a target go by the class model that was there when it began."""
    path, encode_once = tmp_path / "own.fdt", codec.encode
    get("dct").save(path)

    def encode_without_file(*arguments):
        path.unlink(missing_ok=True)
        return encode_once(*arguments)

    monkeypatch.setattr(codec, "encode", encode_without_file)
    assert fdcodec.encode(LARGER, transform=path, **target) == fdcodec.encode(LARGER, transform="dct", **target)


@pytest.mark.parametrize("target", [{"size_bytes": 700}, {"bpp": 1.0}])
def test_size_counts_the_hash(target):
    """A file with the hash of its samples keeps to its size, too."""
    limit = target.get("size_bytes", IMAGE.shape[0] * IMAGE.shape[1] // 8)
    assert len(fdcodec.encode(IMAGE, verify=True, **target)) <= limit


@pytest.mark.parametrize("target", ["size_bytes", "bpp"])
def test_size_that_cannot_be_reached_is_a_warning(target):
    """Of a size below the smallest file that file is returned, and a warning says what it has."""
    smallest = fdcodec.encode(IMAGE, quality=0)
    size = len(smallest) - 1
    value = size if target == "size_bytes" else 8 * size / IMAGE[:, :, 0].size
    with pytest.warns(TargetWarning, match=f"{size} bytes was not met; .* {len(smallest)} bytes") as caught:
        assert fdcodec.encode(IMAGE, **{target: value}) == smallest
    assert [entry.message.kept for entry in caught] == [False]


def test_size_below_the_file_of_the_lowest_quality_is_met_by_a_smaller_one():
    """Of a small picture quality 2 may be smaller than quality 0; its size is reached, without a warning."""
    image = ramp(32, 32, 1)
    size = len(fdcodec.encode(image, quality=2))
    assert size < len(fdcodec.encode(image, quality=0))
    assert len(fdcodec.encode(image, size_bytes=size)) == size


@pytest.mark.parametrize(
    ("image", "exact_db"), [(np.array([[7]], np.uint8), 49.13), (np.full((8, 8), 7, np.uint16), 115.39)]
)
def test_exact_file_exceeds_a_finite_psnr(image, exact_db):
    """Where only an exact file comes near, that is told, also at the PSNR that a search takes for an exact file's."""
    with pytest.warns(TargetWarning, match=f"{exact_db} dB is exceeded: the file has no error") as caught:
        data = fdcodec.encode(image, psnr_db=exact_db)
    assert [entry.message.kept for entry in caught] == [True]
    assert np.array_equal(fdcodec.decode(data), image)


@pytest.mark.parametrize(("dtype", "peak"), [(np.uint8, 255), (np.uint16, 65535)])
def test_psnr_below_that_of_the_coarsest_file_is_told_with_the_peak(dtype, peak):
    """Where quality 0 is above the target already, the warning says so, and by which peak."""
    image = 150 + LARGER[:, :, 0].astype(dtype) // 4
    with pytest.warns(TargetWarning, match=f"the coarsest file has .* dB already, by the peak {peak}"):
        assert fdcodec.encode(image, psnr_db=20) == fdcodec.encode(image, quality=0)


def test_size_that_cannot_be_filled_is_kept():
    """Of a limit above the finest file that file is returned, and the warning says that the limit is kept."""
    with pytest.warns(TargetWarning, match="were not filled") as caught:
        assert fdcodec.encode(IMAGE, size_bytes=10**6) == fdcodec.encode(IMAGE, quality=100)
    assert [entry.message.kept for entry in caught] == [True]


def test_exact_file_is_the_last_that_is_tried_for_a_size(encodes):
    """Where a file below the limit is exact nothing could fill it: one encode does, and the warning says so."""
    image = np.full((40, 40), 7, np.uint8)
    with pytest.warns(TargetWarning, match="1000 bytes were not filled; the file without an error has"):
        assert np.array_equal(fdcodec.decode(fdcodec.encode(image, size_bytes=1000)), image)
    assert len(encodes) == 1


def test_size_below_that_of_alpha_is_told_with_it():
    """Where alpha alone takes more than the limit, the warning says how much it is."""
    picture = np.dstack([IMAGE, noise(*IMAGE.shape[:2], 1, seed=3)])
    with pytest.warns(TargetWarning, match=r"\d+ bytes, \d+ of them for alpha, which is stored exactly"):
        fdcodec.encode(picture, size_bytes=100)


def test_size_below_that_of_metadata_is_told_with_it():
    """Where metadata take what the limit leaves no room for, the warning says how much it is."""
    with pytest.warns(TargetWarning, match="its metadata, which can be left out, have 812$"):
        fdcodec.encode(IMAGE, size_bytes=800, exif=bytes(800), icc=bytes(12))


def test_psnr_that_cannot_be_reached_is_a_warning():
    """The nearest file is returned, and a warning says what it has."""
    with pytest.warns(TargetWarning, match="110 dB was not met; of the files tried the one that is kept has"):
        data = fdcodec.encode(IMAGE, psnr_db=110)
    assert data == fdcodec.encode(IMAGE, quality=100)


@pytest.mark.parametrize("wanted_db", [30, 36, 42])
def test_missed_psnr_gives_no_file_beside_which_a_finer_one_is_no_larger(encodes, wanted_db):
    """Of a drawing whose exact file is the smallest of all near the target, that is returned."""
    y, x = np.mgrid[:48, :64]
    image = np.where((y - 22) ** 2 + (x - 22) ** 2 < 300, 90, 230).astype(np.uint8)
    image[20:44, 30:60] = 30
    with pytest.warns(TargetWarning, match=f"{wanted_db} dB is exceeded: the file has no error"):
        data = fdcodec.encode(image, psnr_db=wanted_db)
    assert np.array_equal(fdcodec.decode(data), image)
    assert len(data) < max(len(tried) for _, tried in encodes)


def test_fractions_are_numbers():
    """A target that is another kind of real number is taken, and told where it is missed."""
    with pytest.warns(TargetWarning, match="119 dB was not met"):
        fdcodec.encode(IMAGE, psnr_db=Fraction(119), effort=1)


def test_search_for_a_psnr_starts_at_the_quality_that_usually_has_it(encodes):
    """The finer a PSNR is, the finer is the first encode, up to a bound; of 16 bits it is the same for all."""
    for image, expected in ((IMAGE, (4, 14.8, 46.6, 78.4, 90)), (IMAGE.astype(np.uint16), 5 * (60,))):
        for wanted_db, quality in zip((20, 30, 36, 42, 60), expected, strict=True):
            encodes.clear()
            with warnings.catch_warnings(action="ignore"):
                fdcodec.encode(image, psnr_db=wanted_db, effort=1)
            assert encodes[0][0].quality == pytest.approx(quality, abs=0.5)


def test_psnr_target_is_that_of_the_colours():
    """Alpha, which is coded exactly, adds nothing to the PSNR that is aimed at."""
    picture = np.dstack([LARGER, np.full(LARGER.shape[:2], 200, np.uint8)])
    difference = fdcodec.decode(fdcodec.encode(picture, psnr_db=36))[:, :, :3].astype(float) - LARGER
    assert 10 * np.log10(255**2 / np.mean(difference**2)) == pytest.approx(36, abs=0.1)
