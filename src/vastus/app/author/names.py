"""The plain data of a scene of surfaces: how it is changed, and every place that holds a name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import numpy as np

from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.scene.fibres import SHEET_SUFFIXES

Data = Mapping[str, Any]
Path = tuple[str, ...]
Numbers = Sequence[float] | Floats

PARTS = ("surfaces", "parts")
ENDS = ("origin", "insertion")
DECIMALS = 6  # of a place [m]: a thousandth of a millimetre
DIGITS = 6  # of any other number


def at(data: Data, path: Path) -> Any:
    """What stands at a path; None if there is nothing."""
    for key in path:
        if not isinstance(data, Mapping) or key not in data:
            return None
        data = data[key]
    return data


def put(data: Data, path: Path, value: Any) -> dict[str, Any]:
    """The data with another value at a path; None takes it away, and what is empty without it."""
    key, *below = path
    if below:
        inner = data.get(key)
        value = put(inner if isinstance(inner, Mapping) else {}, tuple(below), value) or None
    if value is None:
        return {k: v for k, v in data.items() if k != key}
    return {**data, key: value}


def places(values: Numbers) -> list[float]:
    """A place [m] as it is written."""
    return [metres(value) for value in np.asarray(values, float).tolist()]


def metres(value: float) -> float:
    """A length [m] as it is written."""
    return round(float(value), DECIMALS)


def short(value: float) -> float:
    """A number as it is written."""
    return float(f"{float(value):.{DIGITS}g}")


def shorts(values: Numbers) -> list[float]:
    """Numbers as they are written."""
    return [short(value) for value in values]


class Kind(Enum):
    """What a name is the name of."""

    PART = auto()
    END = auto()  # a part that a muscle may be attached to
    BONE_PART = auto()
    REGION = auto()
    MATERIAL = auto()  # a region or a tissue
    MUSCLE = auto()
    BONE = auto()
    BONE_OR_REGION = auto()
    REGION_OR_BONE = auto()


# What a name becomes; None takes away what refers to it.
Visit = Callable[[Kind, str], str | None]


@dataclass(frozen=True)
class Names:
    """The names of a scene, in order."""

    parts: Mapping[str, Tissue]
    muscles: tuple[str, ...]
    bones: Mapping[str, tuple[str, ...]]  # the parts of each

    @property
    def regions(self) -> dict[str, Tissue]:
        """The parts, and the thin ends that muscles may get."""
        muscles = [name for name, tissue in self.parts.items() if tissue is Tissue.MUSCLE]
        return {**self.parts, **{tendon_name(name): Tissue.TENDON for name in muscles}}

    def has(self, kind: Kind, name: str) -> bool:
        """Whether there is something of this kind and name."""
        if kind is Kind.PART:
            return name in self.parts
        if kind is Kind.END:
            return self.parts.get(name, Tissue.TENDON) is not Tissue.TENDON
        if kind is Kind.BONE_PART:
            return self.parts.get(name) is Tissue.BONE
        if kind is Kind.MATERIAL:
            return name in tuple(Tissue) or self._soft(name)
        if kind is Kind.MUSCLE:
            return name in self.muscles
        regions = () if kind is Kind.BONE else self.regions
        bones = () if kind is Kind.REGION else self.bones
        return name in regions or name in bones

    def _soft(self, name: str) -> bool:
        return self.regions.get(name, Tissue.BONE) is not Tissue.BONE


def tendon_name(part: str) -> str:
    """The name that the thin ends of a muscle get."""
    return f"{part} tendon"


def names_of(data: Data) -> Names:
    """The names of a scene's plain data."""
    said = at(data, PARTS) or {}
    parts = {name: Tissue(part["tissue"]) for name, part in said.items()}
    owners = [said[name].get("muscle") or name for name, t in parts.items() if t is Tissue.MUSCLE]
    return Names(parts, tuple(dict.fromkeys(owners)), _bones(data, parts))


def _bones(data: Data, parts: Mapping[str, Tissue]) -> dict[str, tuple[str, ...]]:
    bony = [name for name, tissue in parts.items() if tissue is Tissue.BONE]
    groups = {
        name: tuple(part for part in said.get("regions") or () if part in bony)
        for name, said in (data.get("bones") or {}).items()
    }
    groups = {name: group for name, group in groups.items() if group}
    taken = {part for group in groups.values() for part in group}
    return {**groups, **{name: (name,) for name in bony if name not in taken}}


def revised(data: Data, visit: Visit) -> dict[str, Any]:
    """The scene with every name as `visit` says, without what refers to nothing any more."""
    parts = {
        new: _part(part, visit)
        for name, part in (at(data, PARTS) or {}).items()
        if (new := visit(Kind.PART, name)) is not None
    }
    out = {**data, "surfaces": {**data["surfaces"], "parts": parts}}
    for section, revise in _SECTIONS.items():
        if data.get(section):
            out = put(out, (section,), revise(data[section], visit) or None)
    for section, kind in (("activation", Kind.MUSCLE), ("bones", Kind.BONE)):
        path = ("inputs", section)
        if at(data, path):
            out = put(out, path, _keys(at(data, path), kind, visit) or None)
    return out


