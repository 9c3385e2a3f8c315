"""One variant as it is sent to whoever computes it, and what comes back; nothing ever raises."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from time import perf_counter
from typing import Any, Protocol

from vastus import __version__
from vastus.cache import sources
from vastus.errors import VastusError
from vastus.scene.schema import SceneError
from vastus.studies.designs import Row
from vastus.studies.outputs import AnyOutput

# Rooms whose code decides what a variant gives: a row is not taken from another code's records.
ROOMS = (
    "contact", "energies", "geometry", "materials", "measure", "modelling", "numerics", "scene",
    "skeleton", "solvers",
)  # fmt: skip


class Status(StrEnum):
    """How a variant ended: one that is `refused` was not solved, as its values cannot be used.

    One that is `lost` has ended its worker with it.
    """

    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    LOST = "lost"


@dataclass(frozen=True)
class Measured:
    """What a variant gives: numbers by name, its effort, and a hash of where it ended."""

    outputs: Mapping[str, float]
    iterations: int = 0
    state: str = ""


class Task(Protocol):
    """What a variant computes."""

    @property
    def identity(self) -> Any:
        """What tells it from all others, as JSON."""

    @property
    def group(self) -> str:
        """The same for tasks that are best computed by one worker after the other."""

    def called(self, key: str) -> Task:
        """The same, which knows its key where it writes files called after it."""
        return self

    def run(self, outputs: tuple[AnyOutput, ...]) -> Measured:
        """Compute it; an error of the package says why it failed."""


@dataclass(frozen=True)
class Work:
    """A variant: its number in the design, its key, its values, and what is to be computed."""

    number: int
    key: str
    values: Row
    task: Task
    outputs: tuple[AnyOutput, ...]
    threads: int = 1


@dataclass(frozen=True)
class Outcome:
    """How a variant ended; `seconds` is the time that it took where it was computed."""

    key: str
    values: Row
    status: Status
    sentence: str = ""
    outputs: Mapping[str, float] = field(default_factory=dict)
    iterations: int = 0
    seconds: float = 0.0
    state: str = ""
    host: str = ""
    pid: int = 0


def perform(work: Work) -> Outcome:
    """Compute a variant with its number of threads, here."""
    from vastus.numerics.jit import thread_count

    start = perf_counter()

    def outcome(status: Status, sentence: str = "", found: Measured | None = None) -> Outcome:
        found = found or Measured({})
        return Outcome(
            work.key,
            work.values,
            status,
            " ".join(sentence.split()),
            found.outputs,
            found.iterations,
            perf_counter() - start,
            found.state,
            socket.gethostname(),
            os.getpid(),
        )

    try:
        with thread_count(work.threads):
            return outcome(Status.DONE, found=work.task.run(work.outputs))
    except SceneError as error:
        return outcome(Status.REFUSED, str(error))
    except VastusError as error:
        return outcome(Status.FAILED, str(error))
    except MemoryError:
        return outcome(Status.FAILED, "there is not enough memory; use fewer tets")
    except Exception as error:
        return outcome(Status.FAILED, f"{type(error).__name__}: {error}")


@cache
def code() -> str:
    """A hash of the version and of the code that decides what a variant gives."""
    return f"{__version__}-{sources(*ROOMS)[:16]}"


Perform = Callable[[Work], Outcome]
