"""The solver's own process: what runs in it, and how the page's process holds it."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread

from vastus.app.live.follower import Follower
from vastus.app.live.messages import AGAIN, Message, Question, Ready, Trouble
from vastus.app.live.mover import Mover, in_time
from vastus.errors import VastusError
from vastus.materials.traced import load_laws
from vastus.numerics.jit import use_threads
from vastus.processes import prepared, start, when_orphaned
from vastus.state import State


@dataclass(frozen=True, eq=False)
class Setup:
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
        work: Setup = pipe.recv()
        follower = _prepared(work, pipe)
        follower.warm_up()
        pipe.send(Ready(time.time() - work.asked))
        question = newest(pipe)
        while True:
            if not follower.answer(question) or pipe.poll():
                question = newest(pipe)
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


def _prepared(work: Setup, pipe: Connection) -> Follower | Mover:
    use_threads(work.threads)
    load_laws(work.laws)
    model, solver = pickle.loads(work.packed)
    kind = Mover if in_time(solver) else Follower
    return kind(model, solver, pipe.poll, pipe.send, work.start, work.since)


def _sentence(error: Exception) -> str:
    if isinstance(error, VastusError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")


class Worker:
    """One process, started; `heard` is called on another thread with all that it tells.

    Nothing here waits for the process: one thread writes to it, another reads.
    """

    def __init__(self, work: Setup, heard: Callable[[Message], None]) -> None:
        self._heard = heard
        self._questions: SimpleQueue[Question | None] = SimpleQueue()
        self._over, self._unwanted = Event(), False
        self._pipe, there = multiprocessing.Pipe()
        self._process = prepared(serve, there, name="solver")
        start(self._process, script=b"__main__" in work.packed)
        there.close()
        self._reader = Thread(target=self._read, name="solver's news", daemon=True)
        self._writer = Thread(target=self._write, args=(work,), name="questions", daemon=True)
        self._reader.start()
        self._writer.start()

    @property
    def over(self) -> bool:
        """Whether the process has ended."""
        return self._over.is_set()

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    def hand(self, question: Question) -> None:
        """Pass a question on; those before it that have not left yet never do."""
        self._questions.put(question)

    def end(self) -> None:
        """End the process now, whatever it does."""
        self._unwanted = True
        if not self.over:
            self._process.kill()
        self._reader.join()

    def _write(self, work: Setup) -> None:
        try:
            self._pipe.send(work)
            while (question := _newest(self._questions)) is not None:
                self._pipe.send(question)
        except OSError:
            return  # the reader says why

    def _read(self) -> None:
        last: Message | None = None
        try:
            while True:
                last = self._pipe.recv()
                self._heard(last)
        except (EOFError, OSError):
            self._bury(last)

    def _bury(self, last: Message | None) -> None:
        """Let the threads and the pipe go, and tell why unless the process did so itself."""
        self._process.join()
        self._over.set()
        self._questions.put(None)
        self._writer.join()
        self._pipe.close()
        explained = isinstance(last, Trouble) and last.number is None
        if not (self._unwanted or explained):
            how = _how(self._process.exitcode or 0)
            self._heard(Trouble(None, f"the solver's process died ({how}); {AGAIN}"))


def _newest(questions: SimpleQueue[Question | None]) -> Question | None:
    """The last of the questions; waits for one. None, the end, counts more than any."""
    newest = questions.get()
    while newest is not None and not questions.empty():
        newest = questions.get()
    return newest


def _how(code: int) -> str:
    """An exit code in words."""
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
