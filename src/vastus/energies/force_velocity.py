"""Active fibres whose force follows the velocity of their belly, over one step (theory, eq. 60).

    E = A W f* (o v/s) [G(w) - G(0) - w],   w = s (L - L0)/(o v),   G' = f_v

with the mean stretch L of a head, its rate s (L - L0) over a step as the scheme has it, the optimal
stretch o, the greatest velocity v [1/s] and the force-velocity curve f_v. Added to the energy of
the belly it makes the force A W [f(L) + f* (f_v(w) - 1)], where f* = f(L*) is the relative force at
the stretch L* that the rate before leads to: the product f f_v, but for the square of the step. As
f_v rises, its matrix of rank one is positive, however long the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.energies.belly import Head, Pull
from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.inputs import Inputs
from vastus.materials.fibres.curves import Curve
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class Pace:
    """A head over a step: from which stretch its rate counts, by which slope [1/s], and L*."""

    head: Head
    curve: Curve
    zero: float
    slope: float
    ahead: float

    def velocity(self, stretch: float) -> float:
        """The velocity at a stretch at the end, in greatest ones."""
        return self.slope * (stretch - self.zero) / self._fastest

    def force(self, stretch: float) -> float:
        """The relative force that velocity adds, negative where fibres shorten."""
        return self._relative * (self.curve.force(self.velocity(stretch)) - 1.0)

    def rise(self, stretch: float) -> float:
        """The derivative of that force by the stretch; never negative."""
        at = self.velocity(stretch)
        return self._relative * self.curve.slope(at) * self.slope / self._fastest

    def work(self, stretch: float) -> float:
        """The integral of that force; zero where the velocity is."""
        at = self.velocity(stretch)
        area = self.curve.work(at) - self.curve.work(0.0) - at
        return self._relative * area * self._fastest / self.slope

    @property
    def _fastest(self) -> float:
        """The greatest rate of the stretch [1/s]."""
        return self.head.optimal * self.head.max_velocity

    @property
    def _relative(self) -> float:
        return self.head.curve.force(self.ahead / self.head.optimal)


@dataclass(frozen=True)
class Over:
    """A step by its scheme: slope [1/s], weights of strains now and before, the time L* is at [s].

    A rate is the slope times the change from the weighted mean.
    """

    slope: float
    weights: tuple[float, float]
    seconds: float


def paces(
    heads: Sequence[Head], over: Over, F: Floats, rate: Floats, before: Floats | None
) -> list[Pace]:
    """The heads with a force-velocity curve, over a step.

    F (s, 3, 3) are the gradients of the soft tets where it begins, `rate` (s, 3, 3) [1/s] how fast
    they change, and `before` those one step earlier, where the scheme counts them.
    """
    found = []
    for head in heads:
        if head.velocity is None:
            continue
        pull = head.pull(F[head.tets], 0.0)
        zero = over.weights[0] * pull.stretch
        if before is not None:
            zero += over.weights[1] * head.pull(before[head.tets], 0.0).stretch
        ahead = pull.stretch + over.seconds * pull.rate_of(rate[head.tets])
        found.append(Pace(head, head.velocity, zero, over.slope, ahead))
    return found


class ForceVelocity(Energy):
    """What velocity adds to the active force of heads over a step, at activations (muscles,)."""

    label = "force that follows the velocity of bellies"

    def __init__(self, paces: Sequence[Pace], activation: Floats | None = None) -> None:
        self._paces, self._activation = tuple(paces), activation

    def at(self, inputs: Inputs) -> ForceVelocity:
        """The same at the inputs' excitation."""
        return ForceVelocity(self._paces, inputs.excitation)

    def _pulls(self, F: Floats) -> list[tuple[Pace, Pull]]:
        """The heads that are active, and what they do at gradients F (s, 3, 3)."""
        if self._activation is None:
            return []
        levels = [float(self._activation[pace.head.muscle]) for pace in self._paces]
        given = zip(self._paces, levels, strict=True)
        return [(p, p.head.pull(F[p.head.tets], level)) for p, level in given if level]

    def value(self, q: Placement) -> float:
        """The energy [J]."""
        pulls = self._pulls(q.F)
        self.noise = 1e-15 * sum(pull.active * pull.head.size for _, pull in pulls)
        return sum(pull.active * pull.head.size * pace.work(pull.stretch) for pace, pull in pulls)

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Take from the pull of fibres that shorten, add to that of stretched ones."""
        squares = 0.0
        for pace, pull in self._pulls(q.F):
            along = pull.active * pace.force(pull.stretch) * pull.head.weights[:, None] * pull.n
            pull.head.gather(along, forces.nodes)
            squares += float(np.sum((along**2).sum(axis=1) * (pull.head.slope**2).sum(axis=1)))
        return float(np.sqrt(squares))

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add what turns with the fibres of each tet, and one column for each head."""
        for pace, pull in self._pulls(q.F):
            head, force = pull.head, pull.active * pace.force(pull.stretch)
            across = force * head.weights / head.volumes / pull.lam
            nn = np.einsum("ki,kj->kij", pull.n, pull.n)
            block = across[:, None, None] * (np.eye(3) - nn)
            dd = np.einsum("ka,kb->kab", head.d, head.d)
            stiffness.tangents[head.tets] += np.einsum("kij,kab->kiajb", block, dd).reshape(
                -1, 9, 9
            )
            column = np.zeros_like(q.x)
            head.gather(pull.share, column)
            rise = pull.active * head.size * pace.rise(pull.stretch)
            stiffness.columns.append((column, rise))
