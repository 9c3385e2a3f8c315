"""Other names for what a scene has, and what goes with something that is taken away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vastus.app.author.document import Document
from vastus.app.author.names import PARTS, Data, Kind, Names, names_of, put, revised, tendon_name
from vastus.errors import ModelError
from vastus.parts import Tissue

LONGEST = 200  # characters of a name
Map = Mapping[str, str]
_SECTIONS = ("bones", "joints", "pins", "loads", "muscles")  # whose losses are told


@dataclass(frozen=True)
class Renaming:
    """Old to new names, by what they are the names of."""

    parts: Map = field(default_factory=dict)
    regions: Map = field(default_factory=dict)
    muscles: Map = field(default_factory=dict)
    bones: Map = field(default_factory=dict)

    def applied(self, data: Data, names: Names) -> Data:
        """The scene with the new names."""
        return revised(data, lambda kind, name: self._of(kind, name, names).get(name, name))

    def _of(self, kind: Kind, name: str, names: Names) -> Map:
        """The map for a name; one that may be of two kinds is of the kind that comes first."""
        if kind in (Kind.PART, Kind.END, Kind.BONE_PART):
            return self.parts
        if kind is Kind.MATERIAL:
            return {} if name in tuple(Tissue) else self.regions
        if kind is Kind.BONE_OR_REGION:
            return self.bones if name in names.bones else self.regions
        if kind is Kind.REGION_OR_BONE:
            return self.regions if name in names.regions else self.bones
        return {Kind.REGION: self.regions, Kind.MUSCLE: self.muscles, Kind.BONE: self.bones}[kind]


def tidy(name: str) -> str:
    """A name on one line, or an error."""
    line = " ".join(name.split())
    if not line:
        raise ModelError("a name needs at least one letter")
    if len(line) > LONGEST:
        raise ModelError(f"a name of {len(line)} letters was given; at most {LONGEST} are allowed")
    return line


def new_name(kind: str, name: str, names: object) -> str:
    """A name that nothing else of its kind has."""
    name = tidy(name)
    if name in names:  # type: ignore[operator]
        raise ModelError(f"there is a {kind} '{name}' already; take another name")
    return name


def rename_part(document: Document, part: str, new: str) -> Document:
    """Call a part otherwise; its bone follows, and its muscle unless that has other parts."""
    document.part(part)
    if tidy(new) == part:
        return document
    names, new = document.names, new_name("part", new, document.parts)
    renaming = Renaming(
        parts={part: new},
        regions={part: new, tendon_name(part): tendon_name(new)},
        bones={part: new} if part in names.bones and not _is_group(document, part) else {},
        muscles={part: new} if owners(document, part) == [part] else {},
    )
    data = renaming.applied(document.data, names)
    if renaming.muscles:
        new_name("muscle", new, names.muscles)
    elif document.parts[part].tissue is Tissue.MUSCLE and document.parts[part].muscle is None:
        data = _belonging(data, new, part)
    return document.with_data(data, f"rename part '{part}' to '{new}'")


def rename_muscle(document: Document, muscle: str, new: str) -> Document:
    """Call a muscle otherwise; its parts keep their names."""
    names = document.names
    document.require("muscle", muscle, names.muscles)
    if tidy(new) == muscle:
        return document
    new = new_name("muscle", new, names.muscles)
    data = Renaming(muscles={muscle: new}).applied(document.data, names)
    for part in owners(document, muscle):
        data = _belonging(data, part, new)
    return document.with_data(data, f"rename muscle '{muscle}' to '{new}'")


def rename_bone(document: Document, bone: str, new: str) -> Document:
    """Call a bone otherwise: the part, if it is one, or else the group."""
    document.require("bone", bone, document.names.bones)
    if not _is_group(document, bone):
        return rename_part(document, bone, new)
    if tidy(new) == bone:
        return document
    new = new_name("bone", new, document.names.bones)
    data = Renaming(bones={bone: new}).applied(document.data, document.names)
    return document.with_data(data, f"rename bone '{bone}' to '{new}'")


def _is_group(document: Document, bone: str) -> bool:
    return bool(document.at("bones", bone, "regions"))


def owners(document: Document, muscle: str) -> list[str]:
    """The parts of muscle tissue that belong to a muscle."""
    parts = document.parts.items()
    return [n for n, p in parts if p.tissue is Tissue.MUSCLE and (p.muscle or n) == muscle]


def _belonging(data: Data, part: str, muscle: str) -> Data:
    """The scene with a part of a muscle, whose name is written if it is not that of the part."""
    return put(data, (*PARTS, part, "muscle"), None if muscle == part else muscle)


def pruned(data: Data) -> Data:
    """The scene without what refers to names that are no longer there."""
    names = names_of(data)

    def kept(kind: Kind, name: str) -> str | None:
        return name if names.has(kind, name) else None

    return revised(data, kept)


def lost(before: Data, after: Data) -> str:
    """What a scene no longer says, as the end of a sentence: ", and with it joint 'elbow'"."""
    gone = [
        f"{section[:-1]} '{name}'"
        for section in _SECTIONS
        for name in before.get(section) or ()
        if name not in (after.get(section) or ())
    ]
    return f", and with it {', '.join(gone)}" if gone else ""
