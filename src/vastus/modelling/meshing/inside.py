"""Which points are inside a surface, by its generalised winding number, and how far from it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

import numpy as np

from vastus.errors import MissingExtra
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats


def winding(surface: Surface, points: Floats) -> Floats:
    """(k,) how often the surface winds around points (k, 3): 1 inside, 0 outside.

    Small holes and crossings blur it only near them.
    """
    return _igl().fast_winding_number(surface.X, surface.faces, points)


def distances_to(surface: Surface, points: Floats) -> Floats:
    """(k,) how far points (k, 3) are from the surface [m], however far, in little time."""
    square = _igl().point_mesh_squared_distance(points, surface.X, surface.faces)[0]
    return np.sqrt(square)


def _igl() -> ModuleType:
    try:
        return import_module("igl")
    except ImportError:
        raise MissingExtra("libigl", "mesh") from None
