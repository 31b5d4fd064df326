"""K-SVD for square dictionaries: staged (SK-SVD), and sparse over a base (Sparse K-SVD)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fdcodec.learning.choices import base_product
from fdcodec.learning.iterations import Iterations
from fdcodec.learning.pursuit import pursuit_codes
from fdcodec.learning.statistics import share_left
from fdcodec.transform.blocks import FloatArray
from fdcodec.transform.fast import Dictionary
from fdcodec.transform.sparse import SparseDictionary


def ksvd(
    Y: FloatArray,
    atoms: FloatArray,
    sparsity: int,
    iterations: Iterations,
    *,
    atom_sparsity: int | None = None,
    n_threads: int = 1,
) -> tuple[FloatArray, list[float]]:
    """Alternate Batch-OMP and approximate K-SVD updates of every atom; return the best dictionary met.

    Parameters
    ----------
    Y
        Samples, shape ``(n_samples, n)``.
    atoms
        Starting atoms of unit norm, one a row, shape ``(n_atoms, n)``.
    sparsity
        s, atoms a sample.
    iterations
        Number of updates.
    atom_sparsity
        Entries that an atom may have (p of Sparse K-SVD, Y then being in the domain of its base); None is n.
    n_threads
        Threads of the sparse coding; the result does not depend on it.

    Returns
    -------
    atoms
        The dictionary of the lowest error.
    curve
        The relative error for the starting atoms and after each update; OMP is not exact, so it may rise.
    """
    from fdcodec.kernels.learning.atoms import update_atoms

    energy = float(np.sum(Y * Y)) or 1.0
    atoms = atoms.copy()

    def coded() -> tuple[FloatArray, float]:
        return pursuit_codes(_dictionary(atoms, atom_sparsity), Y, min(sparsity, len(atoms)), n_threads)

    codes, explained = coded()
    best, curve = atoms.copy(), [share_left(explained, energy)]
    for _ in iterations.over(curve):
        update_atoms(Y - codes @ atoms, codes, atoms, atom_sparsity or Y.shape[1])
        codes, explained = coded()
        curve.append(share_left(explained, energy))
        if curve[-1] <= min(curve):
            best = atoms.copy()
    return best, curve


def staged_ksvd(
    Y: FloatArray, atoms: FloatArray, sparsity: int, iterations: Iterations, n_stages: int, n_threads: int = 1
) -> tuple[FloatArray, float, list[float]]:
    """Grow the dictionary to ``len(atoms)`` atoms in equal stages, running K-SVD in each (SK-SVD, to a given size).

    A new stage adds the strongest principal directions of the residual; the last stage takes half of the iterations,
    and what the others cannot share.

    Parameters
    ----------
    Y
        Samples, shape ``(n_samples, n)``.
    atoms
        Starting atoms, the most important first; the first stage takes its share of them.
    sparsity, iterations
        As in `ksvd`; the iterations of all stages together.
    n_stages
        Number of stages; 1 is K-SVD.
    n_threads
        As in `ksvd`.

    Returns
    -------
    atoms
        The best dictionary of the last stage.
    error
        Its relative error.
    curve
        The curves of `ksvd` in the stages, one after another.
    """
    sizes = np.linspace(0, len(atoms), n_stages + 1).astype(int)[1:].tolist()
    share = iterations.count // 2 // max(1, n_stages - 1)
    shares = [share] * (n_stages - 1) + [iterations.count - share * (n_stages - 1)]
    current, curve, errors = atoms[: sizes[0]], list[float](), list[float]()
    for size, share in zip(sizes, shares, strict=True):
        if size > len(current):
            current = _grown(Y, current, size, sparsity, n_threads)
        current, errors = ksvd(Y, current, sparsity, replace(iterations, count=share), n_threads=n_threads)
        curve += errors
    return current, min(errors), curve


def _dictionary(atoms: FloatArray, atom_sparsity: int | None) -> Dictionary:
    if atom_sparsity is None:
        return np.ascontiguousarray(atoms.T)
    return SparseDictionary.from_atoms(base_product("identity", atoms.shape[1]), atoms)


def _grown(Y: FloatArray, atoms: FloatArray, size: int, sparsity: int, n_threads: int) -> FloatArray:
    """Return the atoms and behind them the strongest principal directions of what they leave, `size` in all."""
    codes, _ = pursuit_codes(np.ascontiguousarray(atoms.T), Y, min(sparsity, len(atoms)), n_threads)
    residual = Y - codes @ atoms
    _, vectors = np.linalg.eigh(residual.T @ residual)
    return np.concatenate([atoms, vectors.T[::-1][: size - len(atoms)]])
