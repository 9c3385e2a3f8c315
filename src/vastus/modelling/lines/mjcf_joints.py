"""Joints of a MuJoCo model: what stands for those between two bones, their ranges and couplings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.modelling.lines.lines import LineJoint, left_out, limited, limited_ball
from vastus.modelling.lines.screws import Placed, motion
from vastus.numerics.types import Floats
from vastus.skeleton.ball_range import BallRange
from vastus.skeleton.freedoms import Freedom, Shift, Turn
from vastus.skeleton.joints import Ball, Hinge, Slider, Universal
from vastus.skeleton.passive import Passive

_CONCURRENT = 1e-3  # [m] how far apart axes may pass that meet in a point
_SQUARE = 1e-3  # the cosine between axes that are at right angles


def follow_couplings(mujoco: ModuleType, m: Any, d: Any) -> None:
    """Set the joints that polynomials tie to others; only dynamics would do it otherwise."""
    ties = np.flatnonzero((m.eq_type == mujoco.mjtEq.mjEQ_JOINT) & (m.eq_active0 != 0))
    for _ in range(len(ties)):  # a joint may follow one that follows another
        before = d.qpos.copy()
        for k in ties:
            follower, leader = m.eq_obj1id[k], m.eq_obj2id[k]
            turn = 0.0 if leader < 0 else _turn(m, d, leader)
            at = m.jnt_qposadr[follower]
            d.qpos[at] = m.qpos0[at] + np.polynomial.polynomial.polyval(turn, m.eq_data[k, :5])
        if np.array_equal(before, d.qpos):
            return


def _turn(m: Any, d: Any, joint: int) -> float:
    at = m.jnt_qposadr[joint]
    return float(d.qpos[at] - m.qpos0[at])


@dataclass(frozen=True, eq=False)
class Between:
    """The joints between a bone and its parent, in order, by the first bodies of both."""

    mujoco: ModuleType
    m: Any
    d: Any
    joints: Sequence[int]
    bone: int
    parent: int
    name: str  # of the bone

    def joint(self) -> LineJoint:
        """The joint that stands for them."""
        leaders = self._leaders()
        own = [j for j in self.joints if j not in leaders]
        if len(self.joints) == 1:
            return self._alone(self.joints[0], leaders.get(self.joints[0]))
        if not own:
            names = " and ".join(f"'{self._name(j)}'" for j in sorted(set(leaders.values())))
            text = f"the joints of '{self.name}' follow {names} in the file; here they are held"
            return self._held((text,), leaders.values())
        if len(own) == 1:
            return self._coupled(own[0])
        return self._several(own) if len(own) == len(self.joints) else self._held()

    def _name(self, joint: int) -> str:
        return str(self.m.joint(joint).name)

    def _leaders(self) -> dict[int, int]:
        """The joint that each of these follows, for those that the file couples to one."""
        m, mujoco = self.m, self.mujoco
        ties = np.flatnonzero((m.eq_type == mujoco.mjtEq.mjEQ_JOINT) & (m.eq_active0 != 0))
        pairs = [(int(m.eq_obj1id[k]), int(m.eq_obj2id[k])) for k in ties]
        return {one: two for one, two in pairs if one in self.joints}

    def _held(self, notes: tuple[str, ...] = (), leaders: Any = ()) -> LineJoint:
        last = self.joints[-1]
        centre, axis = self.d.xanchor[last].copy(), self.d.xaxis[last].copy()
        names = tuple(self._name(j) for j in leaders if j >= 0)
        return LineJoint(f"{self.name} joint", None, centre, axis, notes=notes, leaders=names)

    def _alone(self, j: int, leader: int | None) -> LineJoint:
        kinds = self.mujoco.mjtJoint
        kind = kinds(self.m.jnt_type[j])
        centre, axis, name = self.d.xanchor[j].copy(), self.d.xaxis[j].copy(), self._name(j)
        told: tuple[str, ...] = ()
        leaders: tuple[str, ...] = ()
        if leader is not None and leader >= 0:
            leaders = (self._name(leader),)
            told = (
                f"joint '{name}' follows '{leaders[0]}' in the file; here it moves by itself if it "
                "is free, and is held otherwise",
            )
        if kind == kinds.mjJNT_BALL:
            limits, notes = self._ball_range(j)
            told += notes
            return LineJoint(name, Ball, centre, axis, notes=told, leaders=leaders, range=limits)
        if kind not in (kinds.mjJNT_HINGE, kinds.mjJNT_SLIDE):
            return self._held(told, [] if leader is None else [leader])
        slides = kind == kinds.mjJNT_SLIDE
        passive, notes = self._passive(j, Shift if slides else Turn)
        chosen = Slider if slides else Hinge
        return LineJoint(name, chosen, centre, axis, None, (passive,), told + notes, leaders)

    def _coupled(self, own: int) -> LineJoint:
        """One joint that others follow: its hinge or slider at present."""
        at = self.m.jnt_qposadr[own]
        low, high = self.m.jnt_range[own] if self.m.jnt_limited[own] else (-np.inf, np.inf)
        found = motion(self._placed(at), float(self.d.qpos[at]), (float(low), float(high)))
        if found is None:
            return self._held()
        name = self._name(own)
        R, t = self._place(self.d, self.parent)
        freedom = Turn if found.kind is Hinge else Shift
        passive, notes = self._passive(own, freedom, found.rate)
        others = [self._name(j) for j in self.joints if j != own]
        notes = (*found.note(name, others), *notes)
        centre = R @ found.point + t if found.kind is Hinge else self.d.xanchor[own].copy()
        return LineJoint(name, found.kind, centre, R @ found.axis, None, (passive,), notes)

    def _several(self, own: list[int]) -> LineJoint:
        """A universal joint or a ball, if axes meet."""
        anchors, axes = self.d.xanchor[own], self.d.xaxis[own]
        name = f"{self.name} joint"
        if not (self.m.jnt_type[own] == self.mujoco.mjtJoint.mjJNT_HINGE).all():
            return self._held()
        if (cross := crossing(anchors, axes)) is not None:
            both = [self._passive(j, Turn) for j in own]
            second = axes[1] - (axes[1] @ axes[0]) * axes[0]
            passive = tuple(each for each, _ in both)
            notes = tuple(note for _, told in both for note in told)
            return LineJoint(name, Universal, cross, axes[0].copy(), second, passive, notes)
        if (meet := meeting(anchors, axes)) is not None:
            return LineJoint(name, Ball, meet, axes[-1].copy(), notes=self._lost(own, name))
        return self._held()

    def _passive(
        self, j: int, freedom: type[Freedom], rate: float = 1.0
    ) -> tuple[Passive, tuple[str, ...]]:
        """How a joint resists about its present value; the stand-in moves `rate` as fast."""
        m, at = self.m, self.m.jnt_qposadr[j]
        now = float(self.d.qpos[at])
        low, high = m.jnt_range[j] - now if m.jnt_limited[j] else (-np.inf, np.inf)
        return limited(
            self._name(j),
            rate * float(low),
            rate * float(high),
            freedom=freedom,
            stiffness=float(np.ravel(m.jnt_stiffness[j])[0]) / rate**2,
            neutral=rate * (float(m.qpos_spring[at]) - now),
            damping=float(np.ravel(m.dof_damping[m.jnt_dofadr[j]])[0]) / rate**2,
        )

    def _ball_range(self, j: int) -> tuple[BallRange | None, tuple[str, ...]]:
        """How far a ball may turn from where the file has its angle zero; springs are told of."""
        m, name, notes = self.m, self._name(j), self._slack([j])
        if not m.jnt_limited[j]:
            return None, notes
        at = m.jnt_qposadr[j]
        turned = Rotation.from_quat(np.roll(self.d.qpos[at : at + 4], -1)).as_matrix()
        body = self.d.xmat[m.jnt_bodyid[j]].reshape(3, 3)
        limits, told = limited_ball(name, float(m.jnt_range[j].max()), body @ turned.T @ body.T)
        return limits, notes + told

    def _lost(self, joints: Sequence[int], name: str) -> tuple[str, ...]:
        """What is said of ranges and springs that a ball does not have."""
        with_range = [j for j in joints if self.m.jnt_limited[j]]
        ranges = {self._name(j): tuple(self.m.jnt_range[j]) for j in with_range}
        return left_out(name, ranges) + self._slack(joints)

    def _slack(self, joints: Sequence[int]) -> tuple[str, ...]:
        """What is said of springs that a ball does not have."""
        names = [f"'{self._name(j)}'" for j in joints if np.any(self.m.jnt_stiffness[j])]
        return (f"a ball has no spring here: left out is that of {', '.join(names)}",) * bool(names)

    def _placed(self, at: int) -> Callable[[float], Placed]:
        """Where the bone is, seen from its parent, at values of a joint that others follow."""
        moved = self.mujoco.MjData(self.m)

        def placed(value: float) -> Placed:
            moved.qpos[:] = self.d.qpos
            moved.qpos[at] = value
            follow_couplings(self.mujoco, self.m, moved)
            self.mujoco.mj_kinematics(self.m, moved)
            (A, a), (B, b) = (self._place(moved, body) for body in (self.parent, self.bone))
            return A.T @ B, A.T @ (b - a)

        return placed

    def _place(self, d: Any, body: int) -> Placed:
        return d.xmat[body].reshape(3, 3).copy(), d.xpos[body].copy()


def crossing(anchors: Floats, axes: Floats) -> Floats | None:
    """The point where two axes cross at right angles, if they do."""
    if len(axes) != 2 or abs(axes[0] @ axes[1]) > _SQUARE:
        return None
    return _nearest(anchors, axes)


def meeting(anchors: Floats, axes: Floats) -> Floats | None:
    """The point where axes in all directions meet, if they do."""
    if len(axes) < 3 or np.linalg.svd(axes, compute_uv=False)[-1] < 0.1:
        return None
    return _nearest(anchors, axes)


def _nearest(anchors: Floats, axes: Floats) -> Floats | None:
    flat = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    point = np.linalg.solve(flat.sum(axis=0), np.einsum("kij,kj->i", flat, anchors))
    apart = np.linalg.norm(np.einsum("kij,kj->ki", flat, point - anchors), axis=1)
    return point if apart.max() < _CONCURRENT else None
