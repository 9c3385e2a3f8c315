"""One thread that does a page's work, so that no two callbacks of the browser ever meet."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from vastus.errors import VastusError

Job = Callable[[], None]
LOG = logging.getLogger("vastus.app")
LOG.addHandler(logging.NullHandler())  # a traceback is for those who ask for it


@dataclass(eq=False)
class _Alone:
    """A key that no other job has."""


class Desk:
    """Does jobs in order; of those waiting under one key only the newest is done.

    A job that fails is told to `trouble` as one sentence, and the next is done all the same.
    """

    def __init__(self, trouble: Callable[[str], None]) -> None:
        self._trouble = trouble
        self._waiting: dict[Hashable, Job] = {}
        self._changed = threading.Condition()
        self._open = True
        self._thread = threading.Thread(target=self._work, name="desk", daemon=True)
        self._thread.start()

    def post(self, job: Job, *, key: Hashable | None = None) -> None:
        """Let a job be done soon; it takes the place of one that waits under the same key.

        A closed desk takes none.
        """
        with self._changed:
            if self._open:
                self._waiting[_Alone() if key is None else key] = job
                self._changed.notify()

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return len(self._waiting)

    def close(self) -> None:
        """Do no more jobs, and wait for the present one."""
        with self._changed:
            self._open = False
            self._waiting.clear()
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=5.0)

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                self._do(job)
            except Exception:  # not even the trouble could be told
                LOG.exception("trouble of the page could not be told")

    def _do(self, job: Job) -> None:
        try:
            job()
        except VastusError as error:
            self._trouble(str(error))
        except Exception as error:  # the page must live on, whatever happened
            LOG.exception("a job of the page failed")
            self._trouble(f"this failed unexpectedly ({type(error).__name__}: {error})")

    def _next(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or not self._open)
            if not self._open:
                return None
            return self._waiting.pop(next(iter(self._waiting)))
