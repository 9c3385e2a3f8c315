"""What is authored: a folder, and the plain data of its scene of surfaces.

A document never changes: every edit makes another, which is a valid scene, or the beginning of one
that has no parts yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from vastus.app.author.names import PARTS, Data, Kind, Names, at, names_of, put
from vastus.app.author.names import Path as Keys
from vastus.app.history import Change
from vastus.errors import ModelError, known
from vastus.modelling.build import made_of
from vastus.modelling.surfaces.anatomy import bone_parts, require_names
from vastus.modelling.tissues import usual_laws
from vastus.parts import Drive, Region, Tissue
from vastus.scene.body import JointPart
from vastus.scene.named_files import with_law_tables
from vastus.scene.read import describe
from vastus.scene.scene import Description, Scene
from vastus.scene.schema import Places, unknown
from vastus.scene.surfaces import SurfacePart, Surfaces

NOWHERE = Places()
# Stands in where there is no part yet, since a scene needs one.
_STAND_IN = {"part": {"file": "part.obj", "tissue": "bone"}}


@dataclass(frozen=True)
class Document:
    """A folder and the data of its scene; `change` says how it came about."""

    folder: Path
    data: Data
    change: Change = field(default=Change("open"), compare=False)
    description: Description = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "description", described(self.data, self.folder))

    @property
    def name(self) -> str:
        """What the author calls the scene."""
        return self.description.name

    @property
    def surfaces(self) -> Surfaces:
        """What is said of the surfaces."""
        assert self.description.surfaces is not None
        return self.description.surfaces

    @property
    def parts(self) -> Mapping[str, SurfacePart]:
        """The parts by name."""
        return self.surfaces.parts

    @property
    def joints(self) -> dict[str, JointPart]:
        """The joints by name."""
        return self.description.placed_joints

    @cached_property
    def names(self) -> Names:
        """The parts, muscles, bones and regions there are."""
        return names_of(self.data)

    @property
    def ready(self) -> bool:
        """Whether there is anything to build."""
        return bool(self.parts)

    @property
    def up(self) -> tuple[float, float, float]:
        """The direction against gravity, of length 1; z if there is none."""
        gravity = np.array(self.description.gravity or (0.0, 0.0, -1.0))
        x, y, z = -gravity / (np.linalg.norm(gravity) or 1.0) + 0.0
        return (x, y, z) if gravity.any() else (0.0, 0.0, 1.0)

    def drive(self, bone: str) -> Drive:
        """Who moves a bone."""
        said = self.description.bones.get(bone)
        return (said.drive if said else None) or Drive.FREE

    def file(self, part: str) -> Path:
        """Where the surface of a part is."""
        return self.folder / self.surfaces.folder / self.part(part).file

    def part(self, name: str) -> SurfacePart:
        """The part of this name."""
        return self.parts[self.require("part", name, self.parts)]

    def at(self, *path: str) -> Any:
        """The plain value at a path of the scene; None if it is not written."""
        return at(self.data, path)

    def with_data(self, data: Data, words: str, key: str = "") -> Document:
        """The document of other data."""
        return Document(self.folder, data, Change(words, key))

    def put(self, path: Keys, value: Any, words: str, key: str = "") -> Document:
        """The document with a value at a path; None takes it away."""
        data = put(self.data, path, value)
        if at(data, PARTS) is None:  # where other parts will be
            data = put(data, ("surfaces",), {**(data.get("surfaces") or {}), "parts": {}})
        return self.with_data(data, words, key)

    @staticmethod
    def require(kind: str, name: str, names: Any) -> str:
        """The name, if it is among the names."""
        if name not in names:
            raise known(kind, name, names)
        return name


def empty(folder: Path) -> Document:
    """The document of a folder without a scene."""
    name = folder.resolve().name or "scene"
    data = {"vastus": 1, "name": name, "surfaces": {"parts": {}}}
    return Document(folder, data, Change("start"))


def described(data: Any, folder: Path, places: Places = NOWHERE) -> Description:
    """What the data of a folder's scene say; the first thing that is wrong is one sentence."""
    _require_surfaces(data, places)
    said = with_law_tables(_described(data, places), folder, places)
    scene = Scene(said, places=places)
    require_names(scene, bone_parts(scene))
    names = names_of(data)
    _require_materials(said, names, places)
    _require_fibres(said, names, places)
    _require_levels(said, places)
    _require_centres(said, places)
    return said


def _require_surfaces(data: Any, places: Places) -> None:
    if isinstance(data, Mapping) and data.get("surfaces") is None:
        given = next((key for key in ("model", "mesh") if data.get(key) is not None), None)
        if given is not None:
            raise places.error(
                (given,), f"this scene starts from a {given}; only scenes of surfaces are authored"
            )


def _described(data: Any, places: Places) -> Description:
    if not isinstance(data, Mapping) or at(data, PARTS) != {}:
        return describe(data, places)
    said = describe(put(data, PARTS, _STAND_IN), places)
    assert said.surfaces is not None
    return said.model_copy(update={"surfaces": said.surfaces.model_copy(update={"parts": {}})})


def _require_materials(said: Description, names: Names, places: Places) -> None:
    """Refuse laws that do not exist, parameters that they have not, and soft bones."""
    for name, material in said.materials.items():
        path = ("materials", name)
        tissue = Tissue(name) if name in tuple(Tissue) else names.regions[name]
        if tissue is Tissue.BONE:
            raise places.error(path, f"'{name}' can have no material, because bones are rigid")
        made_of(Region(name, tissue, usual_laws(tissue), muscle=name), material, places, path)


def _require_fibres(said: Description, names: Names, places: Places) -> None:
    for name, muscle in said.muscles.items():
        for end in muscle.fibres.ends if muscle.fibres else ():
            if not names.has(Kind.BONE_OR_REGION, end):
                exist = [*names.bones, *names.regions]
                sentence = unknown("bone or region", end, exist)
                raise places.error(("muscles", name, "fibres"), sentence)


def _require_levels(said: Description, places: Places) -> None:
    """Refuse activations beyond a muscle's limit."""
    for name, curve in said.inputs.activation.items():
        limit = (said.muscles[name].limit if name in said.muscles else None) or 1.0
        levels = [curve] if isinstance(curve, float) else [level for _, level in curve]
        with places.blame("inputs", "activation", name):
            for level in levels:
                if not 0 <= level <= limit:
                    raise ModelError(f"activation {level:g} is not between 0 and {limit:g}")


def _require_centres(said: Description, places: Places) -> None:
    for name, joint in said.placed_joints.items():
        if not joint.kind.findable and joint.centre is None:
            sentence = f"the centre of a {joint.kind.kind} cannot be found: give it"
            raise places.error(("joints", name), sentence)
