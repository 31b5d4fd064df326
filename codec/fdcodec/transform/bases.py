"""Fixed bases as products of G-transforms: the 2-D Haar transform and the 2-D DCT of a square block.

Both are built from their analysis, step by step in place, so the atoms come in the order in which the steps leave
them; `dct_product` returns that order with the product.
"""

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.kernels.reconstruction.matrices import dct_matrix
from fdcodec.transform.blocks import FloatArray, IntArray, reflector, rotation
from fdcodec.transform.product import FactorProduct

BUTTERFLY = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2.0)

Step = tuple[int, int, FloatArray]
"""One analysis step ``(i, j, block)``: rows i, j are replaced by block @ (row i, row j)."""


def haar_product(block_size: int) -> FactorProduct:
    """Return the 2-D Haar transform of a square block as ``4 (block_size**2 - 1) / 3`` G-transforms (84 for 8x8).

    Parameters
    ----------
    block_size
        Side of the block, a power of two; the vectors are the blocks row by row.
    """
    _check_power_of_two("block_size", block_size)
    steps: list[Step] = []
    stride = 1
    while stride < block_size:
        for row in range(0, block_size, 2 * stride):
            for column in range(0, block_size, 2 * stride):
                a = row * block_size + column
                b, c = a + stride, a + stride * block_size
                steps += [(i, j, BUTTERFLY) for i, j in ((a, b), (c, c + stride), (a, c), (b, c + stride))]
        stride *= 2
    return _from_analysis(block_size**2, steps)


def dct_product(block_size: int) -> tuple[FactorProduct, IntArray]:
    """Return the 2-D DCT of a square block as G-transforms (208 for 8x8), and the place of each frequency.

    The 1-D transform is the orthogonal recursion DCT-II(n) = butterflies, DCT-II(n/2), DCT-IV(n/2).

    Parameters
    ----------
    block_size
        Side of the block, a power of two; the vectors are the blocks row by row.

    Returns
    -------
    product
        Its atoms are the DCT's, signs included.
    order
        Shape ``(block_size**2,)``: atom ``order[u * block_size + v]`` has vertical frequency u and horizontal v.
    """
    _check_power_of_two("block_size", block_size)
    steps, place = _dct_line(block_size)
    lines = [[r * block_size + c for c in range(block_size)] for r in range(block_size)]
    all_steps = [(line[i], line[j], block) for line in lines + _transposed(lines) for i, j, block in steps]
    return _from_analysis(block_size**2, all_steps), (place[:, None] * block_size + place).ravel()


def dct_line_product(size: int) -> tuple[FactorProduct, IntArray]:
    """Return the 1-D DCT of `size` points as G-transforms, and the place of each frequency: atom ``order[u]`` has it.

    Parameters
    ----------
    size
        Number of points, a power of two.
    """
    _check_power_of_two("size", size)
    steps, place = _dct_line(size)
    return _from_analysis(size, steps), place


def _dct_line(size: int) -> tuple[list[Step], IntArray]:
    """Return the analysis steps of the DCT of `size` points, signs right, and the place of each frequency."""
    steps = _dct2_steps(list(range(size)))
    match = dct_matrix(size) @ _from_analysis(size, steps).to_dense()
    place = np.abs(match).argmax(axis=1)
    return _with_signs(steps, {int(i): float(np.sign(match[u, i])) for u, i in enumerate(place)}), place


def _dct2_steps(index: list[int]) -> list[Step]:
    half = len(index) // 2
    if half == 0:
        return []
    low, high = index[:half], index[half:][::-1]
    return [(i, j, BUTTERFLY) for i, j in zip(low, high, strict=True)] + _dct2_steps(low) + _dct4_steps(high)


def _dct4_steps(index: list[int]) -> list[Step]:
    """Return the DCT-IV: rotations, two DCT-II of half the length (the second on alternating signs), butterflies."""
    size, half = len(index), len(index) // 2
    if half == 0:
        return []
    low, high = index[:half], index[half:][::-1]
    steps: list[Step] = []
    for k, (i, j) in enumerate(zip(low, high, strict=True)):
        angle = (2 * k + 1) * np.pi / (4 * size)
        steps.append((i, j, rotation(angle) if k % 2 == 0 else reflector(angle)))
    even, odd = _dct2_steps(low), _dct2_steps(high)
    low_place, high_place = _places(low, even), _places(high, odd)[::-1]
    pairs = zip(low_place[1:], high_place[:-1], strict=True)
    return steps + even + odd + [(i, j, BUTTERFLY) for i, j in pairs]


def _places(index: list[int], steps: list[Step]) -> list[int]:
    """Return where, among `index`, the DCT-II steps leave each frequency."""
    local = {i: k for k, i in enumerate(index)}
    product = _from_analysis(len(index), [(local[i], local[j], block) for i, j, block in steps])
    return [index[k] for k in np.abs(dct_matrix(len(index)) @ product.to_dense()).argmax(axis=1)]


def _with_signs(steps: list[Step], sign: dict[int, float]) -> list[Step]:
    """Return the steps with the last row that writes index i multiplied by ``sign[i]``."""
    signed = list(steps)
    for index in sign:
        last = max((k for k, (i, j, _) in enumerate(signed) if index in (i, j)), default=None)
        if last is not None and sign[index] < 0:
            i, j, block = signed[last]
            signed[last] = (i, j, block * np.where(np.array([i, j]) == index, -1.0, 1.0)[:, None])
    return signed


def _transposed(lines: list[list[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*lines, strict=True)]


def _from_analysis(n: int, steps: list[Step]) -> FactorProduct:
    """Return the product whose transpose applies `steps` in order, pairs put in the order i < j."""
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    ordered = [(i, j, block) if i < j else (j, i, swap @ block @ swap) for i, j, block in reversed(steps)]
    pairs = np.array([(i, j) for i, j, _ in ordered], dtype=np.int64).reshape(-1, 2)
    return FactorProduct(n, pairs, np.array([block.T for _, _, block in ordered]).reshape(-1, 2, 2))


def _check_power_of_two(name: str, value: int) -> None:
    if value < 1 or value & (value - 1):
        raise ParameterError(f"{name} is {value}; the Haar and DCT bases need a power of two >= 1")
