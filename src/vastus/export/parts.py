"""The surfaces of all regions, one after the other, as one mesh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from vastus.io.skin import Skin, region_skins
from vastus.model import Model
from vastus.numerics.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class Parts:
    """The skins of all regions as one mesh of p points and k faces."""

    skins: tuple[Skin, ...]
    n_tets: int

    @cached_property
    def starts(self) -> Ints:
        """(regions + 1,) the first point of each region, and their number."""
        return np.cumsum([0, *(len(skin.vertices) for skin in self.skins)])

    @cached_property
    def vertices(self) -> Ints:
        """(p,) the mesh vertex of each point."""
        return np.concatenate([skin.vertices for skin in self.skins])

    @cached_property
    def faces(self) -> Ints:
        """(k, 3) into the points."""
        pairs = zip(self.skins, self.starts, strict=False)
        return np.concatenate([skin.faces + start for skin, start in pairs])

    @cached_property
    def region_of_point(self) -> Ints:
        """(p,) the region of each point."""
        return np.repeat(np.arange(len(self.skins)), np.diff(self.starts))

    def averaged(self, values: Floats) -> Floats:
        """(p,) at each point the mean over its faces of values (m,) on tets."""
        return np.asarray(self._means @ values)

    @cached_property
    def _means(self) -> sparse.csr_array:
        tets = np.concatenate([skin.tets for skin in self.skins])
        where = (self.faces.ravel(), np.repeat(tets, 3))
        share = 1.0 / np.bincount(where[0])[where[0]]
        return sparse.csr_array((share, where), shape=(len(self.vertices), self.n_tets))


def parts_of(model: Model) -> Parts:
    """The surfaces of a model's regions, each vertex once a region."""
    return Parts(tuple(region_skins(model, split=False).values()), model.mesh.n_tets)
