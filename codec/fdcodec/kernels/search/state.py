# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""What the encoder's search of a plane reads and writes, and the numbers it goes by. Encoder only."""

from typing import NamedTuple, TypeAlias

import numpy as np

from fdcodec.format.constants import LEARNED, MAX_LEARNED, MAX_LOG2, N_MODES, N_PROBABLE
from fdcodec.kernels.reconstruction.maps import Known
from fdcodec.kernels.reconstruction.planes import Work
from fdcodec.kernels.reconstruction.tables import Tables
from fdcodec.kernels.search.costs import Costs, new_costs
from fdcodec.kernels.search.quantization import INFINITE

X, Y, BEST, PARTS, QUARTER, CUT = range(6)  # of an open square: place, best uncut or halved, quarters so far, next one
NODE_FIELDS = 6
MODE, END, LEFT, UP = range(4)  # of the trial; left and up are the vector of a copied block
TRIAL_FIELDS = 4


class Search(NamedTuple):
    """Everything the search of one plane reads and writes.

    `trial_*` hold the best way found for the block in hand; `best_*` hold the best of each log2 side that is open, not
    counting its quarters, with modes and ends of its one or two blocks. Shapes and types are those of `new_search`.
    """

    original: np.ndarray
    plane: np.ndarray
    luma: np.ndarray
    known: Known
    contexts: np.ndarray
    costs: Costs
    tables: Tables
    work: Work
    trial: np.ndarray
    trial_levels: np.ndarray
    trial_samples: np.ndarray
    trial_prediction: np.ndarray
    best_samples: np.ndarray
    best_levels: np.ndarray
    best_modes: np.ndarray
    best_ends: np.ndarray
    levels: np.ndarray
    steps: np.ndarray
    probable: np.ndarray
    transposed: np.ndarray
    mode_costs: np.ndarray
    mode_rates: np.ndarray
    learned_costs: np.ndarray
    nodes: np.ndarray
    best_vectors: np.ndarray


class Options(NamedTuple):
    """The numbers of one plane's search.

    `low` and `high` bound the samples; `lagrangian` prices 1/1024 bit, `satd_lagrangian` does for SATD; `n_candidates`
    and `angle_strides` go by log2 of a square's side: modes tried in full at most, and the distance of the angles that
    are priced (0: none); `n_learned` is how many learned modes are tried besides, `candidate_margin_32nds` how far
    above the least price a mode is still tried; `n_halves` is the modes tried in full in half a square, `both_cuts`
    whether both ways to halve it are tried; `sparsity` is 0 for no limit; `flat_error` bounds the error, in 1/1024 a
    sample, of an empty square not worth cutting; one that costs less than the `quarter_prices` of its log2 side is not
    cut in quarters, nor in halves below `halve_prices`; `thrifty_share` is the share of the trees, in 1/1024, that are
    coded with thrift.
    """

    half_step: int
    lagrangian: int
    satd_lagrangian: int
    low: int
    high: int
    n_candidates: tuple[int, ...]
    n_learned: int
    candidate_margin_32nds: int
    angle_strides: tuple[int, ...]
    n_halves: int
    both_cuts: bool
    sparsity: int
    flat_error: int
    quarter_prices: tuple[int, ...]
    halve_prices: tuple[int, ...]
    thrifty_share: int


OptionsPair: TypeAlias = tuple[Options, Options]
"""Those of the first trees of a plane, and those of the last, whose bits are dearer."""


def new_search(original, plane, luma, known, contexts, tables, work):
    """Gather the arrays of a plane's search and allocate its scratch."""
    block, n_levels, sides = (32, 32), 32 * 32, MAX_LOG2 + 1
    return Search(
        original=original,
        plane=plane,
        luma=luma,
        known=known,
        contexts=contexts,
        costs=new_costs(),
        tables=tables,
        work=work,
        trial=np.zeros(TRIAL_FIELDS, np.int64),
        trial_levels=np.zeros(n_levels, np.int16),
        trial_samples=np.zeros(block, np.int32),
        trial_prediction=np.zeros(block, np.int32),
        best_samples=np.zeros((sides, *block), np.int32),
        best_levels=np.zeros((sides, n_levels), np.int16),
        best_modes=np.zeros((sides, 2), np.int64),
        best_ends=np.zeros((sides, 2), np.int64),
        levels=np.zeros(n_levels, np.int16),
        steps=np.zeros((1024, 4), np.int64),
        probable=np.zeros(N_PROBABLE + 2, np.int64),
        transposed=np.zeros(block, np.int32),
        mode_costs=np.zeros(N_MODES + 1, np.int64),
        mode_rates=np.zeros(LEARNED + MAX_LEARNED, np.int64),
        learned_costs=np.full(MAX_LEARNED, INFINITE, np.int64),
        nodes=np.zeros((sides, NODE_FIELDS), np.int64),
        best_vectors=np.zeros((sides, 2, 2), np.int64),
    )
