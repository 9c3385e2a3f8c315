"""Work for another process to do or to fail at; what it must import for it is little."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

Began = Callable[[], None]


def answer(began: Began) -> dict[str, object]:
    return {"pid": os.getpid()}


def fail(began: Began) -> dict[str, object]:
    raise ValueError("this law is\nunlawful")


def die(began: Began) -> dict[str, object]:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


def dawdle(began: Began) -> dict[str, object]:
    began()
    time.sleep(60)
    return {}


def hear(began: Began) -> dict[str, object]:
    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getppid(), signal.SIGINT)
    time.sleep(60)
    return {}
