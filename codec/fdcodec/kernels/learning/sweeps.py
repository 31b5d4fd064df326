"""Construction of orthogonal products, sweeps over their factors, insertion and deletion.

While a sweep stands at a layer, Z is the Z_k of eq. solvemultipleGivens: the factors before the layer have been applied
to X, the transposed factors after it to Y, and the layer itself to neither.

Z is float64 (n, n); `pairs` is int64 (m, 2), `blocks` float64 (m, 2, 2), a `pair` and a `block` one row of them;
`offsets` int64 (n_layers + 1,) bounds the factors of each layer.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

import math

import numpy as np

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.learning.scores import (
    fill_scores,
    multiply_left,
    multiply_right_transposed,
    new_scores,
    nuclear_gain,
    procrustes,
    refresh_scores,
    retire,
)

# ---- construction and sweeps ---------------------------------------------------------------------------------------


@kernel()
def pick(Z, scores, pair, block):
    """Set `pair` to the arguments of the largest C_ij and `block` to its Procrustes solution (eq. score)."""
    i = np.argmax(scores.value)
    j = scores.column[i]
    pair[0], pair[1] = i, j
    procrustes(Z[i, i], Z[i, j], Z[j, i], Z[j, j], 0, block)


@kernel()
def enter_right(Z, pair, block):
    """Move a factor to the side of X: Z <- Z G^T."""
    multiply_right_transposed(Z, pair[0], pair[1], block[0, 0], block[0, 1], block[1, 0], block[1, 1])


@kernel()
def leave_left(Z, pair, block):
    """Take a factor off the side of Y: Z <- G Z."""
    multiply_left(Z, pair[0], pair[1], block[0, 0], block[0, 1], block[1, 0], block[1, 1])


@kernel()
def enter_left(Z, pair, block):
    """Move a factor to the side of Y: Z <- G^T Z."""
    multiply_left(Z, pair[0], pair[1], block[0, 0], block[1, 0], block[0, 1], block[1, 1])


@kernel()
def leave_right(Z, pair, block):
    """Take a factor off the side of X: Z <- Z G."""
    multiply_right_transposed(Z, pair[0], pair[1], block[0, 0], block[1, 0], block[0, 1], block[1, 1])


@kernel()
def refresh_layer(Z, scores, pairs):
    """Refresh the scores of every index in `pairs`."""
    for k in range(pairs.shape[0]):
        refresh_scores(Z, scores, pairs[k, 0])
        refresh_scores(Z, scores, pairs[k, 1])


@kernel()
def pick_disjoint(Z, scores, pairs, blocks):
    """Fill `pairs` and `blocks` with the best pair, then the best disjoint from it, and so on; return the sum of C_ij.

    More than one factor leaves the touched rows of the table retired, to be refreshed when Z moves on.
    """
    gain = 0.0
    for k in range(pairs.shape[0]):
        gain += np.max(scores.value)
        pick(Z, scores, pairs[k], blocks[k])
        if pairs.shape[0] > 1:
            retire(scores, pairs[k, 0])
            retire(scores, pairs[k, 1])
    return gain


@kernel()
def solve_on_pairs(Z, pairs, blocks, levels):
    """Solve for the blocks of disjoint pairs at Z, on a grid of `levels` angles or free; return the sum of C_ij."""
    gain = 0.0
    for k in range(pairs.shape[0]):
        i, j = pairs[k]
        gain += nuclear_gain(Z[i, i], Z[i, j], Z[j, i], Z[j, j])
        procrustes(Z[i, i], Z[i, j], Z[j, i], Z[j, j], levels, blocks[k])
    return gain


@kernel(allocates=True)
def update_layer(Z, pairs, blocks, scores, repick, levels):
    """Solve a layer anew at its Z_k: on the pairs it has, or with `repick` on new ones where they gain more."""
    gain = solve_on_pairs(Z, pairs, blocks, levels)
    if repick:
        new_pairs, new_blocks = np.empty_like(pairs), np.empty_like(blocks)
        if pick_disjoint(Z, scores, new_pairs, new_blocks) >= gain:
            pairs[:] = new_pairs
            blocks[:] = new_blocks
        else:
            refresh_layer(Z, scores, new_pairs)


@kernel(allocates=True)
def construct(Z, pairs, blocks, offsets, threshold, gains):
    """Build the factors one layer after another on Y = Z's left side (Algorithm 1, initialization, step 3).

    `offsets` bounds the layers; factors of one layer take disjoint pairs. Stops before a layer whose best C_ij is not
    above `threshold`. Writes the sum of C_ij of each layer into `gains`; returns the number of layers. Z becomes J_m.
    """
    scores = new_scores(Z.shape[0])
    fill_scores(Z, scores)
    for layer in range(offsets.shape[0] - 1):
        if np.max(scores.value) <= threshold:
            return layer
        first, last = offsets[layer], offsets[layer + 1]
        gains[layer] = pick_disjoint(Z, scores, pairs[first:last], blocks[first:last])
        for k in range(first, last):
            enter_right(Z, pairs[k], blocks[k])
        refresh_layer(Z, scores, pairs[first:last])
    return offsets.shape[0] - 1


@kernel()
def walk(Z, pairs, blocks, offsets, here, step):
    """Go from a layer to the next (`step` 1) or the one before (-1); return the layer where Z now stands."""
    after = here + step
    for k in range(offsets[here], offsets[here + 1]):
        if step > 0:
            enter_right(Z, pairs[k], blocks[k])
        else:
            enter_left(Z, pairs[k], blocks[k])
    for k in range(offsets[after], offsets[after + 1]):
        if step > 0:
            leave_left(Z, pairs[k], blocks[k])
        else:
            leave_right(Z, pairs[k], blocks[k])
    return after


@kernel(allocates=True)
def sweep(Z, pairs, blocks, offsets, order, repick, levels):
    """Update every layer once, in the order given (Algorithm 1, iterations, step 1); Z = Y X^T is overwritten.

    Walking from a layer to the next moves the first to the side of X and takes the second off the side of Y; walking
    back does the reverse. The table of scores follows the rows and columns that changed; a long walk fills it anew.
    """
    scores = new_scores(Z.shape[0])
    for k in range(pairs.shape[0] - 1, offsets[1] - 1, -1):
        enter_left(Z, pairs[k], blocks[k])
    if repick:
        fill_scores(Z, scores)
    here = 0
    for layer in order:
        origin = here
        while here != layer:
            here = walk(Z, pairs, blocks, offsets, here, 1 if layer > here else -1)
        first, last = offsets[here], offsets[here + 1]
        if repick and abs(here - origin) > 1:
            fill_scores(Z, scores)
        elif repick and here != origin:
            refresh_layer(Z, scores, pairs[offsets[origin] : offsets[origin + 1]])
            refresh_layer(Z, scores, pairs[first:last])
        update_layer(Z, pairs[first:last], blocks[first:last], scores, repick, levels)


@kernel()
def angle_slopes(Z, pairs, blocks, slopes, curvatures):
    """Write the derivative of tr(U^T Z) by the angle of each rotation, and its largest second derivative in magnitude.

    With X held fixed; tr(G^T Z_k) is a cosine of the angle, whose amplitude is that second derivative.
    """
    for k in range(pairs.shape[0] - 1, -1, -1):
        enter_left(Z, pairs[k], blocks[k])
    for k in range(pairs.shape[0]):
        leave_left(Z, pairs[k], blocks[k])
        i, j = pairs[k]
        cosine, sine = Z[i, i] + Z[j, j], Z[i, j] - Z[j, i]
        slopes[k] = blocks[k, 0, 0] * sine - blocks[k, 0, 1] * cosine
        curvatures[k] = math.sqrt(cosine * cosine + sine * sine)
        enter_right(Z, pairs[k], blocks[k])


# ---- insertion and deletion ------------------------------------------------------------------------------------------


@kernel(allocates=True)
def insertion_gains(Z, pairs, blocks, gains, places):
    """Write the best C_ij, and its pair, of one more factor before factor k, for k = 0 .. m; Z is overwritten."""
    m = pairs.shape[0]
    scores = new_scores(Z.shape[0])
    for k in range(m - 1, -1, -1):
        enter_left(Z, pairs[k], blocks[k])
    fill_scores(Z, scores)
    for k in range(m + 1):
        i = np.argmax(scores.value)
        gains[k] = scores.value[i]
        places[k, 0], places[k, 1] = i, scores.column[i]
        if k < m:
            leave_left(Z, pairs[k], blocks[k])
            enter_right(Z, pairs[k], blocks[k])
            refresh_layer(Z, scores, pairs[k : k + 1])


@kernel()
def insertion_block(Z, pairs, blocks, position, pair, block):
    """Write into `block` the G-transform on `pair` that is best before factor `position`; Z is overwritten."""
    for k in range(pairs.shape[0] - 1, position - 1, -1):
        enter_left(Z, pairs[k], blocks[k])
    for k in range(position):
        enter_right(Z, pairs[k], blocks[k])
    i, j = pair
    procrustes(Z[i, i], Z[i, j], Z[j, i], Z[j, j], 0, block)


@kernel()
def deletion_losses(Z, pairs, blocks, losses):
    """Write by how much tr(U^T Z) falls when factor k alone becomes the identity; Z is overwritten."""
    for k in range(pairs.shape[0] - 1, -1, -1):
        enter_left(Z, pairs[k], blocks[k])
    for k in range(pairs.shape[0]):
        i, j = pairs[k]
        leave_left(Z, pairs[k], blocks[k])
        with_factor = blocks[k, 0, 0] * Z[i, i] + blocks[k, 0, 1] * Z[i, j]
        with_factor += blocks[k, 1, 0] * Z[j, i] + blocks[k, 1, 1] * Z[j, j]
        losses[k] = with_factor - Z[i, i] - Z[j, j]
        enter_right(Z, pairs[k], blocks[k])
