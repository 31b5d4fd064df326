"""The colour transform: samples to planes and back, and the encoder's choice of it (SPEC 3.2)."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fdcodec.aliases import Samples
from fdcodec.format.constants import COLOUR_ANGLE_BITS, COLOUR_BITS, FRACTION_BITS
from fdcodec.format.parameters import Angles, Parameters
from fdcodec.image.sample_range import TOP, SampleRange, from_values, to_values
from fdcodec.rates import log_rates

_LEVELS = 1 << COLOUR_ANGLE_BITS
OPPONENT: NDArray[np.int64] = np.array([[9459, 9459, 9459], [11585, 0, -11585], [6689, -13377, 6689]], dtype=np.int64)
"""(R+G+B)/sqrt 3, (R-B)/sqrt 2, (R-2G+B)/sqrt 6, scaled by 2^14: the transform where a picture names none."""

MAX_GRADIENTS = 8000  # differences that the choice of colour looks at
N_STEPS = 12  # Procrustes steps from each start
_BAND = 64  # rows that are rounded at a time; with whole planes, each step takes another one in memory


@lru_cache(maxsize=64)
def colour_matrix(angles: Angles | None) -> NDArray[np.int64]:
    """Return the 3x3 matrix of three rotations, in the planes (0, 1), (0, 2), (1, 2), scaled by 2^14; it is shared."""
    if angles is None:
        return OPPONENT
    matrix = np.eye(3, dtype=np.int64) << COLOUR_BITS
    for (i, j), index in zip(((0, 1), (0, 2), (1, 2)), angles, strict=True):
        angle = 2 * np.pi * index / _LEVELS
        cosine, sine = (int(v) for v in np.rint(np.array([np.cos(angle), np.sin(angle)]) * (1 << COLOUR_BITS)))
        a, b = matrix[i].copy(), matrix[j].copy()
        matrix[i] = (cosine * a + sine * b + (1 << (COLOUR_BITS - 1))) >> COLOUR_BITS
        matrix[j] = (cosine * b - sine * a + (1 << (COLOUR_BITS - 1))) >> COLOUR_BITS
    return matrix


def picture_matrix(parameters: Parameters, channels: int) -> NDArray[np.int64] | None:
    """Return the colour matrix of a picture of 1 to 4 channels, None of a gray one."""
    return colour_matrix(parameters.colour) if channels >= 3 else None


def plane_bounds(matrix: NDArray[np.int64] | None) -> list[tuple[int, int]]:
    """Return the range that each plane's samples are clipped to; `matrix` None means gray."""
    if matrix is None:
        return [(0, TOP)]
    middle = 128 << FRACTION_BITS
    reaches = ((sum(map(abs, row)) * 255 << (FRACTION_BITS - 1)) >> COLOUR_BITS for row in matrix.tolist())
    return [(middle - reach, middle + reach) for reach in reaches]


def to_planes(
    samples: Samples, matrix: NDArray[np.int64] | None, sample_range: SampleRange | None = None
) -> NDArray[np.int32]:
    """Return the planes (1 or 3, height, width) of gray or RGB samples, padded right and below to multiples of 4.

    Parameters
    ----------
    samples
        Shape (height, width, 1 or 3), uint8 or uint16.
    matrix
        The colour matrix; None for gray.
    sample_range
        The range of 16-bit samples; None for 8 bits.
    """
    height, width, channels = samples.shape
    padded = np.pad(to_values(samples, sample_range), ((0, -height % 4), (0, -width % 4), (0, 0)), mode="edge")
    planes = np.empty((channels, *padded.shape[:2]), dtype=np.int32)
    if matrix is None:
        planes[0] = padded[:, :, 0]
    else:
        from fdcodec.kernels.reconstruction.colours import rotate_colour

        rotate_colour(padded, matrix, planes)
    return planes


