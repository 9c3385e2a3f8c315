"""Lines along the fibres of a muscle, from tet to tet, and as many of them as are drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from vastus.geometry.signs import aligned
from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.topology import neighbours
from vastus.model import Model
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats, Ints

_STEP = 0.5  # of a typical edge
_LEAST = -1e-9  # weight inside a tet
_HOPS = 30  # tets that a step may cross
_GRAZING = 0.2  # of its way that a line may have been put back
_DETOUR = 3.0  # lengths of the mesh's diagonal after which a line goes nowhere
_TRIED = 3  # lines for each that is drawn
_NO_GOAL = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Streamlines:
    """Lines as points (steps, k, 3) [m], each at rest once it has ended; who `arrived` (k,)."""

    points: Floats
    arrived: np.ndarray


def streamlines(mesh: TetMesh, field: Floats, seeds: Ints, goal: Ints) -> Streamlines:
    """Lines along a field (m, 3) from the middle of the tets `seeds` (k,) to the vertices `goal`.

    The field is interpolated between its means around vertices, and followed by midpoint steps of
    half an edge. A line has arrived within an edge of the goal. One that leaves the mesh is put
    back, and lost if that is more than half an edge and a fifth of its way: fibres at a rough
    surface may graze it, but not run into it.
    """
    walk = _Walk(mesh, field, goal)
    at = _Places(seeds, mesh.centroids[seeds], np.full((len(seeds), 4), 0.25))
    left = np.zeros(len(seeds))
    points, going = [at.x], ~walk.arrived(at)
    for step in range(walk.steps):
        moved, outside = walk.step(at)
        left += np.where(going, outside, 0.0)
        still = np.linalg.norm(moved.x - at.x, axis=1) < 1e-3 * walk.size
        at = at.where(going, moved)
        points.append(at.x)
        going &= ~walk.arrived(at) & (left < (1 + _GRAZING * step) * walk.size) & ~still
        if not going.any():
            break
    return Streamlines(np.array(points), walk.arrived(at))


@dataclass(frozen=True, eq=False)
class _Places:
    """Points x (k, 3) [m] in tets (k,), with barycentric weights w (k, 4)."""

    tets: Ints
    x: Floats
    w: Floats

    def where(self, chosen: np.ndarray, other: _Places) -> _Places:
        """These places, with the chosen ones (k,) taken from the others."""
        some = chosen[:, None]
        return _Places(
            np.where(chosen, other.tets, self.tets),
            np.where(some, other.x, self.x),
            np.where(some, other.w, self.w),
        )


class _Walk:
    """Steps of all lines at once through one mesh."""

    def __init__(self, mesh: TetMesh, field: Floats, goal: Ints) -> None:
        self._mesh, self._across = mesh, neighbours(mesh)
        self._u = _on_vertices(mesh, field)
        self._goal = cKDTree(mesh.X[goal])
        self.size = _STEP * float(np.median(np.cbrt(6 * np.sqrt(2) * np.abs(mesh.volumes))))
        self.steps = int(_DETOUR * np.linalg.norm(np.ptp(mesh.X, axis=0)) / self.size)

    def arrived(self, at: _Places) -> np.ndarray:
        """(k,) whether a vertex of the goal is within an edge."""
        return np.asarray(self._goal.query(at.x)[0] <= self.size / _STEP)

    def step(self, at: _Places) -> tuple[_Places, Floats]:
        """The places a step on, and how far (k,) [m] outside the mesh they were."""
        half, _ = self._located(at, at.x + self.size / 2 * self._velocity(at))
        return self._located(at, at.x + self.size * self._velocity(half))

    def _velocity(self, at: _Places) -> Floats:
        return unit(np.einsum("ka,kai->ki", at.w, self._u[self._mesh.T[at.tets]]))

    def _located(self, start: _Places, x: Floats) -> tuple[_Places, Floats]:
        """Points x (k, 3), found by walking from tet to tet, and put back if outside."""
        tets, w = start.tets, self._weights(start.tets, x)
        for _ in range(_HOPS):
            next_tet = self._next(tets, w)
            if (next_tet < 0).all():
                break
            tets = np.where(next_tet < 0, tets, next_tet)
            w = self._weights(tets, x)
        return self._put_back(tets, x, w)

    def _put_back(self, tets: Ints, x: Floats, w: Floats) -> tuple[_Places, Floats]:
        """Points x (k, 3), straight back in their tet if outside, and how far (k,) [m] that was."""
        worst = w.argmin(axis=1)
        rise = self._mesh.gradients[tets, worst]
        depth = np.minimum(w.min(axis=1), 0.0) / np.einsum("ki,ki->k", rise, rise)
        inside = np.maximum(self._weights(tets, x - depth[:, None] * rise), 0.0)
        inside /= inside.sum(axis=1, keepdims=True)
        kept = np.einsum("ka,kai->ki", inside, self._mesh.X[self._mesh.T[tets]])
        return _Places(tets, kept, inside), np.linalg.norm(kept - x, axis=1)

    def _next(self, tets: Ints, w: Floats) -> Ints:
        """(k,) the tet across the face that a point is furthest beyond, -1 if it is in its own."""
        across = self._across[tets]
        beyond = np.where((w < _LEAST) & (across >= 0), w, 0.0)
        face = beyond.argmin(axis=1)
        row = np.arange(len(tets))
        return np.where(beyond[row, face] < 0, across[row, face], -1)

    def _weights(self, tets: Ints, x: Floats) -> Floats:
        offset = x - self._mesh.centroids[tets]
        return 0.25 + np.einsum("kai,ki->ka", self._mesh.gradients[tets], offset)


def _on_vertices(mesh: TetMesh, field: Floats) -> Floats:
    """(n, 3) the field's mean over the tets around each vertex, by volume."""
    weight = np.repeat(np.abs(mesh.volumes), 4)
    corners = mesh.T.ravel()
    sums = [np.bincount(corners, weight * np.repeat(c, 4), mesh.n_vertices) for c in field.T]
    return unit(np.column_stack(sums))


