"""Lines along a muscle's fibres, to be drawn: spread evenly, and as long as the fibres are."""

from __future__ import annotations

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model
from vastus.modelling.alignment import aligned
from vastus.modelling.streamlines import streamlines
from vastus.numerics.types import Floats, Ints

_TRIED = 3  # lines for each that is drawn
_NO_GOAL = np.zeros(0, np.int64)


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
