"""A scene: what its author wrote, with the files that it names already read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from vastus.errors import ModelError
from vastus.files.meshes import LabelledMesh
from vastus.files.motion_files import Motion
from vastus.files.solids import Curves
from vastus.geometry.bspline.solid import BSplineSolid
from vastus.geometry.surface import Surface
from vastus.inputs import Inputs, Schedule
from vastus.model import Model, index_of
from vastus.numerics.types import Floats
from vastus.parts import Volume
from vastus.scene.actuators import CablePart, CavityPart
from vastus.scene.body import (
    BonePart,
    JointEntry,
    JointPart,
    Material,
    MeshFile,
    ModelPart,
    MusclePart,
    RegionPart,
)
from vastus.scene.directions import DirectionPart, QuantityPart
from vastus.scene.drive import JointFile, Keys, Output, SolverPart, Start, Timeline
from vastus.scene.fibres import Samples
from vastus.scene.schema import Path as Place
from vastus.scene.schema import Places, Section, Vector, Whole, Word, exactly_one
from vastus.scene.selection import ContactPart, FloorPart, LoadPart, PinPart
from vastus.scene.surfaces import Surfaces
from vastus.schedules import from_arrays, keyframes
from vastus.skeleton.freedoms import Turn


class Description(Section):
    """Everything an author may write; lengths in metres, forces in newtons, stresses in pascal."""

    vastus: Literal[1]
    name: Word = "scene"
    model: ModelPart | None = None
    mesh: MeshFile | None = None
    surfaces: Surfaces | None = None
    materials: dict[str, Material] = Field(default_factory=dict)
    regions: dict[str, RegionPart] = Field(default_factory=dict)
    muscles: dict[str, MusclePart] = Field(default_factory=dict)
    bones: dict[str, BonePart] = Field(default_factory=dict)
    joints: dict[str, JointEntry | None] = Field(default_factory=dict)
    pins: dict[str, PinPart] = Field(default_factory=dict)
    loads: dict[str, LoadPart] = Field(default_factory=dict)
    cavities: dict[str, CavityPart] = Field(default_factory=dict)
    cables: dict[str, CablePart] = Field(default_factory=dict)
    directions: dict[str, DirectionPart] = Field(default_factory=dict)
    quantities: dict[str, QuantityPart] = Field(default_factory=dict)
    gravity: Vector | None = None
    volume: Volume | None = None
    contact: ContactPart | Literal["none"] | None = None
    floor: FloorPart | None = None
    start: Start | None = None
    inputs: Timeline = Timeline()
    solver: SolverPart = SolverPart()
    output: Output = Output()
    seed: Whole = 0  # noted with the result

    @property
    def placed_joints(self) -> dict[str, JointPart]:
        """The joints that the author says whole, by name."""
        return {name: part for name, part in self.joints.items() if isinstance(part, JointPart)}

    @model_validator(mode="after")
    def _one_origin(self) -> Description:
        exactly_one(self, "model", "mesh", "surfaces")
        if self.mesh is not None and not self.regions:
            raise ValueError("a scene with a mesh needs 'regions', to say what each label is")
        return self


@dataclass(frozen=True)
class Shape:
    """A procedural model: which one, and what it is made with."""

    name: str
    options: Mapping[str, Any]


class Shells(dict[str, Surface]):
    """The surfaces of the parts by name, in the units of their files."""


# What a scene may start from; `modelling.sources` builds and repairs each.
Source = Shape | Model | LabelledMesh | Shells


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene, ready to be built; without a `source` its files were not read."""

    description: Description
    source: Source | None = None
    curves: Mapping[str, Floats] = field(default_factory=dict)  # columns of the activation file
    places: Places = field(default_factory=Places)
    contents: bytes = b""  # of all its files
    vectors: Mapping[str, Samples] = field(default_factory=dict)  # fibres in files, by muscle
    sheets: Mapping[str, Surface] = field(default_factory=dict)  # aponeuroses in files, by muscle
    tet_arrays: Mapping[Place, Floats] = field(default_factory=dict)  # of tets, in files, by key
    motions: Mapping[str, Motion] = field(default_factory=dict)  # in files, by joint
    solids: Mapping[str, Mapping[str, BSplineSolid]] = field(default_factory=dict)  # by muscle
    fascicles: Mapping[str, Curves] = field(default_factory=dict)  # by muscle

    @property
    def name(self) -> str:
        """What the author calls it."""
        return self.description.name

    @property
    def digest(self) -> str:
        """A hash of the scene file and of every file it names."""
        written = self.contents or self.description.model_dump_json().encode()
        return hashlib.sha256(written).hexdigest()

    def inputs(self, model: Model) -> Schedule:
        """What drives the model, frame by frame."""
        timeline = self.description.inputs
        self._check_levels(model)
        with self.places.blame("inputs", "activation"):
            driven = keyframes(
                model, self._keys(timeline), seconds=timeline.seconds, fps=timeline.fps
            )
        with self.places.blame("inputs", "activation_file"):
            filed = self._from_file(model, np.array([i.time for i in driven]))
        with self.places.blame("inputs", "bones"):
            scripted = self._scripted(model, timeline)
        pushed = self._outside(model, timeline)
        rows = zip(driven, filed, scripted, *pushed, strict=True)
        return Schedule(
            [
                replace(s, excitation=d.excitation + f.excitation, **_joined(outside))
                for d, f, s, *outside in rows
            ]
        )

    def _outside(self, model: Model, timeline: Timeline) -> list[Schedule]:
        """What acts from outside over time, each in a schedule of its own."""
        span: dict[str, Any] = {"seconds": timeline.seconds, "fps": timeline.fps}
        schedules = []
        for key in ("torques", "loads", "pins", "gravity"):
            with self.places.blame("inputs", key):
                schedules.append(keyframes(model, **{key: getattr(timeline, key)}, **span))
        for key in ("pressures", "tensions", "shortenings"):
            curves = timeline.ramped(getattr(timeline, key))
            for name, keys in curves.items():
                one: dict[str, Any] = {key: {name: keys}}
                with self.places.blame("inputs", key, name):
                    keyframes(model, **one, **span)
            together: dict[str, Any] = {key: curves}
            schedules.append(keyframes(model, **together, **span))
        joints: dict[str, Any] = dict(timeline.joint_keys)
        for name in timeline.filed_joints:
            with self.places.blame("inputs", "joints", name):
                joints[name] = self._filed(model, name, timeline.filed_joints[name])
        for name, keys in joints.items():
            with self.places.blame("inputs", "joints", name):
                keyframes(model, joints={name: keys}, **span)
        return [*schedules, keyframes(model, joints=joints, **span)]

    def _filed(self, model: Model, name: str, part: JointFile) -> list[tuple[float, float]]:
        """The key frames [degrees or m] of a joint whose motion is in a file."""
        motion, freedoms = (
            self.motions[name],
            model.joints[index_of("joint", name, model.joints)].freedoms,
        )
        turns = not freedoms or isinstance(freedoms[0], Turn)
        found = motion.coordinate(part.column or name, turns=turns)
        values = (np.degrees(found) if turns else found) - part.rest
        return list(zip(motion.times.tolist(), values.tolist(), strict=True))

    def _check_levels(self, model: Model) -> None:
        """Refuse activations as they are written; between key frames they only get smaller."""
        for name, keys in self._keys(self.description.inputs).items():
            with self.places.blame("inputs", "activation", name):
                limit = model.muscles[model.muscle(name)].limit
                for _, level in keys:
                    if not 0 <= level <= limit:
                        raise ModelError(f"activation {level:g} is not between 0 and {limit:g}")

    def _keys(self, timeline: Timeline) -> dict[str, Keys]:
        """Key frames by muscle."""
        return timeline.ramped(timeline.activation)

    def _from_file(self, model: Model, times: Floats) -> Schedule:
        muscles = {name: values for name, values in self.curves.items() if name != "time"}
        both = sorted(muscles.keys() & self.description.inputs.activation.keys())
        if both:
            raise ModelError(f"muscle '{both[0]}' is in the file and under 'activation' as well")
        sampled = {n: np.interp(times, self.curves["time"], v) for n, v in muscles.items()}
        return from_arrays(model, times, sampled)

    def _scripted(self, model: Model, timeline: Timeline) -> Schedule:
        poses = {
            bone: [(key.time, key.pose) for key in keys] for bone, keys in timeline.bones.items()
        }
        return keyframes(model, poses=poses, seconds=timeline.seconds, fps=timeline.fps)


def _joined(inputs: Sequence[Inputs]) -> dict[str, Floats]:
    """What each of some inputs at one time says of what acts from outside, by name."""
    return {name: values for one in inputs for name, values in one.outside.items()}
