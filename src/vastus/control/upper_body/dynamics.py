"""The forces on an articulated body with muscles, and how they change with its state.

    f = -c - k (q - q0) - d v - T^T (kt g + ct g') - L^T (fP + a fC) + f_ext

with gravity and turning c, springs k and dampers d of joints, gaps g of ties with T = dg/dq, pulls
of muscles with L = dl/dq, and forces from outside.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from vastus.control.upper_body.articulated import Articulated, Kinetics
from vastus.control.upper_body.implicit_step import Forces, Linearised, Springs
from vastus.control.upper_body.linear_hill import SLACK_RATIO, STRESS, LinearHill, Response
from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.errors import ModelError
from vastus.numerics.types import Floats


class Dynamics:
    """A body with the law of its muscles.

    `springs` multiplies the stiffness of joints; `damping` [s], if given, is the damping of joints
    and ties in their stiffness. `muscles` may be left out.
    """

    def __init__(
        self,
        body: Musculoskeleton,
        *,
        slack_ratio: float = SLACK_RATIO,
        stress: float = STRESS,
        springs: float = 1.0,
        damping: float | None = None,
        muscles: bool = True,
    ) -> None:
        if not springs > 0:
            raise ModelError(f"springs of joints times {springs:g}: the factor must be above 0")
        self.body, self.skeleton = body, Articulated(body)
        m = body.model
        self.rest: Floats = m.qpos_spring.copy()
        self.law = LinearHill.at_rest(
            body.areas, self._relaxed_lengths(), ratio=slack_ratio, stress=stress
        )
        self.muscles = muscles
        self.spring: Floats = springs * m.jnt_stiffness.reshape(m.njnt, -1)[:, 0]
        self.damper: Floats = m.dof_damping.reshape(m.nv, -1)[:, 0].copy()
        self.tie_spring: Floats = np.array([tie.stiffness for tie in body.ties], float)
        self.tie_damper: Floats = np.array([tie.damping for tie in body.ties], float)
        if damping is not None:
            self.damper, self.tie_damper = damping * self.spring, damping * self.tie_spring

    def _relaxed_lengths(self) -> Floats:
        """(m,) [m] the greatest lengths at rest and in the postures in which muscles are slack."""
        lengths = self.skeleton.lengths(self.rest)
        for pose in self.body.relaxed:
            q = self.rest.copy()
            q[self.body.dofs(pose)] = list(pose.values())
            lengths = np.maximum(lengths, self.skeleton.lengths(q))
        return lengths

    def at(self, q: Floats, v: Floats) -> Kinetics:
        """The body at coordinates q and speeds v, (n,) each."""
        return self.skeleton.at(q, v)

    def passive(self, at: Kinetics, external: Floats | None = None) -> Linearised:
        """All forces but those of active muscles; `external` (n,) acts on the joints besides."""
        f = -at.bias - self.spring * (at.q - self.rest) - self.damper * at.v
        if external is not None:
            f += external
        springs = []
        if len(self.tie_spring):
            k, d = np.repeat(self.tie_spring, 3), np.repeat(self.tie_damper, 3)
            f -= at.spans.gathered(k * at.gaps.ravel() + d * at.spans.times(at.v))
            springs.append(Springs(at.spans, k, d))
        if self.muscles:
            pull = self.law.passive(at.lengths, at.speeds)
            f -= at.pulls.gathered(pull.force)
            springs.append(Springs(at.pulls, pull.stiffness, pull.damping))
        return Linearised(at.inertia, f, self.spring, self.damper, tuple(springs), at.sag)

    def active(self, at: Kinetics, passive: Linearised, activation: Floats) -> Linearised:
        """The same forces with muscles active at (m,)."""
        pull, springs = self.pull(at, activation)
        return replace(passive, f=passive.f + pull, springs=(*passive.springs, springs))

    def pull(
        self, at: Kinetics, activation: Floats, full: Response | None = None
    ) -> tuple[Floats, Springs]:
        """The forces (n,) of active muscles on the joints, and the springs that they are.

        `full` is the response of all muscles, fully active, if it is known.
        """
        full = self.law.active(at.lengths, at.speeds) if full is None else full
        force = -at.pulls.gathered(activation * full.force)
        return force, Springs(at.pulls, activation * full.stiffness, activation * full.damping)

    def forces(self, activation: Floats | None = None, external: Floats | None = None) -> Forces:
        """The forces as a function of coordinates and speeds, for the steps."""

        def of(q: Floats, v: Floats) -> Linearised:
            at = self.at(q, v)
            alone = self.passive(at, external)
            return alone if activation is None else self.active(at, alone, activation)

        return of