def aim_beyond(planes: NDArray[np.int32], matrix: NDArray[np.int64] | None) -> NDArray[np.int32]:
    """Return planes whose black and white 4x4 cells aim half a sample value beyond the range, as an encoder's goal.

    What is decoded beyond the range is clipped to its end, so errors to that side do no harm. Without this a step of 43
    turns flat black into 1: its first block is off by less than half a step, and later ones repeat it.
    """
    n, height, width = planes.shape
    gains = np.ones(1) if matrix is None else matrix.sum(axis=1) / (1 << COLOUR_BITS)
    shift = np.rint(gains * (1 << (FRACTION_BITS - 1))).astype(np.int32)
    ends = to_planes(np.array([[[0] * n], [[255] * n]], np.uint8), matrix)[:, :2, 0]
    aimed = planes.copy()
    cells = aimed.reshape(n, height // 4, 4, width // 4, 4).transpose(1, 3, 0, 2, 4)
    for end, direction in ((ends[:, 0], -shift), (ends[:, 1], shift)):
        is_end = (planes == end[:, None, None]).all(axis=0)
        flat = is_end.reshape(-1, 4, width).all(axis=1).reshape(-1, width // 4, 4).all(axis=2)
        cells[flat] += direction[:, None, None]
    return aimed


def from_planes(
    planes: NDArray[np.int32],
    matrix: NDArray[np.int64] | None,
    height: int,
    width: int,
    sample_range: SampleRange | None = None,
) -> Samples:
    """Return the samples (height, width, 1 or 3) of decoded planes; the inverse of `to_planes`."""
    shift, dtype = (FRACTION_BITS, np.uint8) if sample_range is None else (0, np.uint16)
    samples = np.empty((height, width, len(planes)), dtype)
    if matrix is None:
        for y in range(0, height, _BAND):
            values = (planes[0, y : min(y + _BAND, height), :width] + (1 << shift >> 1)) >> shift
            samples[y : y + _BAND, :, 0] = np.clip(values, 0, TOP >> shift)
    else:
        from fdcodec.kernels.reconstruction.colours import restore_colour

        restore_colour(planes, matrix, samples)
    if sample_range is not None:
        for y in range(0, height, _BAND):
            samples[y : y + _BAND] = from_values(samples[y : y + _BAND], sample_range)
    return samples


def choose_colour(samples: NDArray[np.uint8], step: float) -> Angles | None:
    """Return the colour angles that make the image's gradients cheapest at a step, or None where opponent is as good.

    Parameters
    ----------
    samples
        Shape (height, width, 3), uint8.
    step
        Quantization step in pixel values.

    Notes
    -----
    A gradient's bits are taken as half its log-rate; from the opponent transform and from the KLT, an
    orthogonal matrix is improved by Procrustes steps on the majorizer c^3 / (step^2 + c^2), as block transforms are.
    """
    gradients = _gradients(samples)
    scale = max(step / 4, 1.0)
    opponent = OPPONENT / (1 << COLOUR_BITS)
    start_costs = _mean_bits(gradients @ opponent.T, scale)
    eigenvectors = np.linalg.eigh(gradients.T @ gradients)[1][:, ::-1].T
    best, best_cost = None, start_costs
    for start in (opponent, eigenvectors):
        angles = _angles(_improve(gradients, start, scale))
        cost = _mean_bits(gradients @ (colour_matrix(angles) / (1 << COLOUR_BITS)).T, scale)
        if cost < best_cost:
            best, best_cost = angles, cost
    bits_saved = (start_costs - best_cost) * samples.shape[0] * samples.shape[1]
    return best if bits_saved > 64 else None


def _gradients(samples: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return horizontal and vertical differences at about MAX_GRADIENTS evenly spaced pixels, shape (n, 3)."""
    stride = max(1, round((2 * samples.shape[0] * samples.shape[1] / MAX_GRADIENTS) ** 0.5))
    across = samples[::stride, 1:][:, ::stride].astype(np.float64) - samples[::stride, :-1][:, ::stride]
    down = samples[1:][::stride, ::stride].astype(np.float64) - samples[:-1][::stride, ::stride]
    return np.concatenate([across.reshape(-1, 3), down.reshape(-1, 3)])


def _mean_bits(coefficients: NDArray[np.float64], scale: float) -> float:
    return float(log_rates(coefficients, scale).sum(axis=1).mean() / 2) if len(coefficients) else 0.0


def _improve(gradients: NDArray[np.float64], matrix: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    for _ in range(N_STEPS):
        coefficients = gradients @ matrix.T
        squares = coefficients * coefficients  # a third power would go by logarithms
        target = coefficients * squares / (scale * scale + squares)
        u, _, v = np.linalg.svd(gradients.T @ target)
        matrix = (u @ v).T
    energy = log_rates(gradients @ matrix.T, scale).mean(axis=0) if len(gradients) else np.zeros(3)
    return matrix[np.argsort(-energy, kind="stable")]


def _angles(matrix: NDArray[np.float64]) -> Angles:
    """Return the nearest angles of an orthogonal matrix: undo the rotations of `colour_matrix` in reverse order."""
    work = matrix * np.sign(matrix[np.arange(3), np.abs(matrix).argmax(axis=1)])[:, None]
    if np.linalg.det(work) < 0:
        work = work * np.array([[1], [1], [-1]])
    # work = R12(c) R02(b) R01(a): its first row is R02 R01's, the third column of rows 1 and 2 gives c
    b = np.arcsin(np.clip(work[0, 2], -1, 1))
    a = np.arctan2(work[0, 1], work[0, 0])
    c = np.arctan2(work[1, 2], work[2, 2])
    return tuple(round(angle * _LEVELS / (2 * np.pi)) % _LEVELS for angle in (a, b, c))
