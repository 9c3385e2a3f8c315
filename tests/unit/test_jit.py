"""Compiled kernels: what is kept of them and found again, and the threads of their libraries."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock
from numba.core.caching import IndexDataCacheFile
from numba.core.errors import TypingError
from threadpoolctl import threadpool_info

import vastus
from vastus.materials import LAWS
from vastus.numerics.jit import (
    cache_folder,
    kernel,
    kernel_sources,
    lone_blas,
    prune,
    thread_count,
)

CACHED = """
import numpy as np
from vastus.materials import StableNeoHookean, StVenantKirchhoff
from vastus.numerics.jit import kernel, prange
def make(energy):
    @kernel
    def loop(F, d, T0, p, out):
        for e in prange(len(F)):
            out[e] = energy(F[e], d, T0, p)
    return loop
for made in (StableNeoHookean(), StVenantKirchhoff()):
    loop = make(type(made).point.energy)
    p = np.array(made.parameters())
    loop(np.eye(3)[None], np.zeros(3), 0.0, p, np.zeros(1))
    print(sum(loop.stats.cache_hits.values()), sum(loop.stats.cache_misses.values()))
"""


compiled = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled without the compiler"
)


KEPT = """
import sys
import numpy as np
from vastus.numerics.psd import project_psd
A = -np.eye(9)[None]
project_psd(A)
assert abs(A).max() < 1e-12
print("numba.np.linalg" in sys.modules)
"""


def twice(folder: Path, **environment: Path) -> list[list[str]]:
    """The cache hits and misses of two processes, one after the other."""
    script = folder / "cached.py"
    script.write_text(CACHED)
    variables = {**os.environ, **{name: str(path) for name, path in environment.items()}}
    return [
        subprocess.run(
            [sys.executable, script], env=variables, capture_output=True, text=True, check=True
        ).stdout.split("\n")[:2]
        for _ in range(2)
    ]


@compiled
def test_a_second_process_finds_written_and_traced_laws_compiled(tmp_path):
    assert twice(tmp_path, XDG_CACHE_HOME=tmp_path / "cache") == [["0 1", "0 1"], ["1 0", "1 0"]]


@compiled
@pytest.mark.slow
def test_without_a_cache_nothing_compiled_outlives_the_process(tmp_path):
    """What numba keeps beside the sources would outlive an edit of a law."""
    (tmp_path / "cache").write_text("not a folder")
    (tmp_path / "tmp").mkdir()
    runs = twice(tmp_path, XDG_CACHE_HOME=tmp_path / "cache", TMPDIR=tmp_path / "tmp")
    assert runs == [["0 1", "0 1"], ["0 1", "0 1"]]
    assert not list(tmp_path.rglob("__pycache__"))
    assert not list((tmp_path / "tmp").iterdir())


def test_two_processes_that_save_at_once_do_not_find_each_other_s_code(tmp_path):
    """The second saves all of its code between the first one's index and code."""
    first, second = (IndexDataCacheFile(str(tmp_path), "loop", "stamp") for _ in range(2))
    first.flush()
    second._load_index = dict  # as it was before the first began
    save = first._save_data

    def later(name, data):
        second.save("second", "code of the second")
        save(name, data)

    first._save_data = later
    first.save("first", "code of the first")
    for key in ("first", "second"):
        assert IndexDataCacheFile(str(tmp_path), "loop", "stamp").load(key) in (
            None,
            f"code of the {key}",
        )


MET = """
import sys
import numpy as np
from vastus.numerics.jit import kernel, prange

@kernel
def double(x):
    for i in prange(len(x)):
        x[i] *= 2.0

print("ready", flush=True)
sys.stdin.readline()
double(np.ones(3))
print(sum(double.stats.cache_misses.values()))
"""


@compiled
def test_of_two_processes_at_once_one_compiles_and_the_other_waits_for_it(tmp_path):
    (tmp_path / "met.py").write_text(MET)
    variables = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    both = [
        subprocess.Popen([sys.executable, tmp_path / "met.py"], env=variables, **options)
        for _ in range(2)
    ]
    assert [process.stdout.readline() for process in both] == ["ready\n"] * 2
    for process in both:
        process.stdin.write("\n")
        process.stdin.flush()
    assert sorted(process.communicate()[0] for process in both) == ["0\n", "1\n"]


