"""Which parameters of the package's own laws are stresses, and materials in words."""

from __future__ import annotations

from dataclasses import fields

from vastus.materials.base import Law

PASCALS = frozenset({"young", "c1", "c2", "K", "G1", "G2", "smax", "L1"})
OWN = "vastus.materials."
_PREFIXES = ((1e9, "GPa"), (1e6, "MPa"), (1e3, "kPa"), (1.0, "Pa"))


def material(laws: tuple[Law, ...]) -> str:
    """Laws with their parameters; those of a user's own law have no unit that is known."""
    return " + ".join(_law(law) for law in laws) or "rigid"


def pascals(value: float) -> str:
    """A stress with a unit that keeps its number short."""
    size, unit = next((p for p in _PREFIXES if abs(value) >= p[0]), _PREFIXES[-1])
    return f"{value / size:.4g} {unit}"


def is_stress(law: type[Law], parameter: str) -> bool:
    """Whether a parameter is in pascal."""
    return law.__module__.startswith(OWN) and parameter in PASCALS


def _law(law: Law) -> str:
    told = []
    for name in (f.name for f in fields(law)):  # type: ignore[arg-type]
        value = getattr(law, name)
        number = pascals(value) if is_stress(type(law), name) else f"{value:g}"
        told.append(f"{name} {number}")
    return f"{law.name} ({', '.join(told)})" if told else law.name
