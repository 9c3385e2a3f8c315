"""Tets in their present places, made ready to be searched and clipped."""

from __future__ import annotations

from functools import reduce

import numpy as np

from vastus.geometry.boxes import BoxTree
from vastus.numerics.overlap import Placed
from vastus.numerics.search import Tree
from vastus.numerics.types import Floats, Ints

FLAT = 1e-12  # a tet of less than this share of the cube on its edges has no inside


def placed(T: Ints, x: Floats) -> Placed:
    """The tets T (k, 4) that have a volume when their vertices are at x (n, 3) [m]."""
    T = _finite(T, x)
    edges = x[T[:, 1:]] - x[T[:, :1]]
    areas = np.cross(edges[:, [1, 2, 0]], edges[:, [2, 0, 1]])
    volume = np.einsum("ki,ki->k", edges[:, 0], areas[:, 0])
    solid = np.abs(volume) > FLAT * np.einsum("kai,kai->k", edges, edges) ** 1.5
    T = T[solid]
    planes = _planes(x[T[:, 0]], areas[solid] / volume[solid, None, None])
    return Placed(T, x[T], planes, tree(x[T]))


def _finite(T: Ints, x: Floats) -> Ints:
    finite = np.isfinite(x)
    return T if finite.all() else T[finite[T].all(axis=(1, 2))]


def tree(corners: Floats) -> Tree:
    """The tree of the boxes around tets or triangles (k, corners, 3)."""
    each = corners.transpose(1, 0, 2)
    boxes = BoxTree.of(reduce(np.minimum, each), reduce(np.maximum, each))
    lower, upper = (np.concatenate([level[i] for level in boxes.levels]) for i in range(2))
    return Tree(lower, upper, boxes.items)


def _planes(first: Floats, gradients: Floats) -> Floats:
    """(k, 4, 4) gradients [1/m] and offsets of the four barycentric weights of tets.

    Given are the first corners (k, 3), and the gradients (k, 3, 3) of the other three weights.
    """
    planes = np.empty((len(first), 4, 4))
    planes[:, 1:, :3] = gradients
    planes[:, 1:, 3] = -np.einsum("kai,ki->ka", gradients, first)
    planes[:, 0] = -planes[:, 1:].sum(axis=1)
    planes[:, 0, 3] += 1
    return planes
