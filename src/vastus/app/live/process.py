"""The solver's own process, as it runs there."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from vastus.app.family import when_orphaned
from vastus.app.live.follower import Follower
from vastus.app.live.news import AGAIN, Question, Ready, Trouble
from vastus.errors import VastusError
from vastus.io.law_files import load_laws
from vastus.motion import State
from vastus.numerics.jit import use_threads


@dataclass(frozen=True, eq=False)
class Work:
    """What a process begins with; `packed` is the pickled model and its solver.

    It is unpacked after the `laws` have been loaded, for the model may hold some of them.
    """

    packed: bytes
    laws: Sequence[Path]
    threads: int
    start: State | None  # where to go on, at rest unless given
    since: int  # the question that last began at rest
    asked: float  # [s] when the process was asked for, since the epoch


def serve(pipe: Connection) -> None:
    """Read work and then questions from a pipe until it is closed, and answer through it."""
    when_orphaned(lambda: os._exit(0))  # even in the middle of a factorisation
    try:
        work: Work = pipe.recv()
        follower = _prepared(work, pipe)
        follower.rehearse()
        pipe.send(Ready(time.time() - work.asked))
        while True:
            follower.answer(newest(pipe))
    except (EOFError, ConnectionError):
        return
    except Exception as error:  # whatever it is, the page must hear of it
        with suppress(OSError):
            pipe.send(Trouble(None, f"the solver stopped ({_sentence(error)}); {AGAIN}"))


def newest(pipe: Connection) -> Question:
    """The last question that has come; waits for one."""
    question = pipe.recv()
    while pipe.poll():
        question = pipe.recv()
    return question


def _prepared(work: Work, pipe: Connection) -> Follower:
    use_threads(work.threads)
    load_laws(work.laws)
    model, solver = pickle.loads(work.packed)
    return Follower(model, solver, pipe.poll, pipe.send, work.start, work.since)


def _sentence(error: Exception) -> str:
    if isinstance(error, VastusError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
