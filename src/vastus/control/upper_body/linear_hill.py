"""The linear Hill law of lines (theory, eq. 93): a parallel spring and a contractile element.

Of a muscle of area A and slack length l0, with the strain e = (l - l0) / l0,

    fP = max(0, ks (exp(kc e) - 1) + kd l' / l0),       ks = 0.8 A s,  kd = 0.1 s ks,  kc = 6,
    fC = a kmax max(0, l - lm) max(0, 1 + min(l', 0) / vm),
    kmax = A s / (l0 - lm),   lm = 0.3 l0,   vm = 8 l0 per second.

At l0 a muscle that is fully active and does not move pulls with A s. The slack length is the
length of the relaxed muscle times the slack ratio: the parallel spring has two thirds of the full
strength at a stretch of one tenth, so that postures far from relaxed ones are dear.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from vastus.bellies.law import Pull
from vastus.errors import ModelError
from vastus.numerics.types import Floats

STRESS = 5e5  # [Pa] of a fully active muscle at its slack length
SLACK_RATIO = 1.05  # slack lengths in relaxed lengths
SPRING, SHARPNESS, DAMPING = 0.8, 6.0, 0.1  # ks / (A s), kc, kd / ks [s]
SHORTEST, FASTEST = 0.3, 8.0  # lm / l0, vm / l0 [1/s]


class Response(NamedTuple):
    """A force (m,) [N] and how it rises with the length (m,) [N/m] and its rate (m,) [N s/m]."""

    force: Floats
    stiffness: Floats
    damping: Floats


@dataclass(frozen=True, eq=False)
class LinearHill:
    """Muscles of areas (m,) [m^2] and slack lengths (m,) [m]."""

    areas: Floats
    slack: Floats
    stress: float = STRESS

    def __post_init__(self) -> None:
        for what, values in (("area", self.areas), ("slack length", self.slack)):
            if not np.all(values > 0):
                k = int(np.argmin(values > 0))
                raise ModelError(f"muscle {k} has the {what} {values[k]:g}; it must be above 0")

    @classmethod
    def at_rest(
        cls, areas: Floats, rest: Floats, *, ratio: float = SLACK_RATIO, stress: float = STRESS
    ) -> LinearHill:
        """Muscles whose slack lengths are `ratio` times their relaxed lengths (m,) [m]."""
        if not 0.5 <= ratio <= 2.0:
            raise ModelError(f"a slack ratio of {ratio:g}; it must be between 0.5 and 2")
        return cls(areas, ratio * rest, stress)

    def passive(self, length: Floats, speed: Floats) -> Response:
        """The parallel springs at lengths [m] and speeds of lengthening [m/s], (m,) each."""
        spring = SPRING * self.areas * self.stress
        grown = spring * np.exp(SHARPNESS * (length / self.slack - 1.0))
        force = grown - spring + DAMPING * spring * speed / self.slack
        pulls = force > 0.0
        return Response(
            np.where(pulls, force, 0.0),
            np.where(pulls, SHARPNESS * grown / self.slack, 0.0),
            np.where(pulls, DAMPING * spring / self.slack, 0.0),
        )

    def active(self, length: Floats, speed: Floats) -> Response:
        """The contractile elements, fully active."""
        stiffness = self.areas * self.stress / ((1.0 - SHORTEST) * self.slack)
        by_length = stiffness * np.maximum(length - SHORTEST * self.slack, 0.0)
        fastest = FASTEST * self.slack
        by_speed = np.maximum(1.0 + np.minimum(speed, 0.0) / fastest, 0.0)
        slows = (speed < 0.0) & (by_speed > 0.0)
        return Response(
            by_length * by_speed,
            np.where(by_length > 0.0, stiffness * by_speed, 0.0),
            np.where(slows, by_length / fastest, 0.0),
        )

    def forces(self, length: Floats, speed: Floats, activation: Floats) -> Pull:
        """The pulls of muscles at lengths, speeds and activations, (m,) each."""
        spring, element = self.passive(length, speed), self.active(length, speed)
        return Pull(
            spring.force + activation * element.force,
            element.force,
            spring.stiffness + activation * element.stiffness,
            spring.damping + activation * element.damping,
        )

    def copy(self) -> LinearHill:
        """Itself, for it remembers nothing."""
        return self
