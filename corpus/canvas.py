"""Integer building blocks of the synthetic images: the same pixels with every version of NumPy and Pillow.

Nothing here is floating point, no font, no drawing routine and no distribution of a library is used, so that the
hashes in the manifest hold on any machine. Images are int64 arrays of shape (height, width) or (height, width, 3).
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
ONE = 1 << 12  # fixed-point one of the interpolation weights


class Dice:
    """Uniform integers from the raw output of PCG64, which NumPy keeps the same for ever."""

    def __init__(self, seed: int) -> None:
        self._source = np.random.PCG64(seed)

    def integers(self, low: int, high: int, shape: tuple[int, ...]) -> Ints:
        """Return integers in ``low <= n < high``."""
        raw = np.asarray(self._source.random_raw(shape), dtype=np.uint64) >> np.uint64(32)
        return low + (raw.astype(np.int64) * (high - low) >> 32)

    def integer(self, low: int, high: int) -> int:
        """Return one integer in ``low <= n < high``."""
        return int(self.integers(low, high, (1,))[0])


GLYPHS = {  # 5 x 7 letters, one row a hexadecimal pair, the leftmost of five pixels in bit 4
    letter: [int(rows[i : i + 2], 16) for i in range(0, 14, 2)]
    for letter, rows in (
        ("a", "00000E010F110F"),
        ("b", "1010161911111E"),
        ("c", "00000E1010110E"),
        ("d", "01010D1311110F"),
        ("e", "00000E111F100E"),
        ("f", "0609081C080808"),
        ("g", "000F11110F010E"),
        ("h", "10101619111111"),
        ("i", "04000C0404040E"),
        ("k", "10101214181412"),
        ("l", "0C04040404040E"),
        ("m", "00001A15151111"),
        ("n", "00001619111111"),
        ("o", "00000E1111110E"),
        ("p", "00001E111E1010"),
        ("r", "00001619101010"),
        ("s", "00000E100E011E"),
        ("t", "08081C08080906"),
        ("u", "0000111111130D"),
        ("v", "00001111110A04"),
        ("w", "0000111115150A"),
        ("y", "000011110F010E"),
        ("T", "1F040404040404"),
        ("R", "1E11111E141211"),
        ("1", "040C040404040E"),
        ("2", "0E11010204081F"),
        ("5", "1F101E0101110E"),
        (".", "00000000000C0C"),
    )
}
LETTERS = "etaoinsrhldcumfpgwybvk"


def value_noise(dice: Dice, shape: tuple[int, int], cell: int) -> Ints:
    """Return smooth random values 0..65535: a random lattice of `cell` pixels, cubic blend between its points."""
    height, width = shape
    lattice = dice.integers(0, 65536, (height // cell + 2, width // cell + 2))
    row, down = _lattice_position(height, cell)
    column, right = _lattice_position(width, cell)
    down = down[:, None]
    upper, lower = lattice[row], lattice[row + 1]
    top = upper[:, column] * (ONE - right) + upper[:, column + 1] * right
    bottom = lower[:, column] * (ONE - right) + lower[:, column + 1] * right
    return (top * (ONE - down) + bottom * down) // (ONE * ONE)


def fractal_noise(dice: Dice, shape: tuple[int, int], cell: int, finest: int = 1) -> Ints:
    """Return value noise summed over octaves `cell`, `cell`/2, ... `finest`, amplitudes halving, scaled to 0..65535."""
    total = np.zeros(shape, dtype=np.int64)
    weight, weights = 1 << 10, 0
    while cell >= finest:
        total += weight * value_noise(dice, shape, cell)
        weights += weight
        weight, cell = max(weight // 2, 1), cell // 2
    return total // weights


def blend(a: Ints, b: Ints, weight: Ints) -> Ints:
    """Return `a` where weight is 0, `b` where it is 65536, a mixture between."""
    return (a * (65536 - weight) + b * weight) // 65536


def ramp(stops: Sequence[tuple[int, Sequence[int]]], values: Ints) -> Ints:
    """Return colours: linear between ``(value, colour)`` stops, shape of `values` plus a last axis of three."""
    positions = [position for position, _ in stops]
    result = np.empty((*values.shape, 3), dtype=np.int64)
    index = np.clip(np.searchsorted(positions, values, side="right") - 1, 0, len(stops) - 2)
    start, end = np.array(positions)[index], np.array(positions)[index + 1]
    offset = np.clip(values, positions[0], positions[-1]) - start
    for plane in range(3):
        colour = np.array([stop[1][plane] for stop in stops])
        result[..., plane] = colour[index] + (colour[index + 1] - colour[index]) * offset // (end - start)
    return result


def grid(shape: tuple[int, int]) -> tuple[Ints, Ints]:
    """Return the row and the column of every pixel."""
    rows, columns = np.indices(shape, dtype=np.int64)
    return rows, columns


def ellipse(shape: tuple[int, int], centre: Sequence[int], radii: Sequence[int]) -> NDArray[np.bool_]:
    """Return the mask of an axis-parallel ellipse; `centre` and `radii` are (vertical, horizontal)."""
    rows, columns = grid(shape)
    y, x = (rows - centre[0]) * radii[1], (columns - centre[1]) * radii[0]
    return y * y + x * x <= (radii[0] * radii[1]) ** 2


def half_plane(shape: tuple[int, int], start: Sequence[int], end: Sequence[int]) -> Ints:
    """Return for every pixel the signed area that it spans with the directed line, positive on its right."""
    rows, columns = grid(shape)
    return (columns - start[1]) * (end[0] - start[0]) - (rows - start[0]) * (end[1] - start[1])


def smooth(image: Ints, times: int = 1) -> Ints:
    """Return the image after `times` rounds of the 3 x 3 binomial filter, edges repeated."""
    for _ in range(times):
        for axis in (0, 1):
            before = np.concatenate([image.take([0], axis), image.take(range(image.shape[axis] - 1), axis)], axis)
            after = np.concatenate([image.take(range(1, image.shape[axis]), axis), image.take([-1], axis)], axis)
            image = (before + 2 * image + after + 2) // 4
    return image


def text_mask(text: str, scale: int = 1) -> NDArray[np.bool_]:
    """Return the pixels of a line of text, 8 rows times `scale` high; letters without a glyph are blanks."""
    columns = [_glyph(letter) for letter in text]
    return np.kron(np.concatenate(columns, axis=1), np.ones((scale, scale), dtype=bool)).astype(bool)


def words(dice: Dice, letters: int) -> str:
    """Return at most `letters` letters of meaningless words."""
    text = ""
    while len(text) < letters:
        text += "".join(LETTERS[i] for i in dice.integers(0, 22, (2, dice.integer(2, 9))).min(axis=0)) + " "
    return text[:letters].rstrip()


def stamp(image: Ints, mask: NDArray[np.bool_], top: int, left: int, colour: Sequence[int] | int) -> None:
    """Paint the pixels of `mask` at (top, left) into `image`, in place, cut off at the image's border."""
    height, width = image.shape[:2]
    cut = mask[: max(height - top, 0), : max(width - left, 0)]
    image[top : top + cut.shape[0], left : left + cut.shape[1]][cut] = colour


def _glyph(letter: str) -> NDArray[np.bool_]:
    rows = GLYPHS.get(letter, [0] * 7)
    return np.array([[2 * row >> (5 - column) & 1 for column in range(6)] for row in [*rows, 0]], dtype=bool)


def _lattice_position(length: int, cell: int) -> tuple[Ints, Ints]:
    """Return the lattice index of each sample and its cubic weight ``3t^2 - 2t^3`` toward the next, 0..ONE."""
    position = np.arange(length, dtype=np.int64)
    t = position % cell * ONE // cell
    return position // cell, t * t * (3 * ONE - 2 * t) // (ONE * ONE)