def _part(said: Data, visit: Visit) -> dict[str, Any]:
    out = dict(said)
    for end in ENDS:
        out = _put(out, end, _several(said.get(end), Kind.END, visit))
    if said.get("muscle") is not None:
        # What a tendon belongs to is not taken away: a scene without it is refused.
        out["muscle"] = visit(Kind.MUSCLE, said["muscle"]) or said["muscle"]
    return out


def _regions(said: Data, visit: Visit) -> dict[str, Any]:
    return _keys(said, Kind.REGION, visit)


def _materials(said: Data, visit: Visit) -> dict[str, Any]:
    return _keys(said, Kind.MATERIAL, visit)


def _muscles(said: Data, visit: Visit) -> dict[str, Any]:
    return {
        name: _put(part, "fibres", _fibres(part.get("fibres"), visit))
        for name, part in _keys(said, Kind.MUSCLE, visit).items()
    }


def _fibres(said: Data | None, visit: Visit) -> Data | None:
    if said is None:
        return None
    out = dict(said)
    for end in ("from", "to"):
        if end in said:
            out = _put(out, end, _several(said[end], Kind.BONE_OR_REGION, visit))
            if end not in out:
                return None
    if "regions" in said:
        kept_regions = {n: _solid_region(part, visit) for n, part in said["regions"].items()}
        out["regions"] = {n: part for n, part in kept_regions.items() if part is not None}
        if not out["regions"]:
            return None
    sheet = at(said, ("pennation", "aponeurosis"))
    kept = _sheet(sheet, visit)
    path = ("pennation", "aponeurosis") if kept is not None else ("pennation",)
    return out if sheet is None else put(out, path, kept)


def _solid_region(said: Data, visit: Visit) -> Data | None:
    """A region with a solid of its own; None if an end or its place is gone."""
    out = dict(said)
    for end in ("from", "to"):
        out = _put(out, end, _several(said[end], Kind.BONE_OR_REGION, visit))
    within = said["within"] if isinstance(said["within"], list) else [said["within"]]
    places = [_selection(place, visit) for place in within]
    if "from" not in out or "to" not in out or None in places:
        return None
    return {**out, "within": places if isinstance(said["within"], list) else places[0]}


def _sheet(said: Any, visit: Visit) -> Any:
    if isinstance(said, str) and not said.lower().endswith(SHEET_SUFFIXES):
        return visit(Kind.REGION_OR_BONE, said)
    return _selection(said, visit, Kind.REGION_OR_BONE) if isinstance(said, Mapping) else said


def _selection(said: Data, visit: Visit, kind: Kind = Kind.REGION) -> Data | None:
    if said.get("region") is None:
        return said
    name = visit(kind, said["region"])
    return None if name is None else {**said, "region": name}


def _bone_parts(said: Data, visit: Visit) -> dict[str, Any]:
    out = {}
    for name, part in _keys(said, Kind.BONE, visit).items():
        if part.get("regions"):
            part = {**part, "regions": _several(part["regions"], Kind.BONE_PART, visit)}
        if part.get("attached"):
            part = _put(part, "attached", _selection(part["attached"], visit))
        out[name] = part
    return {name: part for name, part in out.items() if part.get("regions", True)}


def _joints(said: Data, visit: Visit) -> dict[str, Any]:
    out = {}
    for name, joint in said.items():
        bones = [visit(Kind.BONE, bone) for bone in joint["bones"]] if joint else []
        if None not in bones and len(set(bones)) == len(bones):
            out[name] = {**joint, "bones": bones} if joint else joint
    return out


def _pins(said: Data, visit: Visit) -> dict[str, Any]:
    kept = {name: _selection(pin, visit) for name, pin in said.items()}
    return {name: pin for name, pin in kept.items() if pin is not None}


def _loads(said: Data, visit: Visit) -> dict[str, Any]:
    out = {}
    for name, load in said.items():
        bone = None if load.get("bone") is None else visit(Kind.BONE, load["bone"])
        faces = None if load.get("faces") is None else _selection(load["faces"], visit)
        refers = {"bone": bone, "faces": faces}
        if all(refers[key] is not None for key in refers if load.get(key) is not None):
            out[name] = {**load, **{key: v for key, v in refers.items() if v is not None}}
    return out


_SECTIONS: dict[str, Callable[[Data, Visit], dict[str, Any]]] = {
    "materials": _materials,
    "regions": _regions,
    "muscles": _muscles,
    "bones": _bone_parts,
    "joints": _joints,
    "pins": _pins,
    "loads": _loads,
}


def _keys(said: Data, kind: Kind, visit: Visit) -> dict[str, Any]:
    """A mapping by other names; of two that become one, the first stays."""
    out: dict[str, Any] = {}
    for name, value in said.items():
        new = visit(kind, name)
        if new is not None:
            out.setdefault(new, value)
    return out


def _several(said: str | Iterable[str] | None, kind: Kind, visit: Visit) -> str | list[str] | None:
    """One name or several, each once, in the manner of the author."""
    if said is None:
        return None
    if isinstance(said, str):
        return visit(kind, said)
    kept = [new for name in said if (new := visit(kind, name)) is not None]
    return list(dict.fromkeys(kept)) or None


def _put(data: Data, key: str, value: Any) -> dict[str, Any]:
    return put(data, (key,), value)
