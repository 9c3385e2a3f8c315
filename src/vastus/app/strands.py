"""Lines along the fibres of muscles, traced once and carried along by the tissue."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.geometry.queries import locate
from vastus.model import Model
from vastus.modelling.fibre_lines import fibre_lines
from vastus.numerics.types import Floats, Ints

COUNT = 30  # lines in a muscle
EVERY = 3  # points of a line that is traced, one of which is drawn
NEAR = 1e-3  # by which a point on the surface may lie outside


@dataclass(frozen=True, eq=False)
class Bundle:
    """Points in tets: corners (p, 4) with weights (p, 4), and the segments (k, 2) between them."""

    corners: Ints
    weights: Floats
    segments: Ints

    def at(self, x: Floats) -> Floats:
        """(k, 2, 3) the segments when the mesh's vertices are at x (n, 3) [m]."""
        points = np.einsum("pa,pai->pi", self.weights, x[self.corners])
        return np.asarray(points[self.segments])


class Strands:
    """The fibres of a model's muscles; each muscle is traced when it is first asked for."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._bundles: dict[str, Bundle] = {}

    def at(self, x: Floats, muscles: list[str]) -> Floats:
        """(k, 2, 3) pieces of fibre of some muscles when vertices are at x (n, 3) [m]."""
        return np.concatenate([np.zeros((0, 2, 3)), *(self._of(m).at(x) for m in muscles)])

    def _of(self, muscle: str) -> Bundle:
        if muscle not in self._bundles:
            self._bundles[muscle] = _traced(self._model, muscle)
        return self._bundles[muscle]


def _traced(model: Model, muscle: str) -> Bundle:
    lines = [line[::EVERY] for line in fibre_lines(model, muscle, COUNT)]
    points = np.concatenate([np.zeros((0, 3)), *lines])
    tets = np.flatnonzero(model.muscle_of_tet == model.muscle(muscle))
    part, kept = model.mesh.submesh(tets)
    found = locate(part, points, tolerance=NEAR)
    ends = np.cumsum([len(line) for line in lines])
    starts = np.setdiff1d(np.arange(len(points)), ends - 1)
    segments = np.column_stack([starts, starts + 1])
    inside = (found.tets[segments] >= 0).all(axis=1)
    return Bundle(kept[part.T[found.tets]], found.weights, segments[inside])
