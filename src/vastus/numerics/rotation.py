"""Unit vectors, rotations as 3x3 matrices and rotation vectors [rad], and rigid poses [R | t]."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.numerics.types import Floats

RIGID = 1e-6  # the largest entry of |R^T R - I| of what counts as a rotation


def unit(vectors: Floats) -> Floats:
    """(k, 3) the vectors at length 1; zero stays zero."""
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, size, out=np.zeros_like(vectors), where=size > 0)


def skew(v: Floats) -> Floats:
    """(..., 3, 3) the matrix of the cross product with v (..., 3)."""
    out = np.zeros((*v.shape, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = v[..., 2], -v[..., 1], v[..., 0]
    return out


def exp_map(w: Floats) -> Floats:
    """(..., 3, 3) the rotation by the rotation vector w (..., 3) [rad]."""
    return Rotation.from_rotvec(w).as_matrix()


def log_map(R: Floats) -> Floats:
    """(..., 3) the rotation vector [rad] of R (..., 3, 3)."""
    return Rotation.from_matrix(R).as_rotvec()


def is_rotation(R: Floats) -> bool:
    """Whether all of R (..., 3, 3) are rotations, to rounding."""
    strain = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0)
    return bool(strain < RIGID and (np.linalg.det(R) > 0).all())


def nearest_rotations(A: Floats) -> Floats:
    """(..., 3, 3) the rotation nearest to each of A (..., 3, 3)."""
    U, _, V = np.linalg.svd(A)
    U[..., -1] *= np.sign(np.linalg.det(U @ V))[..., None]
    return np.asarray(U @ V)


def quaternions(R: Floats) -> Floats:
    """(frames, ..., 4) wxyz of rotations (frames, ..., 3, 3), none far from the one before."""
    q = Rotation.from_matrix(R.reshape(-1, 3, 3)).as_quat().reshape(*R.shape[:-2], 4)
    jumps = np.einsum("f...i,f...i->f...", q[1:], q[:-1]) < 0
    q[1:] *= np.cumprod(np.where(jumps, -1.0, 1.0), axis=0)[..., None]
    return np.roll(q, 1, axis=-1)


def interpolate_poses(a: Floats, b: Floats, s: float) -> Floats:
    """Poses (..., 3, 4) a fraction `s` of the way from `a` to `b`.

    The way is a screw of constant speed: a bone that turns about a centre keeps it, and one that
    only shifts goes straight. It takes the shorter turn, so turns must be below 180 degrees.
    """
    if np.array_equal(a, b):
        return b.copy()
    R, t = b[..., :3] @ np.swapaxes(a[..., :3], -1, -2), b[..., 3:]
    t = t - R @ a[..., 3:]
    w = log_map(R.reshape(-1, 3, 3)).reshape(t.shape[:-1])
    part = exp_map(s * w.reshape(-1, 3)).reshape(R.shape)
    way = s * _sweep(s * w) @ np.linalg.solve(_sweep(w), t)
    moved = part @ a + np.concatenate([np.zeros_like(R), way], axis=-1)
    return np.where((a == b).all(axis=(-2, -1), keepdims=True), b, moved)


def _sweep(w: Floats) -> Floats:
    """(..., 3, 3) the mean of the rotations by 0 to w (..., 3): a velocity's share in the shift."""
    angle = np.linalg.norm(w, axis=-1)[..., None, None]
    K = skew(w) / np.maximum(angle, np.finfo(float).tiny)
    sine = np.sinc(angle / np.pi)
    return np.eye(3) + angle / 2 * np.sinc(angle / (2 * np.pi)) ** 2 * K + (1 - sine) * K @ K
