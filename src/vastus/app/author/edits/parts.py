"""Parts: which there are, and what they are.

What tissues and regions are made of.

The scene as a whole: its name, how it is meshed, which way is down, and how long it runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from vastus.app.author.document import Document
from vastus.app.author.importing import beside
from vastus.app.author.names import ENDS, PARTS, Kind, Numbers, metres, names_of, put, short, shorts
from vastus.app.author.renaming import (
    lost,
    new_name,
    owners,
    pruned,
    rename_muscle,
    rename_part,
    tidy,
)
from vastus.app.author.roles import Role, role_of
from vastus.errors import ModelError, known
from vastus.materials.base import Law
from vastus.model import Region, Tissue
from vastus.modelling.build import made_of
from vastus.modelling.tissues import usual_laws
from vastus.scene.base import Places, Unit
from vastus.scene.surfaces import Neighbours

__all__ = ["rename_muscle", "rename_part"]

# What is said of muscles alone.
_OF_MUSCLES = (*ENDS, "origin_at", "insertion_at", "caps", "fibre_caps", "tendons")


def add_part(document: Document, file: str | Path, role: Role | None = None) -> Document:
    """Make a part of a surface file of the folder; its role is guessed from its name if left out.

    `file` is as seen from the folder.
    """
    role = role or role_of(Path(file).name, document.names)
    name = new_name("part", role.name, document.parts)
    said = {"file": beside(document, Path(file)).as_posix(), "tissue": role.tissue.value}
    if role.tissue is Tissue.TENDON:
        said["muscle"] = role.muscle or ""
    return document.put((*PARTS, name), said, f"add part '{name}'")


def add_parts(document: Document, files: Sequence[str | Path]) -> Document:
    """Make parts of several files in one step, tendons after the muscles that they belong to."""
    first = document
    roles = {file: role_of(Path(file).name, document.names) for file in files}
    for file in sorted(files, key=lambda file: roles[file].sinewy):
        document = add_part(document, file)
    words = f"add {len(files)} parts" if len(files) != 1 else document.change.words
    return document.with_data(document.data, words) if files else first


def remove_part(document: Document, part: str) -> Document:
    """Take a part away, with all that refers to it; its file stays."""
    document.part(part)
    kept = {name: said for name, said in document.at(*PARTS).items() if name != part}
    return _pruned(document, kept, f"remove part '{part}'")


def set_tissue(
    document: Document, part: str, tissue: Tissue, *, muscle: str | None = None
) -> Document:
    """Say what is inside a part; a tendon belongs to a `muscle`, which may be left out if only one.

    What was said of it as a muscle or bone goes.
    """
    said = document.part(part)
    if tissue is Tissue.TENDON:
        muscle = muscle or said.muscle or _only_muscle(document, part)
    out = {**document.at(*PARTS, part), "tissue": tissue.value, "muscle": muscle or said.muscle}
    if tissue is not Tissue.MUSCLE:
        out = {key: value for key, value in out.items() if key not in _OF_MUSCLES}
    if tissue not in (Tissue.MUSCLE, Tissue.TENDON) or out["muscle"] is None:
        del out["muscle"]
    words = f"set tissue of '{part}' to {tissue.value}"
    return _pruned(document, {**document.at(*PARTS), part: out}, words)


def set_muscle(document: Document, part: str, muscle: str | None) -> Document:
    """Say which muscle a part of muscle or tendon belongs to; None is the muscle of its own name.

    What is said of a muscle follows its only part to a new name.
    """
    said, new = document.part(part), part if muscle is None else tidy(muscle)
    if said.tissue is Tissue.MUSCLE and new not in document.names.muscles:
        old = said.muscle or part
        if owners(document, old) == [part]:
            return rename_muscle(document, old, new)
    own = said.tissue is Tissue.MUSCLE and new == part
    parts = put(document.at(*PARTS), (part, "muscle"), None if own else new)
    return _pruned(document, parts, f"set muscle of '{part}' to '{new}'")


def set_compartment(document: Document, part: str, compartment: str | None) -> Document:
    """Say which sheath of fascia holds a part; None is the one for all."""
    document.part(part)
    name = None if compartment is None else tidy(compartment)
    words = f"set compartment of '{part}' to '{name}'" if name else f"no compartment for '{part}'"
    return document.put((*PARTS, part, "compartment"), name, words)


def set_part_units(document: Document, part: str, units: Unit | None) -> Document:
    """Say the unit of a part's file; None is that of all."""
    document.part(part)
    value = None if units is None else units.value
    words = f"set units of '{part}' to {value or 'those of all'}"
    return document.put((*PARTS, part, "units"), value, words)


