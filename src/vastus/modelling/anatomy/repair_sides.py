"""Which side of each face is outside: neighbours agree, and every piece faces away from itself."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.rows import groups
from vastus.geometry.surface import Surface, components
from vastus.modelling.anatomy.repair_pieces import patches, refuse_others
from vastus.modelling.anatomy.repair_words import Step, counted, place
from vastus.numerics.types import Bools, Floats, Ints

_SHELLS = 20  # more pieces than this are not a body with cavities
_PROBES = 8  # vertices of a piece that must all be inside another


def turned(surface: Surface) -> Step:
    """The surface with all normals out of the body: outward, and inward around a cavity."""
    patch = patches(surface)
    turn = _agreeing(surface)
    consistent = _flipped(surface, turn)
    cavity = _cavities(consistent)
    for p in range(int(patch.max()) + 1):
        mine = patch == p
        inward = cone_volume(consistent.keeping(mine)) < 0
        turn[mine] ^= inward != cavity[surface.pieces[mine][0]]
    count = int(turn.sum())
    if not count:
        return surface, ""
    return _flipped(surface, turn), f"turned {counted(count, 'face')}"


def cone_volume(surface: Surface) -> float:
    """The volume [m^3] enclosed when every hole is closed by a cone to the middle of all rims."""
    rim = surface.boundary_edges
    tip = surface.X[rim].mean(axis=(0, 1)) if len(rim) else surface.X.mean(axis=0)
    corner = surface.X[surface.faces[:, 0]] - tip
    return float(np.einsum("ki,ki->", corner, surface.area_vectors) / 3)


def _flipped(surface: Surface, turn: Bools) -> Surface:
    return Surface(surface.X, np.where(turn[:, None], surface.faces[:, ::-1], surface.faces))


def _agreeing(surface: Surface) -> Bools:
    """(k,) which faces to turn so that neighbours agree.

    Each face stands for two, as given and turned; what is linked then falls into two halves, one
    the reverse of the other, unless the sheet has one side only.
    """
    k = surface.n_faces
    pairs, against = neighbours(surface)
    other = pairs[:, 1] + np.where(against, k, 0)
    links = np.stack([pairs[:, 0], other], axis=1)
    label = components(2 * k, np.concatenate([links, (links + k) % (2 * k)]))
    given, reverse = label[:k], label[k:]
    if (given == reverse).any():
        face = int(np.argmax(given == reverse))
        where = place(surface.X[surface.faces[face]].mean(axis=0))
        raise ModelError(
            f"the surface near {where} has only one side, as a Moebius strip has; "
            "repair it in a mesh editor"
        )
    return given > reverse


def neighbours(surface: Surface) -> tuple[Ints, Bools]:
    """(l, 2) the faces at each edge of two, and (l,) whether they disagree about their sides."""
    runs = surface.runs
    order, starts = groups(np.sort(runs, axis=1))
    both = starts[np.diff(np.append(starts, len(order))) == 2]
    sides = np.stack([order[both], order[both + 1]], axis=1)
    return sides // 3, runs[sides[:, 0], 0] == runs[sides[:, 1], 0]


def _cavities(surface: Surface) -> Bools:
    """(pieces,) whether each piece lies inside the largest; others apart are refused."""
    count = int(surface.pieces.max()) + 1
    if count > _SHELLS:
        raise ModelError(
            f"the surface has {count} separate pieces of similar size; "
            "join its faces at common vertices, or give a single closed surface"
        )
    shells = [surface.keeping(surface.pieces == piece) for piece in range(count)]
    depth = np.array([sum(_within(a, b) for b in shells if b is not a) for a in shells])
    refuse_others(surface, np.flatnonzero(depth % 2 == 0))
    return depth % 2 == 1


def _within(inner: Surface, outer: Surface) -> bool:
    probes = inner.X[:: -(-inner.n_vertices // _PROBES)]
    return all(abs(_winding(outer, point)) > 0.5 for point in probes)


def _winding(surface: Surface, point: Floats) -> float:
    """How often the surface winds around a point (3,): the solid angle of its faces over 4 pi."""
    a, b, c = np.moveaxis(surface.X[surface.faces] - point, 1, 0)
    A, B, C = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    triple = np.einsum("ki,ki->k", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("ki,ki->k", u, v) for u, v in ((a, b), (b, c), (c, a)))
    return float(np.arctan2(triple, A * B * C + ab * C + bc * A + ca * B).sum() / (2 * np.pi))
