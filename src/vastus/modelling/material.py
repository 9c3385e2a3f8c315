"""Materials of an author as laws."""

from __future__ import annotations

from dataclasses import fields, replace

from vastus.errors import ModelError
from vastus.materials.base import Law, find_law
from vastus.model import Region, Tissue
from vastus.scene.anatomy import Material, Term, terms
from vastus.scene.base import unknown
from vastus.scene.places import Path, Places


def made_of(region: Region, material: Material, places: Places, path: Path) -> Region:
    """The region with another material; a muscle keeps its active law unless given another."""
    given = terms(material)
    several = not isinstance(material, Term)
    paths = [(*path, i) if several else path for i in range(len(given))]
    laws = tuple(_law(term, places, p) for term, p in zip(given, paths, strict=True))
    if region.tissue is Tissue.MUSCLE and not any(law.active for law in laws):
        laws += tuple(law for law in region.laws if law.active)
    return replace(region, laws=laws)


def _law(term: Term, places: Places, path: Path) -> Law:
    with places.blame(*path, "law"):
        kind = find_law(term.law)
    allowed = [f.name for f in fields(kind)]  # type: ignore[arg-type]
    for name, value in term.parameters.items():
        with places.blame(*path, name):
            _check_parameter(name, value, allowed)
    # Which parameter a law refuses stands in its sentence, not in quotes.
    with places.blame(*path):
        return kind(**term.parameters)


def _check_parameter(name: str, value: object, allowed: list[str]) -> None:
    if name not in allowed:
        raise ModelError(unknown("parameter", name, allowed))
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ModelError(f"{value!r} was given, but it must be a number")
