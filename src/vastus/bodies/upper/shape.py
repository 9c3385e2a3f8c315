"""What is seen of a body of lines at rest: the surfaces of its bones, and the paths of its muscles.

Poses x = R X + t of bodies carry both to where they are in any frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.bodies.appearance import model_surfaces
from vastus.bodies.body import mujoco_package
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints

if TYPE_CHECKING:
    import mujoco


@dataclass(frozen=True, eq=False)
class Bone:
    """A surface [m] in the world at rest, the number of the body that carries it, its colour."""

    name: str
    body: int
    surface: Surface
    colour: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class Paths:
    """Lines of muscle by name: line i has the points from `starts[i]` up to `starts[i + 1]`.

    Points (p, 3) [m] are places in the world at rest, each carried by one of `bodies` (p,).
    """

    names: tuple[str, ...]
    groups: tuple[str, ...]  # (m,) the muscle that each line is part of
    areas: Floats  # (m,) [m^2]
    points: Floats
    bodies: Ints
    starts: Ints  # (m + 1,)

    def at(self, poses: Floats) -> Floats:
        """(p, 3) [m] where the points are when bodies have poses (b, 3, 4)."""
        return carried(self.points, poses[self.bodies])

    @cached_property
    def segments(self) -> Ints:
        """(s, 2) the points at the two ends of each straight piece."""
        first = np.setdiff1d(np.arange(len(self.points)), self.starts[1:] - 1)
        return np.column_stack([first, first + 1])

    @cached_property
    def line_of_segment(self) -> Ints:
        """(s,) the line of each straight piece."""
        found = np.searchsorted(self.starts, self.segments[:, 0], side="right") - 1
        return np.asarray(found, np.int64)


@dataclass(frozen=True, eq=False)
class BodyShape:
    """Bones and lines at rest; `bodies` are the names of what moves, in the order of poses."""

    bodies: tuple[str, ...]
    bones: tuple[Bone, ...]
    paths: Paths


def carried(points: Floats, poses: Floats) -> Floats:
    """(p, 3) points at rest, each moved by its own pose (p, 3, 4) [R | t]."""
    return np.asarray(np.einsum("pij,pj->pi", poses[:, :, :3], points) + poses[:, :, 3])


def shape_of(
    model: mujoco.MjModel, names: Sequence[str], groups: Sequence[str], areas: Floats
) -> BodyShape:
    """The shape of a model at rest, whose first tendons are lines of these names, groups, areas."""
    mj = mujoco_package()
    data = mj.MjData(model)
    data.qpos[:] = model.qpos_spring
    mj.mj_kinematics(model, data)
    bodies = tuple(model.body(b).name for b in range(model.nbody))
    bones = []
    for bone in model_surfaces(model, data):
        owner = bodies.index(bone.body)
        bones.append(Bone(bone.name, owner, bone.placed(data), bone.colour[:3]))
    rows = [_sites(mj, model, t, names[t]) for t in range(len(names))]
    sites = np.concatenate(rows)
    starts = np.cumsum([0, *(len(row) for row in rows)])
    owners = np.asarray(model.site_bodyid[sites], np.int64)
    points = np.array(data.site_xpos[sites])
    paths = Paths(tuple(names), tuple(groups), np.asarray(areas), points, owners, starts)
    return BodyShape(bodies, tuple(bones), paths)


def _sites(mj: Any, model: mujoco.MjModel, tendon: int, name: str) -> Ints:
    """The sites that a path runs through."""
    steps = slice(
        model.tendon_adr[tendon], model.tendon_adr[tendon] + int(model.tendon_num[tendon])
    )
    if not (model.wrap_type[steps] == mj.mjtWrap.mjWRAP_SITE).all():
        raise ModelError(f"the path of '{name}' runs around a body; a line runs through points")
    return np.asarray(model.wrap_objid[steps], np.int64)
