"""Rigid bones: six coordinates each, joints eliminated by the null space of their equations.

A bone turns about its centre c by a rotation vector w and shifts by v: x = c + v + exp(w) r
(theory, eq. 18). Coordinates are (size w, v), all in metres, so that generalised forces are in
newtons. Joints are closed exactly after every move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from vastus.errors import SolveError
from vastus.numerics.rotation import exp_map, skew
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.bones import Chart, Skeleton, least_squares


@dataclass(frozen=True)
class Rigid:
    """Bones that cannot deform."""

    young: None = None

    def chart(self, skeleton: Skeleton, poses: Floats) -> Chart:
        """Coordinates around these poses."""
        return RigidChart(skeleton, poses)

    def close(self, skeleton: Skeleton, poses: Floats) -> Floats:
        """The nearest poses at which every joint is closed (Gauss-Newton, minimum norm)."""
        reach = float(skeleton.size.max(initial=0.0))
        for _ in range(30):
            gaps = skeleton.gaps(poses)
            if np.abs(gaps).max(initial=0.0) <= 1e-14 * reach:
                return poses
            before = float(np.abs(gaps).max())
            poses = approach(skeleton, poses)
            if before <= 1e-12 * reach:
                return poses
        raise SolveError(f"the joints cannot be closed: a gap of {before:.2e} m remains")


class RigidChart(Chart):
    """Coordinates of rigid bones around given poses."""

    def __init__(self, skeleton: Skeleton, poses: Floats) -> None:
        self._skeleton, self._poses = skeleton, poses
        self._arm = skeleton.positions(poses) - _centres(skeleton, poses)[skeleton.owner]
        self._equations = _equations(skeleton, poses)
        twists = 6 * len(skeleton.free)
        self._basis = null_space(self._equations, rcond=1e-9) if skeleton.ties else np.eye(twists)
        self.size = self._basis.shape[1]

    def pull(self, g: Floats) -> Floats:
        """Resultant forces and torques of the bones, in the coordinates that the joints leave."""
        return self._basis.T @ self._wrench(g)

    def push(self, rows: Ints) -> Floats:
        """Velocities of carried vertices."""
        skeleton = self._skeleton
        out = np.zeros((len(rows), 3, self.size))
        for slot, bone in enumerate(skeleton.free):
            mine = np.flatnonzero(skeleton.owner[rows] == bone)
            arms = _velocity(self._arm[rows[mine]], skeleton.size[bone])
            out[mine] = arms @ self._basis[6 * slot : 6 * slot + 6]
        return out.reshape(3 * len(rows), self.size)

    def curvature(self, g: Floats) -> Floats:
        """Geometric stiffness of the forces, and of the joint reactions that balance them."""
        skeleton = self._skeleton
        twists = len(skeleton.free) * 6
        stiffness = np.zeros((twists, twists))
        moment = _second_moments(self._arm, g, skeleton.owner, skeleton.count)
        for arm, force, bone in self._reactions(g):
            moment[bone] += force.T @ arm
        for slot, bone in enumerate(skeleton.free):
            M = moment[bone]
            geometric = 0.5 * (M + M.T) - np.trace(M) * np.eye(3)
            turn = slice(6 * slot, 6 * slot + 3)
            stiffness[turn, turn] = geometric / skeleton.size[bone] ** 2
        return self._basis.T @ stiffness @ self._basis

    def strain(self) -> Floats:
        """How turning changes the free bones' rotations."""
        skeleton = self._skeleton
        out = np.zeros((len(skeleton.free), 9, self.size))
        for slot, bone in enumerate(skeleton.free):
            turns = skew(np.eye(3)) @ self._poses[bone, :, :3] / skeleton.size[bone]
            out[slot] = turns.reshape(3, 9).T @ self._basis[6 * slot : 6 * slot + 3]
        return out.reshape(-1, self.size)

    def lift(self, z: Floats) -> Floats:
        """Scaled twists of the free bones."""
        return self._basis @ z

    def lower(self, w: Floats) -> Floats:
        """The part of scaled twists that the joints allow."""
        return self._basis.T @ w

    def move(self, z: Floats) -> Floats:
        """Turn and shift the free bones, then close the joints."""
        return Rigid().close(self._skeleton, _turn(self._skeleton, self._poses, self._basis @ z))

    def _wrench(self, g: Floats) -> Floats:
        skeleton = self._skeleton
        columns = np.hstack([np.cross(self._arm, g) / skeleton.size[skeleton.owner, None], g])
        return _sums(columns, skeleton.owner, skeleton.count)[skeleton.free].ravel()

    def _reactions(self, g: Floats) -> list[tuple[Floats, Floats, int]]:
        """Arms (k, 3), forces (k, 3) and bone of the joint forces (Lagrange multipliers)."""
        skeleton = self._skeleton
        if not skeleton.ties:
            return []
        solution = least_squares(self._equations.T, -self._wrench(g))
        multipliers = np.split(
            solution.reshape(-1, 3), np.cumsum([len(t.points) for t in skeleton.ties])[:-1]
        )
        centres = _centres(skeleton, self._poses)
        found = []
        for tie, force in zip(skeleton.ties, multipliers, strict=True):
            for bone, sign in ((tie.a, 1.0), (tie.b, -1.0)):
                pose = self._poses[bone]
                arm = tie.points @ pose[:, :3].T + pose[:, 3] - centres[bone]
                found.append((arm, sign * force, bone))
        return found


