"""Slices of a muscle across a potential, each mapped to the unit disc (theory, eq. 75)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from vastus.errors import ModelError
from vastus.geometry.indices import components
from vastus.geometry.section import section
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.rotation import unit
from vastus.numerics.types import Bools, Floats, Ints

SLICES, POINTS = 48, 250  # along the muscle, and in each slice at most
LEFT_OUT = 0.001  # of the volume, at each end: slices there are slivers
# Corners of the square around the disc, where there is no muscle, follow the slice's affine map: so
# the solid is not folded there.
CORNERS = np.array([[s * x, s * y, 1.0] for s in (1.0, 1.2) for x in (-1, 1) for y in (-1, 1)])
CORNER_WEIGHT = 1e-3  # of a slice's
_COARSE = 24  # slices at first, to learn where even steps are
_FEWEST = 8  # faces of a slice
_THIN = 1e-6  # of a face's longest side squared: the least area that it counts with


@dataclass(frozen=True, eq=False)
class Slice:
    """A piece of a level surface, oriented up the potential: its surface [m], mean and normal."""

    surface: Surface
    centre: Floats
    normal: Floats


@dataclass(frozen=True, eq=False)
class Samples:
    """Points (n, 3) [m] of a muscle with their parameters u (n, 3), and how much each counts."""

    points: Floats
    u: Floats
    weights: Floats


def sliced(mesh: TetMesh, potential: Floats, count: int = SLICES) -> Samples:
    """Points of slices across a potential (n,) that rises along the muscle.

    (u, v) is a place in the unit disc around (1/2, 1/2) with radius 1/2, w the length along the
    middles of the slices, from 0 to 1. Of a level surface in several pieces the largest counts.
    """
    slices = _evenly(mesh, potential, count)
    centres = np.array([one.centre for one in slices])
    along = _lengths(centres)
    frame = _across(slices[0].normal)
    points, parameters, weights = [], [], []
    for one, w in zip(slices, along / along[-1], strict=True):
        frame = _carried(frame, one.normal)
        disc = _in_disc(one, frame)
        if disc is None:
            continue
        kept = np.unique(np.linspace(0, len(disc) - 1, POINTS).astype(int))
        X, disc = one.surface.X[kept], disc[kept]
        points.append(X)
        parameters.append(np.column_stack([0.5 + 0.5 * disc, np.full(len(X), w)]))
        weights.append(np.full(len(X), 1 / len(X)))
        corners = CORNERS @ _affine(disc, X)
        points.append(corners)
        parameters.append(np.column_stack([0.5 + 0.5 * CORNERS[:, :2], np.full(len(CORNERS), w)]))
        weights.append(np.full(len(CORNERS), CORNER_WEIGHT))
    if len(points) < count // 2:
        raise ModelError(
            f"only {len(points)} of {count} slices across the muscle have one rim, so that no "
            "solid can be fitted to them; give its fibres as 'curves', or in several 'regions'"
        )
    return Samples(*(np.concatenate(part) for part in (points, parameters, weights)))


def _affine(disc: Floats, X: Floats) -> Floats:
    """(3, 3) the affine map from places (n, 2) in the disc that comes nearest to points (n, 3)."""
    return np.asarray(np.linalg.lstsq(np.column_stack([disc, np.ones(len(disc))]), X)[0], float)


def _lengths(line: Floats) -> Floats:
    """(k,) the length [m] along a line (k, 3) up to each of its points."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])


def _evenly(mesh: TetMesh, potential: Floats, count: int) -> list[Slice]:
    """Slices whose middles are at even steps."""
    middles = potential[mesh.T].mean(axis=1)
    order = np.argsort(middles)
    share = np.cumsum(mesh.volumes[order]) / mesh.volumes.sum()
    first, last = middles[order][np.searchsorted(share, [LEFT_OUT, 1 - LEFT_OUT])]
    levels = np.array([first, last])
    for rows in (_COARSE, _COARSE, count):
        levels = np.interp(np.linspace(0, 1, rows), np.linspace(0, 1, len(levels)), levels)
        found = [(level, _slice(mesh, potential, level)) for level in levels]
        kept = [(level, one) for level, one in found if one is not None]
        if len(kept) < _FEWEST:
            raise ModelError(
                f"only {len(kept)} of {rows} slices across the muscle have {_FEWEST} faces: its "
                "mesh is too coarse for a solid; make it finer"
            )
        along = _lengths(np.array([one.centre for _, one in kept]))
        even = np.linspace(0, along[-1], rows)
        levels = np.interp(even, along, [level for level, _ in kept])
    return [one for _, one in kept]


def _slice(mesh: TetMesh, potential: Floats, level: float) -> Slice | None:
    """The largest piece of a level surface; None if it has too few faces."""
    d = potential - level
    cut = section(mesh.T, d)
    if len(cut.source) < _FEWEST:
        return None
    corners = np.sort(np.stack([cut.a.ravel(), cut.b.ravel()], axis=1), axis=1)
    edges, ids = np.unique(corners, axis=0, return_inverse=True)
    t = d[edges[:, 0]] / (d[edges[:, 0]] - d[edges[:, 1]])
    X = (1 - t)[:, None] * mesh.X[edges[:, 0]] + t[:, None] * mesh.X[edges[:, 1]]
    faces = ids.reshape(-1, 3)
    rise = np.einsum("ka,kai->ki", potential[mesh.T[cut.source]], mesh.gradients[cut.source])
    normals = np.cross(X[faces[:, 1]] - X[faces[:, 0]], X[faces[:, 2]] - X[faces[:, 0]])
    down = np.einsum("ki,ki->k", normals, rise) < 0
    faces[down] = faces[down][:, ::-1]
    return _largest(X, faces)


