"""Time and memory of Newton's method against the size of the mesh.

Run `python benchmarks/newton.py [--sizes 2000 12000 50000 200000] [--out file.json]`. The model is
the fusiform muscle; a contraction goes from rest to full activation in one step, to a relative
residual of 1e-8. Each size runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from machine import describe

import vastus
from vastus.motion import ramp, rest
from vastus.numerics.factor import best_factor, make_factor
from vastus.numerics.sparse import select_upper
from vastus.solvers.hessian import Hessian
from vastus.solvers.newton import Newton, NewtonObjective, NewtonStepper

SIZES = (2_000, 12_000, 50_000, 200_000)
COUNTS = ("tets", "vertices", "unknowns", "iterations", "projected", "substeps")


def best(work: Callable[[], object], repeats: int = 3) -> float:
    """The least time [s] of some repetitions."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def kernels(stepper: NewtonStepper, model: vastus.Model) -> dict[str, float]:
    """The seconds that each part of an iteration takes, at a contracted state."""
    problem, inputs = stepper.problem, ramp(model, belly=0.1, fps=1)[-1]
    state, _ = stepper.step(rest(model), inputs)
    objective = NewtonObjective(problem, inputs, Hessian(problem))
    q = problem.place(state.x, state.poses)
    elastic, scatter, T0 = problem.elastic, problem.scatter, objective.tension
    H = elastic.tangent(q.F, T0)
    upper = select_upper(scatter, problem.unknowns.free_index)
    factor = make_factor(upper.matrix.indptr, upper.matrix.indices)

    def assembled() -> object:
        return upper.fill(scatter.blocks(H, elastic.B, elastic.volumes))

    def iterated() -> object:
        g = objective.gradient(q)
        there = objective.retract(q, objective.direction(q, g))
        return objective.value(there)

    assembled()
    g = objective.gradient(q)[-upper.matrix.shape[0] :]
    return {
        "energy_s": best(lambda: elastic.energy(q.F, T0)),
        "stress_s": best(lambda: elastic.stress(q.F, T0)),
        "tangent_s": best(lambda: elastic.tangent(q.F, T0)),
        "assembly_s": best(assembled),
        "factorisation_s": best(lambda: factor.factor(upper.matrix.data)),
        "back_solve_s": best(lambda: factor.solve(g)),
        "newton_step_s": best(iterated),
    }


def measure(tets: int) -> dict[str, float]:
    """Everything about one size; the kernels have been compiled before."""
    warm = vastus.shapes.fusiform(tets=2_000)
    kernels(Newton().prepare(warm), warm)
    model = vastus.shapes.fusiform(tets=tets)
    began = time.perf_counter()
    stepper = Newton().prepare(model)
    prepared = time.perf_counter() - began
    _, report = stepper.step(rest(model), ramp(model, belly=1.0, fps=1)[-1])
    # Before the parts are timed, which takes a second factor.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "tets": model.mesh.n_tets,
        "vertices": model.mesh.n_vertices,
        "unknowns": len(stepper.problem.unknowns.free),
        "prepare_s": prepared,
        **kernels(stepper, model),
        "contraction_s": report.seconds,
        "iterations": report.iterations,
        "projected": report.projected,
        "substeps": report.substeps,
        "relative_residual": report.residual / report.load,
        "peak_memory_MB": peak,
    }


def in_own_process(tets: int) -> dict[str, float]:
    """The figures of one size, measured by a new interpreter."""
    command = [sys.executable, __file__, "--one", str(tets)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def show(rows: list[dict[str, float]]) -> None:
    """Print a quantity a line, a size a column, then the ratios of each size to the one before."""
    for name in rows[0]:
        values = [row[name] for row in rows]
        digits = "d" if name in COUNTS else ".3g"
        cells = [f"{value:>10{digits}}" for value in values]
        ratios = [f"{b / a:>8.2f}" if a else f"{'':>8}" for a, b in pairwise(values)]
        print(f"{name:>18}", *cells, "  |", *ratios)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of tets")
    parser.add_argument("--out", type=Path, help="write the figures to this JSON file")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(given.one)))
        return
    rows = [in_own_process(tets) for tets in given.sizes]
    machine = describe() | {"factorisation": best_factor()}
    print(json.dumps(machine, indent=2))
    show(rows)
    if given.out:
        given.out.write_text(json.dumps({"machine": machine, "newton": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
