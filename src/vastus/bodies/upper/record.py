"""The whole upper body as a record: a body on MuJoCo with its table, lines and ties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vastus.bodies.body import Body
from vastus.bodies.upper.joint_table import BodyRow
from vastus.bodies.upper.lines import Line
from vastus.bodies.upper.ties import Ties
from vastus.geometry.surface import Surface
from vastus.modelling.trunk.landmarks import Landmarks
from vastus.numerics.types import Bools, Floats


@dataclass(frozen=True, eq=False)
class UpperBody(Body):
    """A body of bones, passive cartilages and lines of muscle; unit i pulls along line i.

    All frames are parallel to the world's at rest, where all coordinates are zero. Springs and
    dampers of joints are in the model, `ties` are not: who simulates applies them. `bones` are
    surfaces [m] in the world at rest, by name. `relaxed` are postures besides that at rest in which
    lines are slack: joints with their angles [rad].
    """

    rows: tuple[BodyRow, ...]
    lines: tuple[Line, ...]
    ties: Ties
    landmarks: Landmarks
    bones: Mapping[str, Surface]
    relaxed: tuple[Mapping[str, float], ...] = ()

    @property
    def driven(self) -> Bools:
        """(nv,) which degrees of freedom muscles move; the others are passive."""
        passive = {joint.name for row in self.rows if row.passive for joint in row.joints}
        return np.array([name not in passive for name in self.dof_names])

    @property
    def stiffness(self) -> Floats:
        """(nv,) springs of the joints [N m/rad or N/m]."""
        return np.array(self.model.jnt_stiffness, float).reshape(self.model.njnt, -1)[:, 0]

    @property
    def damping(self) -> Floats:
        """(nv,) dampers of the joints [N m s/rad or N s/m]."""
        return np.array(self.model.dof_damping, float).reshape(self.model.nv, -1)[:, 0]

    @property
    def groups(self) -> tuple[str, ...]:
        """(units,) the muscle that each line is part of."""
        return tuple(line.group for line in self.lines)
