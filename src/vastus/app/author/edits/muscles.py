"""Muscles: their strength, their fibres and their activation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vastus.app.author.document import Document
from vastus.app.author.trees import Numbers, short, shorts
from vastus.app.author.within import inside
from vastus.scene.fibres import End
from vastus.scene.units import Unit

PENNATION = "pennation"


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


def fibres_from_file(
    document: Document, muscle: str, file: str | Path, data: str, *, units: Unit | None = None
) -> Document:
    """Take fibres from the vectors `data` of a file of the folder."""
    said = {"data": data, "file": inside(document, Path(file)).as_posix()}
    said |= {} if units is None else {"units": units.value}
    return _set_fibres(document, muscle, said, f"as in '{file}'")


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
