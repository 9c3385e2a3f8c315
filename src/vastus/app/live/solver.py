"""A solver that follows a page: it never makes the page wait, and outlives its own crashes."""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

import numpy as np

from vastus.app.live.gauges import with_fields
from vastus.app.live.messages import Answer, Message, Question
from vastus.app.live.mover import in_time
from vastus.app.live.process import Setup, Worker
from vastus.app.live.pull import Pull
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.materials.base import require
from vastus.measure.fields import Fields
from vastus.model import Model
from vastus.skeleton.bones import BoneModel
from vastus.skeleton.rigid import Rigid
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Reduction
from vastus.timeloop import Solver
from vastus.validate import numbers

RIGID = Rigid()
THREADS = 2
MOTION = 1e-5  # of the forces that balance, in each step of a motion


def live_solver(bones: BoneModel = RIGID) -> Newton:
    """Newton's method to a tolerance that no eye sees: each iteration is a state to show.

    Giving up after 40 iterations, it comes to sub-steps sooner.
    """
    return Newton(tolerance=1e-4, max_iterations=40, reduction=Reduction(bones))


def live_solver_of(solver: Solver, bones: BoneModel = RIGID) -> Solver:
    """What follows live where a run has this solver: the same motion in time, or `live_solver`."""
    if isinstance(solver, Dynamic):
        return replace(solver, tolerance=max(solver.tolerance, MOTION))
    return solver if in_time(solver) else live_solver(bones)


class LiveSolver:
    """A model that follows questions in a process of its own; for use by one thread.

    The newest question counts: a solve that is no longer wanted is given up, and the next goes on
    from where it was. `ring` is called, on another thread, whenever `answers` has something.
    """

    def __init__(
        self,
        model: Model,
        solver: Solver | None = None,
        *,
        laws: Sequence[Path] = (),
        threads: int = THREADS,
        ring: Callable[[], None] = lambda: None,
    ) -> None:
        self._model, self._laws, self._threads, self._ring = model, laws, threads, ring
        self._packed = _packed(model, solver or live_solver())
        self._messages: deque[Message] = deque()
        self._fields = Fields(model)
        self._number = self._since = 0
        self._good: Answer | None = None  # the last equilibrium
        self._closed = False
        self._worker = self._started()

    def ask(self, inputs: Inputs, *, running: bool = True, pull: Pull | None = None) -> int:
        """Follow these inputs rather than any before; the number is that of the answers.

        A motion in time goes on while `running`, with a `pull` by hand if there is one.
        """
        require(not self._closed, "the live solver is closed")
        self._number += 1
        checked = _checked(self._model, inputs)
        question = Question(self._number, checked, self._since, running, pull)
        if self._worker.over:
            self._worker = self._started()
        self._worker.hand(question)
        return self._number

    def reset(self) -> int:
        """Go back to rest, and from there to the equilibrium, or on in time, of muscles at rest."""
        self._since = self._number + 1
        return self.ask(Inputs.rest(self._model))

    def answers(self) -> list[Message]:
        """What has arrived since the last call, in order."""
        arrived = []
        while self._messages:
            arrived.append(self._messages.popleft())
        return arrived

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._worker.pid

    def close(self) -> None:
        """End the process."""
        self._closed = True
        self._worker.end()

    def _started(self) -> Worker:
        kept = self._good is not None and self._good.number >= self._since
        start = self._good.state if self._good and kept else None
        work = Setup(self._packed, self._laws, self._threads, start, self._since, time.time())
        return Worker(work, self._hear)

    def _hear(self, news: Message) -> None:
        """Keep what the process tells; called on a thread of the worker."""
        if isinstance(news, Answer) and news.final:
            self._good = news
        self._messages.append(with_fields(news, self._fields) if isinstance(news, Answer) else news)
        self._ring()


def _packed(model: Model, solver: Solver) -> bytes:
    """Model and solver in the form in which another process gets them."""
    try:
        return bytes(ForkingPickler.dumps((model, solver)))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ModelError(
            f"the model cannot be handed to another process ({error}): "
            "its laws must be defined at the top of a file"
        ) from error


def _checked(model: Model, inputs: Inputs) -> Inputs:
    """The inputs, if they fit the model."""
    numbers(inputs.excitation, "the activation", (len(model.muscles),))
    numbers(inputs.poses, "the poses of the bones", (len(model.bones), 3, 4))
    finite = np.isfinite(inputs.excitation).all() and np.isfinite(inputs.poses).all()
    require(bool(finite), "the activation and the poses must be finite")
    return inputs
