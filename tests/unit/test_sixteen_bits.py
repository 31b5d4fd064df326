"""Pictures of 16 bits a sample, coded with loss."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.images import noise, photo

import fdcodec
from fdcodec import container
from fdcodec.errors import FormatError, TargetWarning
from fdcodec.format.parameters import Parameters
from fdcodec.image.sample_range import TOP, eight_bits, from_values, range_of, to_values

DEEP = 37 * photo(40, 56).astype(np.uint16) + 900
SHAPES = {"gray": DEEP[:, :, 0], "one channel": DEEP[:, :, :1], "RGB": DEEP}
ALPHA = noise(40, 56, 1, seed=1, dtype=np.uint16)


def payload(samples, **options):
    """Return the payload of the only tile of a file."""
    return container.read(fdcodec.encode(samples, **options)).payloads[0]


def test_eight_bits_have_no_range():
    """The range of 8-bit samples is the scale itself, and none is stored."""
    assert range_of(photo(4, 4)) is None


def test_range_is_that_of_colours():
    """Alpha has no part in the range, whatever it is."""
    assert range_of(np.array([[[5, 0], [9, 65535]]], np.uint16)) == (5, 9)


@given(st.integers(0, 65535), st.integers(0, TOP))
def test_short_ranges_are_exact(low, span):
    """Samples at most TOP apart come back from the scale as they were."""
    high = min(low + span, 65535)
    samples = np.arange(low, high + 1, dtype=np.uint16)
    assert samples.tolist() == from_values(to_values(samples, (low, high)), (low, high)).tolist()


@given(st.integers(0, 65535), st.integers(0, 65535))
def test_long_ranges_are_rounded(low, high):
    """Samples come back within half a step of the scale and half a sample, the ends exactly."""
    low, high = sorted((low, high))
    samples = np.unique(np.linspace(low, high, 999).astype(np.uint16))
    values = to_values(samples, (low, high))
    back = from_values(values, (low, high)).astype(int)
    assert np.abs(back - samples).max() <= (high - low) / TOP / 2 + 0.5
    assert (back[0], back[-1], int(values.max())) == (low, high, TOP if high > low else 0)


def test_samples_beyond_their_range_are_clipped():
    """Samples that another thread changes once their range is known are taken for its end."""
    assert to_values(np.array([[[10], [12], [9], [500]]], np.uint16), (10, 12)).ravel().tolist() == [0, TOP, TOP, TOP]


@given(st.integers(0, 60000), st.integers(1, 5535))
def test_reduction_keeps_order(low, span):
    """The 8 bits that choices look at go from 0 to 255 and never fall where samples rise."""
    samples = np.arange(low, low + span + 1, dtype=np.uint16).reshape(1, -1, 1)
    reduced = eight_bits(samples, range_of(samples)).ravel().astype(int)
    assert (reduced[0], reduced[-1]) == (0, 255)
    assert (np.diff(reduced) >= 0).all()


@pytest.mark.parametrize("samples", SHAPES.values(), ids=SHAPES)
def test_shape_type_and_fidelity(samples):
    """A picture comes back in its shape as uint16, at the best quality within a hundredth of its range."""
    decoded = fdcodec.decode(fdcodec.encode(samples, quality=100))
    assert (decoded.shape, decoded.dtype) == (samples.shape, np.uint16)
    assert np.abs(decoded.astype(int) - samples).max() <= np.ptp(samples) / 100


@pytest.mark.parametrize("colours", [DEEP[:, :, :1], DEEP], ids=["gray", "RGB"])
def test_alpha_is_exact(colours):
    """All 16 bits of alpha come back, and colours are those of the picture without it."""
    decoded = fdcodec.decode(fdcodec.encode(np.dstack([colours, ALPHA])))
    np.testing.assert_array_equal(decoded[:, :, -1:], ALPHA)
    np.testing.assert_array_equal(decoded[:, :, :-1], fdcodec.decode(fdcodec.encode(colours)))


@pytest.mark.parametrize("value", [0, 777, 65535])
def test_flat_pictures_are_exact(value):
    """A picture of one sample value comes back exactly at any quality, down to one pixel."""
    for side in (1, 9):
        samples = np.full((side, side), value, np.uint16)
        np.testing.assert_array_equal(fdcodec.decode(fdcodec.encode(samples, quality=5)), samples)


def test_eight_bit_picture_on_the_full_scale_has_its_payload():
    """A photograph spread over all 16 bits is coded as that of 8 bits, up to the quality where steps part."""
    samples = photo(40, 56)
    samples[0, 0] = 0, 255, 0
    assert payload(samples, quality=60) == payload(257 * samples.astype(np.uint16), quality=60)


def test_offset_and_contrast_cost_nothing():
    """The same picture further up, and with more contrast, has the same payload."""
    span = int(np.ptp(DEEP))
    values = to_values(DEEP, range_of(DEEP)).astype(np.uint16)
    assert span > TOP
    assert payload(values, quality=80) == payload(3 * values + 50, quality=80)


def test_tiles_share_the_range():
    """A region of a picture in tiles has the samples of the whole."""
    data = fdcodec.encode(DEEP, tile=16)
    part = fdcodec.decode_region(data, (10, 3, 30, 20))
    np.testing.assert_array_equal(part, fdcodec.decode(data)[3:23, 10:40])


@pytest.mark.parametrize("psnr_db", [70.0, 80.0])
def test_psnr_is_that_of_the_full_scale(psnr_db):
    """A PSNR counts 65535 as the peak, and is met within 0.1 dB; a picture of a few blocks would step over it."""
    samples = 37 * photo(96, 128).astype(np.uint16) + 900
    decoded = fdcodec.decode(fdcodec.encode(samples, psnr_db=psnr_db, effort=3))
    error = np.square(decoded.astype(float) - samples).mean()
    assert abs(10 * np.log10(65535**2 / error) - psnr_db) <= 0.1


@pytest.mark.filterwarnings("ignore:a PSNR of 104 dB was not met:fdcodec.errors.TargetWarning")
@pytest.mark.parametrize("psnr_db", [100.0, 104.0])
def test_psnr_is_met_where_fine_qualities_are_exact(psnr_db):
    """An exact file, whose PSNR is infinite, does not mislead the search."""
    samples = photo(96, 128)[:, :, :1].astype(np.uint16)
    decoded = fdcodec.decode(fdcodec.encode(samples, psnr_db=psnr_db, effort=1, transform="photo"))
    error = np.square(decoded.astype(float) - samples).mean()
    assert abs(10 * np.log10(65535**2 / error) - psnr_db) <= 0.5  # of which some tenths are a few samples


def test_exact_file_is_told_as_one():
    """Where every file is exact, that is said of the best, and no number of decibels."""
    with pytest.warns(TargetWarning, match="60 dB is exceeded: the file has no error"):
        fdcodec.encode(np.full((9, 9), 7, np.uint16), psnr_db=60)


def step_of(data):
    """Return the quantization step of a file, in its samples (SPEC 3.2, 4.3)."""
    parameters = Parameters.from_bytes(container.read_header(data).parameters, 16)
    return 2 ** (parameters.step_index / 32 - 4) * np.ptp(parameters.sample_range) / 255


@pytest.mark.parametrize("span", [1, 48, 255, 400])
def test_qualities_stop_where_samples_are_exact(span):
    """The finest step is half a sample: a short range is coded no finer than that, and nearly all of it exactly."""
    gray = photo(64, 64)[:, :, 0].astype(np.uint32)
    samples = ((gray - gray.min()) * span // np.ptp(gray)).astype(np.uint16)
    data = fdcodec.encode(samples, quality=100, effort=2, transform="photo")
    error = np.abs(fdcodec.decode(data).astype(int) - samples)
    assert step_of(data) == pytest.approx(0.5, rel=0.011)
    assert (error.max() <= 1, np.mean(error > 0) < 0.01) == (True, True)


@pytest.mark.parametrize("span", [600, 4095, 65535])
def test_long_ranges_have_all_qualities(span):
    """Where half a sample is finer than the finest quality, that is the bound: 0.24 of a 255th of the range."""
    data = fdcodec.encode(np.array([[0, span]], np.uint16), quality=100, effort=2, transform="photo")
    assert step_of(data) == pytest.approx(0.24 * span / 255, rel=0.011)


def test_size_is_met():
    """A size holds for 16 bits as for 8."""
    assert 0.97 * 2000 <= len(fdcodec.encode(DEEP, size_bytes=2000, effort=3)) <= 2000


def test_tuning_by_eye():
    """Step offsets go with 16 bits, and cost no fewer bits than the file keeps."""
    data = fdcodec.encode(DEEP, tune="visual", quality=90)
    parameters = Parameters.from_bytes(container.read_header(data).parameters, 16)
    assert (parameters.adaptive, parameters.sample_range) == (True, range_of(DEEP))
    assert np.abs(fdcodec.decode(data).astype(int) - DEEP).mean() < np.ptp(DEEP) / 50


def test_drawings_use_no_screen_tools():
    """Samples of 16 bits are off the grid of the screen tools, which stay off."""
    drawn = np.kron(noise(6, 8, 1, seed=3, dtype=np.uint16)[:, :, 0] // 20000, np.ones((8, 8), np.uint16))
    data = fdcodec.encode(9000 * drawn)
    assert not Parameters.from_bytes(container.read_header(data).parameters, 16).screen
    assert fdcodec.decode(data).dtype == np.uint16


def test_depth_and_parameters_that_disagree_are_refused():
    """A file of 16 bits without a range, and one of 8 bits with one, are FormatErrors."""
    for samples in (DEEP, photo(8, 8)):
        file = container.read(fdcodec.encode(samples, transform="photo"))
        fields = {name: getattr(file.header, name) for name in ("width", "height", "channels", "parameters")}
        header = container.Header(**fields, depth=24 - file.header.depth)
        with pytest.raises(FormatError, match="coding parameters: a range"):
            fdcodec.decode(container.write(container.File(header, file.payloads, model_ref=file.model_ref)))


def test_models_are_learned_from_sixteen_bits():
    """Training sees 16-bit pictures reduced to the 8 bits of their range."""
    deep = 16 * photo(64, 64).astype(np.uint16) + 5
    assert fdcodec.learn([deep]).hash == fdcodec.learn([eight_bits(deep, range_of(deep))]).hash
