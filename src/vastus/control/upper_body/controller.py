"""The controller of a whole body, and one step of the body under it.

At each step: the accelerations that lead to the targets, the torques that give them in the implicit
step about to be taken, and the activations that give the torques. A muscle's gain is the pull that
it will have at the end of the step, since that is what an implicit step counts: with the lengths
that joints shall then have, its stiffness and damping are in the balance and not beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from vastus.control.upper_body.articulated import Kinetics
from vastus.control.upper_body.coactivation import Prescribed, Sharer, Sharing
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.hybrid_inverse import (
    StepInverse,
    hybrid_torques,
    next_state_torques,
)
from vastus.control.upper_body.implicit_step import solved
from vastus.control.upper_body.linear_hill import Response
from vastus.control.upper_body.loads import Carried, Load, sensed
from vastus.control.upper_body.targets import POSITION_GAIN, SPEED_GAIN, Wanted
from vastus.errors import ModelError, known
from vastus.numerics.types import Floats

STEP = 1.0 / 150.0  # [s] five steps a picture at 30 a second
SLACK = 1e-3  # [N m] of a torque that counts as missing
INVERSES = ("step", "present", "ahead")
ROUNDS = 2  # of activations in a step; one leaves accelerations wrong by 0.4 %, two by 0.005 %


@dataclass(frozen=True)
class Gains:
    """How hard targets are followed [1/s^2], [1/s]; how quickly a load is felt [1/s], or at once.

    `eliminate` counts what muscles do to passive joints; without it, their pull there is ignored
    by the controller, as if it were negligible. `inverse` tells of what torques are the inverse:
    of the `step` about to be taken, of the `present` state, or of the state `ahead` by a step of
    forward Euler, as in the seven steps of the paper; the latter two are for comparison.
    """

    position: float = POSITION_GAIN
    speed: float = SPEED_GAIN
    sensor: float | None = None
    eliminate: bool = True
    inverse: str = "step"

    def __post_init__(self) -> None:
        for what, value in (("position", self.position), ("speed", self.speed)):
            if not (np.isfinite(value) and value > 0):
                raise ModelError(f"a {what} gain of {value:g}: it must be above 0")
        if self.sensor is not None and not self.sensor > 0:
            raise ModelError(f"a sensor of {self.sensor:g} 1/s: it must be above 0")
        if self.inverse not in INVERSES:
            raise known("inverse", self.inverse, INVERSES)


@dataclass
class BodyState:
    """A body at a time [s]: q and v (n,), felt masses (l,) [kg] and activations (m,)."""

    time: float
    q: Floats
    v: Floats
    felt: Floats
    activations: Floats


@dataclass(frozen=True, eq=False)
class Aim:
    """What a step shall do: coactivations (m,) or one for all, and muscles whose part is given."""

    wanted: Wanted
    coactivation: Floats | float = 0.0
    prescribed: Prescribed | None = None


class Outcome(NamedTuple):
    """What a step did: accelerations wanted and had (d,), torques (d,), how they were shared."""

    wanted: Floats
    had: Floats
    torques: Floats
    sharing: Sharing


@dataclass(eq=False)
class Controller:
    """Steps a body of `dynamics`, with `loads`, by `sharer`."""

    dynamics: Dynamics
    sharer: Sharer
    gains: Gains = field(default_factory=Gains)
    loads: Sequence[Load] = ()

    def __post_init__(self) -> None:
        self.carried = Carried(self.dynamics.skeleton, self.loads)

    def begin(self, q: Floats) -> BodyState:
        """A body at rest at coordinates q (n,), to which its loads are no surprise."""
        body, n = self.dynamics.body, self.dynamics.body.model.nv
        return BodyState(
            0.0, q.copy(), np.zeros(n), self.carried.masses(0.0), np.zeros(len(body.muscles))
        )

    def step(self, state: BodyState, aim: Aim, h: float = STEP) -> tuple[BodyState, Outcome]:
        """The state after h [s], and what was done."""
        dynamics, driven = self.dynamics, self.dynamics.body.driven
        at = dynamics.at(state.q, state.v)
        arms, masses = self.carried.arms(), self.carried.masses(state.time)
        felt = sensed(state.felt, masses, self.gains.sensor, h)
        free = dynamics.passive(at).system(state.v, h)
        expected = self.carried.add(free, arms, felt, h)
        inverse = StepInverse.of(expected, h, driven, dynamics.body.followers)
        wanted = aim.wanted.acceleration(state.q, state.v, self.gains.position, self.gains.speed)[
            driven
        ]
        torques = self._torques(at, inverse, wanted, arms, felt)
        activations, full = state.activations, dynamics.law.active(at.lengths, at.speeds)
        for _ in range(ROUNDS):
            gains = self._gains(at, full, inverse, wanted, activations)
            sharing = self.sharer.share(
                gains, torques, coactivation=aim.coactivation, prescribed=aim.prescribed
            )
            activations = sharing.activations
        loaded = self.carried.add(free, arms, masses, h)
        pull, springs = dynamics.pull(at, sharing.activations, full)
        change = solved(*loaded.with_springs(pull, springs, state.v, h))
        v, had = state.v + change, change[driven] / h
        after = BodyState(state.time + h, state.q + h * v, v, felt, sharing.activations)
        return after, Outcome(wanted, had, torques, sharing)

    def _torques(
        self,
        at: Kinetics,
        inverse: StepInverse,
        wanted: Floats,
        arms: tuple[Floats, Floats],
        felt: Floats,
    ) -> Floats:
        """(d,) [N m] that are asked of the muscles."""
        if self.gains.inverse == "step":
            return inverse.torques(wanted)
        body, weight = self.dynamics.body, self.carried.weights(arms, felt)
        if self.gains.inverse == "ahead":
            return next_state_torques(self.dynamics, at, wanted, inverse.h, weight)
        here = self.dynamics.passive(at, weight)
        return hybrid_torques(here, wanted, body.driven, body.followers)

    def _gains(
        self,
        at: Kinetics,
        full: Response,
        inverse: StepInverse,
        wanted: Floats,
        activations: Floats,
    ) -> Floats:
        """(d, m) [N m] torques of muscles at full activation, at the end of the step.

        How far passive joints then are depends on activations (m,): those of the round before.
        """
        change = inverse.change(wanted, -at.pulls.gathered(activations * full.force))
        stretching = at.pulls.times(change)
        pull = full.force + full.damping * stretching
        pull += inverse.h * full.stiffness * (at.speeds + stretching)
        moments = at.pulls.scaled(-np.maximum(pull, 0.0))
        if self.gains.eliminate:
            return inverse.gains(moments)
        none = np.zeros((len(inverse.passive), len(inverse.driven)))
        return moments.eliminated(inverse.driven, inverse.passive, none).T


def missing_torques(joints: tuple[str, ...], missing: Floats, count: int = 6) -> str:
    """A sentence about joints (d,) whose torques (d,) [N m] muscles cannot give, or nothing."""
    lacking = np.flatnonzero(np.abs(missing) > SLACK)
    if not len(lacking):
        return ""
    order = lacking[np.argsort(-np.abs(missing[lacking]))]
    told = ", ".join(f"{joints[k]} {missing[k]:+.3g}" for k in order[:count])
    more = f" and {len(order) - count} more" if len(order) > count else ""
    return f"no activations give the torques that are asked for; missing [N m]: {told}{more}"
