"""A pull by hand: a spring from some vertices to where the pointer is, while it holds them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.materials.base import require
from vastus.model import Model
from vastus.numerics.types import Floats, Ints

REACH = 0.06  # of the model's extent: what is held about the place that was taken
PULLS = 100.0  # times the weight of all that is soft, by a pull as long as the model
EARTH = 9.81  # [m/s^2]


@dataclass(frozen=True, eq=False)
class Pull:
    """The middle of some vertices (k,) is pulled to a place (3,) [m] by a spring [N/m]."""

    vertices: Ints
    place: Floats
    stiffness: float


def taken(model: Model, x: Floats, region: str, place: Floats) -> Ints:
    """(k,) the vertices of a region about a place (3,) [m], the model's vertices being x (n, 3)."""
    number = [r.name for r in model.regions].index(region)
    own = np.unique(model.mesh.T[model.region == number])
    away = np.linalg.norm(x[own] - place, axis=1)
    reach = REACH * float(np.ptp(model.mesh.X, axis=0).max())
    return own[away <= max(reach, float(away.min()))]


def usual_stiffness(model: Model) -> float:
    """The stiffness [N/m] of a spring that pulls a model visibly, of two digits."""
    density = np.array([r.density for r in model.regions])[model.region]
    weight = EARTH * float((density * model.mesh.volumes)[model.soft].sum())
    return float(f"{PULLS * weight / float(np.ptp(model.mesh.X, axis=0).max()):.1e}")


class Grip(Energy):
    """The energy of a pull, or of none; which one it is changes only between two steps."""

    label = "a pull by hand"
    always = False

    def __init__(self) -> None:
        self._pull: Pull | None = None

    def hold(self, pull: Pull | None) -> None:
        """Pull so from now on, or let go."""
        require(pull is None or len(pull.vertices) > 0, "a pull holds at least one vertex")
        self._pull = pull

    def value(self, q: Placement) -> float:
        """Half the stiffness times the square of the length [J]."""
        if self._pull is None:
            return 0.0
        away = self._away(q, self._pull)
        return 0.5 * self._pull.stiffness * float(away @ away)

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Add the spring's force, shared evenly among the vertices."""
        if self._pull is None:
            return 0.0
        force = self._pull.stiffness * self._away(q, self._pull)
        forces.nodes[self._pull.vertices] += force / len(self._pull.vertices)
        return float(np.linalg.norm(force))

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add one matrix of rank one an axis: what is coupled else remains as it is."""
        if self._pull is None:
            return
        for axis in range(3):
            share = np.zeros_like(q.x)
            share[self._pull.vertices, axis] = 1.0 / len(self._pull.vertices)
            stiffness.columns.append((share, self._pull.stiffness))

    @staticmethod
    def _away(q: Placement, pull: Pull) -> Floats:
        """(3,) from where the pull leads to where the vertices are [m]."""
        return np.asarray(q.x[pull.vertices].mean(axis=0) - pull.place)
