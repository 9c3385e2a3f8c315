"""Rotations as 3x3 matrices, rotation vectors [rad], and rigid poses [R | t]."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.numerics.types import Floats


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


def interpolate_poses(a: Floats, b: Floats, s: float) -> Floats:
    """Poses (..., 3, 4) a fraction `s` from `a` to `b`: geodesic rotations, linear offsets."""
    if np.array_equal(a, b):
        return b.copy()
    out = (1 - s) * a + s * b
    turn = log_map((b[..., :3] @ np.swapaxes(a[..., :3], -1, -2)).reshape(-1, 3, 3))
    out[..., :3] = exp_map(s * turn).reshape(a[..., :3].shape) @ a[..., :3]
    return out
