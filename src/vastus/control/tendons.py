"""Tendons between bellies and the paths that they pull along.

A rigid tendon of length s leaves l = L - s of a path to its belly. One that stretches shares the
path with it so that both pull alike,

    F(l, v, a) = Fmax f_t((L - l) / s),

and with the slopes k of the belly and k_t of the tendon the pull changes by

    dF/dL = k k_t / (k + k_t),    dF/da = k_t / (k + k_t) dF/da of the belly, as dF/dv.

The belly lengthens as fast as its path here: what the tendon's own stretch adds to its speed is
left out, so that a law needs no memory of the past, only of where to begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vastus.bellies.law import MotorUnit, MuscleLaw, Pull
from vastus.errors import SolveError
from vastus.materials.fibres.curves import Curve
from vastus.materials.fibres.published import Kind, published
from vastus.numerics.types import Bools, Floats

LONGEST = 0.2  # [slack lengths] a tendon is never stretched further: it bears many times Fmax there
SHORTEST = 0.1  # [optimal lengths] a belly this short, on a path shorter than its tendon, is slack
RIGID = 1e-6  # [m] a tendon shorter than this does not stretch
EXACT = 1e-8  # of the greatest force, by which belly and tendon may differ before the last step
MOST = 100  # steps; bisection alone needs about fifty


@dataclass(frozen=True, eq=False)
class OnTendons:
    """The law of bellies, each in series with a tendon of length `slack` (m,) [m] that is rigid."""

    bellies: MuscleLaw
    slack: Floats

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pulls of units on paths of lengths (m,) [m] that lengthen at speeds (m,) [m/s]."""
        return self.bellies.forces(length - self.slack, speed, activation)

    def copy(self) -> OnTendons:
        """The same law, whose bellies remember apart from these."""
        return OnTendons(self.bellies.copy(), self.slack)


class OnElasticTendons:
    """The law of bellies, each in series with a tendon that stretches.

    Units tell the greatest forces and the slack lengths; `curve` is the tendons' force over their
    length, both relative.
    """

    def __init__(
        self, bellies: MuscleLaw, units: Sequence[MotorUnit], curve: Curve | None = None
    ) -> None:
        from scipy.interpolate import CubicHermiteSpline  # as heavy as the rest of the package

        self.bellies, self.units = bellies, tuple(units)
        self.force, self.slack, self.optimal = np.array(
            [(unit.force, unit.slack, unit.optimal) for unit in units]
        ).reshape(-1, 3).T.copy()  # fmt: skip
        curve = curve or published(Kind.TENDON)["millard"].curve
        x = np.linspace(1.0, 1.0 + LONGEST, 801)
        # Slopes are those above the first, for some curves have a corner there.
        rows = [[curve.force(float(at)), curve.slope(float(at) + 1e-12)] for at in x]
        self._curve = CubicHermiteSpline(x, *np.transpose(rows))
        self._slope = self._curve.derivative()
        self._tendon = self.slack.copy()  # (m,) [m] lengths where the last were in balance

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pulls of units on paths of lengths (m,) [m] that lengthen at speeds (m,) [m/s]."""
        loose = length - self.slack < SHORTEST * self.optimal
        high = np.where(loose, SHORTEST * self.optimal, length - self.slack)
        low = np.maximum(high - LONGEST * self.slack, SHORTEST * self.optimal)
        fixed = loose | (self.slack < RIGID)
        l = np.where(fixed, high, np.clip(length - self._tendon, low, high))
        for _ in range(MOST):
            pull = self.bellies.forces(l, speed, activation)
            bears, stiff = self._bears(length - l)
            off = np.where(fixed, 0.0, pull.force - bears)
            done = np.abs(off) <= EXACT * self.force
            if done.all():
                both = pull.by_length + stiff
                last = -off / np.where(both > 0, both, np.inf)  # a step for nothing
                self._tendon = length - l - last
                better = replace(pull, force=pull.force + pull.by_length * last)
                return self._shared(better, stiff, fixed, loose)
            high, low = np.where(off > 0, l, high), np.where(off < 0, l, low)
            steep = pull.by_length + stiff
            step = l - off / np.where(steep > 0, steep, 1.0)
            inside = (steep > 0) & (step > low) & (step < high)
            l = np.where(done, l, np.where(inside, step, 0.5 * (low + high)))
        k = int(np.argmax(~done))
        raise SolveError(
            f"unit '{self.units[k].name}' and its tendon found no common force on a path of"
            f" {length[k]:.4g} m; the tendon is {self.slack[k]:.4g} m long"
        )

    def copy(self) -> OnElasticTendons:
        """The same law, whose bellies remember apart from these."""
        other = object.__new__(OnElasticTendons)
        other.__dict__.update(self.__dict__)
        other.bellies = self.bellies.copy()
        return other

    def _bears(self, tendon: Floats) -> tuple[Floats, Floats]:
        """(m,) what tendons of lengths (m,) [m] bear [N], and its slope [N/m]."""
        slack = np.maximum(self.slack, RIGID)
        x = np.maximum(tendon / slack, 1.0)
        return self.force * self._curve(x), self.force * self._slope(x) * (x > 1.0) / slack

    def _shared(self, pull: Pull, stiff: Floats, fixed: Bools, loose: Bools) -> Pull:
        """The pull of bellies as it is at the ends of their tendons."""
        both = pull.by_length + stiff
        share = np.where(fixed, 1.0, stiff / np.where(both > 0, both, np.inf))
        share = np.where(loose, 0.0, share)
        return replace(
            pull,
            force=np.where(loose, 0.0, pull.force),
            by_activation=share * pull.by_activation,
            by_length=share * pull.by_length,
            by_speed=share * pull.by_speed,
        )
