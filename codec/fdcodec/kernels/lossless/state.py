# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""Constants of the lossless mode, and all that coding a picture reads and changes."""

from math import isqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fdcodec.kernels.jit import kernel
from fdcodec.kernels.lossless.mixing import NEW_CELL
from fdcodec.kernels.syntax.range_coder import new_contexts

PAD = 3
FRACTION = 4
N_OWN_PREDICTORS = 8
N_PREDICTORS = 12
FAST_FILTER, SLOW_FILTER = 6, 7
N_TAPS = 16
TAP_ONE_BITS = 16
TAP_LIMIT = 1 << 20
SLOW_FILTER_SHIFT = 4
MAX_ERROR = 1 << 20

N_ENERGIES = 40
N_CLASSES = 34
MIXING_RATE = 17

# Rows of cells: SET_A by energy (8 zero flags, then the classes), SET_B by spread and neighbours, SET_C by prediction.
SET_A = 0
A_ROW = 8 + N_CLASSES - 1
SET_B = SET_A + N_ENERGIES * 2 * A_ROW
SET_C = SET_B + 20 * 16 * 2 * N_CLASSES
N_SAMPLE_CELLS = SET_C + 5 * 256 * 2 * N_CLASSES

SIGN_CONTEXTS = 0
EXTRA_CONTEXTS = SIGN_CONTEXTS + 16 * 3 * 3
N_SAMPLE_CONTEXTS = EXTRA_CONTEXTS + N_CLASSES * 3

TEXTURE_BIASES = 256 * 8
N_BIASES = TEXTURE_BIASES + 7 * 7 * 7

BUCKET_BITS = 12

SLOT_BITS = 17
N_SLOTS = 1 << SLOT_BITS
SLOT_LIMIT = 60
FRESH_SLOT = (3 << 28) | 1
REPLACED_SLOT = NEW_CELL | 1
REPLACE_BELOW = 1 << 21
TREE_BITS = 18
N_TREE_INPUTS = 6

SLOT_CELLS = N_SAMPLE_CELLS
PATTERN_CELLS = SLOT_CELLS + 3 * N_SLOTS
TREE_CELLS = PATTERN_CELLS + 64 * 5 * 4
N_CELLS = TREE_CELLS + (1 << TREE_BITS)

GUESS_WEIGHTS = 2 * N_CLASSES
TREE_WEIGHTS = GUESS_WEIGHTS + 4 * 5
N_WEIGHT_SETS = TREE_WEIGHTS + 16
GUESS_RATE = 16
TREE_RATE = 15

ANY_CONTEXTS = N_SAMPLE_CONTEXTS
WHICH_CONTEXTS = ANY_CONTEXTS + 16 * 9
NEW_CONTEXTS = WHICH_CONTEXTS + 9 * 9
ROW_CONTEXTS = NEW_CONTEXTS + 16 * 8
N_CONTEXTS = ROW_CONTEXTS + 2

HASH_BITS = 30
HASH_MASK = (1 << HASH_BITS) - 1
HASH_FACTOR = 0x2545F491
PRODUCT_MASK = (1 << 61) - 1

INPUTS, PLACES, ROOTS, TREE_PLACES, SLOTS, GUESSES = range(6)  # rows of the scratch
SCRATCH_ROWS = 6


def _log_bucket_table() -> np.ndarray:
    """Return LOG_BUCKET: 0..3 themselves, then four buckets an octave."""
    return np.array(
        [v if v < 4 else 4 * (v.bit_length() - 2) + ((v >> (v.bit_length() - 3)) & 3) for v in range(1 << BUCKET_BITS)],
        dtype=np.uint8,
    )


