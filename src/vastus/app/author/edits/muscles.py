"""Muscles: where they are attached, their tendons, their strength, their fibres and activation."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist
from typing import Any

from vastus.app.author.document import Document
from vastus.app.author.names import PARTS, Numbers, metres, places, put, short, shorts
from vastus.modelling.surfaces.body_parts import Spot
from vastus.scene.fibres import End

PENNATION = "pennation"


def set_end(document: Document, part: str, end: End, to: Sequence[str] | None) -> Document:
    """Name the parts that a muscle arises from, or ends on."""
    document.part(part)
    names = [to] if isinstance(to, str) else list(dict.fromkeys(to or ()))
    told = " and ".join(f"'{name}'" for name in names) or "be proposed"
    value: Any = names[0] if len(names) == 1 else names or None
    return document.put((*PARTS, part, end.value), value, f"set {end.value} of '{part}' to {told}")


def set_tendons(document: Document, part: str, tendons: tuple[float, float] | None) -> Document:
    """Set how much is tendon: fractions of the length from the origin and from the insertion."""
    document.part(part)
    value = None if tendons is None else shorts(tendons)
    told = "as proposed" if value is None else " and ".join(f"{100 * v:g} %" for v in value)
    words = f"set tendons of '{part}' to {told}"
    return document.put((*PARTS, part, "tendons"), value, words, f"tendons of {part}")


def spots(document: Document, part: str, end: End) -> list[Spot]:
    """What is painted at an end of a muscle."""
    said = document.at(*PARTS, part, _key(end)) or ()
    return [Spot(tuple(map(float, spot["centre"])), float(spot["radius"])) for spot in said]  # type: ignore[arg-type]


def add_spot(document: Document, part: str, end: End, centre: Numbers, radius: float) -> Document:
    """ColourBy a ball [m], in place of a cap; one that is inside another adds nothing to it."""
    document.part(part)
    spot = _spot(centre, radius)
    before = spots(document, part, end)
    if any(_holds(other, spot) for other in before):
        return document
    kept = [other for other in before if not _holds(spot, other)]
    return _painted(document, part, end, [*kept, spot], f"paint {end.value} of '{part}'")


def erase_spots(
    document: Document, part: str, end: End, centre: Numbers, radius: float
) -> Document:
    """Take away what is painted under a ball [m]: what it meets by a centre."""
    document.part(part)
    eraser, before = _spot(centre, radius), spots(document, part, end)
    kept = [spot for spot in before if not _meets(spot, eraser)]
    if len(kept) == len(before):
        return document
    return _painted(document, part, end, kept, f"erase {end.value} of '{part}'")


def clear_spots(document: Document, part: str, end: End) -> Document:
    """Take away all that is painted at an end of a muscle."""
    document.part(part)
    words = f"clear what is painted at the {end.value} of '{part}'"
    return document.put((*PARTS, part, _key(end)), None, words)


def _painted(document: Document, part: str, end: End, kept: list[Spot], words: str) -> Document:
    value = [{"centre": list(spot.centre), "radius": spot.radius} for spot in kept] or None
    data = put(document.data, (*PARTS, part, _key(end)), value)
    caps = document.at(*PARTS, part, "caps")
    if value is not None and caps is not None:
        data = put(data, (*PARTS, part, "caps"), _uncapped(caps, end))
    return document.with_data(data, words, words)


def _uncapped(caps: list[float | None], end: End) -> list[float | None] | None:
    left = [None if place is end else cap for place, cap in zip(End, caps, strict=True)]
    return None if left == [None, None] else left


def _spot(centre: Numbers, radius: float) -> Spot:
    x, y, z = places(centre)
    return Spot((x, y, z), metres(radius))


def _holds(one: Spot, other: Spot) -> bool:
    """Whether the other is wholly inside the one."""
    return dist(one.centre, other.centre) + other.radius <= one.radius


def _meets(one: Spot, other: Spot) -> bool:
    """Whether the centre of one is inside the other."""
    return dist(one.centre, other.centre) <= max(one.radius, other.radius)


def _key(end: End) -> str:
    return f"{end.value}_at"


def set_strength(document: Document, muscle: str, strength: float | None) -> Document:
    """Set the active stress at activation 1 [Pa]; None is the usual one."""
    value = None if strength is None else short(strength)
    told = "the usual one" if value is None else f"{value / 1e3:g} kPa"
    words = f"set strength of '{muscle}' to {told}"
    return _put(document, muscle, "strength", value, words, f"strength of {muscle}")


def set_limit(document: Document, muscle: str, limit: float | None) -> Document:
    """Set the largest activation that is allowed; None is 1."""
    value = None if limit is None else short(limit)
    words = f"set limit of '{muscle}' to {1 if value is None else value:g}"
    return _put(document, muscle, "limit", value, words, f"limit of {muscle}")


def set_activation(
    document: Document, muscle: str, curve: float | Sequence[tuple[float, float]] | None
) -> Document:
    """Drive a muscle: to a level, reached evenly from 0, or by key frames (time [s], level).

    None is not at all.
    """
    document.require("muscle", muscle, document.names.muscles)
    value: Any
    if curve is None:
        value, told = None, "nothing"
    elif isinstance(curve, int | float):
        value, told = short(curve), f"{curve:g}"
    else:
        value, told = [shorts(key) for key in curve], f"{len(curve)} key frames"
    words = f"set activation of '{muscle}' to {told}"
    return document.put(("inputs", "activation", muscle), value, words, f"activation of {muscle}")


def usual_fibres(document: Document, muscle: str) -> Document:
    """Let the fibres of a muscle run from its origin to its insertion, as they do unless told."""
    return _put(document, muscle, "fibres", None, f"let the fibres of '{muscle}' be found")


def fibres_between(
    document: Document, muscle: str, start: Sequence[str], end: Sequence[str]
) -> Document:
    """Let fibres run from some bones or regions to others."""
    said = {"from": _one_or_more(start), "to": _one_or_more(end)}
    return _set_fibres(document, muscle, said, f"from {_told(start)} to {_told(end)}")


def fibres_along(document: Document, muscle: str, direction: Numbers) -> Document:
    """Let all fibres run along one direction."""
    value = shorts(direction)
    return _set_fibres(document, muscle, {"direction": value}, f"along {value}", key="direction")


def set_pennation(
    document: Document, muscle: str, angle: float, aponeurosis: str, end: End = End.INSERTION
) -> Document:
    """Turn fibres by an angle [deg] towards a sheet: a bone, a region, or a file of the folder.

    The fibres themselves must be given first, as from one bone to another.
    """
    said = {"angle": short(angle), "aponeurosis": aponeurosis}
    said |= {} if end is End.INSERTION else {"end": end.value}
    words = f"turn the fibres of '{muscle}' by {angle:g}° to '{aponeurosis}'"
    fibres = {**(document.at("muscles", muscle, "fibres") or {}), PENNATION: said}
    return _put(document, muscle, "fibres", fibres, words, f"pennation of {muscle}")


def no_pennation(document: Document, muscle: str) -> Document:
    """Let fibres run along the muscle."""
    fibres = dict(document.at("muscles", muscle, "fibres") or {})
    fibres.pop(PENNATION, None)
    return _put(document, muscle, "fibres", fibres or None, f"no pennation of '{muscle}'")


def _set_fibres(
    document: Document, muscle: str, said: dict[str, Any], told: str, key: str = ""
) -> Document:
    """Replace how fibres run; their pennation stays."""
    pennation = document.at("muscles", muscle, "fibres", PENNATION)
    fibres = said if pennation is None else {**said, PENNATION: pennation}
    words = f"let the fibres of '{muscle}' run {told}"
    return _put(document, muscle, "fibres", fibres, words, key and f"{key} of {muscle}")


def _put(
    document: Document, muscle: str, what: str, value: Any, words: str, key: str = ""
) -> Document:
    document.require("muscle", muscle, document.names.muscles)
    return document.put(("muscles", muscle, what), value, words, key)


def _one_or_more(names: Sequence[str]) -> str | list[str]:
    several = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    return several[0] if len(several) == 1 else several


def _told(names: Sequence[str]) -> str:
    return f"'{names}'" if isinstance(names, str) else " and ".join(f"'{n}'" for n in names)
