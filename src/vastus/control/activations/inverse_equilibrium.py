"""Activations with which an equilibrium has wanted outputs, at the least effort.

Sequential quadratic programming: at each equilibrium, outputs are replaced by their exact
linearisation y + J (b - a), bent by what their derivatives have changed since, and the activations
b of least effort that give the wanted values within the bounds solve a small quadratic program
(theory, eq. 108). What they cannot give is missed by as little as can be, so that a target out of
reach ends at the bounds instead of failing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vastus.control.activations.static_optimisation import distribute
from vastus.errors import ModelError, SolveError
from vastus.inputs import Inputs
from vastus.measure.outputs import Outputs
from vastus.model import Model, overview
from vastus.numerics.qp import quadratic_program
from vastus.numerics.types import Floats
from vastus.sensitivity.derivatives import derivatives_at
from vastus.sensitivity.equilibrium import StableEquilibrium
from vastus.solvers.newton import Newton
from vastus.state import State, rest

CAP = 0.3  # the most that an activation changes from one equilibrium to the next
STILL = 1e-9  # a change of activations that is none
SETTLED = 1e-5  # a change that moves outputs as wanted by nothing that counts
FIRST = 0.1  # of the largest activation, where it begins unless told
LESS = 0.5  # of what was missed: a step that leaves more has overshot
NEAR = 0.01  # a miss, in activations, from where the next step leads on whatever the bend
TINY = 1e-12
CONVEX = 0.1  # the least curvature of the effort along a change
SKEW = 1e-6  # a change of slopes that lies across the step tells nothing of it
SHORTER, ROUNDS = 0.5, 6  # of a step whose equilibrium is not found


@dataclass(frozen=True, eq=False)
class InverseActivation:
    """Activations that were found, and what they do."""

    activations: Mapping[str, float]
    outputs: Mapping[str, float]  # those wanted, as they are
    missed: Mapping[str, float]  # what they are beside what was wanted, in their units
    state: State
    equilibria: int
    converged: bool
    sentence: str

    def __repr__(self) -> str:
        """Activations and outputs."""
        return overview(f"InverseActivation: {self.sentence}", {**self.activations, **self.outputs})


def inverse_activation(
    model: Model,
    wanted: Mapping[str, float],
    *,
    muscles: Sequence[str] | None = None,
    inputs: Inputs | None = None,
    start: Mapping[str, float] | None = None,
    least: float = 0.0,
    accuracy: float = 1e-6,
    equilibria: int = 30,
) -> InverseActivation:
    """The least activations with which columns of the table have the values `wanted`.

    Columns are joint angles [deg], lengths, forces and all others, and `vertex_NUMBER_x_m` the
    place of a vertex, as that of a marker. `muscles` may be activated, all unless given, from
    their activations at the `start`, and never less than `least`; effort is the sum of squares.
    Everything else is as in `inputs`. It ends when outputs are within `accuracy`, in their units,
    or can come no closer.
    """
    search = _Search(model, list(wanted), muscles, least, accuracy)
    target = np.array(list(wanted.values()), float)
    inputs = inputs or Inputs.rest(model, 1.0)
    return search.found(target, inputs, rest(model), dict(start or {}), equilibria)


def inverse_activations(
    model: Model,
    wanted: Mapping[str, Floats],
    inputs: Sequence[Inputs],
    *,
    muscles: Sequence[str] | None = None,
    least: float = 0.0,
    accuracy: float = 1e-6,
    equilibria: int = 30,
    watch: Callable[[int, int], object] | None = None,
) -> list[InverseActivation]:
    """The least activations at several moments, each found on from the one before.

    `wanted` has for each column its values (k,) under the k `inputs`.
    """
    search = _Search(model, list(wanted), muscles, least, accuracy)
    targets = np.column_stack([np.asarray(values, float) for values in wanted.values()])
    if len(targets) != len(inputs):
        raise ModelError(f"{len(targets)} values are wanted under {len(inputs)} inputs")
    state, start, rows = rest(model), dict[str, float](), list[InverseActivation]()
    for target, given in zip(targets, inputs, strict=True):
        rows.append(search.found(target, given, state, start, equilibria))
        state, start = rows[-1].state, dict(rows[-1].activations)
        if watch is not None:
            watch(len(rows), len(inputs))
    return rows


@dataclass(frozen=True, eq=False)
class _Point:
    """An equilibrium at activations a (m,): outputs y (o,) and their derivatives J (o, m)."""

    a: Floats
    y: Floats
    J: Floats
    here: StableEquilibrium


class _Search:
    """The search in a model for outputs of these names, one target after another."""

    target: Floats  # (o,)
    inputs: Inputs
    count: int  # of equilibria

    def __init__(
        self, model: Model, outputs: list[str], muscles: Sequence[str] | None, least: float,
        accuracy: float,
    ) -> None:  # fmt: skip
        if not outputs:
            raise ModelError("nothing is wanted; give outputs with their values")
        names = [m.name for m in model.muscles] if muscles is None else list(muscles)
        self.model, self.names, self.outputs, self.accuracy = model, names, outputs, accuracy
        self.index = np.array([model.muscle(name) for name in names], int)
        if not len(self.index):
            raise ModelError("the model has no muscle that could be activated")
        limits = np.array([model.muscles[i].limit for i in self.index])
        self.limits = np.where(np.isfinite(limits), limits, 1.0)
        self.least = np.minimum(least, self.limits)
        self.stepper = Newton(1e-11).prepare(model)
        measured = any(not (n.endswith("_deg") or n.startswith("vertex_")) for n in self.outputs)
        self.usual = Outputs(model) if measured else None

    def found(
        self, target: Floats, inputs: Inputs, state: State, start: dict[str, float], most: int
    ) -> InverseActivation:
        """Repeat from a state until the outputs are as wanted, or until nothing changes."""
        self.target, self.inputs, self.count = target, inputs, 0
        a = np.array([start.get(name, FIRST * limit)
                      for name, limit in zip(self.names, self.limits, strict=True)])  # fmt: skip
        now = self._at(state, np.clip(a, self.least, self.limits))
        step, cap = np.inf, CAP
        bend = np.zeros((len(self.outputs), len(a), len(a)))
        while self.count < most:
            change = self._change(now, bend, cap)
            step = float(np.abs(change).max())
            close = bool(np.abs(now.y - self.target).max() <= self.accuracy)
            if step <= STILL or (close and step <= SETTLED):
                break
            ahead = self._advanced(now, change)
            if self._farther(ahead, now) and self.count < most:
                # The outputs bend: both ends and their slopes tell where they are as wanted.
                share = self._share(now, ahead)
                nearer = now if share < 0.5 else ahead
                bend = _bent(bend, now, ahead)
                ahead = self._at(nearer.here.state, now.a + share * (ahead.a - now.a))
            bend = _bent(bend, now, ahead)
            far, near, _ = self._misses(ahead, now)
            if far > NEAR and far >= near:
                cap = SHORTER**2 * float(np.abs((ahead.a - now.a) / self.limits).max())
            else:
                now, cap = ahead, min(CAP, 2.0 * cap)
        return self._told(now, step)

    def _farther(self, ahead: _Point, now: _Point) -> bool:
        """Whether a step has led away from what is wanted."""
        far, near, beyond = self._misses(ahead, now)
        return far > NEAR and (far > near or (beyond and far > LESS * near))

    def _misses(self, ahead: _Point, now: _Point) -> tuple[float, float, bool]:
        """What both ends of a step miss, in activations, and whether on different sides."""
        size = np.maximum(np.abs(now.J).max(axis=1), TINY)
        missed = [(p.y - self.target) / size for p in (ahead, now)]
        far, near = (float(np.linalg.norm(part)) for part in missed)
        return far, near, float(missed[0] @ missed[1]) < 0.0

    def _share(self, now: _Point, ahead: _Point) -> float:
        """The part of a step at which cubics through both ends come closest to the target."""
        s = np.linspace(0.02, 0.98, 97)[:, None]
        way = ahead.a - now.a
        first, last = now.J @ way, ahead.J @ way
        y = (
            (1 + 2 * s) * (1 - s) ** 2 * now.y
            + s * (1 - s) ** 2 * first
            + s**2 * (3 - 2 * s) * ahead.y
            + s**2 * (s - 1) * last
        )
        size = np.maximum(np.abs(now.J).max(axis=1), TINY)
        return float(s[np.argmin((((y - self.target) / size) ** 2).sum(axis=1)), 0])

    def _change(self, now: _Point, bend: Floats, cap: float) -> Floats:
        """(m,) the change of activations that is best by a quadratic model of the outputs.

        The model is made linear again where each change leads, so that this costs no equilibrium.
        """
        reach = cap * self.limits
        low = np.maximum(self.least - now.a, -reach)
        high = np.minimum(self.limits - now.a, reach)
        change = np.zeros_like(now.a)
        for _ in range(ROUNDS):
            bent = bend @ change
            J = now.J + bent
            b = self.target - now.y + 0.5 * bent @ change
            before, change = change, self._step(now, bend, J, b, low, high)
            if np.abs(change - before).max() <= STILL:
                break
        return change

    def _step(
        self, now: _Point, bend: Floats, J: Floats, b: Floats, low: Floats, high: Floats
    ) -> Floats:
        """(m,) the change d of least effort with J d = b within limits, or what comes closest."""
        H = self._effort(now, bend, J)
        try:
            return quadratic_program(H, now.a, A=J, b=b, low=low, high=high)
        except SolveError:
            found = distribute(J, b + J @ now.a, low=now.a + low, high=now.a + high)
            return np.asarray(found.activations - now.a)

    def _effort(self, now: _Point, bend: Floats, J: Floats) -> Floats:
        """(m, m) the curvature of the effort along all changes that leave the outputs as wanted.

        Outputs that bend add theirs, each times what the effort would change with it.
        """
        free = (now.a > self.least + STILL) & (now.a < self.limits - STILL)
        price = np.linalg.lstsq(J[:, free].T, now.a[free])[0] if free.any() else np.zeros(len(J))
        H = np.eye(len(now.a)) - np.einsum("o,oij->ij", price, bend)
        size = np.maximum(np.linalg.norm(J, axis=1), TINY)
        # What the outputs hold anyway does not count, and keeps the whole convex.
        across = (J / size[:, None]).T @ (J / size[:, None])
        values, vectors = np.linalg.eigh(H + np.abs(H).sum() * across)
        return np.asarray((vectors * np.maximum(values, CONVEX)) @ vectors.T)

    def _advanced(self, now: _Point, change: Floats) -> _Point:
        """The equilibrium after a change, or after a shorter one if there is none."""
        for _ in range(ROUNDS):
            try:
                return self._at(now.here.state, now.a + change)
            except SolveError as error:
                failed, change = error, SHORTER * change
        raise failed

    def _at(self, state: State, a: Floats) -> _Point:
        """The equilibrium at activations, reached from a state, and its linearisation."""
        excitation = np.array(self.inputs.excitation, float)
        excitation[self.index] = a
        self.count += 1
        state, _ = self.stepper.step(state, replace(self.inputs, excitation=excitation))
        here = StableEquilibrium(self.model, state, self.stepper.problem, self.stepper.hessian)
        by = [f"inputs.activation.{name}" for name in self.names]
        found = derivatives_at(here, by=by, of=self.outputs, usual=self.usual)
        return _Point(a, np.array([found.outputs[name] for name in self.outputs]), found.J, here)

    def _told(self, now: _Point, step: float) -> InverseActivation:
        a, y, off = now.a, now.y, now.y - self.target
        close = bool(np.abs(off).max() <= self.accuracy)
        settled = step <= SETTLED
        if close:
            sentence = f"reached after {self.count} equilibria"
        elif settled:
            ends = [
                f"{name} at {level:.3g}"
                for name, level, low, high in zip(
                    self.names, a, self.least, self.limits, strict=True
                )
                if level <= low + STILL or level >= high - STILL
            ]
            missed = ", ".join(
                f"{name} by {d:.3g}" for name, d in zip(self.outputs, off, strict=True)
                if abs(d) > self.accuracy
            )  # fmt: skip
            sentence = f"out of reach: it misses {missed}, with {', '.join(ends) or 'no bound met'}"
        else:
            sentence = f"not settled after {self.count} equilibria"
        return InverseActivation(
            dict(zip(self.names, a.tolist(), strict=True)),
            dict(zip(self.outputs, y.tolist(), strict=True)),
            dict(zip(self.outputs, off.tolist(), strict=True)),
            now.here.state, self.count, close, sentence,
        )  # fmt: skip


def _bent(bend: Floats, before: _Point, after: _Point) -> Floats:
    """(o, m, m) how the outputs bend, by what their derivatives have changed (SR1)."""
    way = after.a - before.a
    out = bend.copy()
    for B, change in zip(out, after.J - before.J, strict=True):
        rest_of = change - B @ way
        size = float(rest_of @ way)
        if abs(size) > SKEW * float(np.linalg.norm(rest_of) * np.linalg.norm(way)):
            B += np.outer(rest_of, rest_of) / size
    return out
