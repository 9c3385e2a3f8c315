"""Which scalars of the vertices are solved for: all that nothing holds and no bone carries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.model import Model
from vastus.numerics.types import Ints
from vastus.skeleton.bones import Skeleton


@dataclass(frozen=True, eq=False)
class Unknowns:
    """Which scalars of x (n, 3) are free, carried by bones, or fixed."""

    free: Ints  # (f,) free scalars, as positions in x.ravel()
    carried: Ints  # (v,) vertices that bones carry
    touching: Ints  # (t,) positions in `carried` of those that soft tets share with a free bone
    free_index: Ints  # (3 n,) position in `free`, or -1
    touching_index: Ints  # (3 n,) position in the scalars of `touching`, or -1

    @classmethod
    def of(cls, model: Model, skeleton: Skeleton) -> Unknowns:
        """The unknowns of a model."""
        owner = model.bone_of_vertex
        soft = np.zeros(model.mesh.n_vertices, bool)
        soft[np.unique(model.mesh.T[model.soft])] = True
        free = np.flatnonzero((soft & (owner < 0))[:, None] & ~model.held)
        carried = np.flatnonzero(owner >= 0)
        touching = np.flatnonzero(soft[carried] & np.isin(owner[carried], skeleton.free))
        scalars = 3 * np.repeat(carried[touching], 3) + np.tile(np.arange(3), len(touching))
        size = 3 * model.mesh.n_vertices
        return cls(free, carried, touching, _inverse(free, size), _inverse(scalars, size))


def _inverse(positions: Ints, size: int) -> Ints:
    index = np.full(size, -1)
    index[positions] = np.arange(len(positions))
    return index
