"""Which triangle a ray meets first."""

from __future__ import annotations

import numpy as np

from vastus.numerics.types import Floats, Ints


def first_hit(
    origin: Floats, direction: Floats, x: Floats, faces: Ints
) -> tuple[int, float] | None:
    """The face and the distance, in lengths of `direction`, where a ray first enters a surface.

    Faces (k, 3) of vertices x (n, 3) are met from their outer side only (Moeller and Trumbore,
    1997).
    """
    a, b, c = (x[faces[:, i]] for i in range(3))
    one, two = b - a, c - a
    p = np.cross(direction, two)
    det = np.einsum("ki,ki->k", one, p)
    facing = det > 1e-300
    scale = np.where(facing, det, 1.0)
    s = origin - a
    u = np.einsum("ki,ki->k", s, p) / scale
    q = np.cross(s, one)
    v = q @ direction / scale
    t = np.einsum("ki,ki->k", two, q) / scale
    hit = facing & (u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0)
    if not hit.any():
        return None
    first = int(np.argmin(np.where(hit, t, np.inf)))
    return first, float(t[first])
