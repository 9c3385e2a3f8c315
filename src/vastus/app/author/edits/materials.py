"""Materials to choose from, with the numbers of the package's laws, and what is made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from vastus.app.author.document import Document
from vastus.app.author.names import Kind, short, shorts
from vastus.errors import ModelError, known
from vastus.materials import (
    ActiveFibre,
    HillFibre,
    MooneyRivlin,
    MuscleTissue,
    NeoHookean,
    StableNeoHookean,
    TendonTissue,
)
from vastus.materials.base import Law
from vastus.modelling.build import made_of
from vastus.modelling.tissues import usual_density, usual_laws
from vastus.parts import Region, Tissue
from vastus.report.model_tables import is_stress
from vastus.scene.schema import Places


@dataclass(frozen=True)
class Preset:
    """A material: laws that are summed, and what it is like."""

    name: str
    sentence: str
    laws: tuple[Law, ...]


@dataclass(frozen=True)
class Quantity:
    """A number of a law that an author may set; the unit is empty for a pure number."""

    law: int  # its place among the laws of the material
    name: str
    value: float
    unit: str
    sentence: str


SENTENCES = {
    "young": "Young's modulus at rest",
    "poisson": "Poisson's ratio at rest; near 0.5 the volume hardly changes",
    "c1": "modulus of the first invariant",
    "c2": "modulus of the second invariant",
    "K": "bulk modulus",
    "G1": "shear modulus along the fibre",
    "G2": "shear modulus across the fibre",
    "p1": "relative scale of the passive tension",
    "p2": "exponent of the passive tension",
    "Lofl": "stretch at the optimal length",
    "lam_max": "stretch from which the passive tension grows straight",
    "smax": "scale of the passive tension",
    "modulus": "slope of the tension beyond the toe",
    "toe": "strain at which the toe ends",
    "L1": "scale of the fibre's tension",
    "L2": "exponent of the fibre's tension",
    "optimal": "stretch at which the active stress is largest",
    "width": "width of the bell about the optimal stretch",
}


_ELASTIC = usual_laws(Tissue.MUSCLE)
_MUSCLE = (
    Preset(
        "usual",
        "Elastic, with passive fibres; the active force follows the length of the belly.",
        usual_laws(Tissue.MUSCLE),
    ),
    Preset(
        "Hill curve",
        "The usual elastic law; the active stress falls away from the optimal length.",
        (*_ELASTIC, HillFibre()),
    ),
    Preset(
        "fibrous",
        "Passive fibres that stiffen when stretched, and a force-length curve.",
        (MuscleTissue(),),
    ),
    Preset(
        "Mooney-Rivlin",
        "Elastic, its bulk apart from its shear; the active stress is the same at any length.",
        (MooneyRivlin(), ActiveFibre()),
    ),
)
_TENDON = (
    Preset("usual", "Stiff along the fibre, soft in shear.", usual_laws(Tissue.TENDON)),
    Preset("stiff", "Stiffens more, and hardly changes its volume.", (TendonTissue(),)),
)
_PASSIVE = (
    Preset("usual", "As muscle that does not contract.", usual_laws(Tissue.PASSIVE)),
    Preset("soft", "A softer solid that survives inversion.", (StableNeoHookean(),)),
    Preset("neo-Hookean", "A solid that resists crushing without bound.", (NeoHookean(),)),
    Preset("Mooney-Rivlin", "A solid, its bulk apart from its shear.", (MooneyRivlin(),)),
)


def presets(tissue: Tissue) -> tuple[Preset, ...]:
    """What a tissue may be made of, the usual material first; bones are rigid and have none."""
    return {
        Tissue.MUSCLE: _MUSCLE,
        Tissue.TENDON: _TENDON,
        Tissue.PASSIVE: _PASSIVE,
        Tissue.BONE: (),
    }[tissue]


def preset_of(laws: tuple[Law, ...], tissue: Tissue) -> Preset | None:
    """The preset that these laws are; None if their numbers are the author's own."""
    return next((preset for preset in presets(tissue) if preset.laws == laws), None)


def quantities(laws: tuple[Law, ...]) -> list[Quantity]:
    """The numbers of a material, in order."""
    return [
        Quantity(
            place,
            f.name,
            float(getattr(law, f.name)),
            "Pa" if is_stress(type(law), f.name) else "",
            SENTENCES.get(f.name, ""),
        )
        for place, law in enumerate(laws)
        for f in fields(law)  # type: ignore[arg-type]
        if not isinstance(getattr(law, f.name), tuple)  # tables are not set on the page
    ]


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
        if key in document.description.materials:
            region = made_of(
                region, document.description.materials[key], Places(), ("materials", key)
            )
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


def density_of(document: Document, region: str) -> float:
    """The density of a region [kg/m^3], by what is said of it or else as usual."""
    said = document.description.regions.get(region)
    return (said.density if said else None) or usual_density(tissue_of(document, region))


def set_density(document: Document, region: str, density: float | None) -> Document:
    """Set the density of a region [kg/m^3]; None is the usual one."""
    if not document.names.has(Kind.REGION, region):
        raise known("region", region, document.names.regions)
    value = None if density is None else short(density)
    told = "the usual one" if value is None else f"{value:g} kg/m³"
    words = f"set density of '{region}' to {told}"
    return document.put(("regions", region, "density"), value, words, f"density of {region}")


def _term(law: Law) -> dict[str, Any]:
    values = {f.name: getattr(law, f.name) for f in fields(law)}  # type: ignore[arg-type]
    return {"law": law.name, **{name: _written(value) for name, value in values.items()}}


def _written(value: Any) -> Any:
    return [shorts(row) for row in value] if isinstance(value, tuple) else short(value)
