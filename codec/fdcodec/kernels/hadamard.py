# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"
"""What a residual would cost, quickly: sums of absolute 4x4 Hadamard coefficients. Encoder only."""

import numpy as np

from fdcodec.kernels.jit import kernel


@kernel()
def hadamard_cost(original, x, y, prediction, size, rows):
    """Return the sum of absolute 4x4 Hadamard coefficients of the residual, 4 times the orthonormal scale.

    `rows` is int32 (4, 32) scratch: four rows at a time are combined over the whole width, then by fours of columns.
    """
    total = np.int64(0)
    for row in range(0, size, 4):
        for column in range(size):
            a = original[y + row, x + column] - prediction[row, column]
            b = original[y + row + 1, x + column] - prediction[row + 1, column]
            c = original[y + row + 2, x + column] - prediction[row + 2, column]
            d = original[y + row + 3, x + column] - prediction[row + 3, column]
            rows[0, column] = a + b + c + d
            rows[1, column] = a - b + c - d
            rows[2, column] = a + b - c - d
            rows[3, column] = a - b - c + d
        for i in range(4):
            for k in range(size >> 2):
                a, b, c, d = rows[i, 4 * k], rows[i, 4 * k + 1], rows[i, 4 * k + 2], rows[i, 4 * k + 3]
                total += abs(a + b + c + d) + abs(a - b + c - d) + abs(a + b - c - d) + abs(a - b - c + d)
    return total
