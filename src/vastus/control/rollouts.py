"""Rollouts: a plant and its tracker simulated ahead along references, several at the same time.

Rollouts begin from one state and differ in what joints shall follow. Each is independent of the
others, so that they are shared out among processes, which keep their body and are told states and
references only. Outcomes do not depend on how many processes there are.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from vastus.control.plant import Payload, Plant, Snapshot
from vastus.control.tracking import Memory, Reference, Tracker
from vastus.errors import ModelError, SolveError
from vastus.numerics.types import Floats
from vastus.processes import prepared, start


@dataclass(frozen=True, eq=False)
class Start:
    """What rollouts begin from, and the payloads that arms, by name, carry in them."""

    plant: Snapshot
    tracker: Memory
    payloads: Mapping[str, Sequence[Payload]]

    @classmethod
    def of(
        cls, plant: Plant, tracker: Tracker, payloads: Mapping[str, Sequence[Payload]] | None = None
    ) -> Start:
        """The present state of a plant and its tracker."""
        return cls(plant.snapshot(), tracker.memory(), dict(payloads or {}))


class Outcome(NamedTuple):
    """The end of a rollout: positions (nq,), speeds (nv,), and what units did on the way.

    Activations (k, m) and missing torques (k, n) [N m] are of each control period, `cpu` is in s.
    """

    positions: Floats
    speeds: Floats
    activations: Floats
    missing: Floats
    cpu: float


def rollout(
    plant: Plant,
    tracker: Tracker,
    references: Floats,
    steps: int,
    payloads: Mapping[str, Sequence[Payload]] | None = None,
) -> Outcome:
    """Move a plant by so many rigid steps along references (k, 3, n), one for each period."""
    begun = time.process_time()
    every = max(1, round(tracker.period / plant.model.opt.timestep))
    commands = []
    for step in range(steps):
        if step % every == 0:
            wanted = Reference(*references[step // every])
            commands.append(tracker.activation(plant, wanted, payloads))
        plant.step(commands[-1].activation, commands[-1].reserve)
    return Outcome(
        plant.data.qpos.copy(),
        plant.data.qvel.copy(),
        np.array([command.activation for command in commands]),
        np.array([command.missing for command in commands]),
        time.process_time() - begun,
    )


class Rollouts:
    """Rollouts of a plant, in `workers` processes beside this one, or in this one if that is 1.

    They are a context: processes end with it. What a law or task of one's own is defined in must be
    a module that they can import, not a script.
    """

    def __init__(self, plant: Plant, tracker: Tracker, *, workers: int = 1) -> None:
        if workers < 1:
            raise ModelError(f"{workers} processes for rollouts; there must be at least 1")
        self._plant, self._tracker = plant.copy(), tracker.copy()
        self._workers: list[_Worker] = []
        if workers > 1:
            body = replace(plant.body, spec=None)  # which cannot be sent
            told = replace(tracker, body=body)
            try:
                for _ in range(workers):
                    self._workers.append(_Worker())
                for worker in self._workers:
                    worker.link.send((body, plant.law, told, plant.model.opt.timestep))
            except BaseException:
                self.close()
                raise

    @property
    def apart(self) -> bool:
        """Whether they run in processes beside this one."""
        return bool(self._workers)

    def run(self, begin: Start, references: Sequence[Floats], steps: int) -> list[Outcome]:
        """The outcomes of rollouts of so many steps, each along its own references (k, 3, n)."""
        if not self._workers:
            return [
                _from_start(self._plant, self._tracker, begin, each, steps) for each in references
            ]
        outcomes: list[Outcome | None] = [None] * len(references)
        shares = [range(w, len(references), len(self._workers)) for w in range(len(self._workers))]
        for worker, share in zip(self._workers, shares, strict=True):
            if share:
                worker.link.send((begin, [references[k] for k in share], steps))
        for worker, share in zip(self._workers, shares, strict=True):
            for k, outcome in zip(share, worker.answer() if share else [], strict=True):
                outcomes[k] = outcome
        return [outcome for outcome in outcomes if outcome is not None]

    def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            worker.end()
        self._workers = []

    def __enter__(self) -> Rollouts:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Worker:
    """A process that rolls out what it is sent."""

    def __init__(self) -> None:
        self.link, there = multiprocessing.Pipe()
        self.process: BaseProcess = prepared(_work, there, name="rollouts")
        start(self.process, script=False)
        there.close()

    def answer(self) -> list[Outcome]:
        try:
            answer: Any = self.link.recv()
        except EOFError:
            raise SolveError("a process of rollouts has ended before its time") from None
        if isinstance(answer, str):
            raise SolveError(f"a rollout has failed: {answer}")
        return list(answer)

    def end(self) -> None:
        self.link.close()
        self.process.join(timeout=1.0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _work(there: Connection) -> None:
    """Roll out what comes, until nothing can come any more."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # the processes are what runs side by side
        try:
            body, law, tracker, step = there.recv()
            plant = Plant(body, law, step=step)
            while True:
                begin, references, steps = there.recv()
                there.send([_from_start(plant, tracker, begin, each, steps) for each in references])
        except EOFError:
            return
        except Exception as error:  # whatever it is, the one who waits is told
            there.send(f"{type(error).__name__}: {' '.join(str(error).split())}")


def _from_start(
    plant: Plant, tracker: Tracker, begin: Start, references: Floats, steps: int
) -> Outcome:
    plant.restore(begin.plant)
    tracker.recall(begin.tracker)
    return rollout(plant, tracker, references, steps, begin.payloads)
