"""Bodies of a MuJoCo model as bones: surfaces in place, and the joints between them.

Bodies without a joint between them are one. A bone is such a group that a muscle touches, or one
with a surface on the way between two of those. What hangs on the last bone of a limb and is not
touched, such as a hand, belongs to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from vastus.geometry.surface import Surface
from vastus.modelling.lines.lines import LineBone
from vastus.modelling.lines.mjcf_joints import Between
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


def named_groups(m: Any, touched: Iterable[int]) -> dict[int, str]:
    """The name of each group of bodies that is a bone, by the group's first body."""
    groups = {int(m.body_weldid[body]) for body in touched}
    shared = set.intersection(*(set(_up(m, g)) for g in groups))
    between = {h for g in groups for h in _up(m, g) if h not in shared}
    bony = {h for h in between if len(_own(m, h))}
    return {g: _name(m, g) for g in sorted(groups | bony)}


def bones_of(mujoco: ModuleType, m: Any, d: Any, names: Mapping[int, str]) -> tuple[LineBone, ...]:
    """The bones with their surfaces and joints."""
    return tuple(_bone(mujoco, m, d, group, names) for group in names)


def _bone(mujoco: ModuleType, m: Any, d: Any, group: int, names: Mapping[int, str]) -> LineBone:
    chain = []
    parent = group
    while True:
        chain.append(parent)
        parent = _parent(m, parent)
        if parent in names or parent == chain[-1]:
            break
    hung = [g for g in _groups(m) if g not in names and _hangs(m, g, group, names)]
    geoms = [geom for g in [group, *hung] for geom in _own(m, g)]
    surface = surface_of(mujoco, m, d, geoms) if geoms else None
    if parent not in names or parent == group:
        return LineBone(names[group], surface)
    joints = [j for j in range(m.njnt) if m.body_weldid[m.jnt_bodyid[j]] in chain]
    between = Between(mujoco, m, d, joints, group, parent, names[group])
    return LineBone(names[group], surface, names[parent], between.joint())


def _groups(m: Any) -> list[int]:
    return np.unique(m.body_weldid).tolist()


def _parent(m: Any, group: int) -> int:
    return int(m.body_weldid[m.body_parentid[group]])


def _up(m: Any, group: int) -> list[int]:
    """The group and all that it hangs on, the world last."""
    chain = [group]
    while chain[-1]:
        chain.append(_parent(m, chain[-1]))
    return chain


def _hangs(m: Any, group: int, bone: int, names: Mapping[int, str]) -> bool:
    """Whether a group belongs to a bone that no other bone hangs on."""
    last = not any(bone in _up(m, other)[1:] for other in names)
    return last and bone != 0 and bone in _up(m, group)


def _own(m: Any, group: int) -> list[int]:
    """The geoms that show a group: its meshes, or else its solids that no muscle wraps around."""
    mine = [g for g in range(m.ngeom) if m.body_weldid[m.geom_bodyid[g]] == group]
    meshes = [g for g in mine if m.geom_type[g] == 7]  # mjGEOM_MESH
    seen = [g for g in meshes if not m.geom_contype[g] and not m.geom_conaffinity[g]]
    wrapped = set(m.wrap_objid[(m.wrap_type == 4) | (m.wrap_type == 5)].tolist())
    solids = [g for g in mine if 2 <= m.geom_type[g] <= 6 and g not in wrapped]
    return seen or meshes or solids


def _name(m: Any, group: int) -> str:
    if group:
        return str(m.body(group).name) or f"body {group}"
    shown = [m.geom_bodyid[g] for g in _own(m, 0)]
    return str(m.body(shown[0]).name) if shown else "world"
