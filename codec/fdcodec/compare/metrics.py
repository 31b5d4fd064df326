"""Measures of the difference between an image and its decoded version.

Every function takes two uint8 arrays of equal shape, (height, width) for gray or (height, width, 3) for RGB; all but
SSIMULACRA 2 take uint16 as well.
"""

import io
import math
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import correlate1d

from fdcodec.aliases import Samples
from fdcodec.image.psnr import psnr

SCALE_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)  # Wang, Simoncelli, Bovik 2003, section 3.2
WINDOW_RADIUS = 5
WINDOW_SIGMA = 1.5
LUMINANCE_FLOOR = 0.01**2  # C1 of SSIM, of the squared dynamic range
CONTRAST_FLOOR = 0.03**2  # C2 of SSIM
MIN_SIDE_PX = (2 * WINDOW_RADIUS + 1) * 2 ** (len(SCALE_WEIGHTS) - 1)


def ms_ssim(reference: Samples, decoded: Samples) -> float:
    """Return the multi-scale structural similarity, at most 1; the mean over planes.

    Z. Wang, E. Simoncelli, A. Bovik, "Multiscale structural similarity for image quality assessment", 2003: five
    scales, 11x11 Gaussian window of sigma 1.5 inside the image only, scales halved by 2x2 means (an odd last row or
    column is left out). Samples of 16 bits count from the least of the reference to its greatest, the dynamic range.
    NaN where a side is below 176 samples, for the window does not fit into the last scale.
    """
    if min(reference.shape[:2]) < MIN_SIDE_PX:
        return math.nan
    low, high = (0, 255) if reference.dtype == np.uint8 else (int(reference.min()), int(reference.max()))
    x, y = ((_planes(image) - low) / max(high - low, 1) for image in (reference, decoded))
    product = np.ones(x.shape[0])
    for scale, weight in enumerate(SCALE_WEIGHTS):
        if scale:
            x, y = _halve(x), _halve(y)
        luminance, contrast = _similarities(x, y)
        last = scale == len(SCALE_WEIGHTS) - 1
        value = (luminance * contrast if last else contrast).mean(axis=(1, 2))
        product *= np.maximum(value, 0) ** weight
    return float(product.mean())


def ssimulacra2(reference: Samples, decoded: Samples) -> float:
    """Return the SSIMULACRA 2 score (100 is equal, 70 high quality, 30 low), by the package `ssimulacra2`."""
    from ssimulacra2 import compute_ssimulacra2

    return float(compute_ssimulacra2(_as_file(reference), _as_file(decoded)))


METRICS: dict[str, Callable[[Samples, Samples], float]] = {
    "psnr": psnr,
    "ms-ssim": ms_ssim,
    "ssimulacra2": ssimulacra2,
}
KINDS = {"rgb": "RGB", "y": "gray", "y16": "16-bit gray"}
"""What the suffixes of metric names mean."""

TITLES = {"psnr": "PSNR (dB)", "ms-ssim": "MS-SSIM (dB)", "ssimulacra2": "SSIMULACRA 2"}


def installed() -> list[str]:
    """Return the names of the metrics that can be computed here."""
    return [name for name in METRICS if name != "ssimulacra2" or find_spec("ssimulacra2")]


def to_linear_scale(metric: str, value: float) -> float:
    """Return a value on the scale on which curves are drawn and integrated: MS-SSIM in dB, others as they are."""
    if metric != "ms-ssim":
        return value
    return -10 * math.log10(1 - value) if value < 1 else math.inf


def metrics_of(depth: int) -> list[str]:
    """Return the names of the metrics that can be computed here for images of this many bits."""
    return [name for name in installed() if depth == 8 or name != "ssimulacra2"]


def _planes(image: Samples) -> NDArray[np.float64]:
    """Return shape (planes, height, width)."""
    return np.moveaxis(image.reshape(*image.shape[:2], -1), 2, 0).astype(np.float64)


def _halve(planes: NDArray[np.float64]) -> NDArray[np.float64]:
    height, width = (side // 2 * 2 for side in planes.shape[1:])
    even = planes[:, :height, :width]
    return (even[:, ::2, ::2] + even[:, 1::2, ::2] + even[:, ::2, 1::2] + even[:, 1::2, 1::2]) / 4


def _similarities(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the maps of the luminance term and of the contrast-structure term of SSIM."""
    mean_x, mean_y = _window_mean(x), _window_mean(y)
    variance_x = _window_mean(x * x) - mean_x**2
    variance_y = _window_mean(y * y) - mean_y**2
    covariance = _window_mean(x * y) - mean_x * mean_y
    luminance = (2 * mean_x * mean_y + LUMINANCE_FLOOR) / (mean_x**2 + mean_y**2 + LUMINANCE_FLOOR)
    contrast = (2 * covariance + CONTRAST_FLOOR) / (variance_x + variance_y + CONTRAST_FLOOR)
    return luminance, contrast


def _window_mean(planes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Gaussian-weighted mean around every sample whose window lies inside the image."""
    offsets = np.arange(-WINDOW_RADIUS, WINDOW_RADIUS + 1)
    window = np.exp(-(offsets**2) / (2 * WINDOW_SIGMA**2))
    window /= window.sum()
    blurred = correlate1d(correlate1d(planes, window, axis=1), window, axis=2)
    inside = slice(WINDOW_RADIUS, -WINDOW_RADIUS)
    return np.asarray(blurred[:, inside, inside])


def _as_file(image: Samples) -> io.BytesIO:
    file = io.BytesIO()
    Image.fromarray(image).convert("RGB").save(file, "PPM")
    file.seek(0)
    return file
