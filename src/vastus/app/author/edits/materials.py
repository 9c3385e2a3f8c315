"""What tissues and regions are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from vastus.app.author.document import Document
from vastus.app.author.names import Kind
from vastus.app.author.trees import short
from vastus.errors import ModelError, known
from vastus.materials.base import Law
from vastus.model import Region, Tissue
from vastus.modelling.material import made_of
from vastus.modelling.tissues import usual_laws
from vastus.scene.places import Places


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
