"""Affine bones: one deformation gradient each, as in the papers; joints are linear.

With weights w(X) = [(X - c)/size, 1], a bone is x = w U with U (4, 3). Pins, joints and bones are
then the same for every coordinate, so one scalar null space serves all three (theory, eq. 22).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vastus.errors import SolveError
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.bones import BoneLoads, Chart, Skeleton, least_squares, null_space
from vastus.skeleton.rigid import approach


@dataclass(frozen=True)
class Affine:
    """Bones that deform as a whole, with Young's modulus `young` [Pa]."""

    young: float = 1e10

    def chart(self, skeleton: Skeleton, poses: Floats) -> Chart:
        """Coordinates around these poses."""
        return AffineChart(skeleton, poses)

    def close(self, skeleton: Skeleton, poses: Floats) -> Floats:
        """Poses near these at which every joint is closed.

        Bones first turn and shift as far as that closes the joints, then deform for the rest: a
        stiff bone that only deformed would resist every turn of a chain.
        """
        for _ in range(4 if skeleton.ties else 0):
            poses = approach(skeleton, poses)
        reach = float(skeleton.size.max(initial=0.0))
        for _ in range(30):
            gaps = skeleton.gaps(poses)
            before = float(np.abs(gaps).max(initial=0.0))
            if before <= 1e-14 * reach:
                return poses
            poses = _moved(skeleton, poses, least_squares(_equations(skeleton), -gaps))
            if before <= 1e-12 * reach:
                return poses
        raise SolveError(f"the joints cannot be closed: a gap of {before:.2e} m remains")


class AffineChart(Chart):
    """Coordinates of affine bones around given poses: (scalar coordinate, axis)."""

    def __init__(self, skeleton: Skeleton, poses: Floats) -> None:
        self._skeleton, self._poses = skeleton, poses
        scalars = 4 * len(skeleton.free)
        basis = null_space(_equations(skeleton)) if skeleton.ties else np.eye(scalars)
        self._basis = basis.reshape(len(skeleton.free), 4, basis.shape[1])
        self.size = 3 * basis.shape[1]

    def pull(self, g: Floats) -> Floats:
        """Sums of forces times weights."""
        weights = self._weights(np.arange(len(g)))
        return (weights.T @ g).ravel()

    def push(self, rows: Ints) -> Floats:
        """The weights, for each axis."""
        weights = self._weights(rows)
        return np.einsum("hk,rs->hrks", weights, np.eye(3)).reshape(3 * len(rows), self.size)

    def curvature(self, g: Floats, loads: BoneLoads) -> Floats:
        """None: the coordinates are linear."""
        return np.zeros((self.size, self.size))

    def reactions(self, g: Floats, loads: BoneLoads) -> list[Floats]:
        """The multipliers of the shared points' equations, axis by axis."""
        skeleton = self._skeleton
        if not skeleton.ties:
            return []
        W = np.zeros((len(skeleton.free), 4, 3))
        for slot, bone in enumerate(skeleton.free):
            mine = np.flatnonzero(skeleton.owner == bone)
            W[slot] = _barycentric(skeleton, bone, skeleton.X[mine]).T @ g[mine]
            W[slot, :3] += loads.turns[slot].T / skeleton.size[bone]
            W[slot, 3] += loads.shifts[slot]
        solution = least_squares(_equations(skeleton).T, -W.reshape(-1, 3))
        return np.split(solution, np.cumsum([len(t.points) for t in skeleton.ties])[:-1])

    def strain(self) -> Floats:
        """How the coordinates change each free bone's deformation gradient."""
        scaled = self._basis[:, :3] / self._skeleton.size[self._skeleton.free, None, None]
        # F[r, c] changes with coordinate (k, r) by the gradient of weight k along c.
        out = np.einsum("bck,rs->brcks", scaled, np.eye(3))
        return out.reshape(9 * len(scaled), self.size)

    def shift(self) -> Floats:
        """The centres' weights alone."""
        out = np.einsum("bk,rs->brks", self._basis[:, 3], np.eye(3))
        return out.reshape(3 * len(self._basis), self.size)

    def lift(self, z: Floats) -> Floats:
        """The change of U of every free bone."""
        columns = z.shape[1:]
        changes = np.einsum("bik,kr...->bir...", self._basis, z.reshape(-1, 3, *columns))
        return changes.reshape(-1, *columns)

    def lower(self, w: Floats) -> Floats:
        """The part of a change of U that the joints allow."""
        columns = w.shape[1:]
        changes = w.reshape(len(self._basis), 4, 3, *columns)
        return np.einsum("bik,bir...->kr...", self._basis, changes).reshape(-1, *columns)

    def move(self, z: Floats) -> Floats:
        """Poses at coordinates z."""
        moved = _moved(self._skeleton, self._poses, self.lift(z).reshape(-1, 3))
        return Affine().close(self._skeleton, moved)

    def _weights(self, rows: Ints) -> Floats:
        skeleton = self._skeleton
        out = np.zeros((len(rows), self._basis.shape[2]))
        for slot, bone in enumerate(skeleton.free):
            mine = np.flatnonzero(skeleton.owner[rows] == bone)
            out[mine] = _barycentric(skeleton, bone, skeleton.X[rows[mine]]) @ self._basis[slot]
        return out


