"""A muscle's line from tip to tip through belly and tendons, and how long its parts are."""

from __future__ import annotations

import numpy as np

from vastus.measure.centreline import Centreline, centreline, tips
from vastus.measure.ends import Ends, Holder, ends_of, own_tets
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue

SIDES = ("origin", "insertion")


class MuscleLine:
    """The line of one muscle, along the middle of its own tets.

    It begins at those vertices of the origin that are farthest from the insertion, and ends at
    those of the insertion that are farthest from there: what is held along a bone counts too.
    The belly reaches from the mean place of its border with the tendon of one side to that of the
    other; where a side has no tendon, to the tip.
    """

    def __init__(self, model: Model, tets: Ints, ends: Ends) -> None:
        mesh, self.vertices = model.mesh.submesh(tets)
        sides = (ends.origin, ends.insertion)
        held = [np.searchsorted(self.vertices, vertices_of(side)) for side in sides]
        self._line: Centreline = centreline(mesh, *tips(mesh, *held))
        tendon = model.is_tissue(Tissue.TENDON)[tets]
        self._borders = _borders(mesh.T, tendon, self._line.along)
        self.tendons = tuple(SIDES[k] for k in range(2) if 0 < self._borders[k] < 1)

    def of(self, x: Floats) -> dict[str, float]:
        """The lengths [m] of all, `""`, of the `belly` and of the tendons of sides that have one.

        Vertices of the model are at x (n, 3) [m].
        """
        way = self._line.lengths(x[self.vertices])
        start, end = np.interp(self._borders, self._line.places, way)
        parts = {"origin": start, "insertion": way[-1] - end}
        tendons = {f"_{side}_tendon": float(parts[side]) for side in self.tendons}
        return {"": float(way[-1]), "_belly": float(end - start), **tendons}

    def slope(self, x: Floats) -> tuple[float, Floats]:
        """The length [m] of all, and its derivative (v, 3) by the places of its `vertices`."""
        weights = self._line.weights
        steps = np.diff(weights @ x[self.vertices], axis=0)
        sizes = np.linalg.norm(steps, axis=1)
        ways = steps / sizes[:, None]
        points = np.zeros((len(ways) + 1, 3))
        points[1:] += ways
        points[:-1] -= ways
        return float(sizes.sum()), np.asarray(weights.T @ points)


def belly_length(model: Model, muscle: int) -> float:
    """The length [m] of a muscle's belly at rest."""
    tets = own_tets(model, muscle)
    return MuscleLine(model, tets, ends_of(model, tets)).of(model.mesh.X)["_belly"]


def vertices_of(side: tuple[Holder, ...]) -> Ints:
    """All vertices of some holders."""
    return np.concatenate([np.zeros(0, np.int64), *(h.vertices for h in side)])


def _borders(T: Ints, tendon: np.ndarray, s: Floats) -> Floats:
    """(2,) where the belly begins and ends along the line, of places s (n,) of the vertices.

    Pieces of tendon whose middle lies before the belly's are of the origin.
    """
    out = np.array([0.0, 1.0])
    if tendon.all() or not tendon.any():
        return out
    border = np.intersect1d(T[tendon], T[~tendon])
    middle = float(s[T[~tendon]].mean())
    for k, side in enumerate((s[border] < middle, s[border] >= middle)):
        if side.any():
            out[k] = s[border][side].mean()
    return out
