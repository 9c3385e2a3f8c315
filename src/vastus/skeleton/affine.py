"""Affine bones: one deformation gradient each, as in the papers; joints are linear.

With weights w(X) = [(X - c)/size, 1], a bone is x = w U with U (4, 3). Pins, joints and bones are
then the same for every coordinate, so one scalar null space serves all three (theory, eq. 12).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from vastus.numerics.types import Floats, Ints
from vastus.skeleton.skeleton import Chart, Skeleton


@dataclass(frozen=True)
class Affine:
    """Bones that deform as a whole, with Young's modulus `young` [Pa]."""

    young: float = 1e10

    def chart(self, skeleton: Skeleton, poses: Floats) -> Chart:
        """Coordinates around these poses."""
        return AffineChart(skeleton, poses)

    def close(self, skeleton: Skeleton, poses: Floats) -> Floats:
        """The nearest poses at which every joint is closed: one linear solve."""
        if not skeleton.ties or not len(skeleton.free):
            return poses
        correction = np.linalg.lstsq(_equations(skeleton), -skeleton.gaps(poses), rcond=1e-10)[0]
        return _moved(skeleton, poses, correction)


class AffineChart(Chart):
    """Coordinates of affine bones around given poses: (scalar coordinate, axis)."""

    def __init__(self, skeleton: Skeleton, poses: Floats) -> None:
        self._skeleton, self._poses = skeleton, poses
        scalars = 4 * len(skeleton.free)
        basis = null_space(_equations(skeleton), rcond=1e-9) if skeleton.ties else np.eye(scalars)
        self._basis = basis.reshape(len(skeleton.free), 4, -1)
        self.size = 3 * basis.shape[1]

    def pull(self, g: Floats) -> Floats:
        """Sums of forces times weights."""
        weights = self._weights(np.arange(len(g)))
        return (weights.T @ g).ravel()

    def push(self, rows: Ints) -> Floats:
        """The weights, for each axis."""
        return np.kron(self._weights(rows), np.eye(3))

    def curvature(self, g: Floats) -> Floats:
        """None: the coordinates are linear."""
        return np.zeros((self.size, self.size))

    def strain(self) -> Floats:
        """How the coordinates change each free bone's deformation gradient."""
        scaled = self._basis[:, :3] / self._skeleton.size[self._skeleton.free, None, None]
        # F[r, c] changes with coordinate (k, r) by the gradient of weight k along c.
        out = np.einsum("bck,rs->brcks", scaled, np.eye(3))
        return out.reshape(-1, self.size)

    def move(self, z: Floats) -> Floats:
        """Poses at coordinates z."""
        change = np.einsum("bik,kr->bir", self._basis, z.reshape(-1, 3))
        return _moved(self._skeleton, self._poses, change.reshape(-1, 3))

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
    """(points, 4 f) the joint gaps as a linear map of U; constant."""
    blocks = [np.zeros((0, 4 * len(skeleton.free)))]
    for tie in skeleton.ties:
        block = np.zeros((len(tie.points), 4 * len(skeleton.free)))
        for bone, sign in ((tie.a, 1.0), (tie.b, -1.0)):
            slot = skeleton.slot(bone)
            if slot >= 0:
                block[:, 4 * slot : 4 * slot + 4] = sign * _barycentric(skeleton, bone, tie.points)
        blocks.append(block)
    return np.concatenate(blocks)


def _moved(skeleton: Skeleton, poses: Floats, change: Floats) -> Floats:
    """Poses after a change (4 f, 3) of U."""
    out = poses.copy()
    for bone, U in zip(skeleton.free, change.reshape(-1, 4, 3), strict=True):
        A = U[:3].T / skeleton.size[bone]
        out[bone, :, :3] += A
        out[bone, :, 3] += U[3] - A @ skeleton.centre[bone]
    return out