LOG_BUCKET = _log_bucket_table()
# 2**20 / S**1.5 of a sum of errors S that is shifted so that the smallest sum is below 32.
ERROR_WEIGHT = np.array([(1 << 20) // isqrt(max(s, 4) ** 3) + 1 for s in range(1024)], dtype=np.int32)
# Shift of the n-th update of a bias, about log2(n + 2), as long as updates are counted.
BIAS_SHIFT = np.array([1] + [2] * 2 + [3] * 6 + [4] * 14, dtype=np.int64)
MAX_BIAS_COUNT = len(BIAS_SHIFT)
# A bias learns at most energy / 32 + 1 of an error: one edge must not shift a flat region (-25 % on two head CTs).
BIAS_CAP_SHIFT = 5


class State(NamedTuple):
    """All that coding a picture reads and changes."""

    coder: np.ndarray
    buffer: np.ndarray
    cells: np.ndarray  # int32 (n_cells,)
    contexts: np.ndarray  # uint16 (n_contexts, 3), of the range coder
    weights: np.ndarray  # int64 (n_sets, 6), mixing weights
    planes: np.ndarray  # int32 (channels, height + 2, width + 2 PAD)
    limits: np.ndarray  # int64 (channels, 3): lowest sample, highest sample, shift of the prediction to 8 bits
    errors: np.ndarray  # int32 (channels, 2, width + 2 PAD, N_PREDICTORS), of this row and the one above
    residuals: np.ndarray  # int32 (channels, 2, width + 2 PAD)
    biases: np.ndarray  # int32 (channels, N_BIASES, 2): bias in 1/256 sample, count
    filters: np.ndarray  # int32 (channels, 2, N_TAPS): fast, slow
    above: np.ndarray  # int32 (channels, width + 2 PAD, N_TAPS): the fast filter as it was above
    taps: np.ndarray  # int32 (N_TAPS,)
    predictions: np.ndarray  # int32 (N_PREDICTORS,), with FRACTION more bits than samples
    sums: np.ndarray  # int32 (N_PREDICTORS,), of the predictors' errors around
    scratch: np.ndarray  # int64 (SCRATCH_ROWS, 16)
    wanted: np.ndarray  # int64 (width,): the row's colour indices, for the encoder
    colours: np.ndarray  # int32 (capacity, channels)
    n_colours: np.ndarray  # int64 (2,): known so far, capacity (0: the picture is not indexed)
    indices: np.ndarray  # int64 (3, width + 2 PAD), of this row and the two above, by row modulo 3
    escapes: np.ndarray  # int64 (2, width + 2 PAD): 1 where no candidate was right
    candidates: np.ndarray  # int32 (3, 2**SLOT_BITS): index last seen in a context, or -1


@kernel()
def log_bucket(value):
    """Return the logarithmic bucket of `value` >= 0, four an octave."""
    octaves = 0
    while value >= 1 << BUCKET_BITS:
        value >>= 1
        octaves += 4
    return np.int64(LOG_BUCKET[value]) + octaves


def new_state(
    coder: NDArray[np.int64],
    buffer: NDArray[np.uint8],
    limits: NDArray[np.int64],
    shape: tuple[int, int],
    n_colours: int,
) -> State:
    """Return the state before the first row (SPEC L2)."""
    channels, padded = len(limits), shape[1] + 2 * PAD
    planes = np.zeros((channels, shape[0] + 2, padded), dtype=np.int32)
    planes[:, :2] = ((limits[:, 0] + limits[:, 1] + 1) >> 1)[:, None, None]
    shifts = [max(int(high - low).bit_length() - 8, 0) for low, high in limits]
    filters = np.zeros((channels, 2, N_TAPS), dtype=np.int32)
    filters[:, :, :2] = 1 << 15
    n_cells, n_slots = (N_CELLS, N_SLOTS) if n_colours else (N_SAMPLE_CELLS, 0)
    return State(
        coder=coder,
        buffer=buffer,
        cells=np.full(n_cells, NEW_CELL, dtype=np.int32),
        contexts=new_contexts(N_CONTEXTS),
        weights=_initial_weights(),
        planes=planes,
        limits=np.column_stack([limits, shifts]),
        errors=np.zeros((channels, 2, padded, N_PREDICTORS), dtype=np.int32),
        residuals=np.zeros((channels, 2, padded), dtype=np.int32),
        biases=np.zeros((channels, N_BIASES, 2), dtype=np.int32),
        filters=filters,
        above=np.repeat(filters[:, :1], padded, axis=1),
        taps=np.zeros(N_TAPS, dtype=np.int32),
        predictions=np.zeros(N_PREDICTORS, dtype=np.int32),
        sums=np.zeros(N_PREDICTORS, dtype=np.int32),
        scratch=np.zeros((SCRATCH_ROWS, 16), dtype=np.int64),
        wanted=np.zeros(shape[1], dtype=np.int64),
        colours=np.zeros((n_colours, channels), dtype=np.int32),
        n_colours=np.array([0, n_colours], dtype=np.int64),
        indices=np.zeros((3, padded), dtype=np.int64),
        escapes=np.zeros((2, padded), dtype=np.int64),
        candidates=np.full((3, n_slots), -1, dtype=np.int32),
    )


def _initial_weights() -> NDArray[np.int64]:
    """Return the mixing weights before training: near 1.1 over the number of inputs."""
    weights = np.zeros((N_WEIGHT_SETS, 6), dtype=np.int64)
    weights[:GUESS_WEIGHTS] = 24000
    weights[GUESS_WEIGHTS:TREE_WEIGHTS] = 20000
    weights[TREE_WEIGHTS:] = 16000
    return weights
