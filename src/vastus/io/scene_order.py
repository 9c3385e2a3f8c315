"""The keys of a scene in the order of its schema; names that an author gives stay as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vastus.scene.anatomy import BonePart, JointPart, MeshFile, MusclePart, RegionPart, Source
from vastus.scene.base import Section
from vastus.scene.drive import Output, PoseKey, SolverPart, Timeline
from vastus.scene.fibres import Fibres, Pennation
from vastus.scene.schema import Description
from vastus.scene.selection import LoadPart, PinPart
from vastus.scene.surfaces import SurfacePart, Surfaces

_ANY = "*"
# Which section stands where; a star is a name or a place in a list.
_SECTIONS: dict[tuple[str, ...], type[Section]] = {
    (): Description,
    ("model",): Source,
    ("mesh",): MeshFile,
    ("surfaces",): Surfaces,
    ("surfaces", "parts", _ANY): SurfacePart,
    ("regions", _ANY): RegionPart,
    ("muscles", _ANY): MusclePart,
    ("muscles", _ANY, "fibres"): Fibres,
    ("muscles", _ANY, "fibres", "pennation"): Pennation,
    ("bones", _ANY): BonePart,
    ("joints", _ANY): JointPart,
    ("pins", _ANY): PinPart,
    ("loads", _ANY): LoadPart,
    ("inputs",): Timeline,
    ("inputs", "bones", _ANY, _ANY): PoseKey,
    ("solver",): SolverPart,
    ("output",): Output,
}


def in_order(value: Any, path: tuple[str, ...] = ()) -> Any:
    """The same data with the keys of every section in order."""
    if isinstance(value, Mapping):
        keys = sorted(value, key=_rank(path)) if _section(path) else value
        return {key: in_order(value[key], (*path, str(key))) for key in keys}
    if isinstance(value, list | tuple):
        return [in_order(item, (*path, _ANY)) for item in value]
    return value


def _rank(path: tuple[str, ...]) -> Any:
    section = _section(path)
    words = section.words() if section else []
    return lambda key: words.index(key) if key in words else len(words)


def _section(path: tuple[str, ...]) -> type[Section] | None:
    for pattern, section in _SECTIONS.items():
        if len(pattern) == len(path) and all(
            p in (_ANY, key) for p, key in zip(pattern, path, strict=True)
        ):
            return section
    return None