@compiled
def test_a_kernel_that_cannot_be_compiled_keeps_nobody_waiting():
    @kernel
    def wrong(x):
        return x.nothing_of_this_name

    with pytest.raises(TypingError):
        wrong(1.0)
    (lock,) = cache_folder().glob("*.wrong.lock")
    with FileLock(lock, timeout=0):
        pass


ROUNDED = """
import hashlib
import numpy as np
from vastus import shapes
from vastus.solvers.problem import Problem, Reduction
model = shapes.bar(tets=1000)
problem = Problem(model, Reduction())
x = model.mesh.X * [1.1, 0.9, 1.05] + 1e-3 * np.sin(50 * model.mesh.X[:, ::-1])
elastic, T0 = problem.elastic, problem.elastic.tension(np.ones(1))
forces = problem.scatter.gather(elastic.respond(x, T0).forces)
H = elastic.tangent(elastic.deformation(x), T0)
blocks = problem.scatter.blocks(H, elastic.B, elastic.volumes)
print(*(hashlib.sha256(array.tobytes()).hexdigest() for array in (forces, H, blocks)))
"""


LAWS_ROUNDED = """
import hashlib
import numpy as np
from vastus.energies.flesh.matrix import FleshMatrix
from vastus.energies.loops import loops
from vastus.materials import LAWS

rng = np.random.default_rng(0)
F, tets = np.eye(3) + 0.2 * rng.standard_normal((1000, 3, 3)), np.arange(1000)
d, T0, row = np.tile([0.6, 0.0, 0.8], (1000, 1)), np.full(1000, 1e5), np.zeros(1000, int)
flesh = FleshMatrix(1e3, 3e3, 1e6)
for law in [made() for name, made in LAWS.items() if name in {names}] + [flesh][: {flesh}]:
    loop, p = loops((law.point, law.slots)), np.array([law.parameters()])
    for what, shape in {kinds}:
        out = np.empty((1000, *shape))
        getattr(loop, what)(tets, F, d, T0, row, p, out)
        print(law.name, what, hashlib.sha256(out.tobytes()).hexdigest())
"""


KINDS = (("energy", ()), ("stress", (3, 3)), ("tangent", (9, 9)))