def approach(skeleton: Skeleton, poses: Floats) -> Floats:
    """Poses turned and shifted, by one Gauss-Newton step, towards closed joints."""
    gaps = skeleton.gaps(poses).ravel()
    return _turn(skeleton, poses, least_squares(_equations(skeleton, poses), -gaps))


def _velocity(arm: Floats, size: float) -> Floats:
    """(k, 3, 6) velocities of points at arms (k, 3) by the scaled twist of their bone."""
    out = np.zeros((len(arm), 3, 6))
    out[:, :, :3] = -skew(arm) / size
    out[:, :, 3:] = np.eye(3)
    return out


def _second_moments(arm: Floats, g: Floats, owner: Ints, count: int) -> Floats:
    """(bones, 3, 3) sums of g rᵀ."""
    products = (g[:, :, None] * arm[:, None, :]).reshape(-1, 9)
    return _sums(products, owner, count).reshape(-1, 3, 3)


def _sums(rows: Floats, owner: Ints, count: int) -> Floats:
    """(bones, k) the sums of rows (h, k) by bone."""
    out = np.zeros((count, rows.shape[1]))
    for k, column in enumerate(rows.T):
        out[:, k] = np.bincount(owner, column, minlength=count)
    return out


def _centres(skeleton: Skeleton, poses: Floats) -> Floats:
    """(bones, 3) the images of the bones' centres."""
    return np.einsum("bij,bj->bi", poses[:, :, :3], skeleton.centre) + poses[:, :, 3]


def _equations(skeleton: Skeleton, poses: Floats) -> Floats:
    """(3 points, 6 f) the velocities of the joint gaps by the bones' scaled twists."""
    centres = _centres(skeleton, poses)
    blocks = [np.zeros((0, 6 * len(skeleton.free)))]
    for tie in skeleton.ties:
        block = np.zeros((3 * len(tie.points), 6 * len(skeleton.free)))
        for bone, sign in ((tie.a, 1.0), (tie.b, -1.0)):
            slot = skeleton.slot(bone)
            if slot >= 0:
                arm = tie.points @ poses[bone, :, :3].T + poses[bone, :, 3] - centres[bone]
                velocity = _velocity(arm, skeleton.size[bone]).reshape(-1, 6)
                block[:, 6 * slot : 6 * slot + 6] = sign * velocity
        blocks.append(block)
    return np.concatenate(blocks)


def _turn(skeleton: Skeleton, poses: Floats, twist: Floats) -> Floats:
    """Poses after the free bones turn and shift by scaled twists (6 f,)."""
    out = poses.copy()
    centres = _centres(skeleton, poses)
    for bone, (w, v) in zip(skeleton.free, twist.reshape(-1, 2, 3), strict=True):
        R = exp_map(w / skeleton.size[bone]) @ poses[bone, :, :3]
        out[bone, :, :3] = R
        out[bone, :, 3] = centres[bone] + v - R @ skeleton.centre[bone]
    return out
