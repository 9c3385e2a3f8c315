"""Activations that give torques: agonists, antagonists, and both at once.

The agonists are the least activations whose moments are the torques, the antagonists the least ones
whose moments are the opposite (theory, eq. 98). With a coactivation g of each muscle's part,

    a = (1 + g) a_agonist + g a_antagonist

has the same torques where g is one number, and stiffer joints. Between parts of different g the
torques of muscles that cross are restored by a third program of the same kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.errors import ModelError, known
from vastus.numerics.dual_newton import Optimum, least_activations
from vastus.numerics.types import Floats, Ints

RAISES, RAISED = 6, 1.5  # how often weights are raised, and by at least how much more than enough


@dataclass(frozen=True, eq=False)
class Sharing:
    """Activations (m,) and the torques (d,) [N m] that they miss."""

    activations: Floats
    missing: Floats
    iterations: int


@dataclass(frozen=True, eq=False)
class Prescribed:
    """Muscles (k,) whose activations (k,) are given and not found."""

    muscles: Ints
    activations: Floats


class Sharer:
    """Finds activations step by step; each begins from the one before.

    `weights` (m,) make muscles dear, `limit` is their greatest activation; the paper's law has
    none. With `spread`, the weight of a muscle above 1 is raised, so that its synergists help.
    """

    def __init__(
        self,
        muscles: int,
        *,
        weights: Floats | None = None,
        limit: float = np.inf,
        spread: bool = False,
    ) -> None:
        self.weights = np.ones(muscles) if weights is None else np.array(weights, float)
        if self.weights.shape != (muscles,) or not (self.weights > 0).all():
            raise ModelError(f"weights of {muscles} muscles must be {muscles} numbers above 0")
        if not limit > 0:
            raise ModelError(f"a greatest activation of {limit:g}: it must be above 0")
        self.limit, self.spread = limit, spread
        self._starts: dict[str, Optimum] = {}

    @property
    def memory(self) -> dict[str, Optimum]:
        """What the next programs begin from."""
        return self._starts

    def recall(self, memory: Mapping[str, Optimum]) -> None:
        """Begin the next programs from what is remembered."""
        self._starts = dict(memory)

    def share(
        self,
        gains: Floats,
        torques: Floats,
        *,
        coactivation: Floats | float = 0.0,
        prescribed: Prescribed | None = None,
    ) -> Sharing:
        """The activations of muscles with gains (d, m) [N m] for torques (d,) [N m]."""
        m = gains.shape[1]
        free, a = np.ones(m, bool), np.zeros(m)
        if prescribed is not None:
            free[prescribed.muscles] = False
            a[prescribed.muscles] = prescribed.activations
            torques = torques - gains @ a
        G, w = (gains, self.weights) if free.all() else (gains[:, free], self.weights[free])
        g = np.broadcast_to(np.asarray(coactivation, float), (m,))[free]
        found = self._least("agonist", G, torques, w)
        active, steps = found.a, found.iterations
        if g.any():
            against = self._least("antagonist", G, -torques, w)
            active = (1.0 + g) * found.a + g * against.a
            steps += against.iterations
            if np.ptp(g) > 0.0:
                repair = self._least("repair", G, torques - G @ active - found.slack, w)
                active, steps = active + repair.a, steps + repair.iterations
        a[free] = active
        return Sharing(a, torques - G @ active, steps)

    def _least(self, what: str, G: Floats, torques: Floats, weights: Floats) -> Optimum:
        start = self._starts.get(what)
        found = least_activations(G, torques, weights=weights, high=self.limit, start=start)
        if self.spread:
            found = self._spread(found, G, torques, weights)
        self._starts[what] = found
        return found

    def _spread(self, found: Optimum, G: Floats, torques: Floats, weights: Floats) -> Optimum:
        """The optimum with the weights of those above 1 raised, for this time."""
        for _ in range(RAISES):
            above = found.a > 1.0
            if not above.any():
                break
            weights = np.where(above, weights * np.sqrt(RAISED * found.a), weights)
            found = least_activations(G, torques, weights=weights, high=self.limit, start=found)
        return found


def coactivations(body: Musculoskeleton, given: float | Mapping[str, float]) -> Floats:
    """(m,) the coactivation of each muscle, from one for all or one for each part of the body."""
    levels = dict.fromkeys(body.parts, given) if not isinstance(given, Mapping) else given
    for part, level in levels.items():
        if part not in body.parts:
            raise known("part", part, body.parts)
        if not (np.isfinite(level) and level >= 0):
            raise ModelError(f"a coactivation of {level:g} of '{part}': it cannot be below 0")
    return np.array([levels.get(line.part, 0.0) for line in body.muscles])


def above_one(names: tuple[str, ...], peaks: Floats, count: int = 8) -> str:
    """A sentence about muscles whose greatest activations (m,) are above 1, or nothing."""
    found = np.flatnonzero(peaks > 1.0)
    if not len(found):
        return ""
    order = found[np.argsort(-peaks[found])]
    told = ", ".join(f"{names[k]} {peaks[k]:.2f}" for k in order[:count])
    more = f" and {len(order) - count} more" if len(order) > count else ""
    verb = "muscle is" if len(order) == 1 else "muscles are"
    return f"{len(order)} {verb} asked for more than full activation: {told}{more}"
