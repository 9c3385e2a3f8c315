"""Where a model will be: a parabola through its last states, along what drives it.

States of a run lie on a path of equilibria, which is smooth while its drivers move evenly. The last
three, placed by how far along the way to the new inputs each of them was driven, tell where the
path leads (theory, "Prediction"). Drivers that turn, jump or stop leave fewer states, or none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vastus.inputs import OUTSIDE, Inputs
from vastus.numerics.rotation import nearest_rotations
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.solvers.geometric import near_balance, second_stress
from vastus.solvers.problem import Configuration, Equilibrium, Problem
from vastus.state import State

FORMER = 2  # states before the last that are remembered
BESIDE = 0.25  # of the way ahead: how far from its line a state may have been driven
APART = 0.1  # of the way ahead: states that were driven less than that apart tell too little
WEIGHT = 10.0  # the most that a state may count: a larger one magnifies what is wrong with it
VERTICES, POSES, DRIVERS = "former_vertices", "former_poses", "former_drivers"


@dataclass(frozen=True, eq=False)
class Path:
    """The last state and those before it, newest first, and what drove each (k, d)."""

    x: tuple[Floats, ...]
    poses: tuple[Floats, ...]
    drivers: tuple[Floats, ...]

    @classmethod
    def to(cls, problem: Problem, state: State) -> Path:
        """The path that ends at a state, as far as that remembers."""
        former = [state.memory.get(name, ()) for name in (VERTICES, POSES, DRIVERS)]
        here = state.x, state.poses, drivers(problem, Inputs.of(state))
        x, poses, driven = ((now, *before) for now, before in zip(here, former, strict=True))
        return cls(x, poses, driven)

    @property
    def memory(self) -> dict[str, Floats]:
        """What the state after the last has to remember."""
        parts = {VERTICES: self.x, POSES: self.poses, DRIVERS: self.drivers}
        return {name: np.stack(part[:FORMER]) for name, part in parts.items()}

    def weights(self, target: Floats) -> Floats:
        """(k,) how much each state counts for what drivers `target` (d,) lead to; few may count."""
        way = target - self.drivers[0]
        length = float(way @ way)
        if length == 0.0:
            return np.ones(1)
        chosen = [0.0]
        for former in self.drivers[1:]:
            back = former - self.drivers[0]
            place = float(back @ way) / length
            beside = float(np.linalg.norm(back - place * way)) / length**0.5
            if beside > BESIDE or min(abs(place - other) for other in chosen) < APART:
                break
            chosen.append(place)
        weights = lagrange(chosen)
        while np.abs(weights).max() > WEIGHT:
            weights = lagrange(chosen[: len(weights) - 1])
        return weights

    def foreseen(self, objective: Equilibrium, q: Configuration, inputs: Inputs) -> Floats | None:
        """(s, 3, 3) the second Piola stress that the path leads to at q [Pa].

        None where q, near balance, has as good a one itself.
        """
        if near_balance(objective, objective.gradient(q)):
            return None
        weights = self.weights(drivers(objective.problem, inputs))
        F = (objective.problem.elastic.deformation(x) for x in self.x)
        parts = [w * second_stress(objective, F) for w, F in zip(weights, F, strict=False)]
        return np.asarray(sum(parts))


def lagrange(places: list[float]) -> Floats:
    """(k,) the weights with which values at `places` (k,) make their polynomial's value at 1."""
    t = np.array(places)
    factors = [np.delete((1.0 - t) / (t[i] - t + (t == t[i])), i) for i in range(len(t))]
    return np.array([factor.prod() for factor in factors])


def drivers(problem: Problem, inputs: Inputs) -> Floats:
    """(d,) all numbers that drive a model, each kind as a share of what the model usually has."""
    whole = inputs.whole(problem.usual)
    driven = np.array([bone.drive is not Drive.FREE for bone in problem.model.bones], bool)
    reach = float(np.ptp(problem.model.mesh.X, axis=0).max())
    poses = whole.poses[driven] / np.array([1.0, 1.0, 1.0, reach])
    outside = [np.nan_to_num(getattr(whole, name)).ravel() for name in OUTSIDE]
    units = [max(1.0, float(np.abs(problem.usual[name]).max(initial=0.0))) for name in OUTSIDE]
    return np.concatenate(
        [
            whole.excitation,
            poses.ravel(),
            *(numbers / unit for numbers, unit in zip(outside, units, strict=True)),
        ]
    )


def predicted(
    objective: Equilibrium, path: Path, state: State, inputs: Inputs
) -> Configuration | None:
    """Where the path leads at `inputs`, if the energy there is lower than here; else None."""
    problem = objective.problem
    weights = path.weights(drivers(problem, inputs))
    if len(weights) == 1:
        return None
    x = sum(w * x for w, x in zip(weights, path.x, strict=False))
    poses = sum(w * pose for w, pose in zip(weights, path.poses, strict=False))
    poses = np.concatenate([nearest_rotations(poses[:, :, :3]), poses[:, :, 3:]], axis=2)
    ahead = problem.driven(replace(state, x=x, poses=poses), inputs)
    old, stay = Configuration(problem, state.x, state.poses), problem.driven(state, inputs)
    # The place ahead comes last: what was computed there is kept.
    if not objective.value(stay) > objective.value(ahead):
        return None
    return ahead if objective.allowed(old, ahead.x - old.x) >= 1.0 else None
