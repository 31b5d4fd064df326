"""K-SVD: the update of single atoms.

`codes` is float64 (n_samples, n_atoms), `atoms` (n_atoms, n), `residual` (n_samples, n); `starts` and `members` are
int64.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,assignment"

import math

import numpy as np

from fdcodec.kernels.jit import kernel


@kernel(allocates=True)
def group_by_atom(codes, starts, members):
    """List the samples that use each atom: atom k's are ``members[starts[k] : starts[k + 1]]``, in order."""
    n_atoms = codes.shape[1]
    starts[:] = 0
    for sample in range(codes.shape[0]):
        for k in range(n_atoms):
            if codes[sample, k] != 0.0:
                starts[k + 1] += 1
    for k in range(n_atoms):
        starts[k + 1] += starts[k]
    filled = starts[:-1].copy()
    for sample in range(codes.shape[0]):
        for k in range(n_atoms):
            if codes[sample, k] != 0.0:
                members[filled[k]] = sample
                filled[k] += 1


@kernel(allocates=True)
def keep_strongest(atom, count):
    """Zero all but the `count` largest magnitudes of a vector in place; the lower index wins a tie."""
    kept = np.zeros(atom.shape[0], np.bool_)
    for _ in range(count):
        best, index = -1.0, 0
        for k in range(atom.shape[0]):
            if not kept[k] and abs(atom[k]) > best:
                best, index = abs(atom[k]), k
        kept[index] = True
    for k in range(atom.shape[0]):
        if not kept[k]:
            atom[k] = 0.0


@kernel(allocates=True)
def update_atoms(residual, codes, atoms, atom_sparsity):
    """Update every atom and its coefficients in turn (approximate K-SVD; Sparse K-SVD in the domain of its base).

    `residual` is Y - X D^T row by row and stays up to date; `atoms` holds one atom a row. The new atom is the
    `atom_sparsity` largest entries of ``E_k x_k``, normalized: exact for an orthonormal base.
    """
    n_atoms, n = atoms.shape
    starts, members = np.zeros(n_atoms + 1, np.int64), np.empty(np.count_nonzero(codes), np.int64)
    group_by_atom(codes, starts, members)
    for k in range(n_atoms):
        group = members[starts[k] : starts[k + 1]]
        old = atoms[k].copy()
        new = np.zeros(n)
        energy = 0.0
        for sample in group:
            weight = codes[sample, k]
            energy += weight * weight
            for index in range(n):
                new[index] += weight * residual[sample, index]
        new += energy * old
        keep_strongest(new, atom_sparsity)
        norm = math.sqrt(np.sum(new * new))
        if norm > 0.0:
            new /= norm
            replace_atom(residual, codes, k, group, old, new)
            atoms[k] = new


@kernel()
def replace_atom(residual, codes, k, group, old, new):
    """Give the samples of `group` the atom `new` for `old`, with their best coefficients."""
    n = old.shape[0]
    for sample in group:
        weight = codes[sample, k]
        coefficient = 0.0
        for index in range(n):
            coefficient += (residual[sample, index] + weight * old[index]) * new[index]
        for index in range(n):
            residual[sample, index] += weight * old[index] - coefficient * new[index]
        codes[sample, k] = coefficient
