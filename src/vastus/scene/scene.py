"""A scene: what its author wrote, with the files it names already read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model
from vastus.motion import Inputs, from_arrays, keyframes
from vastus.numerics.types import Floats
from vastus.scene.drive import Keys, Timeline
from vastus.scene.fibres import Samples
from vastus.scene.places import Places
from vastus.scene.schema import Description


@dataclass(frozen=True, eq=False)
class LabelledMesh:
    """A mesh [m] with data on tets, each (m,) or (m, 3), and on vertices (n, ...), by name."""

    mesh: TetMesh
    cells: Mapping[str, np.ndarray]
    points: Mapping[str, np.ndarray] = field(default_factory=dict)

    def keeping(self, kept: np.ndarray) -> LabelledMesh:
        """The mesh and data of some tets, given as a mask (m,)."""
        mesh, vertices = self.mesh.submesh(kept)
        cells = {name: values[kept] for name, values in self.cells.items()}
        points = {name: values[vertices] for name, values in self.points.items()}
        return LabelledMesh(mesh, cells, points)


# The surfaces of the parts by name, in the units of their files.
Shells = dict[str, Surface]


@dataclass(frozen=True, eq=False)
class Scene:
    """A scene, ready to be built; `base` is what it starts from, if that is in files."""

    description: Description
    base: LabelledMesh | Model | Shells | None = None
    curves: Mapping[str, Floats] = field(default_factory=dict)  # columns of the activation file
    places: Places = field(default_factory=Places)
    contents: bytes = b""  # of all its files
    vectors: Mapping[str, Samples] = field(default_factory=dict)  # fibres in files, by muscle
    sheets: Mapping[str, Surface] = field(default_factory=dict)  # aponeuroses in files, by muscle

    @property
    def name(self) -> str:
        """What the author calls it."""
        return self.description.name

    @property
    def digest(self) -> str:
        """A hash of the scene file and of every file it names."""
        written = self.contents or self.description.model_dump_json().encode()
        return hashlib.sha256(written).hexdigest()

    def inputs(self, model: Model) -> list[Inputs]:
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
        both = zip(driven, filed, scripted, strict=True)
        return [Inputs(d.time, d.activation + f.activation, s.poses) for d, f, s in both]

    def _check_levels(self, model: Model) -> None:
        """Refuse activations as they are written; between key frames they only get smaller."""
        for name, keys in self._keys(self.description.inputs).items():
            with self.places.blame("inputs", "activation", name):
                limit = model.muscles[model.muscle(name)].limit
                for _, level in keys:
                    if not 0 <= level <= limit:
                        raise ModelError(f"activation {level:g} is not between 0 and {limit:g}")

    def _keys(self, timeline: Timeline) -> dict[str, Keys]:
        """Key frames by muscle: a single number is a ramp from zero."""
        ramps = ((0.0, 0.0), (timeline.seconds, 1.0))
        return {
            name: tuple((t, curve * s) for t, s in ramps) if isinstance(curve, float) else curve
            for name, curve in timeline.activation.items()
        }

    def _from_file(self, model: Model, times: Floats) -> list[Inputs]:
        muscles = {name: values for name, values in self.curves.items() if name != "time"}
        both = sorted(muscles.keys() & self.description.inputs.activation.keys())
        if both:
            raise ModelError(f"muscle '{both[0]}' is in the file and under 'activation' as well")
        sampled = {n: np.interp(times, self.curves["time"], v) for n, v in muscles.items()}
        return from_arrays(model, times, sampled)

    def _scripted(self, model: Model, timeline: Timeline) -> list[Inputs]:
        poses = {
            bone: [(key.time, key.pose) for key in keys] for bone, keys in timeline.bones.items()
        }
        return keyframes(model, poses=poses, seconds=timeline.seconds, fps=timeline.fps)
