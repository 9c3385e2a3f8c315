"""Several named solids as one mesh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.sweep import Solid
from vastus.numerics.types import Ints


@dataclass(frozen=True, eq=False)
class Assembly:
    """A mesh of solids that share no vertices, and where each of them is."""

    mesh: TetMesh
    part: Ints  # (m,) the solid of each tet
    segment: Ints  # (m,) its segment there
    ends: dict[str, tuple[Ints, ...]]  # the vertices of the ends of each solid

    @property
    def names(self) -> list[str]:
        """The solids in order."""
        return list(self.ends)

    def tets(self, name: str, segments: Sequence[int] | None = None) -> Ints:
        """The tets of a solid, or of some segments of it."""
        mine = self.part == self.names.index(name)
        return np.flatnonzero(mine if segments is None else mine & np.isin(self.segment, segments))

    def vertices(self, name: str, segments: Sequence[int] | None = None) -> Ints:
        """The vertices of these tets."""
        return np.unique(self.mesh.T[self.tets(name, segments)])


def assembled(solids: Mapping[str, Solid]) -> Assembly:
    """One mesh of all solids."""
    whole = stacked(list(solids.values()))
    part = np.repeat(np.arange(len(solids)), [len(s.T) for s in solids.values()])
    ends = iter(whole.ends)
    named = {name: tuple(next(ends) for _ in solid.ends) for name, solid in solids.items()}
    return Assembly(TetMesh(whole.X, whole.T), part, whole.segment, named)


def stacked(solids: Sequence[Solid]) -> Solid:
    """The solids as one, each with vertices of its own."""
    starts = np.cumsum([0, *(len(s.X) for s in solids[:-1])]).tolist()
    return Solid(
        np.concatenate([s.X for s in solids]),
        np.concatenate([s.T + start for s, start in zip(solids, starts, strict=True)]),
        np.concatenate([s.segment for s in solids]),
        tuple(e + start for s, start in zip(solids, starts, strict=True) for e in s.ends),
    )
