"""What is controlled: a skeleton of hinges and slides, its muscles, its ties, its passive joints.

The skeleton is a tree, as MuJoCo needs it. What closes the rib cage are ties: springs between a
point of one body and the same point of another. Springs and dampers of joints are the model's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from vastus.errors import ModelError, known
from vastus.numerics.types import Floats, Ints

if TYPE_CHECKING:
    import mujoco

    from vastus.bodies.upper.record import UpperBody


@dataclass(frozen=True)
class Line:
    """A muscle along one path: its group, the part of the body it belongs to, its area [m^2]."""

    name: str
    group: str
    part: str
    area: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.area) and self.area > 0):
            raise ModelError(f"muscle '{self.name}' has area {self.area} m^2; it must be above 0")


@dataclass(frozen=True, eq=False)
class Tie:
    """A spring of rest length zero between a point (3,) [m] of two bodies, each in its frame."""

    first: str
    first_point: Floats
    second: str
    second_point: Floats
    stiffness: float  # [N/m]
    damping: float  # [N s/m]


@dataclass(frozen=True, eq=False)
class Musculoskeleton:
    """A MuJoCo model without actuators, whose tendon i is muscle i.

    `passive` are the joints that muscles do not drive: they follow. `relaxed` are postures besides
    that at rest in which muscles are slack: joints with their values [rad or m].
    """

    model: mujoco.MjModel
    muscles: tuple[Line, ...]
    ties: tuple[Tie, ...]
    passive: tuple[str, ...]
    relaxed: tuple[Mapping[str, float], ...] = ()

    def __post_init__(self) -> None:
        m = self.model
        if not m.nq == m.nv == m.njnt:
            raise ModelError(
                f"a skeleton of {m.njnt} joints has {m.nq} coordinates and {m.nv} speeds; "
                "all its joints must be hinges and slides"
            )
        paths = [m.tendon(i).name for i in range(m.ntendon)]
        for k, muscle in enumerate(self.muscles):
            if k >= len(paths) or paths[k] != muscle.name:
                there = paths[k] if k < len(paths) else "none"
                raise ModelError(f"muscle {k}, '{muscle.name}', has the path '{there}'")
        for name in self.passive:
            self.dof(name)
        for pose in self.relaxed:
            self.dofs(pose)
        for tie in self.ties:
            self.bodies(tie.first, tie.second)

    @classmethod
    def of(cls, body: UpperBody) -> Musculoskeleton:
        """The upper body of `vastus.bodies.upper`, with its ties between sites."""
        m = body.model
        lines = [
            Line(unit.name, line.group.replace("_", " "), _part(line.region, line.side), unit.area)
            for unit, line in zip(body.units, body.lines, strict=True)
        ]
        ties = []
        made = body.ties
        rows = zip(made.first, made.second, made.stiffness, made.damping, strict=True)
        for first, second, stiffness, damping in rows:
            one, two = m.site(first), m.site(second)
            ties.append(
                Tie(
                    m.body(int(one.bodyid[0])).name, one.pos.copy(),
                    m.body(int(two.bodyid[0])).name, two.pos.copy(),
                    float(stiffness), float(damping),
                )
            )  # fmt: skip
        passive = [body.dof_names[int(d)] for d in np.flatnonzero(~np.asarray(body.driven))]
        return cls(m, tuple(lines), tuple(ties), tuple(passive), body.relaxed)

    @cached_property
    def joints(self) -> tuple[str, ...]:
        """The names of the joints, which are the degrees of freedom."""
        return tuple(self.model.joint(j).name for j in range(self.model.njnt))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the muscles."""
        return tuple(muscle.name for muscle in self.muscles)

    @cached_property
    def body_names(self) -> tuple[str, ...]:
        """The names of the bodies, the world first."""
        return tuple(self.model.body(b).name for b in range(self.model.nbody))

    @cached_property
    def areas(self) -> Floats:
        """(m,) [m^2]"""
        return np.array([muscle.area for muscle in self.muscles])

    @cached_property
    def slides(self) -> np.ndarray:
        """(n,) which degrees of freedom are ways [m] and not angles [rad]."""
        return np.asarray(self.model.jnt_type == 2)  # mjJNT_SLIDE

    @cached_property
    def followers(self) -> Ints:
        """The degrees of freedom that follow."""
        return np.array(sorted(self.dof(name) for name in self.passive), np.int64)

    @cached_property
    def driven(self) -> Ints:
        """The degrees of freedom that muscles drive."""
        return np.setdiff1d(np.arange(self.model.nv), self.followers)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts of the body that muscles belong to."""
        return tuple(dict.fromkeys(muscle.part for muscle in self.muscles))

    def dof(self, joint: str) -> int:
        """The degree of freedom of a joint."""
        if joint not in self.joints:
            raise known("joint", joint, self.joints)
        return self.joints.index(joint)

    def dofs(self, joints: Iterable[str]) -> Ints:
        """The degrees of freedom of joints."""
        return np.array([self.dof(name) for name in joints], np.int64)

    def bodies(self, *names: str) -> Ints:
        """The numbers of bodies."""
        for name in names:
            if name not in self.body_names:
                raise known("body", name, self.body_names)
        return np.array([self.body_names.index(name) for name in names], np.int64)

    def group(self, *groups: str) -> Ints:
        """The muscles of groups."""
        there = dict.fromkeys(muscle.group for muscle in self.muscles)
        for name in groups:
            if name not in there:
                raise known("group", name, there)
        return np.array([k for k, line in enumerate(self.muscles) if line.group in groups])

    def with_areas(self, areas: Sequence[float] | Floats) -> Musculoskeleton:
        """The same body with other areas (m,) [m^2] of its muscles."""
        lines = zip(self.muscles, areas, strict=True)
        return replace(self, muscles=tuple(replace(line, area=float(a)) for line, a in lines))


def _part(region: str, side: str) -> str:
    """The part of the body that a line belongs to: each arm is one."""
    return {"L": "arm_left", "R": "arm_right"}[side] if region == "arm" else region
