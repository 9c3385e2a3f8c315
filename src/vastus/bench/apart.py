"""Work in a process of its own: its memory is its own, and it can be ended."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from vastus.processes import prepared, start

SETUP = 900.0  # [s] for imports, compilation and building, before the measured part begins

Work = Callable[[Callable[[], None]], dict[str, Any]]


class Lost(Exception):
    """Work that did not come back; the sentence says why."""


class Late(Lost):
    """Work that was ended because it took too long."""


@dataclass(frozen=True)
class _Failure:
    sentence: str


def apart(work: Work, limit: float) -> dict[str, Any]:
    """What `work` returns in a new process; it calls its argument when the measured part begins.

    From then on it has `limit` seconds.
    """
    here, there = multiprocessing.Pipe(duplex=False)
    process = prepared(_report, there, work)
    try:
        start(process)
        there.close()
        answer = _next(here, process, SETUP)
        if answer is None:
            answer = _next(here, process, limit)
    finally:
        if process.pid is not None:
            process.kill()
            process.join()
        here.close()
    if isinstance(answer, _Failure):
        raise Lost(answer.sentence)
    return dict(answer)


def _report(there: Connection, work: Work) -> None:
    try:
        there.send(work(lambda: there.send(None)))
    except Exception as error:  # whatever it is, it belongs in the table
        there.send(_Failure(f"{type(error).__name__}: {' '.join(str(error).split())}"))


def _next(here: Connection, process: BaseProcess, limit: float) -> Any:
    if not here.poll(limit):
        raise Late(f"ended after {limit:g} s")
    try:
        return here.recv()
    except EOFError:
        process.join()
        code = process.exitcode or 0
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        raise Lost(f"the process died ({how})") from None
