"""Cholesky factors of banded matrices, for loops that numba compiles.

Row i of A (n, w + 1) holds the entries of columns i - w to i; the diagonal is the last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.numerics.jit import point


@point
def factor(A: Any, n: int, width: int, column: Any) -> bool:
    """Write the factor over A (n, width + 1); whether A is positive. `column` (width,) is room."""
    # Column by column: updates of whole rows run several numbers at a time, products do not.
    for j in range(n):
        pivot = A[j, width]
        if not pivot > 0.0:
            return False
        pivot = np.sqrt(pivot)
        A[j, width] = pivot
        last = min(width, n - 1 - j)
        inverse = 1.0 / pivot
        for k in range(last):
            i = j + 1 + k
            A[i, width - 1 - k] *= inverse
            column[k] = A[i, width - 1 - k]
        for k in range(last):
            scale = column[k]
            if scale != 0.0:
                row, start = A[j + 1 + k], width - k
                for q in range(k + 1):
                    row[start + q] -= scale * column[q]
    return True


@point
def solve(A: Any, n: int, width: int, b: Any) -> None:
    """Write over b (n,) the solution of what A (n, width + 1) is the factor of."""
    for i in range(n):
        value = b[i]
        for k in range(max(0, width - i), width):
            value -= A[i, k] * b[i - width + k]
        b[i] = value / A[i, width]
    for i in range(n - 1, -1, -1):
        value = b[i] / A[i, width]
        b[i] = value
        for k in range(max(0, width - i), width):
            b[i - width + k] -= A[i, k] * value
