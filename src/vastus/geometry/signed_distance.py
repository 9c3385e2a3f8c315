"""How far points are from a surface that may have holes, and whether they are inside it.

A closed surface needs no libigl to have an inside: `queries.inside`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from vastus.errors import MissingExtra
from vastus.geometry.surface import Surface
from vastus.numerics.types import Bools, Floats, Ints

# Many sets of points are asked about one surface.
_TREES: WeakKeyDictionary[Surface, Any] = WeakKeyDictionary()


def enclosed(surface: Surface, points: Floats, *, least: float = 0.5) -> Bools:
    """(k,) whether the surface, inside out or not, winds around points (k, 3) [m].

    The winding number is 1 inside and 0 outside; small holes and crossings blur it only near them.
    """
    if surface not in _TREES:
        tree = libigl().FastWindingNumberBVH()
        tree.init(surface.X, surface.faces)
        _TREES[surface] = tree
    found = _TREES[surface].winding_number(np.ascontiguousarray(points))
    return np.asarray(np.abs(found) > least)


def distances_to(surface: Surface, points: Floats) -> Floats:
    """(k,) how far points (k, 3) are from the surface [m], however far, in little time."""
    square = libigl().point_mesh_squared_distance(points, surface.X, surface.faces)[0]
    return np.sqrt(square)


def libigl() -> ModuleType:
    """The package igl, or the extra that brings it."""
    try:
        return import_module("igl")
    except ImportError:
        raise MissingExtra("libigl", "mesh") from None


@dataclass(frozen=True, eq=False)
class Obstacle:
    """A surface that may be open or overlap itself: inside is where it winds around a point."""

    surface: Surface

    @cached_property
    def _tree(self) -> Any:
        tree = libigl().AABB()
        tree.init(self.surface.X, self.surface.faces)
        return tree

    @cached_property
    def _winding(self) -> Any:
        winding = libigl().FastWindingNumberBVH()
        # Some bones have single faces turned round.
        winding.init(self.surface.X, libigl().bfs_orient(self.surface.faces)[0])
        return winding

    def near(self, points: Floats, reach: Floats) -> Ints:
        """The points (k, 3) in whose reach (k,) [m] the box around the surface is."""
        lower, upper = self._box
        gap = np.maximum(lower - points, points - upper).max(axis=1)
        return np.flatnonzero(gap <= reach)

    @cached_property
    def _box(self) -> tuple[Floats, Floats]:
        return self.surface.X.min(axis=0), self.surface.X.max(axis=0)

    def inside(self, points: Floats) -> np.ndarray:
        """(k,) whether each point (k, 3) [m] is inside."""
        inside = np.zeros(len(points), bool)
        near = self.near(points, np.zeros(len(points)))
        if len(near):
            # A part may be inside out as a whole.
            inside[near] = np.abs(self._winding.winding_number(points[near])) > 0.5
        return inside

    def signed(self, points: Floats) -> tuple[Floats, Floats]:
        """(k,) the distance of each point [m], negative inside, and (k, 3) the way outward."""
        if not len(points):
            return np.zeros(0), np.zeros((0, 3))
        squares, _, nearest = self._tree.squared_distance(
            self.surface.X, self.surface.faces, np.ascontiguousarray(points)
        )
        distance = np.sqrt(squares) * np.where(self.inside(points), -1.0, 1.0)
        safe = np.where(np.abs(distance) > 1e-9, distance, 1.0)
        return distance, (points - nearest) / safe[:, None]


def merged(surfaces: list[Surface]) -> Surface:
    """The surfaces as one."""
    starts = np.cumsum([0, *(s.n_vertices for s in surfaces)])
    faces = [s.faces + start for s, start in zip(surfaces, starts, strict=False)]
    return Surface(np.concatenate([s.X for s in surfaces]), np.concatenate(faces))
