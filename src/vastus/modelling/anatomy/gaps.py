"""Narrow gaps between a muscle and what it is attached to, filled with the muscle's own tissue."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial import cKDTree

from vastus.modelling.anatomy.along import Way
from vastus.modelling.anatomy.attachment import Attachment
from vastus.modelling.anatomy.ground import Scan
from vastus.modelling.anatomy.label import NOWHERE, without_strays
from vastus.modelling.anatomy.unglue import holding
from vastus.numerics.types import Floats, Ints


def fill_gaps(scan: Scan, ways: dict[int, Way], attachments: Sequence[Attachment]) -> Ints:
    """(m,) the labels, with outside tets near both parts of an attachment given to the muscle."""
    labels = scan.labels.copy()
    for attachment in attachments:
        outside = np.flatnonzero(labels == NOWHERE)
        way = ways[attachment.part]
        near = outside[_near_both(scan, way, attachment, outside)]
        smooth = _without_teeth(scan, attachment, labels, near)
        touching = len(smooth) or _touches(scan, way, attachment, labels)
        labels[smooth if touching else near] = attachment.part
    return without_strays(labels, scan.between)


def _touches(scan: Scan, way: Way, attachment: Attachment, labels: Ints) -> bool:
    """Whether muscle and bone share a face where the attachment may be."""
    pair = np.sort(labels[scan.between.tets], axis=1)
    both = (pair == sorted((attachment.part, attachment.to))).all(axis=1)
    return bool(holding(scan, way, attachment, np.flatnonzero(both)).any())


def _without_teeth(scan: Scan, attachment: Attachment, labels: Ints, tets: Ints) -> Ints:
    """Those of the tets that leave no vertex sticking out of muscle and bone into the open."""
    T = scan.mesh.T
    held = np.zeros(scan.mesh.n_vertices, bool)
    held[T[np.isin(labels, (attachment.part, attachment.to))]] = True
    while len(tets):
        outside = labels == NOWHERE
        outside[tets] = False
        loose = np.zeros(len(held), bool)
        loose[T[outside]] = True
        kept = tets[~(loose & ~held)[T[tets]].any(axis=1)]
        if len(kept) == len(tets):
            break
        tets = kept
    return tets


def _near_both(scan: Scan, way: Way, attachment: Attachment, tets: Ints) -> Ints:
    """Which of some tets are near both parts of an attachment, where it reaches."""
    mine = scan.vertices(attachment.part)
    middles = scan.mesh.centroids[tets]
    reach = scan.gap + _longest(scan)
    away, nearest = cKDTree(scan.mesh.X[mine]).query(middles, distance_upper_bound=reach)
    near = np.flatnonzero(np.isfinite(away))
    near = near[attachment.reaches(middles[near], way.s[mine[nearest[near]]])]
    for part in (attachment.part, attachment.to):
        if len(near):
            near = near[scan.distances(part, middles[near]) <= scan.gap]
    return near


def _longest(scan: Scan) -> float:
    """An edge that few tets of the parts exceed [m]."""
    volume = float(np.quantile(scan.mesh.volumes[scan.labels != NOWHERE], 0.95))
    return 2.0 * (6.0 * volume) ** (1 / 3)


def extended(way: Way, X: Floats, vertices: Ints) -> Way:
    """The way with vertices that it does not know, as their nearest neighbours that it does."""
    s = way.s.copy()
    bare = vertices[np.isnan(s[vertices])]
    known = np.flatnonzero(~np.isnan(s))
    s[bare] = s[known[cKDTree(X[known]).query(X[bare])[1]]]
    return Way(s, way.length)
