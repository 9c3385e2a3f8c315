"""EMU: muscle simulation in deformation space (Modi et al. 2020), with its equations corrected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

import numpy as np

from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.minimise import Moment, Objective, Outcome, Point, Rule, Watch, minimise
from vastus.numerics.types import Floats
from vastus.skeleton.bones import BoneModel
from vastus.skeleton.rigid import Rigid
from vastus.solvers.emu.collisions import Collisions, Start, resolve
from vastus.solvers.emu.directions import DirectionChoice, ExactNewton, hessian_of
from vastus.solvers.emu.pieces import Pieces, PiecesEnergy, final_mesh
from vastus.solvers.emu.space import Space, refuse_joint_inputs, refuse_resistance
from vastus.solvers.problem import Configuration, Equilibrium, Problem, Reduction
from vastus.solvers.stepping import Effort, QuasiStaticStepper
from vastus.state import State, rest

SHARP = 2.0  # times as many iterations as for the alpha before
GRADIENTS = "emu_gradients"  # (elements, 3, 3), which a mesh alone does not tell
LARGEST = 1e4  # the error falls as 1/alpha: beyond this there is nothing left to gain


@dataclass(frozen=True)
class AlphaChoice:
    """An alpha, the iterations that each tried alpha took, and why it was chosen."""

    alpha: float
    iterations: dict[float, int]
    reason: str


def search_alpha(
    tally: Callable[[float], tuple[int, bool]], largest: float = LARGEST
) -> AlphaChoice:
    """Raise alpha tenfold from 1; `tally` gives its iterations, and whether they suffice."""
    tried: dict[float, int] = {}
    alpha, best = 1.0, 1.0
    while alpha <= largest:
        tried[alpha], enough = tally(alpha)
        if not enough:
            return AlphaChoice(best, tried, _unsolved(alpha, best, tried[alpha]))
        if tried[alpha] > SHARP * tried[best] and alpha > 1.0:
            return AlphaChoice(best, tried, _risen(alpha, best, tried))
        alpha, best = 10.0 * alpha, alpha
    return AlphaChoice(best, tried, f"alpha {best:g}: up to here iterations do not rise sharply")


def trial_inputs(model: Model, young: float) -> Inputs:
    """Every muscle activated to a stress of 0.3 `young` [Pa], or to its limit."""
    each = zip(model.muscles, model.stress, strict=True)
    level = [min(muscle.limit, 0.3 * young / stress) for muscle, stress in each]
    none = Inputs.rest(model, time=1.0)
    activation: Floats = np.array(level, float)
    return Inputs(none.time, activation, none.poses)


def _unsolved(alpha: float, best: float, count: int) -> str:
    return f"alpha {best:g}: {count} iterations were not enough at alpha {alpha:g}"


def _risen(alpha: float, best: float, tried: dict[float, int]) -> str:
    return (
        f"alpha {best:g}: iterations rise from {tried[best]} to {tried[alpha]} "
        f"between alpha {best:g} and {alpha:g}"
    )


@dataclass(frozen=True)
class EnergyChange(Rule):
    """Stop also where an iteration changed the energy by less than `change` [J].

    It says nothing about forces: results may be several per cent off.
    """

    change: float = 1e-2

    def gauge(self, objective: Objective[Point], q: Point, g: Floats) -> tuple[float, float]:
        """The residual, and a target that it meets where the energy has stopped changing."""
        residual, target = super().gauge(objective, q, g)
        assert isinstance(q, Pieces)
        stopped = abs(q.value - q.before) < self.change
        return residual, max(target, residual) if stopped and np.isfinite(residual) else target


class EmuContact(StrEnum):
    """How bodies are kept out of each other.

    By the `energy` that the model's contact has, on the nearest mesh; or as in the `paper`, by
    collision forces among the loads, which let bodies in a little.
    """

    ENERGY = "energy"
    PAPER = "paper"


BONE_YOUNG = 1e10  # [Pa] of the elements of bones that end up rigid


@dataclass(frozen=True)
class Emu:
    """Independent deformation gradients, tied to the nearest continuous mesh by `alpha`.

    `alpha` has no unit; the error against full elements falls as 1/alpha. None searches for the
    largest that does not cost many iterations. `modes` counts vector modes, three for each scalar
    one; the exact direction needs none. A step has converged when the out-of-balance forces on the
    corners of the elements are below `tolerance` times those that balance, or, if `paper_stop` is
    given, when an iteration changed the energy by less than so much [J]. Bones are affine while
    iterating; in the end they are as `bones` says. `contact` is how bodies of models that have
    contact are kept apart.
    """

    alpha: float | None = None
    direction: DirectionChoice = ExactNewton()  # noqa: RUF009  (a frozen value)
    modes: int = 48
    tolerance: float = 1e-4
    max_iterations: int = 200
    paper_stop: float | None = None
    bones: BoneModel = Rigid()  # noqa: RUF009  (a frozen value)
    contact: EmuContact = EmuContact.ENERGY

    def __post_init__(self) -> None:
        if self.alpha is not None and not 0 < self.alpha < np.inf:
            raise ModelError(f"alpha is {self.alpha:g}; it must be finite and above 0")
        if self.modes < 3:
            raise ModelError(f"modes is {self.modes}; at least 3 vector modes are needed")

    def prepare(self, model: Model) -> EmuStepper:
        """Factor the continuity matrix, find its modes and, unless given, alpha."""
        return EmuStepper(self, model)

    @property
    def rule(self) -> Rule:
        """When to stop."""
        if self.paper_stop is None:
            return Rule(self.tolerance, self.max_iterations)
        return EnergyChange(self.tolerance, self.max_iterations, self.paper_stop)


def choose_alpha(model: Model, settings: Emu | None = None) -> AlphaChoice:
    """An alpha for the model, by trial solves from rest with every muscle activated."""
    choice = replace(settings or Emu(), alpha=None).prepare(model).choice
    assert choice is not None
    return choice


class EmuStepper(QuasiStaticStepper):
    """EMU prepared for one model; `choice` says why alpha is what it is, unless it was given."""

    def __init__(self, settings: Emu, model: Model) -> None:
        if model.contact is not None and model.contact.friction:
            raise ModelError("EMU knows no friction; solve with Newton or QuasiNewton")
        self._collisions: Collisions | None = None
        if settings.contact is EmuContact.PAPER and model.contact is not None:
            self._collisions, model = Collisions(model), model.with_(contact=None)
        self.problem = Problem(model, Reduction(settings.bones))
        self.effort = Effort()
        self.space = Space(self.problem, settings.bones.young or BONE_YOUNG)
        self._direction = settings.direction.prepare(self.space, settings.modes, self.effort)
        if self._collisions:
            hessian_of(self._direction)
        self._rule = settings.rule
        self.choice: AlphaChoice | None = None
        if settings.alpha is None:
            self.choice = search_alpha(self._tally)
        self.alpha: float = settings.alpha or self.choice.alpha  # type: ignore[union-attr]

    def solve(self, state: State, inputs: Inputs, watch: Watch | None) -> Outcome[Configuration]:
        """Minimise EMU's energy from the old state, then make the final mesh."""
        refuse_joint_inputs(inputs)
        if self._collisions:
            under = partial(self.energy, state, inputs, self.alpha)
            pushes = self._collisions.present(state.x)
            start = Start(self._gradients(state), pushes, hessian_of(self._direction))
            energy, found = resolve(under, start, self._collisions, self._rule, watch)
            return self._finished(energy, found, inputs)
        energy = self.energy(state, inputs, self.alpha)
        shown = _on_mesh(watch, energy) if watch else None
        found = minimise(energy, energy.at(self._gradients(state)), self._rule, shown)
        return self._finished(energy, found, inputs)

    def energy(
        self, state: State, inputs: Inputs, alpha: float, further: Floats | None = None
    ) -> PiecesEnergy:
        """EMU's energy for these inputs, with coordinates about the state moved as they say.

        `further` are forces (n, 3) [N] besides the loads.
        """
        start = self.problem.driven(state, inputs)
        return PiecesEnergy(self.space, alpha, inputs, start, self._direction, further)

    def _tally(self, alpha: float) -> tuple[int, bool]:
        """How many iterations a trial takes at some alpha, and whether it converged."""
        state = rest(self.problem.model)
        inputs = trial_inputs(self.problem.model, float(np.median(self.space.young)))
        energy = self.energy(state, inputs, alpha)
        found = minimise(energy, energy.at(self._gradients(state)), self._rule)
        return len(found.history) - 1, found.converged

    def _gradients(self, state: State) -> Floats:
        """The gradients to start from: those that led to this state, if it remembers them."""
        if GRADIENTS in state.memory:
            return state.memory[GRADIENTS]
        bones = state.poses[self.problem.skeleton.free, :, :3]
        return np.concatenate([self.problem.elastic.deformation(state.x), bones])

    def _finished(
        self, energy: PiecesEnergy, found: Outcome[Pieces], inputs: Inputs
    ) -> Outcome[Configuration]:
        """The outcome on the final mesh, with the potential energy and forces there."""
        q = replace(final_mesh(energy, found.point), memory={GRADIENTS: found.point.F})
        if found.converged:
            refuse_resistance(q)
        there = Equilibrium(self.problem, inputs)
        value, g = there.value(q), there.gradient(q)
        return Outcome(
            q,
            value,
            g,
            found.load,
            found.target,
            found.history,
            found.converged,
            found.sentence,
            found.stopped,
        )


def _on_mesh(watch: Watch, energy: PiecesEnergy) -> Watch:
    """A watch that sees the mesh where the minimiser sees pieces."""

    def inner(at: Moment) -> object:
        return watch(replace(at, place=lambda: final_mesh(energy, at.place())))

    return inner
