# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""What the training of learned modes reads from an encoded luma plane: borders, originals, prices of others.

`places` is int64 (n, 2) of x and y, `references` int32 (n, 4 size + 1), `originals` int32 (n, size^2), `mode_bits`
float32 (n, N_MODES); `steps` and `best_bits` are float32 (n,), `best_modes` int32 (n,).
"""

import numpy as np

from fdcodec.format.constants import N_MODES
from fdcodec.kernels.jit import kernel
from fdcodec.kernels.learning.statistics import log_rate
from fdcodec.kernels.reconstruction.maps import Known
from fdcodec.kernels.reconstruction.prediction import predict
from fdcodec.kernels.reconstruction.references import gather_references, smooth_references
from fdcodec.kernels.reconstruction.transforms import forward_transform, subtract_prediction
from fdcodec.kernels.search.costs import ONE_BIT, mode_cost
from fdcodec.kernels.syntax.modes import probable_modes


@kernel()
def collect_blocks(trace, log2_size, places, references, originals, mode_bits, probable):
    """Write border, samples and mode rates of the blocks at `places`; `trace` is (original, plane, maps, contexts)."""
    original, plane, maps, contexts = trace
    known, size = Known(maps, maps, 0), 1 << log2_size
    for n in range(places.shape[0]):
        x, y = np.int64(places[n, 0]), np.int64(places[n, 1])
        block = (x, y, np.int64(log2_size), np.int64(log2_size))
        gather_references(plane, block, references[n])
        for row in range(size):
            for column in range(size):
                originals[n, row * size + column] = original[y + row, x + column]
        probable_modes(known, block, probable)
        for mode in range(N_MODES):
            mode_bits[n, mode] = mode_cost(contexts, known, block, np.int64(mode), probable) / ONE_BIT


@kernel(allocates=True)
def price_modes(blocks, log2_size, steps, rate_step, tables, work, best_bits, best_modes):
    """Write half the log-rate plus the mode rate of the cheapest mode made by hand, and that mode, of each block.

    `blocks` is (references, originals, mode_bits) as `collect_blocks` wrote them.
    """
    references, originals, mode_bits = blocks
    size = 1 << log2_size
    for n in range(references.shape[0]):
        border = references[n]
        smooth_references(border, 2 * size, work.smoothed)
        best_bits[n] = np.inf
        for mode in range(N_MODES):
            predict(border, work.smoothed, log2_size, log2_size, np.int64(mode), work.line, work.lines, work.prediction)
            subtract_prediction(originals[n].reshape(size, size), work.prediction, work.residual)
            forward_transform(work.residual, np.int64(mode), log2_size, log2_size, tables, work, work.coefficients)
            bits = mode_bits[n, mode] + log_rate(work.coefficients[:size], size, steps[n] * rate_step) / 2
            if bits < best_bits[n]:
                best_bits[n] = bits
                best_modes[n] = mode