def set_part_size(document: Document, part: str, size: float | None) -> Document:
    """Set the edge of a part's tets [m]; None is that of all."""
    document.part(part)
    value = None if size is None else metres(size)
    told = "that of all" if value is None else f"{1e3 * value:g} mm"
    words = f"set size of '{part}' to {told}"
    return document.put((*PARTS, part, "size"), value, words, f"size of {part}")


def _pruned(document: Document, parts: dict[str, object], words: str) -> Document:
    """The document with other parts, without what refers to none of them."""
    data = {**document.data, "surfaces": {**document.data["surfaces"], "parts": parts}}
    orphan = next(iter(_orphans(data)), None)
    if orphan is not None:
        raise ModelError(
            f"'{orphan}' is a tendon of muscle '{parts[orphan]['muscle']}', which would be gone; "  # type: ignore[index]
            "give it another muscle or tissue first, or remove it"
        )
    after = pruned(data)
    return document.with_data(after, words + lost(document.data, after))


def _orphans(data: dict[str, object]) -> list[str]:
    """The tendons without a muscle."""
    names = names_of(data)
    tendons = [name for name, tissue in names.parts.items() if tissue is Tissue.TENDON]
    parts = data["surfaces"]["parts"]  # type: ignore[index]
    return [name for name in tendons if parts[name]["muscle"] not in names.muscles]


def _only_muscle(document: Document, part: str) -> str:
    others = [name for name in document.names.muscles if name != part]
    if len(others) != 1:
        listed = ", ".join(others) or "none"
        raise ModelError(f"'{part}' as a tendon belongs to a muscle: say to which ({listed})")
    return others[0]


def tissue_of(document: Document, name: str) -> Tissue:
    """The tissue of this name, or else that of the region of this name."""
    if name in tuple(Tissue):
        return Tissue(name)
    regions = document.names.regions
    return regions[document.require("region", name, regions)]


def laws_of(document: Document, name: str) -> tuple[Law, ...]:
    """The laws that a tissue or region has, by what is said of it or else as usual."""
    tissue = tissue_of(document, name)
    region = Region(name, tissue, usual_laws(tissue), muscle=name)
    for key in dict.fromkeys((tissue.value, name)):
        if key in document.said.materials:
            region = made_of(region, document.said.materials[key], Places(), ("materials", key))
    return region.laws


def set_material(document: Document, name: str, laws: Sequence[Law] | None) -> Document:
    """Say what a tissue or region is made of; None is the usual, or that of its tissue."""
    tissue = tissue_of(document, name)
    usual = laws is None or (name == tissue.value and tuple(laws) == usual_laws(tissue))
    terms = [_term(law) for law in laws or ()]
    value: Any = terms[0] if len(terms) == 1 else terms
    told = " and ".join(law.name for law in laws or ()) or "the usual"
    words = f"make '{name}' of {told}"
    return document.put(("materials", name), None if usual else value, words)


def set_number(document: Document, name: str, law: int, parameter: str, value: float) -> Document:
    """Set a parameter of one of the laws of a tissue or region, in SI units."""
    laws = list(laws_of(document, name))
    if not 0 <= law < len(laws):
        raise ModelError(f"'{name}' has {len(laws)} laws, but number {law + 1} was meant")
    names = [f.name for f in fields(laws[law])]  # type: ignore[arg-type]
    if parameter not in names:
        raise known("parameter", parameter, names)
    laws[law] = replace(laws[law], **{parameter: short(value)})  # type: ignore[type-var]
    changed = set_material(document, name, laws)
    words = f"set {parameter} of '{name}' to {short(value):g}"
    return changed.with_data(changed.data, words, f"{parameter} of law {law} of {name}")


