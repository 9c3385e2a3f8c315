"""The columns of a model's table, and how they follow a parameter and all that moves with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from vastus.errors import known
from vastus.measure.outputs import Outputs, joint_columns
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.sensitivity.equilibrium import STENCIL, Placed, StableEquilibrium
from vastus.sensitivity.parameters.parameter import Parameter
from vastus.sensitivity.slopes import differentiable

WITHOUT = ("_work_J", "_power_W")  # what needs the frame before
ROUGH, LEAST = 1e-7, 1e-2  # an error that is not left, over the derivative or so much of an output
NEAR, NEARER = 0.125, 2  # how much nearer points are taken then, and how often
# Of the largest column of a unit, or of this: what unevenness is by round-off.
ROUND_OFF, SMALL = 1e-12, 1e-2
SHARE = 12.0  # the unevenness of a kink over the error that it makes


class Columns:
    """Some columns of the table, by name, all unless named.

    Of those that are named, outputs that know their own derivative are not measured again for each
    parameter; the others are, and those of joints need no stresses for it. `usual` are the outputs
    of a model of the same shape, if some are at hand.
    """

    def __init__(
        self, here: StableEquilibrium, names: Sequence[str] | None, usual: Outputs | None = None
    ) -> None:
        self._here = here
        self._usual = usual.with_laws(here.model) if usual else Outputs(here.model)
        self._few = self._usual  # those of the columns that are measured
        self._now = Placed(here.model, here.inputs, here.problem, here.q)
        found = {name: differentiable(here.model, name) for name in names or ()}
        self._own = {name: kind for name, kind in found.items() if kind is not None}
        slopes = [kind.at(here, self._usual) for kind in self._own.values()]
        self._slopes = [here.reduced(slope.nodes) for slope in slopes]
        for row, slope in zip(self._slopes, slopes, strict=True):
            row[: here.q.chart.size] += slope.bones
        self.values = {n: s.value for n, s in zip(self._own, slopes, strict=True)}
        self._measured = [name for name in found if name not in self._own]
        self._cheap = set(self._measured) <= joint_columns(here.model, here.state).keys()
        if names is None or self._measured:
            self._measure(names is None)
        self.names = list(self.values) if names is None else list(names)

    def _measure(self, all_of_them: bool) -> None:
        """Take the values of columns that are measured; all of them, or those that are named."""
        self._cheap = self._cheap and not all_of_them
        row = self._columns(self._now)
        able = [name for name in row if not name.endswith(WITHOUT)]
        for name in self._measured:
            if name not in able:
                raise known("output", name, able)
        if all_of_them:
            self._measured = able
        elif not self._cheap:
            only = self._here.variants.only
            self._few = only(self._usual, self._measured, self._now.state)
        self.values |= {name: row[name] for name in self._measured}

    def along(self, parameter: Parameter, answer: Floats) -> Floats:
        """(o,) the derivatives of the columns, the unknowns following by `answer` (k + f,)."""
        found = self._by_slopes(parameter, answer)
        if self._measured:
            here = self._here
            derived = self._derived(
                self._measured, parameter,
                lambda s: self._row(here.moved(parameter, s, answer)),
            )  # fmt: skip
            found |= dict(zip(self._measured, derived.tolist(), strict=True))
        return np.array([found[name] for name in self.names])

    def _by_slopes(self, parameter: Parameter, answer: Floats) -> dict[str, float]:
        """By what the placement does, and what the parameter does where that is held."""
        by_place = (float(row @ answer) for row in self._slopes)
        found = dict(zip(self._own, by_place, strict=True))
        there = self._here.held(parameter, self._fine(parameter), forces=False)
        outputs = self._usual, self._outputs(self._usual, there.model)
        moved = [n for n, kind in self._own.items() if not kind.same(self._now, there, outputs)]

        def row(change: float) -> Floats:
            at = self._here.held(parameter, change, forces=False)
            measured = self._outputs(self._usual, at.model)
            return np.array([self._own[name].of(at, measured) for name in moved])

        if moved:
            derived = self._derived(moved, parameter, row)
            for name, own in zip(moved, derived.tolist(), strict=True):
                found[name] += own
        return found

    def _fine(self, parameter: Parameter) -> float:
        return parameter.fine(self._here.model, self._here.inputs)

    def _columns(self, at: Placed) -> dict[str, float]:
        """All columns, or those of joints, of a placement."""
        if self._cheap:
            return joint_columns(at.model, at.state)
        return self._outputs(self._few, at.model).of(at.state)

    def _row(self, at: Placed) -> Floats:
        row = self._columns(at)
        return np.array([row.get(name, np.nan) for name in self._measured])

    def _outputs(self, usual: Outputs, model: Model) -> Outputs:
        """What measures a model beside the present one as some outputs measure that."""
        if model is self._here.model:
            return usual
        if model.mesh is self._here.model.mesh:
            return self._here.variants.measured(usual, model)
        return Outputs(model)

    def _derived(
        self, names: list[str], parameter: Parameter, row: Callable[[float], Floats]
    ) -> Floats:
        """(o,) the derivatives of a row of columns (o,) by how far the parameter has moved.

        Central differences of fourth order. Where the curvature of an output jumps between the
        points, as that of a tendon's force where it leaves its toe, they are taken nearer.
        """
        h, scale = self._fine(parameter), parameter.scale(self._here.model, self._here.inputs)
        now = np.array([self.values[name] for name in names])
        alike = _alike(names, now)
        found, rough = _differences(row, h, now, alike)
        for _ in range(NEARER):
            size = np.maximum(np.abs(found), LEAST * np.abs(now) / scale)
            if not (rough > ROUGH * size).any():
                break
            h *= NEAR
            again, other = _differences(row, h, now, alike)
            # What was smooth already only gets noisier.
            better = (rough > ROUGH * size) & (other < rough)
            found, rough = np.where(better, again, found), np.where(better, other, rough)
        return found


def _differences(
    row: Callable[[float], Floats], h: float, now: Floats, alike: Floats
) -> tuple[Floats, Floats]:
    """(o,) differences with the step h, and by how much they would be wrong by kinks.

    Of a smooth output y(s) + y(-s) - 2 y(0) is four times as large at twice the step.
    """
    found, uneven = np.zeros(len(now)), np.zeros(len(now))
    for (far, weight), part in zip(STENCIL, (-4.0, 1.0), strict=True):
        ahead, behind = row(far * h), row(-far * h)
        found += weight / h * (ahead - behind)
        uneven += part * (ahead + behind - 2.0 * now)
    return found, np.maximum(np.abs(uneven) - ROUND_OFF * alike, 0.0) / (SHARE * h)


def _alike(names: Sequence[str], now: Floats) -> Floats:
    """(o,) the largest value of all columns of the same unit, of which round-off is a part."""
    units = np.array([name.rpartition("_")[2] for name in names])
    return np.array([np.nanmax(np.abs(now[units == unit]), initial=SMALL) for unit in units])
