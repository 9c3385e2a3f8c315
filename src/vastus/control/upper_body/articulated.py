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
from vastus.control.upper_body.paths import Gaps, paths_of
from vastus.control.upper_body.sag import gravity_stiffness
from vastus.numerics.sparse_rows import SparseRows
from vastus.numerics.types import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Points:
    """Points (p, 3) [m] of bodies (p,), each in its body's frame."""

    bodies: Ints
    local: Floats


@dataclass(frozen=True, eq=False)
class Kinetics:
    """A body at the coordinates q and speeds v (n,).

    `inertia` (n, n); `bias` (n,) is what gravity and turning ask of the joints [N m or N];
    muscles have lengths (m,) [m] and speeds (m,) [m/s], with `pulls` dl/dq (m, n); the two ends of
    ties are `gaps` (t, 3) [m] apart, with `spans` d(gap)/dq (3 t, n). `sag` (n, n) is how what
    gravity asks of the joints changes with the coordinates.
    """

    q: Floats
    v: Floats
    inertia: Floats
    bias: Floats
    lengths: Floats
    speeds: Floats
    pulls: SparseRows
    gaps: Floats
    spans: SparseRows
    sag: Floats

    @property
    def arms(self) -> Floats:
        """(m, n) dl/dq, zeros and all."""
        return self.pulls.dense

    @property
    def gap_arms(self) -> Floats:
        """(t, 3, n) d(gap)/dq, zeros and all."""
        return self.spans.dense.reshape(-1, 3, self.spans.width)


class Articulated:
    """A skeleton that can be put into any state."""

    def __init__(self, body: Musculoskeleton) -> None:
        self.mj, self.body, self.model = mujoco_package(), body, body.model
        self.data = self.mj.MjData(self.model)
        self._chains = _chains(self.model)
        self._turns, self._slides = ~body.slides, np.flatnonzero(body.slides)
        self._carried = self._chains.astype(float)
        self._carriers = self._chains[self.model.dof_bodyid]  # (n, n) the joints that carry a joint
        ties = body.ties
        firsts = body.bodies(*(tie.first for tie in ties))
        seconds = body.bodies(*(tie.second for tie in ties))
        points = [_stacked([tie.first_point for tie in ties])]
        points += [_stacked([tie.second_point for tie in ties])]
        self._gaps = Gaps.of(firsts, points[0], seconds, points[1], self._chains, body.slides)
        self._paths = paths_of(self.model, self._chains, len(body.muscles))

    def at(self, q: Floats, v: Floats) -> Kinetics:
        """The body at coordinates q and speeds v, (n,) each."""
        model, data = self.model, self.data
        self.place(q)
        data.qvel[:] = v
        self.mj.mj_makeM(model, data)
        inertia = np.zeros((model.nv, model.nv))
        self.mj.mj_fullM(model, data, inertia)
        self.mj.mj_comVel(model, data)
        bias = np.zeros(model.nv)
        self.mj.mj_rne(model, data, 0, bias)
        lengths, pulls = self._paths.at(data)
        gaps, spans = self._gaps.at(data)
        speeds = pulls.times(v)
        sag = gravity_stiffness(model, data, self._carriers)
        return Kinetics(q.copy(), v.copy(), inertia, bias, lengths, speeds, pulls, gaps, spans, sag)

    def lengths(self, q: Floats) -> Floats:
        """(m,) [m] of the muscles' paths at coordinates q (n,)."""
        self.place(q)
        return self._paths.lengths(self.data)

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


def _chains(m: Any) -> Bools:
    """(b, n) which degrees of freedom carry which body."""
    out = np.zeros((m.nbody, m.nv), bool)
    for body in range(1, m.nbody):
        out[body] = out[m.body_parentid[body]]
        start, count = m.body_dofadr[body], m.body_dofnum[body]
        if count:
            out[body, start : start + count] = True
    return out
