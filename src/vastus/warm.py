"""Kernels compiled before they are needed, by small computations that call what commands call.

What a kernel is compiled for follows from the arrays that it is given, so each part does on a small
scale what a command does. Of parts that need the same kernels, one compiles them. The modules that
they import are kept as byte code, also where the environment asks Python for none: it would read
more than a thousand files of source in each run.
"""

from __future__ import annotations

import compileall
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from queue import Empty
from typing import Any

import numpy as np

from vastus.errors import MissingExtra, SolveError, known
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.processes import end_family, found_family, prepared, start, when_orphaned
from vastus.timeloop import simulate

TETS = 1_000
PAUSE = 0.2  # [s] after which it is asked whether those that compile are alive


@dataclass(frozen=True)
class Part:
    """Kernels that are needed together; `usual` are those that most users need."""

    what: str
    work: Callable[[], None]
    usual: bool = True


@dataclass(frozen=True)
class Done:
    """A part that is compiled, or the sentence why it is not."""

    name: str
    seconds: float
    why_not: str = ""


def usual() -> list[str]:
    """The names of the parts that most users need."""
    return [name for name, part in PARTS.items() if part.usual]


def compiled(names: Sequence[str], *, processes: int = 1) -> Iterator[Done]:
    """Compile the named parts by so many processes, and tell of each at its end.

    Kernels that were compiled before are found again, and take no time.
    """
    for name in names:
        if name not in PARTS:
            raise known("part", name, PARTS)
    spawn = multiprocessing.get_context("spawn")
    waiting, done = spawn.Queue(), spawn.Queue()
    count = min(processes, len(names))
    for waits in (*names, *[None] * count):
        waiting.put(waits)
    workers = [prepared(_work, waiting, done, name=f"compiler {k}") for k in range(count)]
    try:
        for worker in workers:
            start(worker, script=False)
        for _ in names:
            yield _next(done, workers)
    finally:
        for worker in workers:
            end_family(worker)


def _next(done: Any, workers: Sequence[Any]) -> Done:
    """The next part that a process tells of."""
    while True:
        alive = all(worker.is_alive() or worker.exitcode == 0 for worker in workers)
        try:
            told: Done = done.get(timeout=PAUSE)
        except Empty:
            if not alive:
                raise SolveError("a process that compiles ended without a word") from None
        else:
            return told


def _work(waiting: Any, done: Any) -> None:
    """What a process does: parts, as long as there are any."""
    from vastus.numerics.jit import use_threads

    found_family()
    when_orphaned(lambda: os._exit(1))
    use_threads(1)
    for name in iter(waiting.get, None):
        begun, why_not = time.monotonic(), ""
        try:
            PARTS[name].work()
        except MissingExtra as error:
            why_not = str(error)
        keep_byte_code(list(sys.modules.values()))
        done.put(Done(name, time.monotonic() - begun, why_not))


def keep_byte_code(modules: Sequence[object]) -> None:
    """Compile modules to byte code, where it can be written and is not there already."""
    for module in modules:
        file = getattr(module, "__file__", None) or ""
        if file.endswith(".py"):
            with suppress(OSError):
                compileall.compile_file(file, quiet=2)


def _imports() -> None:
    for module in ("vastus.job", "vastus.cli.run", "vastus.cli.show", "vastus.pictures.animation"):
        import_module(module)
    for drawing in ("pyvista", "matplotlib.figure"):
        with suppress(ImportError):
            import_module(drawing)


def _equilibria() -> None:
    from vastus.solvers.newton import Newton
    from vastus.solvers.quasi_newton import QuasiNewton

    model = _elbow()
    for solver in (QuasiNewton(), Newton()):
        _moved(model, solver, seconds=0.1)


def _elbow() -> Model:
    """An elbow as scenes have it."""
    from vastus.contact.prepare import usual_contact
    from vastus.modelling.shapes.elbow import elbow

    return elbow(tets=TETS).with_(contact=usual_contact())


def _moved(model: Model, solver: Any, *, seconds: float) -> None:
    """Two measured frames of a muscle that contracts a little."""
    from vastus.schedules import ramp

    inputs = ramp(model, seconds=seconds, fps=1 / seconds, **{model.muscles[0].name: 0.02})
    for _ in simulate(model, solver, inputs):
        pass


def _projection() -> None:
    from vastus.numerics.psd import project_psd

    project_psd(-np.eye(9)[None])