def _barycentric(skeleton: Skeleton, bone: int, X: Floats) -> Floats:
    """(k, 4) the weights w of rest points X (k, 3) of a bone."""
    return np.hstack([(X - skeleton.centre[bone]) / skeleton.size[bone], np.ones((len(X), 1))])


def _equations(skeleton: Skeleton) -> Floats:
    """(points, 4 f) the joint gaps as a linear map of U; constant. Bones have no planes."""
    blocks = [np.zeros((0, 4 * len(skeleton.free)))]
    for tie in skeleton.ties:
        block = np.zeros((len(tie.points), 4 * len(skeleton.free)))
        for bone, points, sign in ((tie.a, tie.on_a, 1.0), (tie.b, tie.points, -1.0)):
            slot = skeleton.slot(bone)
            if slot >= 0:
                block[:, 4 * slot : 4 * slot + 4] = sign * _barycentric(skeleton, bone, points)
        blocks.append(block)
    return np.concatenate(blocks)


def _moved(skeleton: Skeleton, poses: Floats, change: Floats) -> Floats:
    """Poses after a change (4 f, 3) of U, bones turning as they go."""
    return _changed(skeleton, poses, change, turned)


def moved_straight(skeleton: Skeleton, poses: Floats, change: Floats) -> Floats:
    """Poses after a change (4 f, 3) of U, taken literally."""
    return _changed(skeleton, poses, change, np.add)


def _changed(
    skeleton: Skeleton, poses: Floats, change: Floats, add: Callable[[Floats, Floats], Floats]
) -> Floats:
    out = poses.copy()
    for bone, U in zip(skeleton.free, change.reshape(-1, 4, 3), strict=True):
        old = poses[bone, :, :3]
        new = add(old, U[:3].T / skeleton.size[bone])
        out[bone, :, :3] = new
        out[bone, :, 3] += U[3] + (old - new) @ skeleton.centre[bone]
    return out


def turned(A: Floats, change: Floats) -> Floats:
    """A + change to first order, the turning part of the change applied as a rotation.

    A stiff bone cannot follow a straight line when it turns: it would have to grow.
    """
    if abs(np.linalg.det(A)) < 1e-6:
        raise SolveError("an affine bone has collapsed")
    spin = change @ np.linalg.inv(A)
    turn = 0.5 * (spin - spin.T)
    vector = np.array([turn[2, 1], turn[0, 2], turn[1, 0]])
    return exp_map(vector) @ (A + change - turn @ A)
