"""The longest step that explicit integration bears: 2/omega of the fastest vibration.

    omega^2 = max u^T K u / (u^T M u),   K u by differences of forces

found by a few steps of Lanczos' method, a power iteration that forgets nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vastus.numerics.types import Floats

FIRST, AGAIN = 24, 8  # products of K with a vector: from an unknown mode, and from a known one
DOUBT = 0.3  # of a known mode, by which it is changed at random: others may have become faster
SHIFT = 1e-6  # of the model's length, by which vertices are moved to measure K u

Forces = Callable[[Floats], Floats]  # (n, 3) derivative of the energy [N] for vertices (n, 3)


def fastest(
    forces: Forces, x: Floats, weights: Floats, mode: Floats | None = None
) -> tuple[float, Floats]:
    """The largest omega [1/s] at x (n, 3), a little too large, and its mode (n, 3).

    `weights` (n, 3) are 1/sqrt(m) of what moves, and 0 elsewhere; `mode` is a guess.
    """
    count = FIRST if mode is None else AGAIN
    start = np.where(weights > 0, np.random.default_rng(0).normal(size=x.shape), 0.0)
    size = float(np.linalg.norm(start))
    if size == 0.0:
        return 0.0, start
    q = start if mode is None else mode + DOUBT / size * start
    size = float(np.linalg.norm(q))
    base, length = forces(x), float(np.ptp(x, axis=0).max())
    basis, alphas, betas = [q / size], [], []
    for _ in range(count):
        moved = weights * basis[-1]
        step = SHIFT * length / float(np.abs(moved).max())
        w = weights * (forces(x + step * moved) - base) / step
        alphas.append(float((w * basis[-1]).sum()))
        for _ in range(2):  # once more for what round-off leaves
            for known in basis:
                w = w - float((w * known).sum()) * known
        betas.append(float(np.linalg.norm(w)))
        if betas[-1] <= 1e-10 * abs(alphas[0]):
            break
        basis.append(w / betas[-1])
    used = len(alphas)
    T = np.diag(alphas) + np.diag(betas[: used - 1], 1) + np.diag(betas[: used - 1], -1)
    values, vectors = np.linalg.eigh(T)
    top = vectors[:, -1]
    mode = np.asarray(sum(c * v for c, v in zip(top, basis, strict=False)))
    # The true value is as far away as what is left of the product, and not below.
    return float(np.sqrt(max(values[-1], 0.0) + betas[-1] * abs(top[-1]))), mode