def set_density(document: Document, region: str, density: float | None) -> Document:
    """Set the density of a region [kg/m^3]; None is the usual one."""
    if not document.names.has(Kind.REGION, region):
        raise known("region", region, document.names.regions)
    value = None if density is None else short(density)
    told = "the usual one" if value is None else f"{value:g} kg/m³"
    words = f"set density of '{region}' to {told}"
    return document.put(("regions", region, "density"), value, words, f"density of {region}")


def _term(law: Law) -> dict[str, Any]:
    numbers = {f.name: short(getattr(law, f.name)) for f in fields(law)}  # type: ignore[arg-type]
    return {"law": law.name, **numbers}


STANDARD_GRAVITY = 9.81  # [m/s^2]
DOWN = (0.0, 0.0, -STANDARD_GRAVITY)  # unless a scene says otherwise


def set_name(document: Document, name: str) -> Document:
    """Call the scene otherwise."""
    name = tidy(name)
    return document.put(("name",), name, f"name the scene '{name}'", "name")


def set_units(document: Document, units: Unit | None) -> Document:
    """Say the unit of the files; None is to be found from their size."""
    value = None if units is None else units.value
    return _put(document, "units", value, f"set units to {value or 'be found'}")


def set_size(document: Document, size: float | None) -> Document:
    """Set the edge of a tet inside the parts [m]; None is the usual one."""
    return _length(document, "size", size)


def set_envelope(document: Document, envelope: float | None) -> Document:
    """Set how far the mesh may be from the surfaces [m]; None is the usual distance."""
    return _length(document, "envelope", envelope)


def set_gap(document: Document, gap: float | None) -> Document:
    """Set the distance [m] that an attachment may bridge; None is the usual one."""
    return _length(document, "gap", gap)


def set_neighbours(document: Document, neighbours: Neighbours | None) -> Document:
    """Say what muscles that touch do; None is the usual way."""
    value = None if neighbours is None else neighbours.value
    return _put(document, "neighbours", value, f"set neighbours to {value or 'the usual way'}")


def set_seconds(document: Document, seconds: float) -> Document:
    """Set how long the scene runs [s]; key frames stay at their times."""
    value = short(seconds)
    return document.put(("inputs", "seconds"), value, f"set the time to {value:g} s", "seconds")


def set_fps(document: Document, fps: float) -> Document:
    """Set how many frames a second has."""
    value = short(fps)
    words = f"set the frames a second to {value:g}"
    return document.put(("inputs", "fps"), value, words, "fps")


def set_gravity(document: Document, gravity: Numbers | None) -> Document:
    """Set the acceleration (3,) by gravity [m/s^2]; None is the usual one, along -z."""
    value = None if gravity is None else shorts(gravity)
    told = "the usual one" if value is None else f"{value} m/s²"
    return document.put(("gravity",), value, f"set gravity to {told}", "gravity")


def set_up(document: Document, up: Numbers) -> Document:
    """Say which direction is up; gravity points the other way."""
    direction = np.asarray(up, float)
    length = float(np.linalg.norm(direction))
    if direction.shape != (3,) or not 0 < length < np.inf:
        raise ModelError(f"{list(up)} was given as up, but it must be three numbers, not all zero")
    gravity = [short(g) + 0.0 for g in -STANDARD_GRAVITY / length * direction]
    return set_gravity(document, None if tuple(gravity) == DOWN else gravity)


def _length(document: Document, what: str, length: float | None) -> Document:
    value = None if length is None else metres(length)
    told = "the usual one" if value is None else f"{1e3 * value:g} mm"
    return _put(document, what, value, f"set {what} to {told}", what)


def _put(document: Document, what: str, value: Any, words: str, key: str = "") -> Document:
    return document.put(("surfaces", what), value, words, key)
