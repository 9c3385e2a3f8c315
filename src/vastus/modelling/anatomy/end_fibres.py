"""Fibres of a muscle from its origin to its insertion, between the vertices that hold its ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.geometry.tetmesh import FACES, TetMesh
from vastus.modelling.anatomy.along import Way
from vastus.modelling.anatomy.attachment import Attachment, End
from vastus.modelling.fibres import laplace_fibres
from vastus.numerics.types import Floats, Ints

BEYOND = 0.05  # of the length that fibres may begin past the first vertex that is held


def end_fibres(mesh: TetMesh, labels: Ints, way: Way, attachments: Sequence[Attachment]) -> Floats:
    """(k, 3) the fibres of the muscle that the attachments are of, harmonic between its ends.

    Its ends are the vertices by which the attachments hold, within their `fibre_cap`: whole areas
    of contact would make fibres leave the muscle sideways.
    """
    tets = np.flatnonzero(labels == attachments[0].part)
    ends = []
    for end in End:
        mine = [a for a in attachments if a.end is end]
        ends.append(np.concatenate([_beginning(mesh, labels, way, a) for a in mine]))
    origin, insertion = ends
    return laplace_fibres(mesh, tets, np.setdiff1d(origin, insertion), insertion)


def _beginning(mesh: TetMesh, labels: Ints, way: Way, attachment: Attachment) -> Ints:
    """The vertices of an attachment at which fibres begin or end."""
    held = shared_vertices(mesh, labels, way, attachment)
    along = attachment.end.along(way.s[held])
    return held[along <= max(attachment.fibre_cap, float(along.min(initial=1.0)) + BEYOND)]


def shared_vertices(mesh: TetMesh, labels: Ints, way: Way, attachment: Attachment) -> Ints:
    """The vertices by which an attachment holds."""
    mine = mesh.T[labels == attachment.part]
    both = np.intersect1d(mine, mesh.T[labels == attachment.to])
    if attachment.painted:
        faces = mine[np.isin(mine, both).sum(axis=1) >= 3][:, FACES].reshape(-1, 3)
        faces = faces[np.isin(faces, both).all(axis=1)]
        middles = mesh.X[faces].mean(axis=1)
        return np.unique(faces[attachment.reaches(middles, way.at(faces))])
    return both[attachment.reaches(mesh.X[both], way.s[both])]
