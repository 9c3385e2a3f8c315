"""Files of bodies with line muscles: which reader takes which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from vastus.control.activations.line_body import Coordinate, LineBody
from vastus.control.activations.mjcf_body import mjcf_body, mjcf_coordinates
from vastus.control.activations.osim_body import osim_body, osim_coordinates
from vastus.files.foreign import by_suffix

BODIES: dict[str, Callable[[Path, Sequence[str], Sequence[str]], LineBody]] = {
    ".xml": mjcf_body,
    ".osim": osim_body,
}
COORDINATES: dict[str, Callable[[Path], dict[str, Coordinate]]] = {
    ".xml": mjcf_coordinates,
    ".osim": osim_coordinates,
}


def read_line_body(path: Path, driven: Sequence[str], muscles: Sequence[str] = ()) -> LineBody:
    """The body in an MJCF (.xml) or OpenSim (.osim) file, some of whose coordinates are driven."""
    return by_suffix(path, BODIES)(path, driven, muscles)


def coordinates_of(path: Path) -> list[Coordinate]:
    """The coordinates of the body in a file that a motion may drive."""
    return list(by_suffix(path, COORDINATES)(path).values())
