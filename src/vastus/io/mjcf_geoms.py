"""Geoms of a MuJoCo model as triangles in place."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints


def surface_of(mujoco: ModuleType, m: Any, d: Any, geoms: list[int]) -> Surface:
    """The geoms as one surface, in the pose of the data."""
    X, faces, start = [], [], 0
    for geom in geoms:
        points, triangles = _triangles(mujoco, m, geom)
        X.append(points @ d.geom_xmat[geom].reshape(3, 3).T + d.geom_xpos[geom])
        faces.append(triangles + start)
        start += len(points)
    return Surface(np.concatenate(X), np.concatenate(faces))


def _triangles(mujoco: ModuleType, m: Any, geom: int) -> tuple[Floats, Ints]:
    kind, size = mujoco.mjtGeom(m.geom_type[geom]), m.geom_size[geom]
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        return _mesh(m, m.geom_dataid[geom])
    make = import_module("trimesh").creation
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        raw = make.box(extents=2 * size)
    elif kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        raw = make.capsule(height=2 * size[1], radius=size[0], count=[16, 16])
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        raw = make.cylinder(radius=size[0], height=2 * size[1], sections=24)
    else:
        raw = make.icosphere(subdivisions=2)
        raw.apply_scale(size if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID else size[:1].repeat(3))
    return np.asarray(raw.vertices, float), np.asarray(raw.faces, np.int64)


def _mesh(m: Any, mesh: int) -> tuple[Floats, Ints]:
    points = slice(m.mesh_vertadr[mesh], m.mesh_vertadr[mesh] + m.mesh_vertnum[mesh])
    rows = slice(m.mesh_faceadr[mesh], m.mesh_faceadr[mesh] + m.mesh_facenum[mesh])
    return np.array(m.mesh_vert[points], float), np.array(m.mesh_face[rows], np.int64)
