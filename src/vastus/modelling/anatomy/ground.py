"""What attachments are found from: vertices of the parts, how near they are, and what touches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vastus.geometry.adjacency import Walls
from vastus.geometry.queries import nearest_on_surface
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Tissue
from vastus.modelling.anatomy.along import Way
from vastus.modelling.anatomy.attachment import End
from vastus.modelling.anatomy.parts import Part
from vastus.numerics.types import Floats, Ints


class Ground(Protocol):
    """Parts with vertices X (n, 3) [m]; an attachment may bridge a `gap` [m]."""

    @property
    def parts(self) -> Sequence[Part]:
        """The parts, by position."""

    @property
    def X(self) -> Floats:
        """(n, 3) the vertices [m]."""

    @property
    def gap(self) -> float:
        """What an attachment may bridge [m]."""

    def vertices(self, part: int) -> Ints:
        """The vertices of a part."""

    def distances(self, part: int, points: Floats) -> Floats:
        """(k,) how far points (k, 3) are from a part, its tendons included [m]."""

    def away(self, to: int, vertices: Ints) -> Floats:
        """(k,) how far vertices are from a part [m]; zero where it has them."""

    def touching(self, part: int, way: Way, end: End, reach: float) -> Floats:
        """(parts,) the area [m^2] that each touches of a muscle, within `reach` of its end."""


def of_part(parts: Sequence[Part], part: int) -> list[int]:
    """The positions of a part and of the tendons that its muscle has."""
    of = parts[part]
    return [
        i
        for i, one in enumerate(parts)
        if i == part
        or (one.tissue is Tissue.TENDON and of.muscle is not None and one.muscle == of.muscle)
    ]


@dataclass(frozen=True, eq=False)
class Scan:
    """A labelled mesh, and the walls between its parts."""

    mesh: TetMesh
    labels: Ints  # (m,)
    parts: Sequence[Part]
    between: Walls
    gap: float  # [m] that an attachment may bridge

    @property
    def X(self) -> Floats:
        """(n, 3) the vertices [m]."""
        return self.mesh.X

    def vertices(self, part: int) -> Ints:
        """The vertices of a part."""
        return np.unique(self.mesh.T[self.labels == part])

    def distances(self, part: int, points: Floats) -> Floats:
        """(k,) how far points (k, 3) are from a part, its tendons included [m]."""
        surfaces = [self.parts[i].surface for i in of_part(self.parts, part)]
        return np.min([nearest_on_surface(s, points).distances for s in surfaces], axis=0)

    def away(self, to: int, vertices: Ints) -> Floats:
        """(k,) how far vertices are from a part [m]; zero where it has them."""
        away = self.distances(to, self.X[vertices])
        return np.where(np.isin(vertices, self.vertices(to)), 0.0, away)

    def touching(self, part: int, way: Way, end: End, reach: float) -> Floats:
        """(parts,) the area [m^2] that each shares with a muscle, within `reach` of its end."""
        sides = np.concatenate([self.between.tets, self.between.tets[:, ::-1]])
        here = self.labels[sides[:, 0]] == part
        here &= end.along(way.at(np.tile(self.between.faces, (2, 1)))) <= reach
        areas, other = np.tile(self.between.areas, 2), self.labels[sides[:, 1]]
        return np.array([areas[here & (other == i)].sum() for i in range(len(self.parts))])
