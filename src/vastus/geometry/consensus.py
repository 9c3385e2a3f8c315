"""Shapes that most points agree on, though some are strays.

Many random samples are compared, always the same ones; the best of them are then fitted by least
squares to the points that agree with them, the inliers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vastus.errors import ModelError
from vastus.numerics.types import Bools, Floats, Ints

Agree = Callable[[Floats, Floats, Floats], Floats]  # of points and normals with shapes: 0 to 1
Step = Callable[[Floats, Floats, Floats], Floats]  # from a shape towards points and normals

TRIALS = 500  # with half of the points strays, about eight samples of six have none
SEED = 20
LISTENED = 200  # points that judge the trials; all points judge the finalists
FINALISTS = 5
ROUNDS = 30  # of choosing the inliers and taking a step of Gauss and Newton


def frame(X: Floats, N: Floats, *, least: int) -> tuple[Floats, float]:
    """The mean of the points [m], and their size [m]; refuses too few."""
    if X.shape != N.shape or len(X) < least:
        raise ModelError(
            f"a fit needs {least} points or more, each with a normal: "
            f"there are {len(X)} points and {len(N)} normals"
        )
    return X.mean(axis=0), reach(X) or 1.0


def samples(count: int, size: int, seed: int) -> tuple[Ints, Ints]:
    """(trials, size) positions in each sample, and (j,) positions of the points that judge."""
    random = np.random.default_rng(seed)
    judges = random.permutation(count)[:LISTENED]
    return judges[np.argsort(random.random((TRIALS, len(judges))), axis=1)[:, :size]], judges


def search(
    trials: Floats, P: Floats, N: Floats, judges: Ints, agree: Agree, step: Step
) -> tuple[Floats, Bools] | None:
    """The shape that most points agree with, and which they are (k,)."""
    votes = agree(P[judges], N[judges], trials[:, None]).sum(axis=1)
    finalists = trials[np.argsort(-votes, kind="stable")[:FINALISTS]]
    settled = [_settled(shape, P, N, agree, step) for shape in finalists]
    least = trials.shape[1]
    fits = [(shape, inliers) for shape, inliers in settled if inliers.sum() > least]
    return max(fits, key=lambda fit: agree(P, N, fit[0]).sum(), default=None)


def _settled(shape: Floats, P: Floats, N: Floats, agree: Agree, step: Step) -> tuple[Floats, Bools]:
    """The shape fitted to the points that agree with it, until these stay the same."""
    inliers = agree(P, N, shape) > 0
    for _ in range(ROUNDS):
        if inliers.sum() < len(shape):
            break
        moved = step(P[inliers], N[inliers], shape)
        still = agree(P, N, moved) > 0
        done = (still == inliers).all() and np.allclose(moved, shape, rtol=0, atol=1e-9)
        shape, inliers = moved, still
        if done:
            break
    return shape, inliers


def reach(P: Floats) -> float:
    """The diagonal of the box around points."""
    return float(np.linalg.norm(np.ptp(P, axis=0)))


def closeness(away: Floats, most: Floats) -> Floats:
    """1 at no distance, 0 from the most on: its sum prefers a good fit among equally many."""
    return np.maximum(1 - (away / most) ** 2, 0.0)


def rms_of(values: Floats) -> float:
    """The root of the mean of the squares."""
    return float(np.sqrt(np.mean(values**2)))
