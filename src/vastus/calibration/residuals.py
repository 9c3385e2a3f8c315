"""The differences between a model and measured values, with their exact Jacobian.

Every evaluation goes the same path: from rest through the inputs of each schedule. One that went
on from the last evaluation could end on another branch, and the optimiser would see a jump.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from vastus.calibration.journal import Entry, Journal
from vastus.calibration.target import Target
from vastus.errors import ModelError, SolveError, known
from vastus.inputs import Inputs
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.muscle import belly_of
from vastus.numerics.types import Floats
from vastus.sensitivity.derivatives import derivatives_at
from vastus.sensitivity.equilibrium import StableEquilibrium
from vastus.sensitivity.parameters.parameter import Parameter
from vastus.sensitivity.parameters.paths import parameters_of
from vastus.sensitivity.slopes import differentiable
from vastus.sensitivity.variants import Variants
from vastus.solvers.newton import Newton
from vastus.state import State, rest

REFUSED = 10.0  # the size of a residual where there is no equilibrium, over that at the start


@dataclass(eq=False)
class Effort:
    """What a fit has cost so far."""

    evaluations: int = 0
    equilibria: int = 0
    failures: list[str] = field(default_factory=list)  # why some values have no equilibrium


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Outputs (n,) of all targets one after another, and their Jacobian (n, p) by parameters."""

    values: Floats
    outputs: Floats
    J: Floats


