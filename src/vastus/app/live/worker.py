"""The solver's own process, as the page's process holds it."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Thread

from vastus.app.live.news import AGAIN, News, Question, Trouble
from vastus.app.live.process import Work, serve
from vastus.processes import prepared, start


class Worker:
    """One process, started; `heard` is called on another thread with all that it tells.

    Nothing here waits for the process: one thread writes to it, another reads.
    """

    def __init__(self, work: Work, heard: Callable[[News], None]) -> None:
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

    def _write(self, work: Work) -> None:
        try:
            self._pipe.send(work)
            while (question := _newest(self._questions)) is not None:
                self._pipe.send(question)
        except OSError:
            return  # the reader says why

    def _read(self) -> None:
        last: News | None = None
        try:
            while True:
                last = self._pipe.recv()
                self._heard(last)
        except (EOFError, OSError):
            self._bury(last)

    def _bury(self, last: News | None) -> None:
        """Let the threads and the pipe go, and tell why unless the process did so itself."""
        self._process.join()
        self._over.set()
        self._questions.put(None)
        self._writer.join()
        self._pipe.close()
        told = isinstance(last, Trouble) and last.number is None
        if not (self._unwanted or told):
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
