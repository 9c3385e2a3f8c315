"""What an author wants to happen: activations and scripted bones over time, solver, outputs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError
from scipy.spatial.transform import Rotation

from vastus.errors import ModelError
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.scene.schema import (
    Direction,
    Named,
    Number,
    Positive,
    Section,
    Vector,
    Whole,
    Word,
)
from vastus.skeleton import BONES
from vastus.skeleton.bones import BoneModel
from vastus.skeleton.rigid import Rigid
from vastus.solvers import SOLVERS, configured, plain_settings
from vastus.solvers.quasi_newton import QuasiNewton


def _kind(given: Any) -> str:
    return "keys" if isinstance(given, list | tuple) else "peak"


def _joint_kind(given: Any) -> str:
    return "file" if isinstance(given, dict | JointFile) else _kind(given)


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


def _each(given: Any) -> Any:
    """One number is that of the only coordinate."""
    return given if isinstance(given, list | tuple) else [given]


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


class JointFile(Section):
    """A joint's coordinate from a column of a motion file, called as the joint unless given.

    `rest` [degrees, or m] is what the column has in the pose that the model is made in. A minus
    before the column's name turns its sign.
    """

    file: Path
    column: Word | None = None
    rest: Number = 0.0


Keys = Annotated[tuple[tuple[Number, Number], ...], AfterValidator(_increasing)]
VectorKeys = Annotated[tuple[tuple[Number, Vector], ...], AfterValidator(_increasing)]
Curve = Annotated[
    Annotated[Number, Tag("peak")] | Annotated[Keys, Tag("keys")], Discriminator(_kind)
]
JointKey = tuple[Number, Annotated[tuple[Number, ...], BeforeValidator(_each)]]
JointKeys = Annotated[tuple[JointKey, ...], AfterValidator(_increasing)]
JointCurve = Annotated[
    Annotated[Number, Tag("peak")]
    | Annotated[JointKeys, Tag("keys")]
    | Annotated[JointFile, Tag("file")],
    Discriminator(_joint_kind),
]
Script = Annotated[tuple[PoseKey, ...], AfterValidator(_increasing), AfterValidator(_short_turns)]


class Timeline(Section):
    """How long, how often, and what drives the model meanwhile.

    Muscles by `activation`, scripted `bones` by poses, joints by `torques` [N m]; `loads` [N],
    shifts of `pins` [m] and `gravity` [m/s^2] as key frames of time and vector. `joints` are driven
    by their coordinates [degrees, or m for a slider] from rest; one number is a ramp to it, and a
    motion file may have them. `pressures` of cavities [Pa], `tensions` [N] and `shortenings` [m] of
    cables are ramps or key frames too.
    """

    seconds: Annotated[Positive, Field(le=3600)] = 1.0
    fps: Annotated[Positive, Field(le=10_000)] = 10.0
    activation: dict[str, Curve] = Field(default_factory=dict)
    activation_file: Path | None = None
    bones: dict[str, Script] = Field(default_factory=dict)
    torques: dict[str, Keys] = Field(default_factory=dict)
    loads: dict[str, VectorKeys] = Field(default_factory=dict)
    pins: dict[str, VectorKeys] = Field(default_factory=dict)
    gravity: VectorKeys | None = None
    joints: dict[str, JointCurve] = Field(default_factory=dict)
    pressures: dict[str, Curve] = Field(default_factory=dict)
    tensions: dict[str, Curve] = Field(default_factory=dict)
    shortenings: dict[str, Curve] = Field(default_factory=dict)

    def ramped(self, curves: Mapping[str, float | Keys]) -> dict[str, Keys]:
        """Curves as key frames: a single number is a ramp from zero."""
        ramps = ((0.0, 0.0), (self.seconds, 1.0))
        return {
            name: tuple((t, curve * s) for t, s in ramps) if isinstance(curve, float) else curve
            for name, curve in curves.items()
        }

    @property
    def joint_keys(self) -> dict[str, tuple[Any, ...]]:
        """Key frames by joint that is in no file: a number is a ramp, so that zero holds it."""
        return {
            name: ((0.0, (0.0,)), (self.seconds, (curve,))) if isinstance(curve, float) else curve
            for name, curve in self.joints.items()
            if not isinstance(curve, JointFile)
        }

    @property
    def filed_joints(self) -> dict[str, JointFile]:
        """The joints whose motions are in files, by name."""
        return {name: part for name, part in self.joints.items() if isinstance(part, JointFile)}

    @model_validator(mode="after")
    def _some_step(self) -> Timeline:
        if round(self.seconds * self.fps) < 1:
            raise ValueError(
                f"{self.seconds} s at {self.fps} frames a second are no step; "
                "give more seconds or frames a second"
            )
        return self


class StartPart(Section):
    """How a body sets off: velocity [m/s], and spin [rad/s] about its centre of mass."""

    velocity: Vector = (0.0, 0.0, 0.0)
    spin: Vector = (0.0, 0.0, 0.0)


def _start_kind(given: Any) -> str:
    """Bodies by name have sections of their own; anything else is how all of the model sets off."""
    sections = given.values() if isinstance(given, Mapping) else ()
    of_bodies = sections and all(isinstance(part, Mapping | StartPart) for part in sections)
    return "bodies" if of_bodies else "whole"


Start = Annotated[
    Annotated[StartPart, Tag("whole")] | Annotated[dict[str, StartPart], Tag("bodies")],
    Discriminator(_start_kind),
]

Fraction = Annotated[Number, Field(gt=0, lt=1)]
_KINDS: dict[type, Any] = {float: Number, int: Annotated[Whole, Field(ge=1)], bool: bool}


class _SolverPart(Section):
    """The solver, with what differs from its defaults; its plain settings are further keys.

    `tolerance` is relative to the load, `accuracy` to the model's length.
    """

    kind: Annotated[type[Any], Named(SOLVERS)] = QuasiNewton
    bones: Annotated[type[BoneModel], Named(BONES)] = Rigid
    tolerance: Fraction | None = None
    accuracy: Fraction | None = None
    alpha: Positive | None = None

    @model_validator(mode="after")
    def _keys_of_kind(self) -> _SolverPart:
        names = {solver: name for name, solver in SOLVERS.items()}
        for key in self.options:
            if key not in plain_settings(self.kind):
                allowed = ", ".join(plain_settings(self.kind))
                others = " or ".join(n for s, n in names.items() if key in plain_settings(s))
                raise ValueError(
                    f"{names[self.kind]} has no '{key}'; it has: {allowed} "
                    f"('{key}' goes with kind: {others})"
                )
        return self

    @model_validator(mode="after")
    def _allowed_by_kind(self) -> _SolverPart:
        try:
            self.solver  # noqa: B018  (made only to see whether it can be)
        except ModelError as error:
            below = tuple(key for key in self.options if str(error).startswith(f"{key} "))
            context = {"below": below, "sentence": str(error)}
            raise PydanticCustomError("part", "{sentence}", context) from None
        return self

    @property
    def options(self) -> dict[str, Any]:
        """What the author sets, by name."""
        named = {key: getattr(self, key) for key in SETTINGS}
        return {key: value for key, value in named.items() if value is not None}

    @property
    def solver(self) -> Any:
        """The solver that the author wants."""
        return configured(self.kind, self.bones(), self.options)


SETTINGS = {
    name: kind for solver in SOLVERS.values() for name, kind in plain_settings(solver).items()
}
if TYPE_CHECKING:
    SolverPart = _SolverPart
else:
    SolverPart = create_model(
        "SolverPart",
        __base__=_SolverPart,
        **{
            name: (_KINDS.get(kind, kind) | None, None)
            for name, kind in SETTINGS.items()
            if name not in _SolverPart.model_fields
        },
    )


class Output(Section):
    """What is drawn when the run ends."""

    pictures: bool = True
    movie: bool = True
