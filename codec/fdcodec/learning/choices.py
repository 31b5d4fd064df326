"""What the learners' parameters stand for: sizes, objectives, bases."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fdcodec.errors import ParameterError
from fdcodec.kernels.reconstruction.matrices import dct_matrix
from fdcodec.learning.estimator import MOST, checked_choice, checked_integer, checked_real
from fdcodec.learning.samples import Samples
from fdcodec.learning.statistics import Objective, RateObjective, SparseObjective, gram_matrix
from fdcodec.transform.bases import dct_line_product, dct_product, haar_product
from fdcodec.transform.fast import Dictionary, FastTransform
from fdcodec.transform.product import FactorProduct

BASES = ("identity", "haar", "dct")
INIT_TOLERANCE = 1e-9
"""Greatest difference between the products of the atoms of a start and what they should be."""


def default_rotations(n: int) -> int:
    """Return ``n log2(n) / 3`` rounded: 128 for n = 64, the paper's middle size."""
    return round(n * math.log2(n) / 3) if n > 1 else 0


def checked_levels(angle_levels: object) -> int | None:
    """Return the number of angles of the grid; None for no grid."""
    return None if angle_levels is None else checked_integer("angle_levels", angle_levels, 4)


def checked_rounds(
    name: str, rounds: int | Sequence[tuple[int, int]], n: int, lowest: int = 1
) -> list[tuple[int, int]]:
    """Return rounds as ``(width, n_rounds)`` entries; ParameterError names the parameter.

    Widths are powers of two from `lowest` to n; without entries the width is the greatest of these.
    """
    if isinstance(rounds, (int, np.integer)):
        return [(1 << (n.bit_length() - 1), checked_integer(name, rounds, 0))]
    given = rounds.tolist() if isinstance(rounds, np.ndarray) else rounds
    entries = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
    if not all(isinstance(entry, Sequence) and len(entry) == 2 for entry in entries):
        raise ParameterError(f"{name} is {rounds!r}; it must be an integer or pairs (width, n_rounds)")
    layout = [(checked_integer(name, width, lowest, n), checked_integer(name, count, 0)) for width, count in entries]
    for width, _ in layout:
        if width & (width - 1):
            raise ParameterError(f"{name} has a width of {width}; widths must be powers of two in [{lowest}, {n}]")
    return layout


def checked_init(init: object, n: int, words: tuple[str, ...], *, orthogonal: bool = False) -> str | Dictionary:
    """Return a start: one of the words, or a transform or matrix of shape (n, n) with atoms of unit norm or zero.

    ParameterError says what it must be; with `orthogonal` also of one whose atoms are not orthonormal.
    """
    if isinstance(init, str):
        return checked_choice("init", init, words)
    try:
        D = np.asarray(init, dtype=np.float64)
    except (TypeError, ValueError):
        D = np.zeros(0)
    if D.shape != (n, n):
        what = f"has shape {D.shape}" if D.ndim == 2 else f"is {init!r}"
        raise ParameterError(
            f"init {what}; it must be one of {', '.join(words)}, or a transform or matrix of shape ({n}, {n}) with the "
            "atoms in its columns"
        )
    gram = D.T @ D
    distance = np.abs(gram - np.eye(n)) if orthogonal else np.abs(np.diag(gram) - np.any(D, axis=0))
    if not distance.max() <= INIT_TOLERANCE:
        allowed = "orthonormal columns" if orthogonal else "columns of norm 1, or zeros"
        raise ParameterError(f"init has products of columns {distance.max():g} off what they should be; give {allowed}")
    return init if isinstance(init, FastTransform) else np.ascontiguousarray(D)


def make_objective(samples: Samples, name: str, sparsity: int, step: float | None) -> Objective:
    """Return the objective called "sparsity" or "rate"."""
    if checked_choice("objective", name, ("sparsity", "rate")) == "sparsity":
        return SparseObjective(samples, sparsity)
    if step is not None:
        return RateObjective(samples, checked_real("step", step, 1 / MOST))
    objective = RateObjective(samples, 1.0)
    mean_square = float(np.trace(gram_matrix(samples))) / (objective.n_samples * samples.n)
    return RateObjective(samples, math.sqrt(mean_square) or 1.0)


def base_product(name: str, n: int, argument: str = "base") -> FactorProduct:
    """Return the base called "identity", "haar" or "dct" for vectors of size n; ParameterError if it is no product.

    The error says that the learner's `argument` is this name.
    """
    if name == "identity":
        return FactorProduct(n, np.zeros((0, 2), np.int64), np.zeros((0, 2, 2)))
    if name == "haar" and not _is_power_of_four(n):
        raise ParameterError(
            f"{argument} is 'haar', which needs square blocks of a power-of-two side: 1, 4, 16, 64, ... features; "
            f"n_features is {n}; choose another {argument}"
        )
    if n & (n - 1):
        raise ParameterError(
            f"{argument} is 'dct', which is a product of factors for powers of two only; n_features is {n}; "
            f"choose another {argument}"
        )
    if name == "haar":
        return haar_product(math.isqrt(n))
    return dct_product(math.isqrt(n))[0] if _is_power_of_four(n) else dct_line_product(n)[0]


def cosine_line(n: int) -> Dictionary:
    """Return the DCT of n points: a product of G-transforms if n is a power of two, else a matrix, atoms in columns."""
    return dct_matrix(n).T.copy() if n & (n - 1) else dct_line_product(n)[0]


def cosine_base(n: int) -> Dictionary:
    """Return the 2-D DCT of square blocks, row by row, if n is a square number, and the DCT of n points otherwise.

    It is a product of G-transforms where n is a power of two, else a matrix, atoms in columns.
    """
    if n & (n - 1) == 0:
        return base_product("dct", n)
    side = math.isqrt(n)
    if side * side != n:
        return cosine_line(n)
    return np.ascontiguousarray(np.kron(dct_matrix(side), dct_matrix(side)).T, dtype=np.float64)


def warm_starts(n: int) -> dict[str, FactorProduct]:
    """Return the bases from which a search starts: nothing, and the Haar transform and DCT of square blocks."""
    return {name: base_product(name, n) for name in (BASES if _is_power_of_four(n) else BASES[:1])}


def _is_power_of_four(n: int) -> bool:
    """Tell whether vectors of size n are square blocks of a power-of-two side."""
    return n & (n - 1) == 0 and n.bit_length() % 2 == 1
