"""Whether contact keeps random models apart, and says so where it does not: `contact.py`.

Each model is drawn by a seeded generator: two muscles side by side, an elbow, or blocks that are
pressed together; kinds of contact, gaps, stiffness, activations and friction. A run is as asked if
it converged and no soft body lies deeper in another body than its kind of contact states: not at
all by a barrier, and by no more than a tenth of an edge by distance. Contact has a negative energy
in none. Every solve has a time limit.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from vastus import Inputs, Model, shapes
from vastus.contact.prepare import contact_energies
from vastus.errors import SolveError
from vastus.geometry.tetmesh import TetMesh
from vastus.inputs import as_in
from vastus.materials import StableNeoHookean
from vastus.measure.overlap import penetrations
from vastus.modelling.shapes.simple import box
from vastus.numerics.minimise import Moment
from vastus.parts import Bone, Contact, ContactKind, Drive, Pin, Region, Tissue
from vastus.reproduce.emu.paper import beside_itself
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Configuration, Problem, Reduction
from vastus.state import State, rest

STEPS = 3
LIMIT = 120.0  # [s] of the processor, for a solve
SHALLOW = 0.1  # of the median edge, that distance lets tissue in


@dataclass(frozen=True, eq=False)
class Case:
    """A random model, and what drives it."""

    text: str
    model: Model
    inputs: Inputs


def draw(rng: np.random.Generator) -> Case:
    """A random case."""
    contact = Contact(
        bones=ContactKind(str(rng.choice(["distance", "distance", "barrier"]))),
        gap=None if rng.uniform() < 0.5 else float(10 ** rng.uniform(-4, -3)),
        friction=float(rng.choice([0.0, 0.0, 0.3])),
    )
    name = str(rng.choice(["muscles", "elbow", "blocks"]))
    model, inputs = {"muscles": side_by_side, "elbow": flexed, "blocks": pressed}[name](rng)
    model = model.with_(contact=contact)
    gap = "found" if contact.gap is None else f"{1e3 * contact.gap:.2g} mm"
    text = (
        f"{name} {model.mesh.n_tets} bones by {contact.bones} gap {gap} friction {contact.friction}"
    )
    return Case(text, model, inputs)


def activated(model: Model, rng: np.random.Generator) -> Inputs:
    """All muscles activated, each to another level."""
    levels = rng.uniform(0.0, 0.5, len(model.muscles))
    return replace(Inputs.rest(model, time=1.0), excitation=levels)


def flexed(rng: np.random.Generator) -> tuple[Model, Inputs]:
    """An elbow."""
    model = shapes.elbow(tets=int(rng.integers(1_500, 3_000)))
    return model, activated(model, rng)


def side_by_side(rng: np.random.Generator) -> tuple[Model, Inputs]:
    """Two fusiform muscles between the same two bones, 1 to 3 mm apart."""
    one = shapes.fusiform(tets=int(rng.integers(1_200, 2_000)))
    model = beside_itself(one, 0.04 + rng.uniform(1e-3, 3e-3), rng.uniform(0.05, 0.4))
    return model.with_(gravity=np.zeros(3)), activated(model, rng)


def pressed(rng: np.random.Generator) -> tuple[Model, Inputs]:
    """Two blocks of tissue, pressed together between a floor of pins and a plate of bone."""
    cells = rng.integers(3, 6, 2)
    meshes = [box((n, n, 2), (0.02, 0.02, 0.01)) for n in cells]
    meshes.append(box((1, 1, 1), (0.05, 0.05, 0.01)))
    tops = np.cumsum([0.0, 0.0105, 0.0105])
    shifts = [[0.0, 0.0, tops[0]], [*rng.uniform(-4e-3, 4e-3, 2), tops[1]], [-0.015, 0, tops[2]]]
    firsts = np.cumsum([0, *(m.n_vertices for m in meshes)])
    X = np.concatenate([m.X + np.array(s) for m, s in zip(meshes, shifts, strict=True)])
    T = np.concatenate([m.T + f for m, f in zip(meshes, firsts, strict=False)])
    young = 10 ** rng.uniform(4, 5.5, 2)
    laws = [StableNeoHookean(float(e), float(rng.choice([0.3, 0.45, 0.49]))) for e in young]
    upper = np.arange(firsts[1], firsts[2])
    middle = upper[np.abs(X[upper, 2] - X[upper, 2].mean()) < 1e-6]
    model = Model(
        TetMesh(X, T),
        np.repeat(np.arange(3), [m.n_tets for m in meshes]),
        (
            Region("lower", Tissue.PASSIVE, (laws[0],)),
            Region("upper", Tissue.PASSIVE, (laws[1],)),
            Region("plate", Tissue.BONE),
        ),
        np.zeros((len(T), 3)),
        bones=(Bone("plate", ("plate",), Drive.SCRIPTED),),
        # Some vertices in the middle hold the upper block before it touches.
        pins=(Pin("floor", np.flatnonzero(X[:, 2] == 0)), Pin("held", middle[::5])),
        gravity=np.zeros(3),
    )
    inputs = Inputs.rest(model, time=1.0)
    poses = inputs.poses.copy()
    poses[0, 2, 3] = -rng.uniform(1e-3, 4e-3)
    return model, replace(inputs, poses=poses)


class TimeIsUp(Exception):
    """A solve took too long."""


def judged(case: Case) -> tuple[str, float]:
    """A verdict, and the deepest penetration of a soft body [m]."""
    end = time.process_time() + LIMIT

    def watch(_: Moment) -> None:
        if time.process_time() > end:
            raise TimeIsUp

    stepper, state = Newton(max_iterations=200).prepare(case.model), rest(case.model)
    first, last = Inputs.of(state), case.inputs.whole(as_in(case.model))
    said = ""
    try:
        for k in range(STEPS):
            state, report = stepper.step(state, first.towards(last, (k + 1) / STEPS), watch)
            said = report.sentence
            if negative(case.model, state):
                return "a negative energy", np.nan
    except SolveError:
        return "said it failed", np.nan
    except TimeIsUp:
        return "took too long", np.nan
    depth = deepest(case.model, state)
    if depth <= allowed(case.model):
        return "as asked", depth
    return ("said so" if said != "converged" else "deeper than stated"), depth


def negative(model: Model, state: State) -> bool:
    """Whether contact has a negative energy in a state."""
    problem = Problem(model, Reduction())
    here = Configuration(problem, state.x, state.poses)
    free, centres = problem.skeleton.free.tolist(), problem.skeleton.centre
    return any(energy.value(here) < 0 for energy in contact_energies(model, free, centres))


def deepest(model: Model, state: State) -> float:
    """The deepest penetration of a soft body that contact should keep out [m]."""
    found = penetrations(model, state.x)
    return max(
        (p.depth for p in found if not (model.bony(p.one) and model.bony(p.other))), default=0
    )


def allowed(model: Model) -> float:
    """How deep the contact of a model lets soft bodies in [m]."""
    assert model.contact is not None
    if model.contact.bones is ContactKind.BARRIER:
        return 1e-6
    ends = model.mesh.X[model.mesh.T[model.soft][:, :2]]
    return SHALLOW * float(np.median(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)))


def main() -> None:
    """Draw the models, print those that are not as asked, and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    verdicts: Counter[str] = Counter()
    depths = []
    for k in range(options.models):
        case, began = draw(rng), time.process_time()
        verdict, depth = judged(case)
        verdicts[verdict] += 1
        if verdict == "as asked":
            depths.append(depth)
        else:
            took = time.process_time() - began
            print(f"{k}: {case.text}: {verdict} ({1e3 * depth:.3g} mm, {took:.0f} s)", flush=True)
    for name, value in {"models": options.models, **verdicts}.items():
        print(f"{name:>24}  {value}")
    print(f"{'deepest as asked':>24}  {1e3 * max(depths, default=np.nan):.3g} mm")


if __name__ == "__main__":
    main()
