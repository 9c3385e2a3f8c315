"""Derivatives of the outputs of an equilibrium by parameters: `vastus.derivatives`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vastus.measure.outputs import Outputs
from vastus.model import Model, overview
from vastus.numerics.types import Floats
from vastus.sensitivity.columns import Columns
from vastus.sensitivity.equilibrium import StableEquilibrium
from vastus.sensitivity.parameters.parameter import Parameter
from vastus.sensitivity.parameters.paths import parameters_of
from vastus.state import Frame, State


@dataclass(frozen=True, eq=False)
class Derivatives:
    """The Jacobian of outputs by parameters at an equilibrium.

    `J` (o, p) has the derivative of each output, in its unit, by each parameter in its own.
    """

    J: Floats
    of: tuple[str, ...]
    by: tuple[str, ...]
    outputs: Mapping[str, float]  # their values
    values: Mapping[str, float]  # those of the parameters
    state: State  # the equilibrium, polished

    def __getitem__(self, names: tuple[str, str]) -> float:
        """The derivative of an output by a parameter: `d["elbow_angle_deg", "gravity.z"]`."""
        return float(self.J[self.of.index(names[0]), self.by.index(names[1])])

    @property
    def relative(self) -> Floats:
        """(o, p) the change of each output for one of 100 % of each parameter; 0 of a zero one."""
        return self.J * np.array([self.values[name] for name in self.by])

    def rows(self) -> list[dict[str, float | str]]:
        """One row for each output and parameter, as tables hold them."""
        return [
            {"output": y, "parameter": p, "derivative": self[y, p], "relative": self.relative[i, j]}
            for i, y in enumerate(self.of)
            for j, p in enumerate(self.by)
        ]

    def __repr__(self) -> str:
        """The first derivatives, each with its output and parameter."""
        pairs = {f"d {y} / d {p}": self[y, p] for y in self.of for p in self.by}
        return overview(f"Derivatives of {len(self.of)} outputs", pairs)


def derivatives(
    model: Model,
    state: State | Frame,
    *,
    by: Sequence[str | Parameter],
    of: Sequence[str] | None = None,
) -> Derivatives:
    """How outputs of an equilibrium follow parameters, exactly: one factor, one solve a parameter.

    `by` are paths such as `muscles.biceps.strength`, `materials.muscle.young` or
    `loads.hand.force.z`, `of` the columns of the table, all unless given. The state is improved by
    Newton's method if it is not yet one to round-off; one that is not stable is refused.
    """
    here = StableEquilibrium(model, state.state if isinstance(state, Frame) else state)
    return derivatives_at(here, by=by, of=of)


def derivatives_at(
    here: StableEquilibrium,
    *,
    by: Sequence[str | Parameter],
    of: Sequence[str] | None = None,
    usual: Outputs | None = None,
) -> Derivatives:
    """The same where the equilibrium has been factored already, and outputs may be prepared."""
    parameters = parameters_of(by, here.model, here.inputs)
    columns = Columns(here, of, usual)
    answers = answers_to(here, parameters)
    found = [columns.along(p, a) for p, a in zip(parameters, answers, strict=True)]
    J = np.column_stack(found) if found else np.zeros((len(columns.names), 0))
    return Derivatives(
        J,
        tuple(columns.names),
        tuple(p.path for p in parameters),
        {name: columns.values[name] for name in columns.names},
        {p.path: p.value(here.model, here.inputs) for p in parameters},
        here.state,
    )


def answers_to(here: StableEquilibrium, parameters: Sequence[Parameter]) -> list[Floats]:
    """How the unknowns (k + f,) follow each parameter, all of them held else: -H^-1 g_p."""
    if not parameters:
        return []
    pulls = np.column_stack([parameter.pull(here) for parameter in parameters])
    return list(-here.solve(pulls).T)