class Residuals:
    """The residuals of targets as a function of parameters, by their paths.

    They have derivatives if they are `exact`. What a journal has is not computed again.
    """

    def __init__(
        self,
        model: Model,
        paths: Sequence[str | Parameter],
        targets: Sequence[Target],
        *,
        tolerance: float,
        exact: bool = True,
        journal: Journal | None = None,
        watch: Callable[[Effort], object] | None = None,
    ) -> None:
        self.exact, self._journal = exact, journal
        self.model, self.targets, self.effort = model, tuple(targets), Effort()
        first = Inputs.rest(model)
        self.parameters = parameters_of(paths, model, first)
        told = [p.path for p in self.parameters]
        twice = next((path for path in told if told.count(path) > 1), None)
        if twice:
            raise ModelError(f"the parameter '{twice}' is given twice")
        for parameter in self.parameters:
            if not parameter.of_model:
                raise ModelError(
                    f"'{parameter.path}' is not of the model but of its inputs, which a fit keeps; "
                    "find activations with vastus.inverse_activation"
                )
        self._tolerance, self._watch = tolerance, watch
        self._usual = Outputs(model)
        self._data = np.concatenate([target.values for target in self.targets])
        self._scale = np.repeat(
            [t.scale for t in self.targets], [len(t.values) for t in self.targets]
        )
        self._kept: dict[bytes, Evaluation] = {}
        self._worst = 1.0
        self._bellies = [belly_of(model, index) for index in range(len(model.muscles))]
        self.visited = np.tile([1.0, 1.0], (len(model.muscles), 1))  # least and largest stretch

    @property
    def weights(self) -> Floats:
        """(n,) one over the scale of each residual."""
        return 1.0 / self._scale

    @property
    def data(self) -> Floats:
        """(n,) the measured values."""
        return self._data

    def at(self, values: Floats) -> Evaluation:
        """Outputs and Jacobian at values (p,) of the parameters; kept for the last few."""
        key = np.asarray(values, float).tobytes()
        if key not in self._kept:
            if len(self._kept) > 3:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = self._evaluated(np.asarray(values, float))
        return self._kept[key]

    def residuals(self, values: Floats) -> Floats:
        """(n,) differences over their scales; large ones where there is no equilibrium."""
        try:
            found = (self.at(values).outputs - self._data) * self.weights
        except SolveError as error:
            if not self._kept:
                raise
            self.effort.failures.append(str(error))
            return np.full(len(self._data), REFUSED * self._worst)
        self._worst = max(self._worst, float(np.abs(found).max()))
        return np.asarray(found)

    def jacobian(self, values: Floats) -> Floats:
        """(n, p) their derivatives."""
        return self.at(values).J * self.weights[:, None]

    def model_at(self, values: Floats) -> Model:
        """The model with these values of its parameters."""
        model, inputs = self.model, Inputs.rest(self.model)
        for parameter, value in zip(self.parameters, values, strict=True):
            try:
                model, inputs = parameter.varied(model, inputs, float(value))
            except ModelError as error:
                raise ModelError(f"{parameter.path} = {value:g}: {error}") from None
        return model

    def _evaluated(self, values: Floats) -> Evaluation:
        self.effort.evaluations += 1
        entry = self._journal.of(values.tolist()) if self._journal is not None else None
        if entry is None:
            entry = self._entered(values)
        self.effort.equilibria += entry.equilibria
        if self._watch is not None:
            self._watch(self.effort)
        if entry.failure:
            raise SolveError(entry.failure)
        self.visited = np.array(entry.visited).reshape(-1, 2)
        J = np.array(entry.J).reshape(len(entry.outputs), -1)
        return Evaluation(values, np.array(entry.outputs), J)

    def _entered(self, values: Floats) -> Entry:
        """What comes of values, written down if there is a journal."""
        self._solved = 0
        try:
            outputs, J = self._found(values)
            seen = self.visited.tolist()
            entry = Entry(outputs, J, seen, self._solved)
        except SolveError as error:
            entry = Entry(equilibria=self._solved, failure=str(error))
        if self._journal is not None:
            self._journal.add(values.tolist(), entry)
        return entry

    def _found(self, values: Floats) -> tuple[list[float], list[list[float]]]:
        """Outputs (n,) and their derivatives (n, p)."""
        model = self.model_at(values)
        schedules = {id(target.inputs): target.inputs for target in self.targets}
        rows = {key: self._run(model, key, inputs) for key, inputs in schedules.items()}
        outputs, J = [], []
        for target in self.targets:
            for found in rows[id(target.inputs)][-len(target.values) :]:
                outputs.append(float(found[target.output][0]))
                J.append(found[target.output][1].tolist())
        return outputs, J

    def _run(
        self, model: Model, key: int, schedule: Sequence[Inputs]
    ) -> list[dict[str, tuple[float, Floats]]]:
        """The outputs wanted of one schedule in each of its frames that count, with derivatives."""
        wanted = [target for target in self.targets if id(target.inputs) == key]
        names = list(dict.fromkeys(target.output for target in wanted))
        counted = max(len(target.values) for target in wanted)
        stepper = Newton(max(self._tolerance, 1e-12)).prepare(model)
        state, rows, variants = rest(model), [], Variants(kept=True)
        measured: Outputs | None = None
        for index, inputs in enumerate(schedule):
            state, _ = stepper.step(state, inputs)
            self._solved += 1
            if index < len(schedule) - counted:
                continue
            if self.exact:
                here = StableEquilibrium(model, state, stepper.problem, stepper.hessian, variants)
                measured = measured or self._restricted(model, names, here.state)
                found = derivatives_at(here, by=self.parameters, of=names, usual=measured)
                rows.append({n: (found.outputs[n], found.J[k]) for k, n in enumerate(names)})
            else:
                rows.append(self._plain_row(model, state, names))
            self._visit(model, state)
        return rows

    def _visit(self, model: Model, state: State) -> None:
        """Note the fibre stretches of each muscle's tets."""
        for index, tets in enumerate(self._bellies):
            F = model.mesh.deformation(state.x)[tets]
            y = np.einsum("kij,kj->ki", F, model.fibre[tets])
            found = np.linalg.norm(y, axis=1)
            low, high = self.visited[index]
            self.visited[index] = (
                min(low, found.min(initial=low)),
                max(high, found.max(initial=high)),
            )

    def _plain_row(
        self, model: Model, state: State, names: list[str]
    ) -> dict[str, tuple[float, Floats]]:
        """The outputs without derivatives."""
        found = self._measures(model).of(state)
        for name in names:
            if name not in found:
                raise known("output", name, list(found))
        return {name: (found[name], np.zeros(0)) for name in names}

    def _restricted(self, model: Model, names: list[str], state: State) -> Outputs:
        """What measures some columns of a model; one that it does not have is refused."""
        whole = self._measures(model)
        able = whole.of(state)
        for name in names:
            if name not in able and differentiable(model, name) is None:
                raise known("output", name, list(able))
        return whole.only(names, state)

    def _measures(self, model: Model) -> Outputs:
        """What measures a model; a shape that a parameter changes has outputs of its own."""
        alike = model.mesh is self.model.mesh and model.fibre is self.model.fibre
        return self._usual.with_laws(model) if alike else Outputs(model)
