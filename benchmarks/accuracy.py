"""How far the default solver is from equilibrium, on random models: `accuracy.py [--models 200]`.

Each model is drawn by a seeded generator: shape, size, laws, stiffness ratio, strength, activations
and the accuracy asked for. The answer is then polished by Newton's method; the distance that
Newton moves it must not exceed what was asked. A solve that says it failed is counted apart.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vastus import Inputs, Model, from_arrays, shapes
from vastus.bench.jobs import describe
from vastus.errors import SolveError
from vastus.materials import ActiveFibre, HillFibre, MooneyRivlin, NeoHookean, StableNeoHookean
from vastus.modelling.shapes import Materials
from vastus.solvers.newton import Newton
from vastus.solvers.quasi_newton import QuasiNewton, length
from vastus.state import rest

SMALLEST = {"bar": 1100, "fusiform": 1100, "bipennate": 2000, "elbow": 2000}


@dataclass(frozen=True, eq=False)
class Case:
    """A random model, its inputs, and the accuracy asked for."""

    text: str
    model: Model
    inputs: list[Inputs]
    accuracy: float


def draw(rng: np.random.Generator) -> Case:
    """A random case."""
    name = str(rng.choice(list(SMALLEST)))
    tets = max(int(10 ** rng.uniform(3.05, 3.7)), SMALLEST[name])
    young, poisson = 10 ** rng.uniform(4, 6), float(rng.choice([0.3, 0.45, 0.49, 0.4955]))
    bulk = young / (3 * (1 - 2 * poisson))
    laws = (StableNeoHookean(young, poisson), NeoHookean(young, poisson))
    law = (*laws, MooneyRivlin(young / 6, 0.0, bulk))[rng.integers(3)]
    active = (ActiveFibre(), HillFibre())[rng.integers(2)]
    tendon = StableNeoHookean(young * 10 ** rng.uniform(1, 4), 0.4)
    strength = 10 ** rng.uniform(4.5, 5.7)
    materials = Materials(muscle=(law, active), tendon=(tendon,), strength=strength)
    model = getattr(shapes, name)(tets=tets, materials=materials)
    levels = {m.name: np.array([0.0, rng.uniform()]) for m in model.muscles}
    accuracy = float(rng.choice([1e-2, 1e-3, 1e-4]))
    text = f"{name} {model.mesh.n_tets} {law.name} {active.name} E={young:.1e} nu={poisson}"
    return Case(text, model, from_arrays(model, np.array([0.0, 1.0]), levels), accuracy)


def distance(case: Case) -> float | None:
    """The distance to equilibrium over the accuracy asked for; None for a solve that failed."""
    stepper = QuasiNewton(case.accuracy).prepare(case.model)
    state = rest(case.model)
    try:
        for inputs in case.inputs:
            state, _ = stepper.step(state, inputs)
    except SolveError:
        return None
    exact, _ = Newton(max_iterations=1000).prepare(case.model).step(state, state.inputs)
    moved = float(np.linalg.norm(exact.x - state.x, axis=1).max())
    return moved / length(case.model) / case.accuracy


def main() -> None:
    """Draw the models, print the worst, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    found = []
    for k in range(options.models):
        case = draw(rng)
        ratio = distance(case)
        found.append(ratio)
        if ratio is None or ratio > 1:
            print(f"{k}: {case.text} accuracy {case.accuracy:g}: {ratio}", flush=True)
    solved = np.array([r for r in found if r is not None])
    figures = {
        "models": len(found),
        "said they failed": found.count(None),
        "farther than stated": int((solved > 1).sum()),
        "median of distance over accuracy": float(np.median(solved)),
        "largest": float(solved.max()),
    }
    for name, value in figures.items():
        print(f"{name:>34}  {value:.3g}")
    if options.out:
        options.out.write_text(json.dumps({"machine": describe(), "figures": figures}, indent=2))


if __name__ == "__main__":
    main()
