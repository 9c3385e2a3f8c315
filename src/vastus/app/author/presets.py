"""Materials to choose from, each with a sentence; their numbers are those of the package's laws."""

from __future__ import annotations

from dataclasses import dataclass, fields

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
from vastus.model import Tissue
from vastus.modelling.tissues import usual_laws
from vastus.report.model_tables import is_stress


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
    "L1": "scale of the fibre's tension",
    "L2": "exponent of the fibre's tension",
    "optimal": "stretch at which the active stress is largest",
    "width": "width of the bell about the optimal stretch",
}


def presets(tissue: Tissue) -> tuple[Preset, ...]:
    """What a tissue may be made of, the usual material first; bones are rigid and have none."""
    return {
        Tissue.MUSCLE: _MUSCLE,
        Tissue.TENDON: _TENDON,
        Tissue.PASSIVE: _PASSIVE,
        Tissue.BONE: (),
    }[tissue]


_ELASTIC = tuple(law for law in usual_laws(Tissue.MUSCLE) if not law.active)
_MUSCLE = (
    Preset(
        "usual", "Elastic; the active stress is the same at any length.", usual_laws(Tissue.MUSCLE)
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
    ]
