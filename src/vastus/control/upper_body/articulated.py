"""An articulated body at one state: inertia, weight and turning, paths of muscles, ties, points.

Everything comes from MuJoCo's kinematics. Its own passive forces, constraints and integrators are
not used: they are implicit in speeds only, which a stiff rib cage does not survive at 7 ms.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bodies.body import mujoco_package
from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.numerics.types import Floats, Ints

SITE = 3  # MuJoCo's mark of a step of a path that is a point of a body


@dataclass(frozen=True, eq=False)
class Points:
    """Points (p, 3) [m] of bodies (p,), each in its body's frame."""

    bodies: Ints
    local: Floats


@dataclass(frozen=True, eq=False)
class Kinetics:
    """A body at the coordinates q and speeds v (n,).

    `inertia` (n, n); `bias` (n,) is what gravity and turning ask of the joints [N m or N];
    muscles have lengths (m,) [m] and speeds (m,) [m/s], with `arms` dl/dq (m, n); the two ends of
    ties are `gaps` (t, 3) [m] apart, with d(gap)/dq (t, 3, n).
    """

    q: Floats
    v: Floats
    inertia: Floats
    bias: Floats
    lengths: Floats
    speeds: Floats
    arms: Floats
    gaps: Floats
    gap_arms: Floats


class Articulated:
    """A skeleton that can be put into any state."""

    def __init__(self, body: Musculoskeleton) -> None:
        self.mj, self.body, self.model = mujoco_package(), body, body.model
        self.data = self.mj.MjData(self.model)
        self._chains = _chains(self.model)
        self._turns, self._slides = ~body.slides, np.flatnonzero(body.slides)
        self._carried = self._chains.astype(float)
        firsts = body.bodies(*(tie.first for tie in body.ties))
        seconds = body.bodies(*(tie.second for tie in body.ties))
        self._first = Points(firsts, _stacked([tie.first_point for tie in body.ties]))
        self._second = Points(seconds, _stacked([tie.second_point for tie in body.ties]))
        self._entries, self._columns, self._rows = _path_entries(self.model, self._chains)
        self._muscles = len(body.muscles)

    def at(self, q: Floats, v: Floats) -> Kinetics:
        """The body at coordinates q and speeds v, (n,) each."""
        model, data = self.model, self.data
        self.place(q)
        data.qvel[:] = v
        self.mj.mj_tendon(model, data)
        self.mj.mj_makeM(model, data)
        inertia = np.zeros((model.nv, model.nv))
        self.mj.mj_fullM(model, data, inertia)
        self.mj.mj_comVel(model, data)
        bias = np.zeros(model.nv)
        self.mj.mj_rne(model, data, 0, bias)
        arms = np.zeros((model.ntendon, model.nv))
        arms[self._rows, self._columns] = data.ten_J[self._entries]
        arms = arms[: self._muscles]
        ends = self.positions(self._first), self.positions(self._second)
        gap_arms = self.jacobian(self._first, ends[0])
        gap_arms -= self.jacobian(self._second, ends[1])
        return Kinetics(
            q.copy(), v.copy(), inertia, bias,
            data.ten_length[: self._muscles].copy(), arms @ v, arms, ends[0] - ends[1], gap_arms,
        )  # fmt: skip

    def lengths(self, q: Floats) -> Floats:
        """(m,) [m] of the muscles' paths at coordinates q (n,)."""
        self.place(q)
        self.mj.mj_tendon(self.model, self.data)
        return np.asarray(self.data.ten_length[: self._muscles].copy())

    def place(self, q: Floats) -> None:
        """Put bodies where coordinates q (n,) say."""
        self.data.qpos[:] = q
        self.mj.mj_kinematics(self.model, self.data)
        self.mj.mj_comPos(self.model, self.data)

    def frames(self) -> tuple[Floats, Floats]:
        """Where bodies are now: positions (b, 3) [m] and rotations (b, 3, 3)."""
        return self.data.xpos.copy(), self.data.xmat.reshape(-1, 3, 3).copy()

    def positions(self, points: Points) -> Floats:
        """(p, 3) [m] where points are now."""
        R = self.data.xmat.reshape(-1, 3, 3)[points.bodies]
        return np.asarray(self.data.xpos[points.bodies] + np.einsum("pij,pj->pi", R, points.local))

    def jacobian(self, points: Points, where: Floats | None = None) -> Floats:
        """(p, 3, n) how points, which are at `where` (p, 3), move with each coordinate."""
        if where is None:
            where = self.positions(points)
        x, y, z = self.data.xaxis.T
        rx, ry, rz = np.moveaxis(where[:, None, :] - self.data.xanchor, 2, 0)
        way = np.stack([y * rz - z * ry, z * rx - x * rz, x * ry - y * rx], axis=1)
        way[:, :, self._slides] = self.data.xaxis[self._slides].T
        way *= self._carried[points.bodies][:, None, :]
        return np.asarray(way)

    def turning(self, bodies: Ints) -> Floats:
        """(p, 3, n) how bodies turn with each coordinate [rad]."""
        carried = self._chains[bodies] & self._turns
        return np.asarray(carried[:, None, :] * self.data.xaxis.T)


def _stacked(points: list[Floats]) -> Floats:
    return np.array(points, float).reshape(-1, 3)


def _chains(m: Any) -> np.ndarray:
    """(b, n) which degrees of freedom carry which body."""
    out = np.zeros((m.nbody, m.nv), bool)
    for body in range(1, m.nbody):
        out[body] = out[m.body_parentid[body]]
        start, count = m.body_dofadr[body], m.body_dofnum[body]
        if count:
            out[body, start : start + count] = True
    return out


def _path_entries(m: Any, chains: np.ndarray) -> tuple[Ints, Ints, Ints]:
    """The entries of MuJoCo's dl/dq that can differ from zero, with their columns and rows.

    MuJoCo stores a row for all that carries any point of a path; what carries two neighbours alike
    does not change the length between them, and is three quarters of it in a spine.
    """
    places, columns, rows = [], [], []
    for t in range(m.ntendon):
        start, count = m.tendon_adr[t], m.tendon_num[t]
        moves = _moves(m, slice(start, start + count), chains)
        first, size = m.ten_J_rowadr[t], m.ten_J_rownnz[t]
        entry = np.arange(first, first + size)
        entry = entry[moves[m.ten_J_colind[entry]]]
        places.append(entry)
        columns.append(m.ten_J_colind[entry])
        rows.append(np.full(len(entry), t))
    none = np.zeros(0, np.int64)
    joined = (np.concatenate([none, *part]).astype(np.int64) for part in (places, columns, rows))
    return tuple(joined)  # type: ignore[return-value]


def _moves(m: Any, steps: slice, chains: np.ndarray) -> np.ndarray:
    """(n,) which coordinates can change the length of a path of these steps."""
    if not (m.wrap_type[steps] == SITE).all():
        return np.ones(chains.shape[1], bool)
    carried = chains[m.site_bodyid[m.wrap_objid[steps]]]
    return np.asarray((carried[1:] ^ carried[:-1]).any(axis=0))
