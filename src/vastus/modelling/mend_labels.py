"""Tets without a region, and stray ones, go to the neighbour that they share most area with."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from vastus.geometry.adjacency import Walls, pieces
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats, Ints

NONE = -1  # instead of a label
STRAY = 0.02  # of a label's tets: a smaller piece apart from the rest is there by mistake
CRUMB = 4  # tets: of bone only so few are, because a bone may well be in many pieces


def labelled(mesh: TetMesh, labels: Ints, between: Walls) -> Ints:
    """(m,) the labels with every tet in one; where no neighbour has any, the nearest tet has."""
    bare = labels == NONE
    out = inherited(labels, np.where(bare, np.arange(len(labels)), NONE), between)
    known, lost = np.flatnonzero(out != NONE), np.flatnonzero(out == NONE)
    if len(known) and len(lost):
        nearest = cKDTree(mesh.centroids[known]).query(mesh.centroids[lost])[1]
        out[lost] = out[known[nearest]]
    return out


def gathered(labels: Ints, bony: np.ndarray, between: Walls) -> Ints:
    """(m,) the labels without stray pieces; `bony` (labels,) says which labels are bone."""
    return inherited(labels, strays(labels, bony, between), between)


def hanging(T: Ints, labels: Ints, bony: np.ndarray, between: Walls) -> np.ndarray:
    """(m,) the tets T (m, 4) of stray pieces that hang on others by a vertex or an edge only."""
    piece = strays(labels, bony, between)
    rest = T[piece == NONE]
    held = piece[(piece != NONE) & np.isin(T, rest).any(axis=1)]
    walled = piece[between.tets[(piece[between.tets] == NONE).any(axis=1)]]
    return np.isin(piece, np.setdiff1d(held, walled))


def strays(labels: Ints, bony: np.ndarray, between: Walls) -> Ints:
    """(m,) the piece of each tet that is apart from the rest of its label, or -1."""
    piece = pieces_of(labels, between)
    size, owner = np.bincount(piece), np.zeros(piece.max(initial=-1) + 1, np.int64)
    owner[piece] = labels
    stray = size < STRAY * np.bincount(labels)[owner]
    stray &= ~bony[owner] | (size <= CRUMB)
    return np.where(stray[piece], piece, NONE)


def pieces_of(labels: Ints, between: Walls) -> Ints:
    """(m,) the piece of each tet; pieces hang together by faces inside a label."""
    same = labels[between.tets[:, 0]] == labels[between.tets[:, 1]]
    return pieces(len(labels), between.tets[same])


def inherited(labels: Ints, piece: Ints, between: Walls) -> Ints:
    """(m,) the labels, with each piece (m,) given to the label that it shares most area with.

    Tets of no piece keep their label. Pieces inside pieces wait until those around have theirs;
    a piece that touches nothing keeps its own.
    """
    labels, piece = labels.copy(), piece.copy()
    sides = np.concatenate([between.tets, between.tets[:, ::-1]])
    areas = np.maximum(np.tile(between.areas, 2), np.finfo(float).tiny)
    while True:
        here, there = piece[sides[:, 0]], labels[sides[:, 1]]
        touching = (here != NONE) & (piece[sides[:, 1]] == NONE) & (there != NONE)
        if not touching.any():
            return labels
        heir = _heirs(here[touching], there[touching], areas[touching], len(labels))
        given = (piece != NONE) & (heir[piece] != NONE)
        labels[given], piece[given] = heir[piece[given]], NONE


def _heirs(piece: Ints, label: Ints, areas: Floats, count: int) -> Ints:
    """(count,) the label that each piece shares most area with, or none."""
    shared = sparse.coo_array((areas, (piece, label)), (count, label.max() + 1)).tocsr()
    shared.sum_duplicates()
    best = np.asarray(shared.argmax(axis=1)).ravel()
    return np.where(np.diff(shared.indptr) > 0, best, NONE)
