"""Which part each tet belongs to; bone has the place before soft tissue."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.adjacency import Walls, pieces, walls
from vastus.geometry.queries import nearest_on_surface
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.anatomy.parts import PRECEDENCE, Part
from vastus.modelling.meshing.inside import winding
from vastus.numerics.types import Ints

NOWHERE = -1
ROUNDS = 10
LEAST_KEPT = 0.9  # of a part's volume in one piece


def label(mesh: TetMesh, parts: Sequence[Part]) -> Ints:
    """(m,) the position of the part around the middle of each tet, or -1.

    Of several parts of one tissue, the one it is deepest in has it. Each part is one piece: what is
    apart from its largest piece goes to the neighbour it shares most area with.
    """
    inside = np.stack([winding(part.surface, mesh.centroids) > 0.5 for part in parts], axis=1)
    labels = np.full(mesh.n_tets, NOWHERE)
    for tissue in PRECEDENCE[::-1]:
        mine = [i for i, part in enumerate(parts) if part.tissue is tissue]
        if mine:
            _claim(labels, mesh, parts, inside, mine)
    whole = without_strays(labels, walls(mesh))
    for i, part in enumerate(parts):
        before, after = (float(mesh.volumes[found == i].sum()) for found in (labels, whole))
        if not after:
            raise ModelError(
                f"part '{part.name}' has no tets: it lies inside others, or is thinner than the "
                "size of the tets; give it a smaller 'size'"
            )
        if after < LEAST_KEPT * before:
            raise ModelError(
                f"part '{part.name}' falls into pieces, the largest with {after / before:.0%} of "
                "its volume: its surface crosses itself, another part cuts it, or it is too thin "
                "for the 'size' of the tets; mend its file, or give it a smaller 'size'"
            )
    return whole


def _claim(
    labels: Ints, mesh: TetMesh, parts: Sequence[Part], inside: np.ndarray, mine: list[int]
) -> None:
    """Give the tets inside parts of one tissue to them."""
    count = inside[:, mine].sum(axis=1)
    for i in mine:
        labels[inside[:, i] & (count == 1)] = i
    shared = np.flatnonzero(count > 1)
    depth = np.full((len(shared), len(mine)), -np.inf)
    for column, i in enumerate(mine):
        rows = np.flatnonzero(inside[shared, i])
        if len(rows):
            middles = mesh.centroids[shared[rows]]
            depth[rows, column] = nearest_on_surface(parts[i].surface, middles).distances
    labels[shared] = np.array(mine)[depth.argmax(axis=1)]


def without_strays(labels: Ints, between: Walls) -> Ints:
    """The labels with each part in one piece, connected through faces."""
    labels = labels.copy()
    for _ in range(ROUNDS):
        same = labels[between.tets[:, 0]] == labels[between.tets[:, 1]]
        piece = pieces(len(labels), between.tets[same])
        stray = _strays(labels, piece)
        if not stray.any():
            break
        _give_away(labels, piece, stray, between.where(~same))
    return labels


def _strays(labels: Ints, piece: Ints) -> np.ndarray:
    """(pieces,) whether each piece is not the largest of its label; the outside may be in many."""
    sizes = np.bincount(piece)
    owner = np.empty(len(sizes), np.int64)
    owner[piece] = labels
    order = np.lexsort((-sizes, owner))
    first = np.ones(len(order), bool)
    first[1:] = owner[order][1:] != owner[order][:-1]
    stray = np.ones(len(sizes), bool)
    stray[order[first]] = False
    return stray & (owner != NOWHERE)


def _give_away(labels: Ints, piece: Ints, stray: np.ndarray, between: Walls) -> None:
    """Give each stray piece to the label around it that it shares most area with."""
    sides = np.concatenate([between.tets, between.tets[:, ::-1]])
    areas = np.tile(between.areas, 2)
    leaving = stray[piece[sides[:, 0]]]
    here, there, areas = piece[sides[leaving, 0]], labels[sides[leaving, 1]], areas[leaving]
    count = int(labels.max()) + 2
    total = np.bincount(here * count + there + 1, areas, minlength=len(stray) * count)
    taker = total.reshape(len(stray), count).argmax(axis=1) - 1
    moved = stray[piece]
    labels[moved] = taker[piece[moved]]