def _motion() -> None:
    from vastus.solvers.motion.dynamic import Dynamic

    _moved(_elbow(), Dynamic(viscosity=0.01), seconds=0.005)


def _explicit() -> None:
    from vastus.modelling.shapes.simple import bar
    from vastus.solvers.motion.explicit import Explicit

    _moved(bar(tets=TETS), Explicit(viscosity=0.01), seconds=1e-4)


def _emu() -> None:
    from vastus.modelling.shapes.simple import bar
    from vastus.solvers.emu.directions import Woodbury
    from vastus.solvers.emu.emu import Emu

    for solver in (Emu(1e3), Emu(10.0, Woodbury(), paper_stop=1e-3)):
        _moved(bar(tets=TETS), solver, seconds=0.1)


def _laws() -> None:
    from vastus.energies.law_address import respond_at, tangent_at
    from vastus.materials.library import LAWS

    for law in LAWS.values():
        respond_at(law.point)
        tangent_at(law.point)


def _flesh() -> None:
    from vastus.flesh import build, parts, skin, solver

    outer = skin.SkinSettings(0.004, groups=(skin.SkinGroup(closing=0.01, offset=0.004),))
    limb = parts.FleshParts(
        [parts.BonePart("bone", _rod(0.0, 0.007))], [parts.MusclePart("muscle", _rod(0.018, 0.009))]
    )
    made = build.build_flesh(limb, build.FleshSettings(spacing=0.01, levels=1, skin=outer))
    solver.FleshSolver(made).frame({}, {"muscle": 0.01})


def _rod(aside: float, radius: float) -> Any:
    """The surface of a rod of 10 cm along z with round ends [m]."""
    from vastus.geometry.lattice.level_set import sampled

    def distance(X: Floats) -> Floats:
        beyond = np.maximum(np.abs(X[:, 2]) - 0.05, 0.0)
        return np.linalg.norm([X[:, 0], X[:, 1] - aside, beyond], axis=0) - radius

    reach = np.array([radius, radius, radius + 0.05]) + 0.01
    middle = np.array([0.0, aside, 0.0])
    return sampled(distance, middle - reach, middle + reach, 0.004).surface()


def _bodies() -> None:
    from vastus.bellies.line import LineLaw
    from vastus.bodies.upper.assembly import whole_upper_body
    from vastus.control.upper_body.dynamics import Dynamics
    from vastus.control.upper_body.exercises import curl
    from vastus.control.upper_body.musculoskeleton import Musculoskeleton
    from vastus.control.upper_body.simulation import Simulation

    _pulled(lambda belly: LineLaw(belly.units))
    dynamics = Dynamics(Musculoskeleton.of(whole_upper_body()))
    moved = Simulation(dynamics, curl(dynamics, seconds=0.1))
    moved.controller.step(moved.controller.begin(dynamics.rest), moved.exercise.aim(0.0), moved.h)


def _bellies() -> None:
    from vastus.bellies.condensed import Condensed
    from vastus.bellies.projective import Projective
    from vastus.bellies.volumes import Bellies

    _pulled(lambda belly: Bellies([belly]))
    _pulled(lambda belly: Condensed([belly]))
    _pulled(lambda belly: Projective([belly]))


def _pulled(law: Callable[[Any], Any]) -> None:
    """Ask the law of a small muscle for its force."""
    from vastus.bellies.law import MotorUnit
    from vastus.bellies.shapes import diamond

    belly = diamond(MotorUnit("muscle", 400.0, 0.24), width=0.04)
    law(belly).forces(np.array([0.24]), np.zeros(1), np.array([0.5]))


PARTS = {
    "imports": Part("modules that most commands import, as byte code", _imports),
    "equilibria": Part("equilibria of muscles, tendons and bones in contact", _equilibria),
    "flesh": Part("flesh and skin around bones and muscles", _flesh),
    "bodies": Part("bodies that lines of muscle move", _bodies),
    "motion": Part("motion in time", _motion),
    "projection": Part("Newton's method where a tangent is not positive", _projection),
    "bellies": Part("volumetric bellies in bodies", _bellies, usual=False),
    "explicit": Part("explicit motion by finite volumes", _explicit, usual=False),
    "laws": Part("every material law", _laws, usual=False),
    "emu": Part("muscle in deformation space", _emu, usual=False),
}