def of_two_processes(script: str, folder: Path) -> list[list[str]]:
    """The lines that a script prints where it is compiled, and where it comes from the cache."""
    variables = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    return [
        subprocess.run(
            [sys.executable, "-c", script],
            env=variables,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()
        for _ in range(2)
    ]


@compiled
@pytest.mark.slow
def test_what_is_compiled_and_what_comes_from_the_cache_round_alike(tmp_path):
    """So that a run is repeated, and resumed, to the last bit."""
    first, second = of_two_processes(ROUNDED, tmp_path)
    assert first
    assert first == second


@compiled
def test_a_traced_law_that_is_compiled_and_one_from_the_cache_round_alike(tmp_path):
    """Its lines must be inlined: else they exist twice, and the cache decides which are run."""
    script = LAWS_ROUNDED.format(names=("isochoric_fibre",), flesh=0, kinds=KINDS[1:2])
    first, second = of_two_processes(script, tmp_path)
    assert len(first) == 1
    assert first == second


@compiled
@pytest.mark.slow
def test_all_laws_that_are_compiled_and_those_from_the_cache_round_alike(tmp_path):
    first, second = of_two_processes(
        LAWS_ROUNDED.format(names=tuple(LAWS), flesh=1, kinds=KINDS), tmp_path
    )
    assert len(first) == 3 * len(LAWS) + 3
    assert first == second


def test_only_old_folders_beyond_the_newest_few_are_pruned(tmp_path):
    for days in (0, 1, 29, 31, 40, 50, 60):
        folder = tmp_path / f"kernels-{days}"
        folder.mkdir()
        (folder / "code.nbc").write_text("compiled")
        os.utime(folder, (time.time() - 86400 * days,) * 2)
    (tmp_path / "modes").mkdir()
    prune(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"modes", "kernels-0", "kernels-1", "kernels-29", "kernels-31"}
    prune(tmp_path / "nowhere")


def test_a_folder_that_came_into_use_is_not_pruned(tmp_path, monkeypatch):
    folders = [tmp_path / f"kernels-{i}" for i in range(6)]
    for folder in folders:
        folder.mkdir()
        os.utime(folder, (0.0, 0.0))
    rename = Path.rename

    def touched_meanwhile(path, target):
        os.utime(path)
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", touched_meanwhile)
    prune(tmp_path)
    assert set(tmp_path.iterdir()) == set(folders)


WRITTEN = """
from dataclasses import dataclass
from vastus.materials.base import Law, PointLaw
from vastus.numerics.jit import point
from {helper} import FACTOR, squared

@point
def energy(F, d, T0, p):
    return FACTOR * p[0] * squared(F[0, 1])

@point
def stress(F, d, T0, p, P):
    P[0, 1] += 2.0 * FACTOR * p[0] * F[0, 1]

@point
def tangent(F, d, T0, p, H):
    H[1, 1] += 2.0 * FACTOR * p[0]

@dataclass(frozen=True)
class Sheared(Law):
    mu: float = 1.0
    name = "sheared"
    point = PointLaw(energy, stress, tangent)
"""

HELPER = """
from vastus.numerics.jit import point
FACTOR = {factor}

@point
def squared(x):
    return {squared}
"""

EVALUATED = """
import numpy as np
from vastus.energies.law_address import respond_at
from vastus.energies.loops import loops
from sheared import Sheared
F = np.eye(3)[None].copy()
F[0, 0, 1] = 2.0
zero, out = np.zeros(1, int), np.zeros(1)
law = Sheared.point
loop = loops((law, 1)).energy
loop(zero, F, np.zeros((1, 3)), np.zeros(1), zero, np.ones((1, 1)), out)
print(out[0], Sheared.fingerprint(), respond_at(law).cache_hits)
"""


@compiled
def test_an_edit_of_a_hand_written_law_is_seen_in_the_next_process(tmp_path):
    """Numba's cache alone looks neither at the law's file nor at what that imports."""

    def evaluated(factor: float, squared: str) -> tuple[float, str, int]:
        (tmp_path / "sheared.py").write_text(WRITTEN.format(helper="shear_helper"))
        helper = HELPER.format(factor=factor, squared=squared)
        (tmp_path / "shear_helper.py").write_text(helper)
        done = subprocess.run(
            [sys.executable, "-c", EVALUATED],
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
                "XDG_CACHE_HOME": str(tmp_path / "cache"),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            check=True,
        )
        value, fingerprint, hits = done.stdout.split()
        return float(value), fingerprint, int(hits)

    first, second = evaluated(1.0, "x * x"), evaluated(1.0, "x * x")
    assert first == (4.0, first[1], 0)
    assert second == (4.0, first[1], 1)
    constant, code = evaluated(3.0, "x * x"), evaluated(3.0, "x * x * x")
    assert (constant[0], code[0]) == (12.0, 24.0)
    assert len({first[1], constant[1], code[1]}) == 3


@compiled
def test_kernels_that_are_kept_do_not_load_the_compiler(tmp_path: Path) -> None:
    variables = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    said = [
        subprocess.run(
            [sys.executable, "-c", KEPT], env=variables, capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert said == ["True", "False"]


def test_the_cache_depends_on_the_files_of_kernels_and_their_constants_only():
    root = Path(vastus.__file__).parent
    found = {path.relative_to(root).as_posix() for path in kernel_sources()}
    assert {"numerics/jit.py", "numerics/psd.py", "materials/neo_hookean.py"} <= found
    assert "materials/base.py" in found, "the laws take INVERTED from it"
    assert not any(name.startswith(("solvers/", "cli/", "app/", "scene/")) for name in found)
    assert "numerics/minimise.py" not in found


def blas_threads() -> list[int]:
    return [i["num_threads"] for i in threadpool_info() if i["internal_api"] == "openblas"]


def test_openblas_has_one_thread_while_solving_and_its_own_number_after() -> None:
    before = blas_threads()
    with lone_blas():
        assert set(blas_threads()) <= {1}
    assert blas_threads() == before


def test_openblas_has_one_thread_until_the_last_solver_is_done() -> None:
    before = blas_threads()
    with lone_blas():
        with lone_blas():
            pass
        assert set(blas_threads()) <= {1}
    assert blas_threads() == before


def test_a_number_of_threads_is_taken_back() -> None:
    before = threadpool_info()
    with thread_count(1):
        assert {library["num_threads"] for library in threadpool_info()} == {1}
    assert threadpool_info() == before
