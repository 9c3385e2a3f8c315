"""Processes beside this one, with those that they start: deaf to Ctrl-C, and ended with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess
from threading import Thread, current_thread, main_thread
from types import ModuleType
from typing import Any


def prepared(work: Callable[..., None], *inputs: Any, name: str | None = None) -> BaseProcess:
    """A process for some work, not started yet; forked ones would inherit threads half-way."""
    spawn = multiprocessing.get_context("spawn")
    return spawn.Process(target=work, args=inputs, name=name, daemon=True)


def start(process: BaseProcess, *, script: bool = True) -> None:
    """Start a process; without the `script`, it does not run the caller's main file again.

    It needs the script only for what is defined there. A script that is not guarded by
    `if __name__ == "__main__"` would otherwise do all its work a second time.
    """
    with unheard(), nullcontext() if script else no_script():
        process.start()


@contextmanager
def no_script() -> Iterator[None]:
    """Start processes that do not run the caller's main file again, guarded or not."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextmanager
def unheard() -> Iterator[None]:
    """Start processes that do not hear Ctrl-C; the one that started them ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Python's own process beside others lets signals through when it starts: let that be now.
    resource_tracker.ensure_running()
    with put_off():
        former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, former)


@contextmanager
def put_off() -> Iterator[None]:
    """Hear Ctrl-C at the end: a library's thread may take it although this one has blocked it."""
    if current_thread() is not main_thread():
        yield
        return
    heard: list[int] = []
    former = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)
        if heard:
            signal.raise_signal(signal.SIGINT)


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
