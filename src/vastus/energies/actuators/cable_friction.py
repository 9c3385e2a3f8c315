"""Friction of cables at their bends, over one step: lagged, after Capstan (theory, eq. 104).

    E = sum_i (w_i - 1) T l_i,   w_i = exp(-m sum of the bends up to segment i)

takes from each segment what friction leaves not of the tension T with which the cable is drawn. The
parts w_i, and the tension of a spool, are those where the step begins, so that it is an energy; a
tension that is given is that of the moment. The cable is taken to be drawn in: where it is let
out, friction would act the other way, which is not modelled.
"""

from __future__ import annotations

from copy import copy

import numpy as np

from vastus.energies.actuators.cables import Cables, Line
from vastus.energies.energy import Energy, Forces, Placement, Stiffness
from vastus.inputs import Inputs
from vastus.numerics.types import Floats


class CableFriction(Energy):
    """What friction takes from the cables that have some, in a step from x (n, 3) [m].

    `cables` are drawn as where the step begins.
    """

    label = "friction of a cable"

    def __init__(self, cables: Cables, x: Floats) -> None:
        self._cables, lines = cables, cables.lines(x)
        self._rough = [i for i, line in enumerate(lines) if line.cable.friction > 0]
        self._shares = {i: lines[i].shares for i in self._rough}
        self._lengths = {i: lines[i].lengths for i in self._rough}
        self._spooled = {
            i: cables.tension(i, lines[i]) for i in self._rough if lines[i].cable.spooled
        }

    @property
    def acts(self) -> bool:
        """Whether any cable has friction."""
        return bool(self._rough)

    def at(self, inputs: Inputs) -> CableFriction:
        """The same with the tensions that the inputs say."""
        friction = copy(self)
        friction._cables = self._cables.at(inputs)
        return friction

    def value(self, q: Placement) -> float:
        """The energy [J]: what has been lost since the step began."""
        lost = [
            self._taken(i, line) @ (line.lengths - self._lengths[i]) for i, line in self._lines(q.x)
        ]
        self.noise = 1e-15 * sum(map(abs, lost))
        return float(sum(lost))

    def dissipated(self, q: Placement) -> float:
        """What is lost on the way to q [J]."""
        return self.value(q)

    def add_forces(self, q: Placement, forces: Forces) -> float:
        """Take from the pull of each segment; the pulls themselves count already."""
        for i, line in self._lines(q.x):
            np.add.at(forces.nodes, line.cable.points, line.pulls(self._taken(i, line)))
        return 0.0

    def add_stiffness(self, q: Placement, stiffness: Stiffness) -> None:
        """Add the second derivatives, all of which are negative."""
        if not stiffness.definite:
            for i, line in self._lines(q.x):
                line.add_stiffness(self._taken(i, line), stiffness)

    def _lines(self, x: Floats) -> list[tuple[int, Line]]:
        return [(i, Line(self._cables.cables[i], x)) for i in self._rough]

    def _taken(self, i: int, line: Line) -> Floats:
        """(k - 1,) minus the tension [N] that each segment lacks."""
        tension = self._spooled.get(i)
        if tension is None:
            tension = self._cables.tension(i, line)
        return np.asarray((self._shares[i] - 1) * tension)
