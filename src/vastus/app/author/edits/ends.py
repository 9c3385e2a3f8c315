"""Where muscles are attached: names, caps, painted dabs and tendons. None is to be proposed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import dist
from typing import Any

from vastus.app.author.document import Document
from vastus.app.author.names import PARTS
from vastus.app.author.trees import Numbers, metres, places, put, short
from vastus.scene.fibres import End

Fractions = tuple[float | None, float | None]


@dataclass(frozen=True)
class Dab:
    """A painted ball of space [m], in which a muscle may be attached."""

    centre: tuple[float, float, float]
    radius: float

    def holds(self, other: Dab) -> bool:
        """Whether another is wholly inside it."""
        return dist(self.centre, other.centre) + other.radius <= self.radius

    def meets(self, other: Dab) -> bool:
        """Whether the centre of one is inside the other."""
        return dist(self.centre, other.centre) <= max(self.radius, other.radius)


def set_end(document: Document, part: str, end: End, to: Sequence[str] | None) -> Document:
    """Name the parts that a muscle arises from, or ends on."""
    document.part(part)
    names = [to] if isinstance(to, str) else list(dict.fromkeys(to or ()))
    told = " and ".join(f"'{name}'" for name in names) or "be proposed"
    value: Any = names[0] if len(names) == 1 else names or None
    return document.put((*PARTS, part, end.value), value, f"set {end.value} of '{part}' to {told}")


def set_caps(document: Document, part: str, caps: Fractions | None) -> Document:
    """Set how far attachments reach: fractions of the length from the origin and the insertion.

    None for one end proposes that one. A painted end has no cap.
    """
    return _fractions(document, part, "caps", caps)


def set_fibre_caps(document: Document, part: str, caps: Fractions | None) -> Document:
    """Set how far from each end fibres may begin, as fractions of the length."""
    return _fractions(document, part, "fibre_caps", caps)


def set_tendons(document: Document, part: str, tendons: tuple[float, float] | None) -> Document:
    """Set how much is tendon: fractions of the length from the origin and from the insertion."""
    return _fractions(document, part, "tendons", tendons)


def dabs(document: Document, part: str, end: End) -> list[Dab]:
    """What is painted at an end of a muscle."""
    said = document.at(*PARTS, part, _key(end)) or ()
    return [Dab(tuple(map(float, dab["centre"])), float(dab["radius"])) for dab in said]  # type: ignore[arg-type]


def add_dab(document: Document, part: str, end: End, centre: Numbers, radius: float) -> Document:
    """Paint a ball [m], in place of a cap; one that is inside another adds nothing to it."""
    document.part(part)
    dab = _dab(centre, radius)
    before = dabs(document, part, end)
    if any(other.holds(dab) for other in before):
        return document
    kept = [other for other in before if not dab.holds(other)]
    return _painted(document, part, end, [*kept, dab], f"paint {end.value} of '{part}'")


def erase_dabs(document: Document, part: str, end: End, centre: Numbers, radius: float) -> Document:
    """Take away what is painted under a ball [m]: what it meets by a centre."""
    document.part(part)
    eraser, before = _dab(centre, radius), dabs(document, part, end)
    kept = [dab for dab in before if not dab.meets(eraser)]
    if len(kept) == len(before):
        return document
    return _painted(document, part, end, kept, f"erase {end.value} of '{part}'")


def clear_dabs(document: Document, part: str, end: End) -> Document:
    """Take away all that is painted at an end of a muscle."""
    document.part(part)
    words = f"clear what is painted at the {end.value} of '{part}'"
    return document.put((*PARTS, part, _key(end)), None, words)


def _painted(document: Document, part: str, end: End, kept: list[Dab], words: str) -> Document:
    value = [{"centre": list(dab.centre), "radius": dab.radius} for dab in kept] or None
    data = put(document.data, (*PARTS, part, _key(end)), value)
    caps = document.at(*PARTS, part, "caps")
    if value is not None and caps is not None:
        data = put(data, (*PARTS, part, "caps"), _uncapped(caps, end))
    return document.with_data(data, words, words)


def _uncapped(caps: list[float | None], end: End) -> list[float | None] | None:
    left = [None if place is end else cap for place, cap in zip(End, caps, strict=True)]
    return None if left == [None, None] else left


def _fractions(
    document: Document, part: str, key: str, given: Sequence[float | None] | None
) -> Document:
    document.part(part)
    values = [None if v is None else short(v) for v in given or (None, None)]
    told = " and ".join("as proposed" if v is None else f"{100 * v:g} %" for v in values)
    words = f"set {key.replace('_', ' ')} of '{part}' to {told}"
    value = None if values == [None, None] else values
    return document.put((*PARTS, part, key), value, words, f"{key} of {part}")


def _dab(centre: Numbers, radius: float) -> Dab:
    x, y, z = places(centre)
    return Dab((x, y, z), metres(radius))


def _key(end: End) -> str:
    return f"{end.value}_at"
