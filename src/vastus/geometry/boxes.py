"""A tree of axis-aligned boxes that answers for many points at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import KDTree

from vastus.numerics.types import Floats, Ints

_FAN = 4  # children of a node
_BLOCK = 20_000  # points searched together, which bounds the memory


@dataclass(frozen=True, eq=False)
class BoxTree:
    """Boxes in groups of groups; `levels` hold (lower, upper) corners from the root to the leaves.

    The children of node `i` of a level are the nodes `4 i .. 4 i + 3` of the next.
    """

    levels: tuple[tuple[Floats, Floats], ...]
    items: Ints  # (leaves,) the box at each leaf

    @classmethod
    def of(cls, lower: Floats, upper: Floats) -> BoxTree:
        """The tree over boxes with the given corners (k, dim)."""
        # A k-d tree lists its points leaf by leaf, so neighbours in its order are near in space.
        order = KDTree((lower + upper) / 2, leafsize=_FAN).indices.astype(np.int64)
        level = _padded(lower[order], upper[order])
        levels = [level]
        while len(level[0]) > 1:
            level = _grouped(level)
            levels.append(level)
        return cls(tuple(levels[::-1]), order)

    def near(self, points: Floats, radius: Floats) -> tuple[Ints, Ints]:
        """All pairs (point, box) no further apart than the point's `radius` (k,)."""
        cuts = range(_BLOCK, len(points), _BLOCK)
        blocks = np.split(np.arange(len(points)), cuts)
        found = [self._search(points, radius, block) for block in blocks]
        return np.concatenate([p for p, _ in found]), np.concatenate([b for _, b in found])

    def _search(self, points: Floats, radius: Floats, who: Ints) -> tuple[Ints, Ints]:
        node = np.zeros(len(who), np.int64)
        for depth, (lower, upper) in enumerate(self.levels):
            if depth:
                who = np.repeat(who, _FAN)
                node = (node[:, None] * _FAN + np.arange(_FAN)).ravel()
            gap = np.maximum(lower[node] - points[who], points[who] - upper[node])
            gap = np.maximum(gap, 0)
            keep = np.einsum("ki,ki->k", gap, gap) <= radius[who] ** 2
            who, node = who[keep], node[keep]
        return who, self.items[node]


def _padded(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """The boxes followed by empty ones, up to a power of the fan."""
    size = 1
    while size < len(lower):
        size *= _FAN
    spare = ((0, size - len(lower)), (0, 0))
    return (
        np.pad(lower, spare, constant_values=np.inf),
        np.pad(upper, spare, constant_values=-np.inf),
    )


def _grouped(level: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    lower, upper = (corner.reshape(-1, _FAN, corner.shape[1]) for corner in level)
    return lower.min(axis=1), upper.max(axis=1)
