"""Models small enough to be read at a glance."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from vastus.geometry.tetmesh import TetMesh
from vastus.materials import ActiveFibre, StableNeoHookean
from vastus.model import Model, Muscle
from vastus.numerics.jit import use_threads
from vastus.parts import Bone, Drive, Region, Tissue

# Several processes that run tests share the processors: each has one thread, unless a test asks.
SHARED = "PYTEST_XDIST_WORKER" in os.environ
if SHARED:
    os.environ.setdefault("MKL_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Tests of interrupts send SIGINT, which a shell lets processes in the background ignore.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> None:
    if SHARED:
        use_threads(1)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The laws come first: to test them is to compile them, for all tests that follow."""
    items.sort(key=lambda item: item.path.parent.name != "laws")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Of several processes, one runs all tests of a file, or of a material law."""
    from xdist.scheduler import LoadFileScheduling

    class ByFileOrLaw(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            law = re.match(r"(?:.*/)?laws/test_laws\.py::.*\[(\w+)", nodeid)
            return f"the law {law[1]}" if law else super()._split_scope(nodeid)

    return ByFileOrLaw(config, log)


def kernel_threads() -> int | None:
    """The number of threads of compiled kernels, once something has loaded the compiler."""
    return sys.modules["numba"].get_num_threads() if "numba" in sys.modules else None


@pytest.fixture(autouse=True)
def _same_threads() -> Iterator[None]:
    """No test leaves another number of threads behind."""
    before = kernel_threads()
    yield
    assert before is None or kernel_threads() == before


def box(cells: tuple[int, int, int], size: tuple[float, float, float]) -> TetMesh:
    """A box from the origin, six tets a cell; x is the slowest index of cells and vertices."""
    shape = np.array(cells) + 1
    X = np.indices(shape).reshape(3, -1).T * (np.array(size) / cells)
    corner = np.indices(cells).reshape(3, -1).T
    tets = []
    for order in permutations(range(3)):
        steps = np.cumsum(np.vstack([np.zeros(3, int), np.eye(3, dtype=int)[list(order)]]), axis=0)
        tets.append(np.ravel_multi_index(tuple((corner[:, None] + steps).T), shape).T)
    return TetMesh(X, np.stack(tets, axis=1).reshape(-1, 4)).oriented()


@pytest.fixture(scope="session")
def bar_model() -> Model:
    """A bar of 8 cm along x: pinned bone, tendon, muscle 'belly', tendon, free bone."""
    mesh = box((8, 2, 2), (0.08, 0.02, 0.02))
    region = np.searchsorted([0.01, 0.02, 0.06, 0.07], mesh.centroids[:, 0])
    muscle = (StableNeoHookean(6e4, 0.45), ActiveFibre())
    tendon = (StableNeoHookean(1e6, 0.45),)
    return Model(
        mesh,
        region,
        (
            Region("base", Tissue.BONE),
            Region("origin", Tissue.TENDON, tendon, muscle="belly"),
            Region("belly", Tissue.MUSCLE, muscle, muscle="belly"),
            Region("insertion", Tissue.TENDON, tendon, muscle="belly"),
            Region("tip", Tissue.BONE),
        ),
        np.where(np.isin(region, [1, 2, 3])[:, None], [1.0, 0.0, 0.0], 0.0),
        (Muscle("belly", strength=1e5),),
        (Bone("base", ("base",), Drive.PINNED), Bone("tip", ("tip",))),
        name="bar",
    )
