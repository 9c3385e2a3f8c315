"""How long a slider waits for its answer: `live.py [--tets 5000 10000 20000] [--threads 2]`.

The solvers, warm, follow a slider of the elbow's biceps: in moves of 0.05, of 0.2, and in jumps
between 0 and 1. Times are from a question to its equilibrium [s], the least of some repetitions of
each move, then the median and the worst over the moves. The distance is that of the farthest vertex
from Newton's answer to 1e-8, over the model's length. What runs in the live solver's process is
asked by moves of several sizes: processor time to the first state that is told and to the answer,
and what is left of the way in the first. Then the live solver is started, asked once,
and dragged: the slider goes from 0 to 1 and back within three seconds at 30 questions a second, and
the times between states that arrive are counted.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import numpy as np

from vastus import Inputs, Model, from_arrays, shapes
from vastus.app.live.follower import Follower
from vastus.app.live.messages import Answer, Message, Question, Trouble
from vastus.app.live.solver import LiveSolver, live_solver
from vastus.bench.jobs import describe
from vastus.errors import SolveError
from vastus.numerics.jit import use_threads
from vastus.solvers.emu.emu import Emu
from vastus.solvers.newton import Newton, length
from vastus.solvers.quasi_newton import QuasiNewton
from vastus.state import State, rest
from vastus.timeloop import Solver, Stepper

SOLVERS: dict[str, Solver] = {
    "live (Newton 1e-4)": live_solver(),
    "Newton 1e-8": Newton(),
    "Newton 1e-2": Newton(1e-2),
    "QuasiNewton 1e-3": QuasiNewton(),
    "QuasiNewton 1e-2": QuasiNewton(1e-2),
    "Emu 1e-4": Emu(),
}
MOVES = {
    "0.05": np.arange(0.05, 0.61, 0.05),
    "0.2": np.array([0.2, 0.4, 0.6, 0.8, 1.0, 0.8, 0.6, 0.4, 0.2, 0.0]),
    "jump": np.array([1.0, 0.0, 1.0, 0.0]),
}
DRAG, RATE = 3.0, 30.0  # [s], and questions a second


@dataclass
class Tally:
    """What the moves of one kind have cost."""

    wall: dict[int, float] = field(default_factory=dict)  # [s] by move
    processor: dict[int, float] = field(default_factory=dict)  # [s] by move
    iterations: list[int] = field(default_factory=list)
    distance: list[float] = field(default_factory=list)  # over the model's length
    failed: int = 0

    def row(self) -> dict[str, float]:
        """The figures of the table."""
        return {
            "median": float(np.median(list(self.wall.values()))),
            "worst": max(self.wall.values()),
            "cpu median": float(np.median(list(self.processor.values()))),
            "cpu worst": max(self.processor.values()),
            "iterations": float(np.mean(self.iterations)),
            "distance": max(self.distance),
            "failed": self.failed,
        }


def inputs(model: Model, level: float) -> Inputs:
    """The biceps at some activation."""
    return from_arrays(model, np.zeros(1), {"biceps": np.array([level])})[0]


def warm(model: Model, solver: Solver) -> tuple[Stepper, State]:
    """A stepper that has solved before, and the equilibrium at no activation."""
    stepper = solver.prepare(model)
    state, _ = stepper.step(rest(model), inputs(model, 0.0))
    stepper.step(state, inputs(model, 0.3))
    return stepper, state


def moved(
    model: Model, solver: Solver, exact: dict[str, list[State]], repeat: int
) -> dict[str, Tally]:
    """What each kind of moves costs a solver."""
    stepper, start = warm(model, solver)
    tallies = {name: Tally() for name in MOVES}
    for name in list(MOVES) * repeat:
        follow(model, stepper, start, name, exact[name], tallies[name])
    return tallies


def follow(
    model: Model, stepper: Stepper, state: State, name: str, exact: list[State], tally: Tally
) -> None:
    """Make the moves of one kind and note what they cost."""
    for k, (level, wanted) in enumerate(zip(MOVES[name], exact, strict=True)):
        began, used = time.perf_counter(), time.process_time()
        try:
            state, report = stepper.step(state, inputs(model, level))
        except SolveError:
            tally.failed += 1
            continue
        wall, processor = time.perf_counter() - began, time.process_time() - used
        tally.wall[k] = min(tally.wall.get(k, np.inf), wall)
        tally.processor[k] = min(tally.processor.get(k, np.inf), processor)
        tally.iterations.append(report.iterations)
        off = np.linalg.norm(state.x - wanted.x, axis=1).max()
        tally.distance.append(float(off) / length(model))


def exactly(model: Model) -> dict[str, list[State]]:
    """The equilibria of all moves."""
    stepper, start = warm(model, Newton())
    found = {}
    for name, levels in MOVES.items():
        state, found[name] = start, []
        for level in levels:
            state, _ = stepper.step(state, inputs(model, level))
            found[name].append(state)
    return found


class Page:
    """A page's part in live mode, with a clock."""

    def __init__(self, model: Model, threads: int) -> None:
        self._rung = Event()
        self.came: list[tuple[float, Answer]] = []
        self.live = LiveSolver(model, threads=threads, ring=self._rung.set)

    def listen(self, seconds: float) -> None:
        """Note what arrives within so many seconds."""
        if self._rung.wait(max(seconds, 0.0)):
            self._rung.clear()
        for news in self.live.answers():
            if isinstance(news, Trouble):
                raise SystemExit(news.sentence)
            if isinstance(news, Answer):
                self.came.append((time.perf_counter(), news))

    def settle(self, number: int) -> None:
        """Wait for the equilibrium of a question."""
        while not (self.came and self.came[-1][1].number == number and self.came[-1][1].final):
            self.listen(1.0)


