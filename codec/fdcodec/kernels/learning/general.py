"""R-transforms: construction of general products, and the update of their factors.

Z and W are float64 (n, n); `pairs` is int64 (m, 2), `blocks` float64 (m, 2, 2), a `pair` and a `block` one row of them.
`scores` are the `Scores` of R-transforms, of which only ``score[i, j]``, i < j, is there.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,assignment"

import math

import numpy as np

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.learning.pursuit import PIVOT_FLOOR
from fdcodec.kernels.learning.scores import best_of_row, multiply_left, multiply_right_transposed, new_scores, offer

GAIN_FLOOR = 1e-12
"""Share of the energy of X below which a gain is rounding."""


@kernel()
def one_direction(Z, W, i, j):
    """Return v, Z_S v / w and w where the Gram matrix W_S of a pair S is ``w v v^T``, |v| = 1; zeros if it is zero."""
    a, b = (W[i, i], W[i, j]) if W[i, i] >= W[j, j] else (W[i, j], W[j, j])
    norm, w = math.hypot(a, b), W[i, i] + W[j, j]
    if not w > 0.0:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    a, b = a / norm, b / norm
    return a, b, (Z[i, i] * a + Z[i, j] * b) / w, (Z[j, i] * a + Z[j, j] * b) / w, w


@kernel()
def least_squares_gain(Z, W, i, j, singular):
    """Return C_ij of eq. sij; where the 2x2 Gram matrix of X is singular to working precision it is -inf.

    With `singular` it is that of the pseudo-inverse there, and -inf only where no sample uses either atom.
    """
    determinant = W[i, i] * W[j, j] - W[i, j] * W[j, i]
    if not determinant > PIVOT_FLOOR * W[i, i] * W[j, j]:
        _, _, x, y, w = one_direction(Z, W, i, j)
        return w - 2.0 * (Z[i, i] + Z[j, j]) + w * (x * x + y * y) if singular and w > 0.0 else -np.inf
    gain = W[i, i] * (Z[i, j] * Z[i, j] + Z[j, j] * Z[j, j]) + W[j, j] * (Z[i, i] * Z[i, i] + Z[j, i] * Z[j, i])
    gain -= (Z[i, i] * Z[i, j] + Z[j, i] * Z[j, j]) * (W[i, j] + W[j, i])
    return W[i, i] + W[j, j] - 2.0 * (Z[i, i] + Z[j, j]) + gain / determinant


@kernel()
def fill_gains(Z, W, scores, singular):
    """Compute every C_ij."""
    n = Z.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            scores.score[i, j] = least_squares_gain(Z, W, i, j, singular)
        best_of_row(scores, i)


@kernel()
def refresh_gains(Z, W, scores, index, singular):
    """Recompute the scores of the pairs that contain `index`, and the best of every row that they touch."""
    for i in range(index):
        scores.score[i, index] = least_squares_gain(Z, W, i, index, singular)
        offer(scores, i, index)
    for j in range(index + 1, Z.shape[0]):
        scores.score[index, j] = least_squares_gain(Z, W, index, j, singular)
    best_of_row(scores, index)


@kernel()
def least_squares_block(Z, W, i, j, block):
    """Write the R-transform ``Z_S W_S^-1`` of the pair S (eq. leastsquares).

    Where W_S is singular, many are as good: it is the one nearest the identity, which leaves alone what X has nothing
    in, so that D stays regular.
    """
    determinant = W[i, i] * W[j, j] - W[i, j] * W[j, i]
    if not determinant > PIVOT_FLOOR * W[i, i] * W[j, j]:
        a, b, x, y, _ = one_direction(Z, W, i, j)
        block[0, 0], block[0, 1] = 1.0 + (x - a) * a, (x - a) * b
        block[1, 0], block[1, 1] = (y - b) * a, 1.0 + (y - b) * b
        return
    block[0, 0] = (Z[i, i] * W[j, j] - Z[i, j] * W[j, i]) / determinant
    block[0, 1] = (Z[i, j] * W[i, i] - Z[i, i] * W[i, j]) / determinant
    block[1, 0] = (Z[j, i] * W[j, j] - Z[j, j] * W[j, i]) / determinant
    block[1, 1] = (Z[j, j] * W[i, i] - Z[j, i] * W[i, j]) / determinant


@kernel()
def advance(Z, W, pair, block):
    """Move a factor to the side of X: Z <- Z R^T, W <- R W R^T."""
    (i, j), p, r, q, t = pair, block[0, 0], block[0, 1], block[1, 0], block[1, 1]
    multiply_right_transposed(Z, i, j, p, r, q, t)
    multiply_right_transposed(W, i, j, p, r, q, t)
    multiply_left(W, i, j, p, r, q, t)


@kernel(allocates=True)
def construct_general(Z, W, pairs, blocks):
    """Build the R-transforms by rising k (Algorithm 2, first iterations, step 1; eq. scoreR); return how many.

    Pairs whose Gram matrix is singular, which the paper's rule leaves out, are taken too once no other gains: the
    samples use too few atoms for it. Fewer than asked are built only when X is zero. Z and W are overwritten.
    """
    singular, floor = False, GAIN_FLOOR * np.trace(W)
    scores = new_scores(Z.shape[0])
    fill_gains(Z, W, scores, singular)
    for k in range(pairs.shape[0]):
        if not singular and np.max(scores.value) <= floor:
            singular = True
            fill_gains(Z, W, scores, singular)
        i = np.argmax(scores.value)
        if scores.value[i] == -np.inf:
            return k
        pairs[k, 0], pairs[k, 1] = i, scores.column[i]
        least_squares_block(Z, W, pairs[k, 0], pairs[k, 1], blocks[k])
        advance(Z, W, pairs[k], blocks[k])
        refresh_gains(Z, W, scores, pairs[k, 0], singular)
        refresh_gains(Z, W, scores, pairs[k, 1], singular)
    return pairs.shape[0]


@kernel(allocates=True)
def solve_block(B, Z, W, i, j, block):
    """Write the R-transform that minimizes ``||Y - B R X||_F^2`` with its pair fixed (eq. foriterationsR).

    The normal equations in vec R: ``(W_S kron B_S^T B_S) vec R = vec(B_S^T Z_S - B_S^T B_o W_oS)``, S the pair, o the
    rest. A block whose normal equations are singular is left as it is.
    """
    n = B.shape[0]
    S = (i, j)
    rhs = np.zeros((2, 2))
    cross = np.zeros((2, n))
    for a in range(2):
        for h in range(n):
            weight = B[h, S[a]]
            for b in range(2):
                rhs[a, b] += weight * Z[h, S[b]]
            for index in range(n):
                cross[a, index] += weight * B[h, index]
    for a in range(2):
        for index in range(n):
            if index != i and index != j:
                for b in range(2):
                    rhs[a, b] -= cross[a, index] * W[index, S[b]]
    solve_kronecker(cross[0, i], cross[0, j], cross[1, j], W[i, i], W[i, j], W[j, j], rhs, block)


@kernel()
def solve_kronecker(g00, g01, g11, w00, w01, w11, rhs, block):
    """Write ``G^-1 rhs W^-1`` for symmetric 2x2 G and W; keep the block where one is singular."""
    g, w = g00 * g11 - g01 * g01, w00 * w11 - w01 * w01
    if g > PIVOT_FLOOR * g00 * g11 and w > PIVOT_FLOOR * w00 * w11:
        for b in range(2):
            top, bottom = rhs[0, b], rhs[1, b]
            rhs[0, b] = (g11 * top - g01 * bottom) / g
            rhs[1, b] = (g00 * bottom - g01 * top) / g
        for a in range(2):
            block[a, 0] = (rhs[a, 0] * w11 - rhs[a, 1] * w01) / w
            block[a, 1] = (rhs[a, 1] * w00 - rhs[a, 0] * w01) / w


@kernel(allocates=True)
def update_general(Z, W, pairs, blocks):
    """Solve every block in turn, pairs fixed (Algorithm 2, second iterations, step 1); Z and W are overwritten.

    B_k, the product of the factors after k, is built from the last factor down; each step changes two columns, which
    are kept so that the way up restores them exactly, without inverses.
    """
    n, m = Z.shape[0], pairs.shape[0]
    B = np.eye(n)
    saved = np.empty((m, 2, n))
    for k in range(m - 1, -1, -1):
        i, j = pairs[k]
        saved[k, 0] = B[:, i]
        saved[k, 1] = B[:, j]
        B[:, i] = blocks[k, 0, 0] * saved[k, 0] + blocks[k, 1, 0] * saved[k, 1]
        B[:, j] = blocks[k, 0, 1] * saved[k, 0] + blocks[k, 1, 1] * saved[k, 1]
    for k in range(m):
        i, j = pairs[k]
        B[:, i] = saved[k, 0]
        B[:, j] = saved[k, 1]
        solve_block(B, Z, W, i, j, blocks[k])
        advance(Z, W, pairs[k], blocks[k])
