"""Inverse kinematics of an arm: the angles at which a point of its hand follows a path.

At each time the angles q nearest to a posture h among those that bring the point x(q) to its place
p are sought, |q - h|^2 in the joints' weights w, by damped steps of Gauss and Newton

    dq = J# (p - x) + (1 - J# J) (h - q),    J# = W^-1 J^T (J W^-1 J^T + s^2)^-1,

each clamped, and kept inside the limits. The posture goes from the arm's present state to its home
along a quintic. At the start the nearest angles are the present ones, with their speeds and
accelerations, so that one motion continues another without a jump though the point may be another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.interpolate import make_interp_spline

from vastus.bodies.body import mujoco_package
from vastus.juggling.paths import Knot, Path, quintic, rest
from vastus.numerics.types import Floats, Ints

if TYPE_CHECKING:
    from vastus.bodies.body import Arm, Body

GRID = 5e-3  # [s] at which angles are sought; between them a spline of degree five
TICK = 5e-4  # [s] at which the spline is kept
LONGEST = 0.3  # [rad] of a step at one joint
DAMPING = 1e-4  # [m] moment arms below this do not move the point
CLOSE = 1e-7  # [rad] when angles are found
MOST_STEPS = 60
MARGIN = 0.01  # [rad] that is kept to the limits
_AHEAD = {1: (1,), 2: (-1, 2), 3: (1, -3, 3), 4: (-1, 4, -6, 4)}  # weights of rows before the next


@dataclass(frozen=True, eq=False)
class JointPath:
    """Angles of an arm from a start to an end [s], and how well they follow a path in space.

    `error` [m] is the largest distance of the point from its place, `limited` tells the joints
    that were at a limit.
    """

    start: float
    end: float
    table: Floats  # (3, k, n) angles, speeds and accelerations each TICK
    error: float
    limited: tuple[int, ...]

    def at(self, t: float) -> Floats:
        """(3, n) angles [rad], speeds and accelerations; outside of the times those at the ends."""
        last = self.table.shape[1] - 1
        x = last * (min(max(t, self.start), self.end) - self.start) / (self.end - self.start)
        k = min(int(x), last - 1)
        return np.asarray((1.0 + k - x) * self.table[:, k] + (x - k) * self.table[:, k + 1])


class Reach:
    """Positions of the hands of a body, apart from any simulation of it."""

    def __init__(self, body: Body) -> None:
        self.mj, self.body, self.model = mujoco_package(), body, body.model
        self.data: Any = self.mj.MjData(self.model)
        self.data.qpos[: len(body.home)] = body.home
        self._places = {arm.name: _places(self.model, arm) for arm in body.arms}
        self._hands = {arm.name: int(self.model.body(arm.hand).id) for arm in body.arms}
        self._others = np.setdiff1d(
            np.arange(self.model.nq), np.concatenate([*self._places.values()])
        )
        self.mj.mj_kinematics(self.model, self.data)

    def places(self, arm: Arm) -> Ints:
        """Where the angles of an arm are in MuJoCo's positions."""
        return self._places[arm.name]

    def home(self, arm: Arm) -> Floats:
        """(n,) [rad] the angles of an arm in the home pose."""
        return np.asarray(self.body.home)[self.places(arm)]

    def settle(self, q: Floats) -> None:
        """Take the angles of joints that belong to no arm, as of a trunk, from positions q."""
        self.data.qpos[self._others] = q[self._others]

    def palm(self, arm: Arm) -> Floats:
        """(3,) [m] the palm in the frame of its hand."""
        return np.array(self.model.site_pos[self.model.site(arm.palm).id])

    def trunk(self, arm: Arm) -> Floats:
        """(3, 3) ahead, to the left and up of the body that an arm belongs to, as columns."""
        return np.array(self.data.xmat[self._root(arm)]).reshape(3, 3)

    def middle(self, arm: Arm) -> Floats:
        """(3,) [m] the origin of the body that an arm belongs to."""
        return np.array(self.data.xpos[self._root(arm)])

    def span(self, arm: Arm, local: Floats) -> tuple[Floats, float]:
        """(3,) [m] the shoulder, and how far from it a point of the hand is at most [m]."""
        joints = self.model.dof_jntid[list(arm.dofs)]
        hand = self._pose(arm, self.home(arm))
        tip = self.data.xpos[hand] + self.data.xmat[hand].reshape(3, 3) @ local
        stations = np.vstack([self.data.xanchor[joints], tip])
        return stations[0], float(np.linalg.norm(np.diff(stations, axis=0), axis=1).sum())

    def limits(self, arm: Arm) -> tuple[Floats, Floats]:
        """(n,) [rad] the least and the greatest angles."""
        joints = self.model.dof_jntid[list(arm.dofs)]
        free = self.model.jnt_limited[joints] == 0
        low, high = self.model.jnt_range[joints].T
        return np.where(free, -np.inf, low), np.where(free, np.inf, high)

    def point(self, arm: Arm, q: Floats, local: Floats) -> tuple[Floats, Floats]:
        """(3,) [m] a point (3,) of the hand's frame at angles q (n,), and its Jacobian (3, n)."""
        hand = self._pose(arm, q)
        p = self.data.xpos[hand] + self.data.xmat[hand].reshape(3, 3) @ local
        J = np.zeros((3, self.model.nv))
        self.mj.mj_jac(self.model, self.data, J, None, p, hand)
        return p, J[:, list(arm.dofs)]

    def knot(self, arm: Arm, state: Knot, local: Floats) -> Knot:
        """Place, speed and acceleration of a point of the hand at a state of the joints."""
        p, J = self.point(arm, state.place, local)
        step = 1e-5  # [s] over which the Jacobian is seen to change
        _, ahead = self.point(arm, state.place + step * state.speed, local)
        _, behind = self.point(arm, state.place - step * state.speed, local)
        turn = (ahead - behind) @ state.speed / (2.0 * step)
        return Knot(state.time, p, J @ state.speed, J @ state.acceleration + turn)

    def follow(self, arm: Arm, path: Path, state: Knot, local: Floats) -> JointPath:
        """The angles at which a point of the hand follows a path from a state of the joints on."""
        count = max(6, int(np.ceil((path.end - path.start) / GRID - 1e-9)))
        times = np.linspace(path.start, path.end, count + 1)
        places = path.at(times)
        postures = quintic(state, rest(path.end, self.home(arm))).at(times)
        low, high = (limit + side * MARGIN for limit, side in
                     zip(self.limits(arm), (1.0, -1.0), strict=True))  # fmt: skip
        rows, error, hit = [state.place], 0.0, np.zeros(len(low), bool)
        for k in range(1, len(times)):
            guess = _continued(rows[-4:])
            q, off = self._solve(arm, places[k], postures[k], guess, local, (low, high))
            hit |= (q <= low) | (q >= high)
            error = max(error, off)
            rows.append(q)
        spline = make_interp_spline(times, np.array(rows), k=5)
        fine = _ticks(path.start, path.end)
        table = np.array([spline(fine, order) for order in range(3)])
        return JointPath(path.start, path.end, table, error, tuple(map(int, np.flatnonzero(hit))))

    def swing(self, arm: Arm, state: Knot, instead: JointPath) -> JointPath:
        """Angles that go home from a state of the joints, instead of some that miss their path."""
        home = self.along(quintic(state, rest(instead.end, self.home(arm))))
        return replace(instead, table=home.table)

    def along(self, path: Path) -> JointPath:
        """Angles that are themselves a polynomial of time, (n,) of the joints of an arm."""
        fine = _ticks(path.start, path.end)
        table = np.array([path.at(fine, order) for order in range(3)])
        return JointPath(path.start, path.end, table, 0.0, ())

    def nearest(self, arm: Arm, place: Floats, local: Floats) -> tuple[Floats, float]:
        """The angles nearest to home that bring a point of the hand to a place, and the gap [m]."""
        home = self.home(arm)
        return self._solve(arm, place, home, home, local, self.limits(arm))

    def _solve(
        self, arm: Arm, place: Floats, posture: Floats, guess: Floats, local: Floats,
        limits: tuple[Floats, Floats],
    ) -> tuple[Floats, float]:  # fmt: skip
        ease = _ease(len(arm.dofs))
        q = np.clip(guess, *limits)
        p, J = self.point(arm, q, local)
        for _ in range(MOST_STEPS):
            wide = ease[:, None] * J.T
            right = np.linalg.solve(
                J @ wide + DAMPING**2 * np.eye(3), place - p - J @ (posture - q)
            )
            dq = posture - q + wide @ right
            dq *= min(1.0, LONGEST / max(np.abs(dq).max(), 1e-300))
            new = np.clip(q + dq, *limits)
            moved = np.abs(new - q).max()
            q = new
            p, J = self.point(arm, q, local)
            if moved < CLOSE:
                break
        return q, float(np.linalg.norm(place - p))

    def _root(self, arm: Arm) -> int:
        return int(self.model.body_rootid[self.model.body(arm.hand).id])

    def _pose(self, arm: Arm, q: Floats) -> int:
        self.data.qpos[self._places[arm.name]] = q
        self.mj.mj_kinematics(self.model, self.data)
        self.mj.mj_comPos(self.model, self.data)
        return self._hands[arm.name]


def _ticks(start: float, end: float) -> Floats:
    """Times [s] at which a motion is kept."""
    return np.linspace(start, end, 1 + max(2, round((end - start) / TICK)))


def _continued(rows: list[Floats]) -> Floats:
    """Where the polynomial through the last rows leads next."""
    return np.asarray(sum(w * row for w, row in zip(_AHEAD[len(rows)], rows, strict=True)))


def _places(model: Any, arm: Arm) -> Ints:
    return np.asarray(model.jnt_qposadr[model.dof_jntid[list(arm.dofs)]])


def _ease(joints: int) -> Floats:
    """(n,) how readily joints move for the hand: the last three, of forearm and wrist, less."""
    ease = np.ones(joints)
    ease[-3:] = 0.1
    return ease
