"""Processes that a page starts, with those that they start: they end together, and with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.process import BaseProcess
from threading import Thread


def when_orphaned(end: Callable[[], object]) -> None:
    """Call `end` on another thread as soon as the process that started this one is gone."""
    parent = multiprocessing.parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            end()

    Thread(target=wait, daemon=True).start()


def found_family() -> None:
    """Let all processes that this one starts be ended with it."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)


def end_own_family() -> None:
    """End this process, and all that it has started."""
    if hasattr(os, "killpg"):
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)


def end_family(process: BaseProcess) -> None:
    """End a process that has founded a family, or is about to."""
    if process.pid is not None and process.is_alive():
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    process.join(timeout=5.0)
