"""Steps of a repair on faces: doubles, debris, walls inside, and which side is outside."""

from __future__ import annotations

import numpy as np
from scipy.spatial import KDTree

from vastus.errors import ModelError
from vastus.geometry.indices import components, groups
from vastus.geometry.surface import Surface
from vastus.numerics.types import Bools, Floats, Ints

Step = tuple[Surface, str]  # the better surface, and a phrase; nothing if it was sound
_NEAR = 1e-5  # of the diagonal
_SHORT = 0.01  # of the median edge; joining further than this would eat a fine mesh
_ROUNDS = 5  # in which flat faces hand their place on to their neighbours
SMALL = 0.02  # of the largest piece's area
_MOST = 0.5  # of all area; a patch larger than this is no wall
_SHELLS = 20  # more pieces than this are not a body with cavities
_PROBES = 8  # vertices of a piece that must all be inside another


def counted(count: int, what: str) -> str:
    """`1 face`, `2 faces`, `2 vertices`."""
    plural = what.removesuffix("ex") + "ices" if what.endswith("ex") else what + "s"
    return f"{count} {what if count == 1 else plural}"


def percent(share: float) -> str:
    """`12 %`, `0.4 %`, or `under 0.01 %`."""
    if share < 1e-4:
        return "under 0.01 %"
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"


def place(point: Floats) -> str:
    """`[0.1, 0.25, 0]`."""
    return "[" + ", ".join(f"{c:.3g}" for c in np.round(point, 9) + 0.0) + "]"


def used(surface: Surface) -> Step:
    """The surface without vertices of no face."""
    count = surface.n_vertices - len(np.unique(surface.faces))
    if not count:
        return surface, ""
    return surface.keeping(slice(None)), f"dropped {counted(count, 'vertex')} of no face"


def joined(surface: Surface) -> Step:
    """The surface with vertices at almost the same place joined."""
    pairs = KDTree(surface.X).query_pairs(_tolerance(surface), output_type="ndarray")
    group = components(surface.n_vertices, pairs.astype(np.int64))
    first = np.unique(group, return_index=True)[1]
    count = surface.n_vertices - len(first)
    if not count:
        return surface, ""
    one = Surface(surface.X, first[group][surface.faces]).keeping(slice(None))
    return one, f"joined {counted(count, 'vertex')}"


def _tolerance(surface: Surface) -> float:
    """How near [m] two vertices are one."""
    near = _NEAR * float(np.linalg.norm(np.ptp(surface.X, axis=0)))
    lengths = _sides(surface)
    lengths = lengths[lengths > near]
    return min(near, _SHORT * float(np.median(lengths))) if len(lengths) else near


def whole_faces(surface: Surface) -> Step:
    """The surface without faces that name a vertex twice."""
    repeats = (np.diff(np.sort(surface.faces, axis=1), axis=1) == 0).sum(axis=1)
    count = int((repeats > 0).sum())
    if not count:
        return surface, ""
    return surface.keeping(repeats == 0), f"removed {counted(count, 'face')} without area"


def single_faces(surface: Surface) -> Step:
    """The surface with each face once, whichever way it is turned."""
    order, starts = groups(np.sort(surface.faces, axis=1))
    count = surface.n_faces - len(starts)
    if not count:
        return surface, ""
    first = np.sort(np.minimum.reduceat(order, starts))
    return surface.keeping(first), f"removed {counted(count, 'repeated face')}"


def straightened(surface: Surface) -> Step:
    """The surface without faces whose corners lie on a line.

    Such a face is taken out with the edge that it lies on: the neighbour there is cut in two, from
    the middle corner to the opposite one.
    """
    better, before = surface, len(_flat(surface))
    for _ in range(_ROUNDS if before else 0):
        better = Surface(better.X, _handed_on(better))
    gone = before - len(_flat(better)) if before else 0
    return (better, f"removed {counted(gone, 'face')} without area") if gone > 0 else (surface, "")


