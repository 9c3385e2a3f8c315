"""What is seen of a body: bones as surfaces, and the courses of its paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.bodies.body import Body, mujoco_package
from vastus.geometry.surface import Surface
from vastus.modelling.lines.mjcf import around
from vastus.modelling.lines.mjcf_bodies import surface_of
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    import mujoco


@dataclass(frozen=True, eq=False)
class BoneSurface:
    """A surface [m] in the frame of a body of the model, and its colour."""

    name: str
    body: str
    surface: Surface
    colour: tuple[float, float, float, float]

    def placed(self, data: mujoco.MjData) -> Surface:
        """The surface in the world, in the pose of the data."""
        frame = data.body(self.body)
        X = self.surface.X @ frame.xmat.reshape(3, 3).T + frame.xpos
        return Surface(X, self.surface.faces)


def bone_surfaces(body: Body) -> list[BoneSurface]:
    """The meshes, boxes, capsules and balls of a body, without what its paths run around."""
    return model_surfaces(body.model, body.data())


def model_surfaces(m: mujoco.MjModel, d: mujoco.MjData) -> list[BoneSurface]:
    """Those of a model, whose data are in any pose."""
    mujoco = mujoco_package()
    wrapped = m.wrap_objid[np.isin(m.wrap_type, (4, 5))]  # mjWRAP_SPHERE, mjWRAP_CYLINDER
    kinds = mujoco.mjtGeom
    endless = (kinds.mjGEOM_PLANE, kinds.mjGEOM_HFIELD, kinds.mjGEOM_SDF)
    found = []
    for g in range(m.ngeom):
        if g in wrapped or int(m.geom_type[g]) in endless:
            continue
        owner = int(m.geom_bodyid[g])
        world = surface_of(mujoco, m, d, [g])
        local = (world.X - d.xpos[owner]) @ d.xmat[owner].reshape(3, 3)
        red, green, blue, alpha = m.geom_rgba[g].tolist()
        name, frame = m.geom(g).name or f"geom_{g}", m.body(owner).name
        surface = Surface(local, world.faces)
        found.append(BoneSurface(name, frame, surface, (red, green, blue, alpha)))
    return found


def course(body: Body, data: mujoco.MjData, unit: int) -> Floats:
    """(k, 3) the path of a unit in the world [m], origin first; arcs around wraps are sampled."""
    m: Any = body.model
    rows = slice(data.ten_wrapadr[unit], data.ten_wrapadr[unit] + data.ten_wrapnum[unit])
    X = np.array(data.wrap_xpos).reshape(-1, 3)[rows]
    what = np.array(data.wrap_obj).ravel()[rows]
    points: list[Floats] = []
    k = 0
    while k < len(X):
        if what[k] < 0:  # a site
            points.append(X[k])
            k += 1
        else:
            axes = data.geom_xmat[what[k]].reshape(3, 3)
            cylinder = m.geom_type[what[k]] == mujoco_package().mjtGeom.mjGEOM_CYLINDER
            axis = axes[:, 2] if cylinder else None
            points += list(around(data.geom_xpos[what[k]], axis, X[k - 1], X[k], X[k + 1]))
            k += 2
    return np.array(points)
