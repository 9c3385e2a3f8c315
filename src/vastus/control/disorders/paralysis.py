"""Paralysis: cells of a belly that cannot be activated, and what this leaves of its pull.

Cells are tets. Which of them are paralysed decides, at an equal number, how much force is left: a
sector along the fibres takes its share away, while a band across them is in series with what still
contracts and passes the tension on, as far as its passive fibres bear it. The strength of each tet
stays as it was in health: to balance it anew would give the dead cells' force to the others.
"""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field, model_validator

from vastus.bellies.belly import Belly
from vastus.bellies.volumes import Bellies
from vastus.control.disorders.disorder import Disorder
from vastus.errors import ModelError, SolveError
from vastus.numerics.types import Floats, Ints
from vastus.scene.schema import Number, Whole

STRETCHES = np.round(np.arange(0.6, 1.401, 0.1), 12)  # at which what is left is looked up
LEVELS = np.round(np.arange(0.1, 1.001, 0.1), 12)  # of activation, one after another
LEAST = 0.3  # of them; a share at less would say nothing of full activation


class Paralysis(Disorder):
    """Cells that stretch only. `part` is how many of all cells `pattern` takes.

    `sector` takes the cells around the axis from `angle_deg` on, `band` those nearest to the place
    `at` along the fibres (0 to 1), `random` any by the `seed`, and `cells` those that are listed.
    """

    kind: Literal["paralysis"] = "paralysis"
    pattern: Literal["sector", "band", "random", "cells"] = "random"
    part: Annotated[Number, Field(gt=0, le=1)] | None = None
    angle_deg: Number = 0.0
    at: Annotated[Number, Field(ge=0, le=1)] = 0.5
    seed: Annotated[Whole, Field(ge=0)] = 0
    cells: tuple[Annotated[Whole, Field(ge=0)], ...] | None = None

    @model_validator(mode="after")
    def _cells_or_part(self) -> Paralysis:
        wanted, other = ("cells", "part") if self.pattern == "cells" else ("part", "cells")
        if getattr(self, wanted) is None or getattr(self, other) is not None:
            raise ValueError(f"pattern '{self.pattern}' needs '{wanted}', and no '{other}'")
        return self

    def belly(self, belly: Belly) -> Belly:
        """The belly with those cells paralysed."""
        return belly.paralysed(self.tets(belly))

    def tets(self, belly: Belly) -> Ints:
        """The indices of the paralysed cells of a belly."""
        count = belly.mesh.n_tets
        if self.cells is not None:
            beyond = [cell for cell in self.cells if cell >= count]
            if beyond:
                raise ModelError(f"belly '{belly.name}' has cells 0 to {count - 1}, no {beyond[0]}")
            return np.array(sorted(set(self.cells)), np.int64)
        ranks = {"sector": self._around, "band": self._along, "random": self._any}
        order = np.argsort(ranks[self.pattern](belly), kind="stable")
        return np.asarray(order[: round((self.part or 0.0) * count)])

    def _around(self, belly: Belly) -> Floats:
        _, y, z = _centres(belly).T
        return np.asarray((np.arctan2(z, y) - np.radians(self.angle_deg)) % (2 * np.pi))

    def _along(self, belly: Belly) -> Floats:
        x = _centres(belly)[:, 0]
        return np.abs(x / belly.mesh.X[:, 0].max() - self.at)

    def _any(self, belly: Belly) -> Floats:
        return np.random.default_rng(self.seed).random(belly.mesh.n_tets)


def _centres(belly: Belly) -> Floats:
    return np.asarray(belly.mesh.X[belly.mesh.T].mean(axis=1))


def remaining(belly: Belly, healthy: Belly, stretches: Floats = STRETCHES) -> Floats:
    """(k,) the active force of a belly over that of a healthy one, at stretches (k,) in order.

    Both at the greatest activation at which the changed belly has an equilibrium: scattered dead
    cells can fold between contracting ones. Where it has none, what is next to it counts.
    """
    begin = int(np.argmin(np.abs(stretches - 1.0)))
    shares = np.full(len(stretches), np.nan)
    for way in (range(begin, -1, -1), range(begin, len(stretches))):
        changed, sound = Bellies([belly]), Bellies([healthy])
        try:
            for k in way:
                shares[k] = _share(changed, sound, float(stretches[k]))
        except SolveError:
            if np.isnan(shares[begin]):
                raise
    solved = np.flatnonzero(np.isfinite(shares))
    return np.interp(stretches, stretches[solved], shares[solved])


def _share(changed: Bellies, sound: Bellies, stretch: float) -> float:
    """What is left at one stretch; both stay at it, in their relaxed shapes."""
    left, level = _active(changed, stretch)
    return left / _active(sound, stretch, level)[0]


def _active(bellies: Bellies, stretch: float, most: float = 1.0) -> tuple[float, float]:
    """The active force [N] over the activation, and that activation."""
    length, still = stretch * np.array([unit.optimal for unit in bellies.units]), np.zeros(1)
    passive = float(bellies.forces(length, still, np.zeros(1)).force[0])
    contracting = bellies.copy()
    force, reached = passive, 0.0
    for level in (each for each in LEVELS if each <= most):
        try:
            force = float(contracting.forces(length, still, np.array([level])).force[0])
        except SolveError:
            if reached < LEAST:
                raise
            break
        reached = float(level)
    return (force - passive) / reached, reached
