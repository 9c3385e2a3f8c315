"""What an author wants to happen: activations and scripted bones over time, solver, outputs."""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator
from scipy.spatial.transform import Rotation

from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.scene.base import Direction, Named, Number, Positive, Section, Vector, Whole
from vastus.skeleton import BONES
from vastus.skeleton.bones import BoneModel
from vastus.skeleton.rigid import Rigid


def _kind(given: Any) -> str:
    return "keys" if isinstance(given, list | tuple) else "peak"


def _increasing(keys: tuple[Any, ...]) -> tuple[Any, ...]:
    times = [key.time if isinstance(key, PoseKey) else key[0] for key in keys]
    if len(times) < 2 or any(b <= a for a, b in pairwise(times)):
        raise ValueError("key frames need at least two increasing times")
    return keys


def _short_turns(keys: tuple[PoseKey, ...]) -> tuple[PoseKey, ...]:
    """Refuse turns about one axis that are so long that another way would be taken."""
    for number, (a, b) in enumerate(pairwise(keys), start=1):
        turn = float(np.linalg.norm(b.turn_deg - a.turn_deg))
        parallel = np.linalg.norm(np.cross(a.turn_deg, b.turn_deg)) <= 1e-6
        told = a.quaternion is None and b.quaternion is None
        if told and parallel and turn >= 180:
            raise ValueError(
                f"key frame {number} turns the bone by {turn:g} degrees; give more key frames, "
                "less than 180 degrees apart"
            )
    return keys


class PoseKey(Section):
    """A bone's pose at a time [s]: turned about an axis, or a quaternion wxyz, then moved [m]."""

    time: Annotated[Number, Field(ge=0)]
    axis: Direction | None = None
    angle_deg: Number | None = None
    centre: Vector = (0.0, 0.0, 0.0)
    quaternion: tuple[Number, Number, Number, Number] | None = None
    translation: Vector = (0.0, 0.0, 0.0)

    @model_validator(mode="after")
    def _one_turn(self) -> PoseKey:
        if (self.axis is None) != (self.angle_deg is None):
            raise ValueError("a turn needs both 'axis' and 'angle_deg'")
        if self.axis is not None and self.quaternion is not None:
            raise ValueError("give a turn either by 'axis' and 'angle_deg' or by 'quaternion'")
        if self.quaternion is not None and not any(self.quaternion):
            raise ValueError("the quaternion must not be zero")
        return self

    @property
    def pose(self) -> Floats:
        """(3, 4) the pose [R | t] that takes a point of the rest bone to its place."""
        R, centre = self._rotation(), np.array(self.centre)
        return np.column_stack([R, centre - R @ centre + np.array(self.translation)])

    @property
    def turn_deg(self) -> Floats:
        """(3,) the axis times the angle [deg], as the author gives it; a quaternion has none."""
        if self.axis is None or self.angle_deg is None:
            return np.zeros(3)
        return self.angle_deg * np.array(self.axis) / np.linalg.norm(self.axis)

    def _rotation(self) -> Floats:
        if self.quaternion is not None:
            return Rotation.from_quat(np.roll(self.quaternion, -1)).as_matrix()
        return exp_map(np.radians(self.turn_deg))


Keys = Annotated[tuple[tuple[Number, Number], ...], AfterValidator(_increasing)]
Curve = Annotated[
    Annotated[Number, Tag("peak")] | Annotated[Keys, Tag("keys")], Discriminator(_kind)
]
Script = Annotated[tuple[PoseKey, ...], AfterValidator(_increasing), AfterValidator(_short_turns)]


class Timeline(Section):
    """How long, how often, and what drives the muscles and the scripted bones meanwhile."""

    seconds: Annotated[Positive, Field(le=3600)] = 1.0
    fps: Annotated[Positive, Field(le=10_000)] = 10.0
    activation: dict[str, Curve] = Field(default_factory=dict)
    activation_file: Path | None = None
    bones: dict[str, Script] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _some_step(self) -> Timeline:
        if round(self.seconds * self.fps) < 1:
            raise ValueError(
                f"{self.seconds} s at {self.fps} frames a second are no step; "
                "give more seconds or frames a second"
            )
        return self


class SolverKind(StrEnum):
    """How equilibrium is found."""

    NEWTON = "newton"
    QUASI_NEWTON = "quasi_newton"
    EMU = "emu"


Fraction = Annotated[Number, Field(gt=0, lt=1)]
SOLVER_KEYS = {
    SolverKind.NEWTON: ("tolerance",),
    SolverKind.QUASI_NEWTON: ("accuracy",),
    SolverKind.EMU: ("tolerance", "alpha"),
}


class SolverPart(Section):
    """The solver, with what differs from its defaults.

    `tolerance` is relative to the load, `accuracy` to the model's length.
    """

    kind: SolverKind = SolverKind.QUASI_NEWTON
    tolerance: Fraction | None = None
    accuracy: Fraction | None = None
    alpha: Positive | None = None
    max_iterations: Annotated[Whole, Field(ge=1)] | None = None
    bones: Annotated[type[BoneModel], Named(BONES)] = Rigid

    @model_validator(mode="after")
    def _keys_of_kind(self) -> SolverPart:
        for key in ("tolerance", "accuracy", "alpha"):
            if getattr(self, key) is not None and key not in SOLVER_KEYS[self.kind]:
                allowed = ", ".join(SOLVER_KEYS[self.kind])
                others = " or ".join(k.value for k, keys in SOLVER_KEYS.items() if key in keys)
                raise ValueError(
                    f"{self.kind.value} has no '{key}'; it has: {allowed} "
                    f"('{key}' goes with kind: {others})"
                )
        return self

    @property
    def options(self) -> dict[str, float]:
        """What the author sets, by name."""
        named = ("tolerance", "accuracy", "alpha", "max_iterations")
        return {key: getattr(self, key) for key in named if getattr(self, key) is not None}


class Output(Section):
    """What is drawn when the run ends."""

    pictures: bool = True
    movie: bool = True
