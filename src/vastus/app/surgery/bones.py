"""The bones that are seen and clicked on: what they are called, and where a ray meets them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import cKDTree

from vastus.bodies.appearance import BoneSurface, bone_surfaces
from vastus.bodies.body import Body
from vastus.geometry.queries import first_hit
from vastus.geometry.surface import Surface
from vastus.geometry.unrolled import Unrolled
from vastus.numerics.types import Floats, Ints

if TYPE_CHECKING:
    import mujoco

SOLID = 0.5  # least opacity of a bone; aids of the path are drawn fainter


@dataclass(frozen=True, eq=False)
class SeenBone:
    """A surface in the frame of a body, by the name that a person knows it by."""

    title: str
    part: BoneSurface

    @property
    def body(self) -> str:
        """The body of the model whose frame it is in."""
        return self.part.body

    @property
    def surface(self) -> Surface:
        """The surface [m] in that frame."""
        return self.part.surface

    @cached_property
    def map(self) -> Unrolled:
        """The surface rolled out flat."""
        return Unrolled.of(self.surface)

    @cached_property
    def _points(self) -> cKDTree:
        return cKDTree(self.surface.X)

    def gap(self, place: Floats) -> float:
        """How far a place (3,) [m] in its frame is from its nearest vertex."""
        return float(self._points.query(place)[0])

    def frame(self, data: mujoco.MjData) -> tuple[Floats, Floats]:
        """Rotation (3, 3) and place (3,) [m] of that frame in the pose of the data."""
        at = data.body(self.body)
        return np.array(at.xmat).reshape(3, 3), np.array(at.xpos)

    def hit(self, origin: Floats, direction: Floats, data: mujoco.MjData) -> float | None:
        """How far along a ray in the world it is met first."""
        R, x = self.frame(data)
        return met((origin - x) @ R, direction @ R, self.surface.X, self.surface.faces)

    def local(self, point: Floats, data: mujoco.MjData) -> Floats:
        """A point (3,) of the world in the bone's frame [m]."""
        R, x = self.frame(data)
        return np.asarray((point - x) @ R)


def seen_bones(body: Body) -> list[SeenBone]:
    """The bones of a body; surfaces that are nearly clear are none, if there are others."""
    found = bone_surfaces(body)
    solid = [bone for bone in found if bone.colour[3] >= SOLID] or found
    titles = _titles(body)
    return [SeenBone(titles.get(bone.name, bone.body), bone) for bone in solid]


def _titles(body: Body) -> dict[str, str]:
    """What geoms with names are called: as the file of their mesh, if there is one."""
    files = {mesh.name: Path(mesh.file).stem for mesh in body.spec.meshes if mesh.file}
    return {geom.name: files.get(geom.meshname, geom.name) for geom in body.spec.geoms if geom.name}


def met(origin: Floats, direction: Floats, x: Floats, faces: Ints) -> float | None:
    """How far along a ray a surface is met, from either side: not all files turn faces outwards."""
    hits = [first_hit(origin, direction, x, each) for each in (faces, faces[:, ::-1])]
    return min((hit[1] for hit in hits if hit is not None), default=None)


@dataclass(frozen=True, eq=False)
class BoneHit:
    """The bone by its number, how far along the ray, and the place (3,) [m] in its frame."""

    bone: int
    distance: float
    place: Floats


def bone_hit(
    bones: Sequence[SeenBone], origin: Floats, direction: Floats, data: mujoco.MjData
) -> BoneHit | None:
    """Where a ray in the world first meets a bone in the pose of the data."""
    best: BoneHit | None = None
    for number, bone in enumerate(bones):
        distance = bone.hit(origin, direction, data)
        if distance is not None and (best is None or distance < best.distance):
            place = bone.local(origin + distance * direction, data)
            best = BoneHit(number, distance, place)
    return best
