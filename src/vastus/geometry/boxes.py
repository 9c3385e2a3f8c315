"""A tree of axis-aligned boxes that answers for many points at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
from scipy.spatial import KDTree

from vastus.numerics.types import Floats, Ints

FAN = 4  # children of a node
_BLOCK = 20_000  # points searched together, which bounds the memory


@dataclass(frozen=True, eq=False)
class BoxTree:
    """Boxes in groups of four of groups of four; node i has the children 4 i + 1 .. 4 i + 4.

    All leaves are on the last level, so compiled loops can search the arrays themselves.
    """

    lower: Floats  # (nodes, dim) corners, from the root to the leaves
    upper: Floats  # (nodes, dim)
    items: Ints  # (leaves,) the box at each leaf

    @classmethod
    def of(cls, lower: Floats, upper: Floats, like: BoxTree | None = None) -> BoxTree:
        """The tree over boxes with the given corners (k, dim).

        One that is `like` another, of the same boxes where they were before, has its order: most
        of the time is for finding one.
        """
        if like is not None and len(like.items) == len(lower):
            order = like.items
        else:
            # A k-d tree lists its points leaf by leaf: neighbours in its order are near in space.
            order = KDTree((lower + upper) / 2, leafsize=FAN).indices.astype(np.int64)
        level = _padded(lower[order], upper[order])
        levels = [level]
        while len(level[0]) > 1:
            level = _grouped(level)
            levels.append(level)
        lowers, uppers = zip(*levels[::-1], strict=True)
        return cls(np.concatenate(lowers), np.concatenate(uppers), order)

    @classmethod
    def around(cls, corners: Floats, like: BoxTree | None = None) -> BoxTree:
        """The tree of the boxes around tets or triangles (k, corners, dim), `like` another."""
        each = corners.transpose(1, 0, 2)
        return cls.of(reduce(np.minimum, each), reduce(np.maximum, each), like)

    @property
    def arrays(self) -> tuple[Floats, Floats, Ints]:
        """What a compiled loop takes: lower and upper corners, and the box at each leaf."""
        return self.lower, self.upper, self.items

    def near(self, points: Floats, radius: Floats) -> tuple[Ints, Ints]:
        """All pairs (point, box) no further apart than the point's `radius` (k,)."""
        cuts = range(_BLOCK, len(points), _BLOCK)
        blocks = np.split(np.arange(len(points)), cuts)
        found = [self._search(points, radius, block) for block in blocks]
        return np.concatenate([p for p, _ in found]), np.concatenate([b for _, b in found])

    def _search(self, points: Floats, radius: Floats, who: Ints) -> tuple[Ints, Ints]:
        node = np.zeros(len(who), np.int64)
        first = (len(self.lower) - 1) // FAN  # leaf
        while True:
            gap = np.maximum(self.lower[node] - points[who], points[who] - self.upper[node])
            gap = np.maximum(gap, 0)
            keep = np.einsum("ki,ki->k", gap, gap) <= radius[who] ** 2
            who, node = who[keep], node[keep]
            if not len(node) or node[0] >= first:
                return who, self.items[node - first]
            who = np.repeat(who, FAN)
            node = (node[:, None] * FAN + np.arange(1, FAN + 1)).ravel()


def _padded(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """The boxes followed by empty ones, up to a power of the fan."""
    size = 1
    while size < len(lower):
        size *= FAN
    spare = ((0, size - len(lower)), (0, 0))
    return (
        np.pad(lower, spare, constant_values=np.inf),
        np.pad(upper, spare, constant_values=-np.inf),
    )


def _grouped(level: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    # One corner after another: numpy is slow at short inner sums.
    lower, upper = ([corner[k::FAN] for k in range(FAN)] for corner in level)
    return reduce(np.minimum, lower), reduce(np.maximum, upper)