def _largest(X: Floats, faces: Ints) -> Slice | None:
    piece = components(len(X), faces[:, [0, 1, 1, 2]].reshape(-1, 2))[faces[:, 0]]
    areas = 0.5 * np.linalg.norm(
        np.cross(X[faces[:, 1]] - X[faces[:, 0]], X[faces[:, 2]] - X[faces[:, 0]]), axis=1
    )
    faces = faces[piece == int(np.argmax(np.bincount(piece, areas)))]
    if len(faces) < _FEWEST:
        return None
    kept, own = np.unique(faces, return_inverse=True)
    surface = Surface(X[kept], own.reshape(-1, 3))
    centre = np.average(surface.X[surface.faces].mean(axis=1), axis=0, weights=surface.areas)
    normal = unit(surface.area_vectors.sum(axis=0)[None])[0]
    return Slice(surface, centre, normal)


def _across(normal: Floats) -> Floats:
    """(2, 3) two unit vectors that make a right-handed frame with the normal."""
    first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])


def _carried(frame: Floats, normal: Floats) -> Floats:
    """The frame (2, 3), turned as little as possible so that it is across the normal."""
    old = np.cross(frame[0], frame[1])
    axis, cosine = np.cross(old, normal), float(old @ normal)
    turned = frame + np.cross(axis, frame) + np.cross(axis, np.cross(axis, frame)) / (1 + cosine)
    return np.asarray(turned)


def _in_disc(one: Slice, frame: Floats) -> Floats | None:
    """(n, 2) the places of a slice's vertices in the unit disc; None if it has no clear rim."""
    rim = _rim(one.surface.faces)
    if rim is None:
        return None
    flat = (one.surface.X - one.centre) @ frame.T
    around = _angles(flat[rim] @ _whitening(flat, one.surface))
    inner = np.ones(len(flat), bool)
    inner[rim] = False
    disc = np.zeros_like(flat)
    disc[rim] = np.column_stack([np.cos(around), np.sin(around)])
    return _harmonic(one.surface, disc, inner)


def _whitening(flat: Floats, surface: Surface) -> Floats:
    """(2, 2) what makes the slice, flat (n, 2), as wide in all directions: no turn, only a stretch.

    It makes an ellipse the unit disc.
    """
    corners = flat[surface.faces]
    middle = corners.mean(axis=1)
    # The second moments of a triangle are those of its corners and thrice its middle, by 12.
    moments = (
        np.einsum("kai,kaj->kij", corners, corners) + 9 * np.einsum("ki,kj->kij", middle, middle)
    ) / 12
    M = np.average(moments, axis=0, weights=surface.areas)
    values, axes = np.linalg.eigh(M)
    return np.asarray(axes / (2 * np.sqrt(np.maximum(values, 1e-6 * values[1]))) @ axes.T)


def _rim(faces: Ints) -> Ints | None:
    """The longest closed line of edges with one face each, in the order of these faces."""
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    _, first, count = np.unique(
        np.sort(edges, axis=1), axis=0, return_index=True, return_counts=True
    )
    open_edges = edges[first[count == 1]]
    follows = dict(open_edges.tolist())
    if len(follows) < len(open_edges):  # two lines touch: a knot
        return None
    loops = []
    while follows:
        start, at = follows.popitem()
        loop = [start]
        while at != start:
            loop.append(at)
            if at not in follows:
                return None
            at = follows.pop(at)
        loops.append(loop)
    return np.array(max(loops, key=len)) if loops else None


def _angles(rim: Floats) -> Floats:
    """(m,) angles for the points of a closed line (m, 2), in proportion to its length.

    In the mean they are the angles that the points are seen at from the middle.
    """
    ends = np.vstack([rim, rim[:1]])
    steps = np.linalg.norm(np.diff(ends, axis=0), axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])[:-1] / steps.sum() * 2 * np.pi
    share = 0.5 * (steps + np.roll(steps, 1))
    seen = rim[:, 0] + 1j * rim[:, 1]
    turn = np.angle((share * seen / np.abs(seen) * np.exp(-1j * along)).sum())
    return np.asarray(along + turn)


def _harmonic(surface: Surface, values: Floats, free: Bools) -> Floats:
    """(n, 2) values that are harmonic on the surface at free vertices (n,), and given elsewhere."""
    if not free.any():
        return values
    L = _stiffness(surface)
    rows = L[free]
    out = values.copy()
    out[free] = splu(rows[:, free].tocsc()).solve(-(rows[:, ~free] @ values[~free]))
    return out


def _stiffness(surface: Surface) -> sparse.csr_array:
    """(n, n) the matrix of Dirichlet's energy of piecewise linear functions on a surface."""
    corners = surface.X[surface.faces]
    sides = np.roll(corners, -1, axis=1) - np.roll(corners, 1, axis=1)  # opposite each corner
    longest = (sides**2).sum(axis=2).max(axis=1)
    areas = np.maximum(surface.areas, _THIN * longest)
    local = np.einsum("kai,kbi->kab", sides, sides) / (4 * areas)[:, None, None]
    rows = np.repeat(surface.faces, 3, axis=1).ravel()
    columns = np.tile(surface.faces, (1, 3)).ravel()
    n = surface.n_vertices
    return sparse.coo_array((local.ravel(), (rows, columns)), shape=(n, n)).tocsr()
