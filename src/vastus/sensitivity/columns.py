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
        self.values = self.of(Placed(here.model, here.inputs, here.problem, here.q))
        able = [name for name in self.values if not name.endswith(WITHOUT)]
        self.names = able if names is None else list(names)
        for name in self.names:
            if name not in able:
                raise known("output", name, able)

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
            return self._usual.with_laws(model)
        return Outputs(model)

    def along(self, parameter: Parameter, answer: Floats) -> Floats:
        """(o,) the derivatives of the columns, the unknowns following by `answer` (k + f,).

        No derivative of an output is written for this: each is measured along the tangent, by
        central differences of fourth order.
        """
        here = self._here
        h = parameter.step(here.model, here.inputs)
        total = np.zeros(len(self.names))
        for far, weight in STENCIL:
            rows = [self.of(here.moved(parameter, side * far * h, answer)) for side in (1.0, -1.0)]
            ahead, behind = (np.array([row.get(n, np.nan) for n in self.names]) for row in rows)
            total += weight / h * (ahead - behind)
        return total
