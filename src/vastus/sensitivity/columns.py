"""The columns of a model's table, measured where a parameter and all that follows it have moved."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from vastus.errors import ModelError, known
from vastus.measure.outputs import Outputs, joint_columns
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.sensitivity.equilibrium import STENCIL, Placed, StableEquilibrium
from vastus.sensitivity.parameters.parameter import AXES, Parameter

POINT = re.compile(r"vertex_\d+_[xyz]_m")  # the place of a vertex, as that of a marker
WITHOUT = ("_work_J", "_power_W")  # what needs the frame before
# Differences of outputs, measured on an elbow whose tendons leave their toes and whose muscles lie
# on bones: at a step of 1 kinks err by 1e-4, below .05 round-off shows.
FINE = 0.2  # of a parameter's step
ROUGH, LEAST = 1e-7, 1e-2  # an error that is not left, over the derivative or so much of an output
NEAR, NEARER = 0.125, 2  # how much nearer points are taken then, and how often
# Of the largest column of a unit, or of this: what unevenness is by round-off.
ROUND_OFF, SMALL = 1e-12, 1e-2
SHARE = 12.0  # the unevenness of a kink over the error that it makes


class Columns:
    """Some columns of the table, by name; those of joints alone need no stresses.

    `usual` are the outputs of a model of the same shape, if some are at hand.
    """

    def __init__(
        self, here: StableEquilibrium, names: Sequence[str] | None, usual: Outputs | None = None
    ) -> None:
        self._here = here
        self._points = [name for name in names or () if POINT.fullmatch(name)]
        quick = {*joint_columns(here.model, here.state), *self._points}
        self._cheap = names is not None and set(names) <= quick
        self._usual = usual.with_laws(here.model) if usual else None
        now = Placed(here.model, here.inputs, here.problem, here.q)
        self.values = self.of(now)
        able = [name for name in self.values if not name.endswith(WITHOUT)]
        self.names = able if names is None else list(names)
        for name in self.names:
            if name not in able:
                raise known("output", name, able)
        if names is not None and not self._cheap:
            self._usual = self._outputs(here.model).only(self.names, now.state)

    def of(self, at: Placed) -> dict[str, float]:
        """All columns, or those of joints, of a placement."""
        row = joint_columns(at.model, at.state) if self._cheap else {}
        return (row or self._measured(at)) | {name: self._point(at, name) for name in self._points}

    def _measured(self, at: Placed) -> dict[str, float]:
        return {} if self._cheap else self._outputs(at.model).of(at.state)

    def _point(self, at: Placed, name: str) -> float:
        """A coordinate [m] of a vertex."""
        _, vertex, axis, _ = name.split("_")
        if int(vertex) >= len(at.q.x):
            raise ModelError(f"no vertex {vertex}; the mesh has {len(at.q.x)}, counted from 0")
        return float(at.q.x[int(vertex), AXES.index(axis)])

    def _outputs(self, model: Model) -> Outputs:
        self._usual = self._usual or Outputs(self._here.model)
        if model is self._here.model:
            return self._usual
        if model.mesh is self._here.model.mesh and model.fibre is self._here.model.fibre:
            return self._here.variants.measured(self._usual, model)
        return Outputs(model)

    def along(self, parameter: Parameter, answer: Floats) -> Floats:
        """(o,) the derivatives of the columns, the unknowns following by `answer` (k + f,).

        No derivative of an output is written for this: each is measured along the tangent, by
        central differences of fourth order. Where the curvature of an output jumps between the
        points, as that of a tendon's force where it leaves its toe, they are taken nearer.
        """
        here = self._here
        h, scale = (each(here.model, here.inputs) for each in (parameter.step, parameter.scale))
        now = np.array([self.values[name] for name in self.names])
        found, rough = self._differences(parameter, answer, FINE * h, now)
        for _ in range(NEARER):
            size = np.maximum(np.abs(found), LEAST * np.abs(now) / scale)
            if not (rough > ROUGH * size).any():
                break
            h *= NEAR
            again, other = self._differences(parameter, answer, FINE * h, now)
            # What was smooth already only gets noisier.
            better = (rough > ROUGH * size) & (other < rough)
            found, rough = np.where(better, again, found), np.where(better, other, rough)
        return found

    def _differences(
        self, parameter: Parameter, answer: Floats, h: float, now: Floats
    ) -> tuple[Floats, Floats]:
        """(o,) differences with the step h, and by how much they would be wrong by kinks.

        Of a smooth output y(s) + y(-s) - 2 y(0) is four times as large at twice the step.
        """
        found, uneven = np.zeros(len(self.names)), np.zeros(len(self.names))
        for (far, weight), part in zip(STENCIL, (-4.0, 1.0), strict=True):
            ahead, behind = (
                self._row(self._here.moved(parameter, side * far * h, answer))
                for side in (1.0, -1.0)
            )
            found += weight / h * (ahead - behind)
            uneven += part * (ahead + behind - 2.0 * now)
        uneven = np.maximum(np.abs(uneven) - ROUND_OFF * self._alike(now), 0.0)
        return found, uneven / (SHARE * h)

    def _alike(self, now: Floats) -> Floats:
        """(o,) the largest value of all columns of the same unit, of which round-off is a part."""
        units = np.array([name.rpartition("_")[2] for name in self.names])
        return np.array([np.nanmax(np.abs(now[units == unit]), initial=SMALL) for unit in units])

    def _row(self, at: Placed) -> Floats:
        row = self.of(at)
        return np.array([row.get(name, np.nan) for name in self.names])