def fibre_lines(model: Model, muscle: str, count: int = 60) -> list[Floats]:
    """At most `count` lines, each of points (k, 3) [m], along the fibres of the muscle.

    Of more lines than that through tets all over the muscle, those far from each other are kept.
    """
    tets = np.flatnonzero(model.muscle_of_tet == model.muscle(muscle))
    part, _ = model.mesh.submesh(tets)
    field = aligned(part, model.fibre[tets])
    seeds = _seeds(part, field, _TRIED * count)
    back, forth = (_traced(part, sign * field, seeds) for sign in (-1.0, 1.0))
    lines = [np.concatenate([b[:0:-1], f]) for b, f in zip(back, forth, strict=True)]
    return [line for line in _apart(part.centroids[seeds], lines, count) if len(line) > 1]


def _seeds(part: TetMesh, field: Floats, count: int) -> Ints:
    """Tets with a fibre, at equal steps of volume."""
    weight = part.volumes * field.any(axis=1)
    if not weight.any():
        return np.zeros(0, np.int64)
    middle = (np.arange(count) + 0.5) / count * weight.sum()
    # Sorted along the longest extent, so that they spread over the muscle.
    order = np.argsort(part.centroids[:, int(np.argmax(np.ptp(part.X, axis=0)))], kind="stable")
    return np.unique(order[np.searchsorted(np.cumsum(weight[order]), middle)])


def _traced(part: TetMesh, field: Floats, seeds: Ints) -> list[Floats]:
    """Lines from the seeds until they leave the muscle or stall."""
    if not len(seeds):
        return []
    points = streamlines(part, field, seeds, _NO_GOAL).points.transpose(1, 0, 2)
    moves = (np.diff(points, axis=1) != 0).any(axis=2)
    ends = np.where(moves.any(axis=1), moves.shape[1] - np.argmax(moves[:, ::-1], axis=1), 0)
    return [line[: end + 1] for line, end in zip(points, ends, strict=True)]


def _apart(seeds: Floats, lines: list[Floats], count: int) -> list[Floats]:
    """At most `count` of the lines, each the one whose seed is furthest from those before it."""
    away, kept = np.full(len(seeds), np.inf), []
    for _ in range(min(count, len(lines))):
        next_line = lines[int(np.argmax(away))]
        kept.append(next_line)
        near = np.linalg.norm(seeds[:, None] - next_line, axis=2).min(axis=1)
        away = np.minimum(away, near)
    return kept
