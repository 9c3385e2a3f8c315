"""What is exported and shown of a body: bones that move as they are, and muscles that deform."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.bodies.appearance import BoneSurface, bone_surfaces, course
from vastus.bodies.body import Body, mujoco_package
from vastus.numerics.types import Floats, Ints
from vastus.pictures.bodies.muscle_shapes import AROUND, STATIONS, MuscleShapes
from vastus.pictures.colours import muscle_colour

if TYPE_CHECKING:
    from vastus.results.body_motion import BodyMotion


class BodyShapes:
    """A body in any position: poses of its parts, and the surfaces of its muscles."""

    def __init__(self, body: Body, *, stations: int = STATIONS, around: int = AROUND) -> None:
        self.body, self._mujoco = body, mujoco_package()
        self._data: Any = body.data()
        self._muscles = MuscleShapes(body.units, stations=stations, around=around)

    @cached_property
    def surfaces(self) -> list[BoneSurface]:
        """Bones and balls, each in the frame of its part."""
        return bone_surfaces(self.body)

    @property
    def faces(self) -> Ints:
        """(f, 3) the triangles of a muscle."""
        return self._muscles.faces

    @cached_property
    def loose(self) -> frozenset[str]:
        """The parts that nothing carries: balls."""
        m, free = self.body.model, self._mujoco.mjtJoint.mjJNT_FREE
        owners = m.jnt_bodyid[m.jnt_type == free]
        return frozenset(m.body(int(b)).name for b in owners if m.body_parentid[b] == 0)

    @cached_property
    def parts(self) -> dict[str, int]:
        """The parts that are seen, by name, and their numbers in the model."""
        names = dict.fromkeys(bone.body for bone in self.surfaces)
        return {name: int(self.body.model.body(name).id) for name in names}

    def place(self, position: Floats) -> None:
        """Put the body in a position (nq,)."""
        m, d = self.body.model, self._data
        d.qpos[:] = position
        self._mujoco.mj_kinematics(m, d)
        self._mujoco.mj_comPos(m, d)
        self._mujoco.mj_tendon(m, d)

    def pose(self, part: str) -> Floats:
        """(3, 4) the pose [R | t] of a part in the present position."""
        b = self.parts[part]
        return np.column_stack([self._data.xmat[b].reshape(3, 3), self._data.xpos[b]])

    def muscles(self) -> tuple[Floats, Floats]:
        """(m, p, 3) points [m] and normals of all muscles in the present position."""
        count = len(self.body.units)
        if not count:
            return np.zeros((0, self._muscles.points, 3)), np.zeros((0, self._muscles.points, 3))
        return self._muscles.at([course(self.body, self._data, k) for k in range(count)])


def poses_over_time(shapes: BodyShapes, motion: BodyMotion) -> dict[str, Floats]:
    """(k, 3, 4) the poses of each part over a motion."""
    found: dict[str, list[Floats]] = {part: [] for part in shapes.parts}
    for position in motion.positions:
        shapes.place(position)
        for part, poses in found.items():
            poses.append(shapes.pose(part))
    return {part: np.array(poses) for part, poses in found.items()}


def reds(activation: Floats) -> Floats:
    """(..., 3) the colours of muscles of these activations."""
    return muscle_colour(np.clip(activation, 0.0, 1.0)[..., None])
