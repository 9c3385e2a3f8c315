"""Which points are inside a surface, by its generalised winding number."""

from __future__ import annotations

from importlib import import_module

from vastus.errors import MissingExtra
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats


def winding(surface: Surface, points: Floats) -> Floats:
    """(k,) how often the surface winds around points (k, 3): 1 inside, 0 outside.

    Small holes and crossings blur it only near them.
    """
    try:
        igl = import_module("igl")
    except ImportError:
        raise MissingExtra("libigl", "mesh") from None
    return igl.fast_winding_number(surface.X, surface.faces, points)
