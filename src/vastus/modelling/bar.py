"""A box of muscle clamped at one end."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.materials.base import check_positive
from vastus.model import Model, Pin, Region, Tissue
from vastus.modelling.resolution import check_tets
from vastus.modelling.tissues import Materials
from vastus.numerics.types import Ints


def bar(
    tets: int = 2_000,
    *,
    length: float = 0.2,
    width: float = 0.04,
    active: bool = True,
    materials: Materials | None = None,
) -> Model:
    """A square bar [m] along x of about `tets` tets, pinned where x = 0.

    Its fibres run along x. It is the muscle `bar`, or passive tissue if not `active`.
    """
    check_tets(tets)
    check_positive("bar", length=length, width=width)
    materials = materials or Materials()
    edge = (length * width**2 * 6 / tets) ** (1 / 3)
    across = max(1, round(width / edge))
    mesh = box((max(1, round(tets / (6 * across**2))), across, across), (length, width, width))
    passive = Region("bar", Tissue.PASSIVE, tuple(w for w in materials.muscle if not w.active))
    return Model(
        mesh=mesh,
        region=np.zeros(mesh.n_tets, np.int64),
        regions=(materials.belly("bar") if active else passive,),
        fibre=np.tile([1.0, 0.0, 0.0], (mesh.n_tets, 1)),
        muscles=(materials.named("bar"),) if active else (),
        pins=(Pin("clamp", np.flatnonzero(mesh.X[:, 0] == 0)),),
        name="bar",
    )


def box(cells: tuple[int, int, int], size: tuple[float, float, float]) -> TetMesh:
    """A box of `size` [m] from x = 0, centred in y and z; six tets fill each cell."""
    nodes = tuple(n + 1 for n in cells)
    X = _grid(nodes) / cells * size - np.array([0.0, size[1] / 2, size[2] / 2])
    corner = _grid(cells)
    T = np.concatenate([_path(corner, order, nodes) for order in permutations(range(3))])
    return TetMesh(X, T).oriented()


def _path(corner: Ints, order: tuple[int, ...], nodes: tuple[int, ...]) -> Ints:
    """The tets from the low corner of each cell to the high one, along the axes in some order."""
    steps = np.cumsum(np.vstack([np.zeros(3, np.int64), np.eye(3, dtype=np.int64)[list(order)]]), 0)
    return np.ravel_multi_index(np.moveaxis(corner[:, None] + steps, -1, 0), nodes)


def _grid(counts: tuple[int, ...]) -> Ints:
    return np.stack(np.meshgrid(*map(np.arange, counts), indexing="ij"), axis=-1).reshape(-1, 3)
