"""Equilibria do not depend on who else computes: threads, their number, other processes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from builders import inputs_of
from vastus import shapes
from vastus.numerics.jit import max_threads, thread_count
from vastus.solvers.newton import Newton
from vastus.state import Report, State, rest
from vastus.timeloop import Stepper

MODEL = shapes.fusiform(tets=1_100).with_(gravity=np.zeros(3))
ROUND_OFF = 1e-12  # [m]
# They end with the test, or by themselves if nobody ends them.
BUSY = "import time\nend = time.time() + 3600\nwhile time.time() < end: sum(range(10**5))"


def prepared() -> Stepper:
    return Newton(tolerance=1e-10).prepare(MODEL)


def contracted(stepper: Stepper, activation: float = 0.1) -> tuple[State, Report]:
    """The equilibrium reached from rest."""
    return stepper.step(rest(MODEL), inputs_of(MODEL, belly=activation))


@pytest.fixture(autouse=True)
def _two_threads() -> Iterator[None]:
    with thread_count(min(2, max_threads())):
        yield


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many other processes that compute meanwhile."""
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(processes)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def test_two_threads_of_one_process_find_the_equilibria_of_one() -> None:
    activations = [0.04, 0.06]
    quiet = [contracted(prepared(), a)[0].x for a in activations]
    before = [library["num_threads"] for library in threadpool_info()]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda a: contracted(prepared(), a)[0].x, activations))
    np.testing.assert_allclose(found, quiet, rtol=0, atol=ROUND_OFF)
    assert [library["num_threads"] for library in threadpool_info()] == before


def test_fewer_threads_after_the_preparation_change_nothing() -> None:
    """What workers of joblib and Dask do: a library limits the threads of all others."""
    wanted, report = contracted(prepared())
    stepper = prepared()
    with threadpool_limits(1):
        state, later = contracted(stepper)
    assert later.iterations == report.iterations
    np.testing.assert_allclose(state.x, wanted.x, rtol=0, atol=ROUND_OFF)


@pytest.mark.slow  # whose load counts for a machine; the quick ones change the threads
@pytest.mark.parametrize(("solves", "processes"), [(1, 2), (200, 4)])
def test_a_busy_machine_changes_nothing(solves: int, processes: int) -> None:
    wanted, _ = contracted(prepared())
    with busy(processes):
        errors = [np.abs(contracted(prepared())[0].x - wanted.x).max() for _ in range(solves)]
    print(f"{solves} solves beside {processes} processes: {max(errors):.2g} m apart at most")
    assert max(errors) < ROUND_OFF
