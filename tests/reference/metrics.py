"""MS-SSIM by its definition: every window taken out and weighted, no separable filter."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def ms_ssim(x: np.ndarray, y: np.ndarray) -> float:
    """Return MS-SSIM of two gray uint8 images with even sides at every scale."""
    x, y = x.astype(float), y.astype(float)
    result = 1.0
    for weight in WEIGHTS[:-1]:
        _, contrast = terms(x, y)
        result *= np.mean(contrast) ** weight
        x, y = halve(x), halve(y)
    luminance, contrast = terms(x, y)
    return result * np.mean(luminance * contrast) ** WEIGHTS[-1]


def terms(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the luminance and the contrast-structure term of every 11 x 11 window."""
    offsets = np.arange(-5, 6)
    window = np.exp(-(offsets[:, None] ** 2 + offsets**2) / (2 * 1.5**2))
    window /= window.sum()
    blocks_x, blocks_y = sliding_window_view(x, (11, 11)), sliding_window_view(y, (11, 11))
    mean_x, mean_y = mean(blocks_x, window), mean(blocks_y, window)
    rest_x, rest_y = blocks_x - mean_x[..., None, None], blocks_y - mean_y[..., None, None]
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    luminance = (2 * mean_x * mean_y + c1) / (mean_x**2 + mean_y**2 + c1)
    contrast = (2 * mean(rest_x * rest_y, window) + c2) / (mean(rest_x**2, window) + mean(rest_y**2, window) + c2)
    return luminance, contrast


def mean(blocks: np.ndarray, window: np.ndarray) -> np.ndarray:
    """Return the weighted mean of each window."""
    return np.einsum("ijkl,kl->ij", blocks, window)


def halve(image: np.ndarray) -> np.ndarray:
    """Return the means of 2 x 2 squares."""
    height, width = image.shape
    return image.reshape(height // 2, 2, width // 2, 2).mean(axis=(1, 3))
