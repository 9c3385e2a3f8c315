"""How far a solver is from the equilibrium of the path, on random models: `accuracy.py`.

Each model is drawn by a seeded generator: shape, size, laws, Poisson's ratio up to 0.4999,
stiffness ratios from 1 to 1e6, activations, gravity, loads, bodies pressed and stretched, all in
one jump, and the accuracy asked for. With `--walk` the solver goes there in frames that are even,
stop, go back and jump, so that it predicts some of them and is misled in others. The judge is
Newton's method from rest in small steps, not a polish of the answer. A solve that says that it
failed, jumped or inverted a tet is counted apart, and so is a model whose path depends on the size
of the small steps.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vastus import Inputs, Model, from_arrays, shapes
from vastus.bench.jobs import describe
from vastus.errors import SolveError
from vastus.inputs import as_in
from vastus.materials import ActiveFibre, HillFibre, MooneyRivlin, NeoHookean, StableNeoHookean
from vastus.modelling.shapes import Materials
from vastus.parts import Load, Pin
from vastus.solvers.newton import Newton, length
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import State, rest

SMALLEST = {"bar": 1000, "fusiform": 1000, "bipennate": 2000, "elbow": 2000}
STEPS = 16  # of the path that judges
JUMP = (1.0,)  # shares of what drives a model, frame by frame
WALK = (0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.35, 0.2, 0.7, 0.8, 0.9, 1.0)
SOLVERS = {"quasi-newton": QuasiNewton, "newton": Newton}


@dataclass(frozen=True, eq=False)
class Case:
    """A random model, what drives it in one jump, and the accuracy asked for."""

    text: str
    model: Model
    inputs: Inputs
    accuracy: float


def draw(rng: np.random.Generator) -> Case:
    """A random case."""
    name = str(rng.choice(list(SMALLEST)))
    tets = max(int(10 ** rng.uniform(3.0, 3.3)), SMALLEST[name])
    young = 10 ** rng.uniform(4, 6)
    poisson = float(rng.choice([0.3, 0.45, 0.49, 0.4955, 0.499, 0.4999]))
    bulk = young / (3 * (1 - 2 * poisson))
    laws = (StableNeoHookean(young, poisson), NeoHookean(young, poisson))
    law = (*laws, MooneyRivlin(young / 6, 0.0, bulk))[rng.integers(3)]
    active = (ActiveFibre(), HillFibre())[rng.integers(2)]
    ratio = 10 ** rng.uniform(0, 6)
    tendon = StableNeoHookean(young * ratio, 0.4)
    strength = young * 10 ** rng.uniform(-1, 1)
    materials = Materials(muscle=(law, active), tendon=(tendon,), strength=strength)
    model = getattr(shapes, name)(tets=tets, materials=materials)
    model = model.with_(gravity=model.gravity * 10 ** rng.uniform(-1, 1))
    model, more = driven(rng, model, young)
    levels = {m.name: np.array([rng.uniform()]) for m in model.muscles}
    accuracy = float(rng.choice([1e-2, 1e-3, 1e-4]))
    text = (
        f"{name} {model.mesh.n_tets} {law.name} {active.name} E={young:.1e} nu={poisson} "
        f"ratio={ratio:.1e} strength={strength:.1e}{more}"
    )
    return Case(text, model, from_arrays(model, np.array([1.0]), levels)[0], accuracy)


def driven(rng: np.random.Generator, model: Model, young: float) -> tuple[Model, str]:
    """The model, pressed, stretched or loaded at its far end, if that end is soft."""
    X, size = model.mesh.X, np.ptp(model.mesh.X, axis=0)
    axis = int(np.argmax(size))
    far = np.flatnonzero(X[:, axis] >= X[:, axis].max() - 1e-6)
    if (model.bone_of_vertex[far] >= 0).any():
        return model, ""
    kind, along = int(rng.integers(3)), np.eye(3)[axis]
    if kind == 0:
        shift = rng.uniform(-0.4, 1.0) * size[axis] * along
        pin = Pin("driven", far, (True, True, True), tuple(shift))
        return model.with_(pins=(*model.pins, pin)), f" end moved by {shift[axis]:.2g} m"
    if kind == 1:
        area = model.mesh.volumes.sum() / size[axis]
        force = rng.uniform(-0.05, 0.3) * young * area * along
        load = Load("driven", far, np.full(len(far), 1 / len(far)), force)
        return model.with_(loads=(*model.loads, load)), f" end pulled by {force[axis]:.2g} N"
    return model, ""


def path(case: Case, steps: int) -> State:
    """Newton's equilibrium from rest in so many steps."""
    shares = tuple((k + 1) / steps for k in range(steps))
    return led(case, Newton(max_iterations=400), shares)[0]


def led(case: Case, solver: Newton | QuasiNewton, shares: tuple[float, ...]) -> tuple[State, str]:
    """Where a solver comes to in frames, driven by these shares, and what it said on the way."""
    stepper, state, said = solver.prepare(case.model), rest(case.model), "converged"
    first, last = Inputs.of(state), case.inputs.whole(as_in(case.model))
    for share in shares:
        state, report = stepper.step(state, first.towards(last, share))
        said = said if report.sentence == "converged" else report.sentence
    return state, said


def judged(case: Case, kind: str, shares: tuple[float, ...] = JUMP) -> tuple[str, float]:
    """A verdict on a solver's answer, and its distance to the path over the accuracy asked for."""
    settings = SOLVERS[kind]
    solver = settings(case.accuracy) if settings is QuasiNewton else settings()
    try:
        answer, said = led(case, solver, shares)
    except SolveError:
        return "said it failed", np.nan
    try:
        ratio = apart(case, answer, path(case, STEPS))
        if ratio <= 1:
            return "as asked", ratio
        if said != "converged":
            return "said it left the branch", ratio
        if apart(case, path(case, STEPS), path(case, 3 * STEPS)) > 1:
            return "no single path", ratio
    except SolveError:
        return "the path fails", np.nan
    return "farther than asked", ratio


def apart(case: Case, a: State, b: State) -> float:
    """The largest distance of two states over the accuracy asked for."""
    moved = float(np.linalg.norm(a.x - b.x, axis=1).max())
    return moved / length(case.model) / case.accuracy


def main() -> None:
    """Draw the models, print those that are not as asked, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--solver", choices=SOLVERS, default="quasi-newton")
    parser.add_argument("--walk", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    verdicts: Counter[str] = Counter()
    ratios = []
    for k in range(options.models):
        case, began = draw(rng), time.perf_counter()
        verdict, ratio = judged(case, options.solver, WALK if options.walk else JUMP)
        verdicts[verdict] += 1
        if verdict == "as asked":
            ratios.append(ratio)
        else:
            took = time.perf_counter() - began
            found = f"{verdict} ({ratio:.3g}, {took:.0f} s)"
            print(f"{k}: {case.text} accuracy {case.accuracy:g}: {found}", flush=True)
    figures = {
        "models": options.models,
        **verdicts,
        "median of distance over accuracy": float(np.median(ratios)),
        "largest": float(np.max(ratios)),
    }
    for name, value in figures.items():
        print(f"{name:>34}  {value:.3g}")
    if options.out:
        options.out.write_text(json.dumps({"machine": describe(), "figures": figures}, indent=2))


if __name__ == "__main__":
    main()
