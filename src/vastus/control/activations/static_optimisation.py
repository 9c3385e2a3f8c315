"""Torques shared out among muscles: the least sum of squared activations that balances them.

A joint is crossed by more muscles than it has coordinates. Of all activations a (m,) that turn the
coordinates with the torques tau (c,), the ones with the least sum of squares are taken:

    minimise |a|^2 + |r|^2 / e^2   subject to   C a + r = tau,   low <= a <= high

C (c, m) [N m] is the moment of each muscle about each coordinate at full activation: its arm times
its greatest force. What muscles cannot give, the reserve r (c,) does. It is so dear (e is small)
that it is none wherever muscles can balance the torques, and as small as can be where they cannot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.materials.base import require
from vastus.numerics.qp import quadratic_program
from vastus.numerics.types import Floats

# What a reserve may be for the price of a full activation, as a part of the strongest moment. A
# balance that can be reached is missed by its square, 1e-8; at 1e-6 the program is ill-conditioned.
CHEAP = 1e-4


@dataclass(frozen=True, eq=False)
class Distribution:
    """Activations (m,) of muscles, and the reserve (c,) [N m or N] of each coordinate."""

    activations: Floats
    reserves: Floats


def distribute(
    capacity: Floats, torques: Floats, *, low: Floats | float = 0.0, high: Floats | float = 1.0
) -> Distribution:
    """The least activations between `low` and `high` (m,) whose moments are the torques (c,).

    `capacity` (c, m) is the moment [N m or N] of each muscle about each coordinate at full
    activation.
    """
    coordinates, muscles = capacity.shape
    least, most = (np.broadcast_to(np.asarray(v, float), (muscles,)) for v in (low, high))
    require(bool((least <= most).all()), "the least activation of a muscle is above its largest")
    require(
        bool(np.isfinite(capacity).all() and np.isfinite(torques).all()),
        "torques and moments of muscles must be finite numbers",
    )
    # Each row in its own unit, so that a coordinate with weak muscles counts as much as others.
    size = np.maximum(np.abs(capacity).max(axis=1, initial=0.0), np.abs(torques))
    size = np.where(size > 0, size, 1.0)
    rows = np.hstack([capacity / size[:, None], CHEAP * np.eye(coordinates)])
    free = np.full(coordinates, np.inf)
    x = quadratic_program(
        np.eye(muscles + coordinates),
        np.zeros(muscles + coordinates),
        A=rows,
        b=torques / size,
        low=np.concatenate([least, -free]),
        high=np.concatenate([most, free]),
    )
    activations = x[:muscles]
    return Distribution(activations, torques - capacity @ activations)
