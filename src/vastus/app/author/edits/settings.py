"""The scene as a whole: its name, its units and mesh, which way is down, and how long it runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from vastus.app.author.document import Document
from vastus.app.author.names import Numbers, metres, short, shorts
from vastus.app.author.renaming import tidy
from vastus.errors import ModelError
from vastus.model import STANDARD_GRAVITY
from vastus.scene.schema import Unit
from vastus.scene.surfaces import Neighbours


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
    value = None if size is None else metres(size)
    told = "the usual one" if value is None else f"{1e3 * value:g} mm"
    return _put(document, "size", value, f"set size to {told}", "size")


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
    gravity = [short(g) + 0.0 for g in STANDARD_GRAVITY[2] / length * direction]
    return set_gravity(document, None if tuple(gravity) == STANDARD_GRAVITY else gravity)


def _put(document: Document, what: str, value: Any, words: str, key: str = "") -> Document:
    return document.put(("surfaces", what), value, words, key)