def _flat(surface: Surface) -> Ints:
    """The faces that are lower than vertices may be apart."""
    return np.flatnonzero(2 * surface.areas <= _tolerance(surface) * _sides(surface).max(axis=1))


def _sides(surface: Surface) -> Floats:
    """(k, 3) the lengths of the edges 0-1, 1-2, 2-0 [m]."""
    corners = surface.X[surface.faces]
    return np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)


def _handed_on(surface: Surface) -> Ints:
    """The faces after each flat one was swapped with the neighbour at its longest edge."""
    rows: list[list[int]] = surface.faces.tolist()
    owner = {(row[i], row[i - 2]): f for f, row in enumerate(rows) for i in range(3)}
    longest = _sides(surface).argmax(axis=1)
    touched: set[int] = set()
    for f in _flat(surface).tolist():
        c, a, b = (rows[f][(longest[f] + i) % 3] for i in range(3))
        g = owner.get((a, c))
        if g is None or {f, g} & touched:
            continue
        d = next(v for v in rows[g] if v not in (a, c))
        if d == b or (b, d) in owner or (d, b) in owner:
            continue
        rows[f], rows[g] = [a, b, d], [b, c, d]
        touched |= {f, g}
    return np.array(rows)


def dropped_pieces(surface: Surface) -> Step:
    """The surface without its small pieces."""
    areas = np.bincount(surface.pieces, surface.areas)
    small = areas < SMALL * areas[0]
    if not small.any():
        return surface, ""
    share = percent(areas[small].sum() / areas.sum())
    said = f"dropped {counted(small.sum(), 'small piece')} ({share} of area)"
    return surface.keeping(~small[surface.pieces]), said


def dropped_walls(surface: Surface) -> Step:
    """The surface without sheets at edges where three faces meet, or five: the smallest go first.

    Between three sheets that meet along a loop, any two enclose a body.
    """
    before = surface.n_faces
    while (wall := _smallest_wall(surface)) is not None:
        surface = surface.keeping(wall)
    gone = before - surface.n_faces
    return surface, f"removed {counted(gone, 'face')} of inner walls" if gone else ""


def _smallest_wall(surface: Surface) -> np.ndarray | None:
    """(k,) the faces that are left without the smallest sheet at an edge of too many faces."""
    faces, size = edge_faces(surface)
    crowded = faces[(size > 2) & (size % 2 == 1)]
    if not len(crowded):
        return None
    patch = patches(surface)
    areas = np.bincount(patch, surface.areas)
    candidates = np.unique(patch[crowded])
    wall = candidates[np.argmin(areas[candidates])]
    return None if areas[wall] > _MOST * areas.sum() else patch != wall


def edge_faces(surface: Surface) -> tuple[Ints, Ints]:
    """(3k,) the faces edge by edge, and how many faces the edge of each entry has."""
    order, starts = groups(np.sort(surface.runs, axis=1))
    sizes = np.diff(np.append(starts, len(order)))
    return order // 3, np.repeat(sizes, sizes)


def patches(surface: Surface) -> Ints:
    """(k,) the sheet of each face; sheets end at edges of more than two faces."""
    faces, size = edge_faces(surface)
    return components(surface.n_faces, faces[size == 2].reshape(-1, 2))


def refuse_others(surface: Surface, outer: Ints) -> None:
    """Refuse pieces that are neither the largest nor inside it."""
    others = [piece for piece in outer if piece > 0]
    if not others:
        return
    areas = np.bincount(surface.pieces, surface.areas)
    where = place(surface.X[surface.faces[surface.pieces == others[0]]].mean(axis=(0, 1)))
    raise ModelError(
        f"the surface has {1 + len(others)} separate pieces; the second, near {where}, has "
        f"{areas[others[0]] / areas[0]:.0%} of the largest's area: give each a part of its own, "
        "or join them"
    )


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
