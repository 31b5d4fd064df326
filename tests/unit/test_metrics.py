"""Quality measures against values worked out by hand and against the definition."""

import math
import tracemalloc

import numpy as np
import pytest
from tests.reference import metrics as reference

from fdcodec.compare import metrics
from fdcodec.compare.metrics import MIN_SIDE_PX, metrics_of, ms_ssim, ssimulacra2, to_linear_scale
from fdcodec.image.psnr import largest_difference, psnr


def noisy_pair(height: int, width: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a smooth image and the same with noise."""
    rng = np.random.default_rng(seed)
    image = (np.add.outer(np.arange(height), np.arange(width)) // 2 % 256).astype(np.uint8)
    return image, np.clip(image + rng.integers(-20, 21, image.shape), 0, 255).astype(np.uint8)


def test_psnr_of_one_wrong_sample():
    """An error of 10 in one of 6 samples is an MSE of 100/6."""
    image = np.zeros((2, 3), np.uint8)
    wrong = image.copy()
    wrong[1, 2] = 10
    assert 10 * math.log10(255**2 * 6 / 100) == pytest.approx(psnr(image, wrong), abs=1e-12)


def test_psnr_pools_planes():
    """The squared error is averaged over all planes before the logarithm, not the dB after it."""
    image = np.zeros((4, 4, 3), np.uint8)
    wrong = image.copy()
    wrong[..., 0] = 3
    assert 10 * math.log10(255**2 / 3) == pytest.approx(psnr(image, wrong), abs=1e-12)


def test_psnr_does_not_wrap():
    """0 against 255 is the largest error there is, 0 dB."""
    assert psnr(np.zeros((2, 2), np.uint8), np.full((2, 2), 255, np.uint8)) == 0.0


@pytest.mark.parametrize("shape", [(70, 2000, 3), (3, 70_000), (1, 1, 4)])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_psnr_is_that_of_all_rows(shape, dtype):
    """However many rows are compared at a time, values are those of the whole, exactly; differences do not wrap."""
    rng = np.random.default_rng(1)
    image, other = (rng.integers(0, 200, shape).astype(dtype) for _ in range(2))
    mean_square = np.mean((image.astype(np.int64) - other) ** 2)
    assert psnr(image, other) == 10 * math.log10(np.iinfo(dtype).max ** 2 / mean_square)
    image[-1, -1] = 250
    other[-1, -1] = 1
    assert largest_difference(image, other) == largest_difference(other, image) == 249


def test_psnr_needs_no_memory_for_all_samples():
    """Comparing takes less memory than one of the images."""
    image = np.zeros((4096, 4096), np.uint8)
    tracemalloc.start()
    psnr(image, image)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < image.nbytes // 4


def test_psnr_of_equal_images_is_infinite():
    """No error is infinite PSNR."""
    assert psnr(np.ones((2, 2), np.uint8), np.ones((2, 2), np.uint8)) == math.inf


def test_ms_ssim_of_flat_images():
    """On flat images only the luminance term of the last scale differs from 1."""
    a, b, c1 = 100.0, 120.0, (0.01 * 255) ** 2
    expected = ((2 * a * b + c1) / (a * a + b * b + c1)) ** 0.1333
    flat = np.full((176, 176, 3), 100, np.uint8)
    assert expected == pytest.approx(ms_ssim(flat, np.full_like(flat, 120)), abs=1e-12)


def test_ms_ssim_equals_its_definition():
    """The separable filter gives what the windows taken one by one give."""
    pair = noisy_pair(176, 192, seed=1)
    assert reference.ms_ssim(*pair) == pytest.approx(ms_ssim(*pair), abs=1e-10)


def test_ms_ssim_is_the_mean_over_planes():
    """Colour is the mean of what each plane gives alone."""
    image, noisy = noisy_pair(176, 176, seed=2)
    colour, distorted = np.stack([image] * 3, axis=2), np.stack([noisy, image, image], axis=2)
    assert (ms_ssim(image, noisy) + 2) / 3 == pytest.approx(ms_ssim(colour, distorted), abs=1e-12)


def test_ms_ssim_needs_room_for_its_window():
    """Below 176 samples the last scale has no window: NaN; at 176 it has one."""
    assert MIN_SIDE_PX == 176
    small, enough = np.zeros((175, 300), np.uint8), np.zeros((176, 176), np.uint8)
    assert (math.isnan(ms_ssim(small, small)), ms_ssim(enough, enough)) == (True, 1.0)


def test_ms_ssim_of_a_negative_is_zero():
    """Structure that is turned round is no structure, and no root of a negative number."""
    image, _ = noisy_pair(MIN_SIDE_PX, MIN_SIDE_PX, seed=5)
    assert ms_ssim(image, 255 - image) == 0


def test_metrics_of_a_depth(monkeypatch):
    """SSIMULACRA 2 is that of 8 bits."""
    monkeypatch.setattr(metrics, "installed", lambda: ["psnr", "ms-ssim", "ssimulacra2"])
    assert (metrics_of(8), metrics_of(16)) == (["psnr", "ms-ssim", "ssimulacra2"], ["psnr", "ms-ssim"])


def test_ms_ssim_is_drawn_in_decibels():
    """0.99 is 20 dB; the other measures stay as they are."""
    assert pytest.approx(to_linear_scale("ms-ssim", 0.99)) == 20.0
    assert (math.inf, 31.5) == (to_linear_scale("ms-ssim", 1.0), to_linear_scale("psnr", 31.5))


def test_ssimulacra2_orders_and_tops_out():
    """Equal images score 100, more noise scores less, gray is taken as well as colour."""
    pytest.importorskip("ssimulacra2")
    image, noisy = noisy_pair(64, 64, seed=3)
    half = ((image.astype(int) + noisy) // 2).astype(np.uint8)
    assert ssimulacra2(image, image) == 100.0
    assert 100.0 > ssimulacra2(image, half) > ssimulacra2(image, noisy)


def test_measures_of_16_bits():
    """A PSNR has the greatest value of its type as the peak, MS-SSIM the range of the reference."""
    image, noisy = noisy_pair(200, 400, seed=1)
    image[0, :2] = 0, 255
    deep, deep_noisy = (7 * each.astype(np.uint16) + 3000 for each in (image, noisy))
    assert psnr(deep, deep_noisy) == pytest.approx(psnr(image, noisy) + 20 * math.log10(65535 / 255 / 7))
    assert ms_ssim(deep, deep_noisy) == pytest.approx(ms_ssim(image, noisy))
