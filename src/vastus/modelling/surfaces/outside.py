"""The outside of a muscle among the other parts: the ground its ends are found on without tets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.spatial import cKDTree

from vastus.errors import ModelError
from vastus.geometry.indices import components
from vastus.geometry.signed_distance import distances_to, enclosed
from vastus.geometry.surface import Surface
from vastus.modelling.surfaces.body_parts import Part
from vastus.modelling.surfaces.ends import Way, bridged, of_part, way_between
from vastus.modelling.surfaces.mesher import ENVELOPE
from vastus.modelling.surfaces.pipeline import Plan
from vastus.numerics.types import Bools, Floats, Ints
from vastus.parts import Tissue
from vastus.scene.fibres import End


@dataclass(frozen=True, eq=False)
class Outside:
    """The surface of the muscle at a position among parts, that of its tendons included.

    An attachment may bridge a `gap` [m]. Muscles that come within `near` [m] of each other touch.
    """

    parts: Sequence[Part]
    index: int
    gap: float
    near: float

    def gap_of(self, part: int) -> float:
        """What the attachments of this muscle, the only one asked for, may bridge [m]."""
        return self.gap

    @cached_property
    def surface(self) -> Surface:
        """The surfaces of the muscle and its tendons, its own vertices first."""
        shells = [self.parts[i].surface for i in [self.index, *self._sinews]]
        starts = np.cumsum([0, *(shell.n_vertices for shell in shells[:-1])])
        faces = [shell.faces + start for shell, start in zip(shells, starts, strict=True)]
        return Surface(np.concatenate([shell.X for shell in shells]), np.concatenate(faces))

    @property
    def X(self) -> Floats:
        """(n, 3) the vertices [m]."""
        return self.surface.X

    @cached_property
    def links(self) -> Ints:
        """(e, 2) the edges, and where there are tendons, the ways across to the muscle."""
        edges, own = self.surface.edges, self.parts[self.index].surface.n_vertices
        if len(self.X) == own:
            return edges
        away, nearest = cKDTree(self.X[:own]).query(self.X[own:])
        reach = self.gap + float(np.median(self._lengths(edges)))
        near = np.flatnonzero(away <= max(reach, float(away.min())))
        return np.concatenate([edges, np.column_stack([near + own, nearest[near]])])

    @cached_property
    def free(self) -> Ints:
        """The vertices that a mesh would leave to the muscle: bones have the place before it.

        A ring of vertices in bones stays, for the place where the muscle enters them.
        """
        buried = np.zeros(len(self.X), bool)
        for i, part in enumerate(self.parts):
            if part.bony:
                buried |= self._inside(i)
        if buried.all():
            name = self.parts[self.index].name
            raise ModelError(f"muscle '{name}' lies inside bones, which have the place before it")
        kept = ~buried
        kept[self.links[~buried[self.links].all(axis=1)]] = True
        return self._largest(kept)

    def vertices(self, part: int) -> Ints:
        """The vertices of the muscle."""
        return self.free

    def distances(self, part: int, points: Floats) -> Floats:
        """(k,) how far points (k, 3) are from a part, its tendons included [m]."""
        surfaces = [self.parts[i].surface for i in of_part(self.parts, part)]
        points = np.ascontiguousarray(points)
        return np.min([distances_to(surface, points) for surface in surfaces], axis=0)

    def away(self, to: int, vertices: Ints) -> Floats:
        """(k,) how far vertices are from a part [m]; zero inside it."""
        known = self._known.setdefault(to, np.full(len(self.X), np.nan))
        asked = vertices[np.isnan(known[vertices])]
        if len(asked):
            away = self.distances(to, self.X[asked])
            known[asked] = np.where(self._inside(to)[asked], 0.0, away)
        return known[vertices]

    def touching(self, part: int, way: Way, end: End, reach: float) -> Floats:
        """(parts,) the area [m^2] that each touches of the muscle, within `reach` of its end."""
        here = self.free[end.along(way.s[self.free]) <= reach]
        return np.array([self._touched(i, here) for i in range(len(self.parts))])

    @property
    def _sinews(self) -> list[int]:
        return [i for i in of_part(self.parts, self.index) if i != self.index and self._mine(i)]

    def _mine(self, tendon: int) -> bool:
        """Whether a tendon of the muscle goes to this head of it, which it is nearest to."""
        heads = [
            i
            for i, p in enumerate(self.parts)
            if p.tissue is Tissue.MUSCLE and p.muscle == self.parts[tendon].muscle
        ]
        X = self.parts[tendon].surface.X
        away = [np.median(cKDTree(self.parts[i].surface.X).query(X)[0]) for i in heads]
        return heads[int(np.argmin(away))] == self.index

    def _touched(self, to: int, vertices: Ints) -> float:
        if to == self.index or self.parts[to].tissue is not Tissue.MUSCLE:
            return 0.0
        return float(self._areas[vertices[self.away(to, vertices) <= self.near]].sum())

    def _inside(self, part: int) -> Bools:
        """(n,) which vertices are inside a part."""
        if part not in self._covered:
            surface = self.parts[part].surface
            inside = _in_box(surface, self.X)
            if inside.any():
                inside[inside] = enclosed(surface, self.X[inside])
            self._covered[part] = inside
        return self._covered[part]

    @cached_property
    def _covered(self) -> dict[int, Bools]:
        """(n,) which vertices are inside the parts that were asked for."""
        return {}

    @cached_property
    def _known(self) -> dict[int, Floats]:
        """(n,) how far vertices are from the parts that were asked for [m], else NaN."""
        return {}

    def _largest(self, kept: Bools) -> Ints:
        """The kept vertices in the piece that has most of them."""
        links = self.links[kept[self.links].all(axis=1)]
        piece = components(len(kept), links)
        return np.flatnonzero(piece == np.bincount(piece[kept]).argmax())

    def _lengths(self, links: Ints) -> Floats:
        return np.linalg.norm(self.X[links[:, 0]] - self.X[links[:, 1]], axis=1)

    @cached_property
    def _areas(self) -> Floats:
        """(n,) the area around each vertex [m^2]."""
        thirds = np.repeat(self.surface.areas / 3, 3)
        return np.asarray(np.bincount(self.surface.faces.ravel(), thirds, len(self.X)), float)


def _in_box(surface: Surface, points: Floats) -> Bools:
    """(k,) which points (k, 3) are in the box around a surface."""
    low, high = surface.X.min(axis=0), surface.X.max(axis=0)
    return np.asarray(((points >= low) & (points <= high)).all(axis=1))


def outside_of(parts: Sequence[Part], index: int, plan: Plan) -> Outside:
    """The surface of a muscle among parts."""
    X = np.concatenate([part.surface.X for part in parts])
    usual = ENVELOPE * float(np.linalg.norm(np.ptp(X, axis=0)))
    gap = bridged(parts[index], plan.gap)
    return Outside(parts, index, gap, plan.envelope or usual)


def way_of(outside: Outside) -> Way:
    """The way along a muscle's surface, between the tips that no bone covers."""
    free = outside.free
    place = np.full(len(outside.X), -1)
    place[free] = np.arange(len(free))
    links = place[outside.links]
    way = way_between(outside.X[free], links[(links >= 0).all(axis=1)])
    nearest = cKDTree(outside.X[free]).query(outside.X)[1]
    return Way(way.s[nearest], way.length)
