"""Fibres of a muscle from its origin to its insertion, between the caps of its ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.anatomy.along import Way
from vastus.modelling.anatomy.attach import Attachment, End
from vastus.modelling.fibres import laplace_fibres
from vastus.numerics.types import Floats, Ints


def end_fibres(mesh: TetMesh, labels: Ints, way: Way, attachments: Sequence[Attachment]) -> Floats:
    """(k, 3) the fibres of the muscle that the attachments are of, harmonic between its ends.

    Its ends are the vertices that it shares with the parts it is attached to, within the caps:
    whole areas of contact would make fibres leave the muscle sideways.
    """
    tets = np.flatnonzero(labels == attachments[0].part)
    ends = []
    for end in End:
        mine = [a for a in attachments if a.end is end]
        ends.append(np.concatenate([shared_vertices(mesh, labels, way, a) for a in mine]))
    origin, insertion = ends
    return laplace_fibres(mesh, tets, np.setdiff1d(origin, insertion), insertion)


def shared_vertices(mesh: TetMesh, labels: Ints, way: Way, attachment: Attachment) -> Ints:
    """The vertices by which an attachment holds."""
    mine = np.unique(mesh.T[labels == attachment.part])
    mine = mine[attachment.end.along(way.s[mine]) <= attachment.cap]
    return np.intersect1d(mine, mesh.T[labels == attachment.to])
