"""How far a solver is from the equilibrium of the path, on random models: `accuracy.py`.

Each model is drawn by a seeded generator of its own: shape, size, laws, Poisson's ratio up to
0.4999, stiffness ratios from 1 to 1e6, activations, gravity, loads, bodies pressed and stretched,
all in one jump, and the accuracy asked for. With `--walk` the solver goes there in frames that are
even, stop, go back and jump, so that it predicts some of them and is misled in others; every frame
is judged. The judge is Newton's method from rest in small steps, not a polish of the answer. A
solve that says that it failed, jumped or inverted a tet is counted apart, and so is a model whose
equilibria depend on the way there: on the size of the small steps, or on having been further.

Each verdict is written at once into `--out`; the same command goes on from there, and judges anew
what other code had judged. `--only` judges one model again.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from vastus import Inputs, Model, from_arrays, shapes
from vastus.cache import sources
from vastus.errors import SolveError
from vastus.files.safe import append_text
from vastus.inputs import as_in
from vastus.materials import ActiveFibre, HillFibre, MooneyRivlin, NeoHookean, StableNeoHookean
from vastus.modelling.shapes import Materials
from vastus.numerics.jit import use_threads
from vastus.parts import Load, Pin
from vastus.processes import when_orphaned
from vastus.solvers.newton import Newton, length
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import State, rest

SMALLEST = {"bar": 1000, "fusiform": 1000, "bipennate": 2000, "elbow": 2000}
STEPS = 20  # of the path that judges; all shares of a walk are among them
JUMP = (1.0,)  # shares of what drives a model, frame by frame
WALK = (0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.35, 0.2, 0.7, 0.8, 0.9, 1.0)
Led = tuple[float, State, str]  # a share, the state there, and what was said
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


def led(case: Case, solver: Newton | QuasiNewton, shares: tuple[float, ...]) -> Iterator[Led]:
    """Where a solver comes to in each frame, driven by these shares, and what it says there."""
    stepper, state = solver.prepare(case.model), rest(case.model)
    first, last = Inputs.of(state), case.inputs.whole(as_in(case.model))
    for share in shares:
        state, report = stepper.step(state, first.towards(last, share))
        yield share, state, report.sentence


def path(case: Case, steps: int) -> dict[float, State]:
    """Newton's equilibria from rest in so many steps, by their shares."""
    shares = tuple((k + 1) / steps for k in range(steps))
    newton = Newton(max_iterations=400)
    return {round(share, 6): state for share, state, _ in led(case, newton, shares)}


def way(case: Case, shares: tuple[float, ...]) -> list[State]:
    """Newton's equilibria at these shares, going from each to the next in small steps."""
    stops, ends, before = [], [], 0.0
    for share in shares:
        count = max(round(abs(share - before) * STEPS), 1)
        stops += [before + (share - before) * (k + 1) / count for k in range(count)]
        ends.append(len(stops) - 1)
        before = share
    states = [state for _, state, _ in led(case, Newton(max_iterations=400), tuple(stops))]
    return [states[k] for k in ends]


def judged(case: Case, kind: str, shares: tuple[float, ...] = JUMP) -> tuple[str, float]:
    """A verdict on a solver's worst answer, and its distance to the path over that asked for."""
    settings = SOLVERS[kind]
    solver = settings(case.accuracy) if settings is QuasiNewton else settings()
    try:
        answers = list(led(case, solver, shares))
    except SolveError:
        return "said it failed", np.nan
    try:
        right = path(case, STEPS)
        ratios = [apart(case, state, right[share]) for share, state, _ in answers]
        worst = int(np.argmax(ratios))
        if ratios[worst] <= 1:
            return "as asked", ratios[worst]
        if any(said != "converged" for *_, said in answers[: worst + 1]):
            return "said it left the branch", ratios[worst]
        finer = path(case, 3 * STEPS)
        if any(apart(case, right[share], finer[share]) > 1 for share in shares):
            return "no single path", ratios[worst]
        followed = way(case, shares)
        if any(apart(case, s, right[at]) > 1 for at, s in zip(shares, followed, strict=True)):
            return "no single path", ratios[worst]
    except SolveError:
        return "the path fails", np.nan
    return "farther than asked", ratios[worst]


def apart(case: Case, a: State, b: State) -> float:
    """The largest distance of two states over the accuracy asked for."""
    moved = float(np.linalg.norm(a.x - b.x, axis=1).max())
    return moved / length(case.model) / case.accuracy


@dataclass(frozen=True)
class Trial:
    """One model of a seed, to be judged."""

    seed: int
    number: int
    solver: str
    walk: bool

    def __call__(self) -> dict[str, object]:
        """The verdict, with what it takes to see it again."""
        use_threads(1)
        began = time.process_time()
        case = draw(np.random.default_rng([self.seed, self.number]))
        verdict, ratio = judged(case, self.solver, WALK if self.walk else JUMP)
        seconds = time.process_time() - began
        found = {"verdict": verdict, "ratio": None if np.isnan(ratio) else ratio}
        said = {"accuracy": case.accuracy, "model": case.text, "seconds": round(seconds, 2)}
        return asdict(self) | found | said


FIELDS = tuple(field.name for field in fields(Trial))


def _ended_with_parent() -> None:
    """Let a process of the pool not outlive the one that started it."""
    when_orphaned(lambda: os._exit(1))


def known(out: Path | None, code: str) -> list[dict[str, object]]:
    """The verdicts in a file that this code had given."""
    lines = out.read_text().splitlines() if out and out.exists() else []
    return [record for record in map(json.loads, lines) if record["code"] == code]


def told(record: dict[str, object]) -> str:
    """A verdict in a line."""
    ratio = record["ratio"]
    far = "" if ratio is None else f" ({ratio:.3g} of what was asked)"
    who = f"seed {record['seed']} model {record['number']}"
    return f"{who}: {record['model']}, accuracy {record['accuracy']:g}: {record['verdict']}{far}"


def main() -> None:
    """Judge the models, print those that are not as asked, and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=200, help="of each seed")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--only", type=int, nargs="+", help="judge these numbers of each seed")
    parser.add_argument("--solver", choices=SOLVERS, default="quasi-newton")
    parser.add_argument("--walk", action="store_true")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=Path, help="a file with a verdict in each line")
    options = parser.parse_args()
    numbers = options.only or range(options.models)
    trials = [Trial(s, k, options.solver, options.walk) for s in options.seeds for k in numbers]
    code = sources("energies", "materials", "numerics", "skeleton", "solvers")
    records = [r for r in known(options.out, code) if Trial(*map(r.get, FIELDS)) in trials]
    done = {Trial(*map(r.get, FIELDS)) for r in records}
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.processes, spawn, _ended_with_parent) as pool:
        for waiting in as_completed([pool.submit(t) for t in trials if t not in done]):
            records.append(record := waiting.result() | {"code": code})
            if options.out:
                append_text(options.out, json.dumps(record) + "\n")
            if record["verdict"] != "as asked":
                print(told(record), flush=True)
    ratios = [r["ratio"] for r in records if r["verdict"] == "as asked"]
    figures = {
        "models": len(records),
        **Counter(str(r["verdict"]) for r in records),
        "median of distance over accuracy": float(np.median(ratios)),
        "largest": float(np.max(ratios)),
    }
    for name, value in figures.items():
        print(f"{name:>34}  {value:.3g}")


if __name__ == "__main__":
    main()