def dragged(model: Model, threads: int) -> dict[str, float]:
    """Start-up, and what arrives while a slider is dragged."""
    began = time.perf_counter()
    page = Page(model, threads)
    page.settle(page.live.ask(inputs(model, 0.0)))
    first = time.perf_counter() - began
    page.settle(page.live.ask(inputs(model, 0.05)))
    page.came.clear()
    began, number, asking = time.perf_counter(), 0, 0.0
    for k in range(int(DRAG * RATE) + 1):
        level = 1.0 - abs(2.0 * k / (DRAG * RATE) - 1.0)
        now = time.perf_counter()
        number = page.live.ask(inputs(model, level))
        asking = max(asking, time.perf_counter() - now)
        while (left := began + (k + 1) / RATE - time.perf_counter()) > 0:
            page.listen(left)
    last = time.perf_counter()
    page.settle(number)
    page.live.close()
    gaps = np.diff([began] + [at for at, _ in page.came])
    return {
        "first answer": first,
        "longest ask": asking,
        "states": len(page.came),
        "gap median": float(np.median(gaps)),
        "gap worst": float(gaps.max()),
        "settled after": page.came[-1][0] - last,
    }


def followed(model: Model, repeat: int) -> dict[str, dict[str, float]]:
    """Processor time [s] to the first state and to the answer, by the size of the move."""
    came: list[tuple[float, Message]] = []
    one = Follower(
        model, live_solver(), lambda: False, lambda m: came.append((time.process_time(), m))
    )
    one.warm_up()
    found = {}
    for size in (0.02, 0.05, 0.1, 0.2):
        firsts, finals, left = [], [], []
        for number in range(repeat):
            for level in (0.3, 0.301):
                one.answer(Question(number, inputs(model, level), 0))
            start = came[-1][1]
            came.clear()
            began = time.process_time()
            one.answer(Question(number, inputs(model, 0.3 + size), 0))
            firsts.append(came[0][0] - began)
            finals.append(came[-1][0] - began)
            first, last = came[0][1], came[-1][1]
            assert isinstance(start, Answer)
            assert isinstance(first, Answer)
            assert isinstance(last, Answer)
            way, rest_of_it = (
                float(np.linalg.norm(here.state.x - last.state.x, axis=1).max())
                for here in (start, first)
            )
            left.append(rest_of_it / way)
        found[f"{size}"] = {"first": min(firsts), "answer": min(finals), "left": min(left)}
    return found


def show(title: str, figures: dict[str, float]) -> None:
    """Print a row."""
    print(f"{title:34}" + "  ".join(f"{k} {v:.3g}" for k, v in figures.items()), flush=True)


def main() -> None:
    """Print the tables, and save them if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tets", type=int, nargs="+", default=[5_000, 10_000, 20_000])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--solvers", nargs="+", choices=SOLVERS, default=list(SOLVERS))
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    use_threads(options.threads)
    figures: dict[str, dict[str, float]] = {}
    for tets in options.tets:
        model = shapes.elbow(tets=tets)
        exact = exactly(model)
        for name in options.solvers:
            for move, tally in moved(model, SOLVERS[name], exact, options.repeat).items():
                title = f"{tets} {name} {move}"
                figures[title] = tally.row()
                show(title, figures[title])
        for size, row in followed(model, options.repeat).items():
            figures[f"{tets} followed {size}"] = row
            show(f"{tets} followed {size}", row)
        figures[f"{tets} drag"] = dragged(model, options.threads)
        show(f"{tets} drag", figures[f"{tets} drag"])
    if options.out:
        options.out.write_text(json.dumps({"machine": describe(), "figures": figures}, indent=2))


if __name__ == "__main__":
    main()
