"""The surface of one region as the page draws it: whole, or what a cut leaves of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.app.look import Plane
from vastus.geometry.section import Cut, clipped, section
from vastus.io.skin import Skin
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Drawn:
    """Points and unit normals (p, 3), values (p, c), faces (k, 3) and the tet (k,) behind each."""

    points: Floats
    normals: Floats
    values: Floats
    faces: Ints
    tets: Ints


def whole(skin: Skin, x: Floats, values: Floats) -> Drawn:
    """The surface of a region with vertices x (n, 3) [m] and values (m, c) of its tets."""
    return Drawn(x[skin.vertices], skin.normals(x), _on_points(skin, values), skin.faces, skin.tets)


def cut(skin: Skin, tets: Ints, T: Ints, x: Floats, values: Floats, plane: Plane) -> Drawn | None:
    """What a plane leaves of a region of tets (k,), with the face of the cut; None if nothing."""
    d = plane.beyond(x)
    full = whole(skin, x, values)
    kept, rest = clipped(skin.faces, d[skin.vertices])
    face = section(T[tets], d)
    flat = _outward(face.at(x), plane.normal)
    sides, shade = rest.at(full.points), rest.at(full.values)
    normals = rest.at(full.normals)
    used, faces = np.unique(full.faces[kept], return_inverse=True)
    corners = np.concatenate([sides, flat]).reshape(-1, 3)
    if not len(used) and not len(corners):
        return None
    own = values[tets[face.source]]
    return Drawn(
        np.concatenate([full.points[used], corners]),
        np.concatenate([full.normals[used], normals.reshape(-1, 3), _all(plane.normal, face)]),
        np.concatenate(
            [full.values[used], shade.reshape(-1, values.shape[1]), np.repeat(own, 3, axis=0)]
        ),
        np.concatenate([faces.reshape(-1, 3), len(used) + np.arange(len(corners)).reshape(-1, 3)]),
        np.concatenate([full.tets[kept], full.tets[rest.source], tets[face.source]]),
    )


def _on_points(skin: Skin, values: Floats) -> Floats:
    """(p, c) at each point the mean over its faces of values (m, c) on tets."""
    sums = skin.spread(values[skin.tets])
    return sums / skin.spread(np.ones((len(skin.tets), 1)))


def _outward(corners: Floats, normal: Floats) -> Floats:
    """The triangles (q, 3, 3), turned so that they face along the normal."""
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    turned = areas @ normal < 0
    return np.where(turned[:, None, None], corners[:, ::-1], corners)


def _all(normal: Floats, face: Cut) -> Floats:
    return np.tile(normal, (3 * len(face.source), 1))
