"""Forces of finite volumes against assembled forces of elements: tets a second, and memory.

Run `python benchmarks/explicit.py`; both are timed in turn by the processor's time, so that ratios
bear a busy machine. With `--threads 2` it also says by how much two threads are faster than one, by
the clock, which needs a quiet one. The targets are 1.9 times the assembled forces at 100,000 tets
on one thread, and 1.7 on two.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from vastus.energies.elastic import Elastic
from vastus.energies.finite_volumes.forces import FiniteVolumes, Form
from vastus.materials import NeoHookean, StableNeoHookean, StVenantKirchhoff
from vastus.model import Model
from vastus.modelling.shapes.simple import box
from vastus.numerics.jit import use_threads
from vastus.numerics.sparse import Scatter
from vastus.parts import Region, Tissue

SIZES = {18_000: (30, 10, 10), 100_000: (54, 18, 17), 400_000: (88, 28, 27)}
BYTES = 10 * 8 + 4 * 4 + 8  # of each tet: faces and volume, corners, number


def block(cells: tuple[int, int, int], law: object) -> Model:
    """A block of cubic centimetres, of one law."""
    mesh = box(cells, (0.01 * cells[0], 0.01 * cells[1], 0.01 * cells[2]))
    region = Region("block", Tissue.PASSIVE, (law,))  # type: ignore[arg-type]
    return Model(mesh, np.zeros(mesh.n_tets, np.int64), (region,), np.zeros((mesh.n_tets, 3)))


def fastest(
    *runs: Callable[[], object], count: int, clock: Callable[[], float] = time.process_time
) -> list[float]:
    """The least time [s] of each, in turns: of the processor, on one thread."""
    times: list[list[float]] = [[] for _ in runs]
    for _ in range(count):
        for own, run in zip(times, runs, strict=True):
            start = clock()
            run()
            own.append(clock() - start)
    return [min(own) for own in times]


def bandwidth() -> float:
    """[B/s] that a copy of much memory reads and writes, on one thread."""
    a = np.ones(20_000_000)
    b = np.empty_like(a)
    (seconds,) = fastest(lambda: np.copyto(b, a), count=5)
    return 2 * a.nbytes / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--count", type=int, default=25)
    options = parser.parse_args()
    use_threads(1)
    print(f"memory: {bandwidth() / 1e9:.1f} GB/s by a copy, {BYTES} B a tet")
    print(f"{'tets':>8} {'law':>20} {'assembled ns':>13} {'piola ns':>9} {'cauchy ns':>10}", end="")
    print(f" {'ratio':>6} {'GB/s':>6}" + " threads" * (options.threads > 1))
    for cells in SIZES.values():
        for law in (NeoHookean(1e5, 0.4), StableNeoHookean(1e5, 0.4), StVenantKirchhoff(1e5, 0.4)):
            report(block(cells, law), type(law).name, options)


def report(model: Model, name: str, options: argparse.Namespace) -> None:
    """Print one row."""
    mesh, elastic = model.mesh, Elastic(model)
    scatter, T0 = Scatter.of(elastic.T, mesh.n_vertices), np.zeros(mesh.n_tets)
    x = mesh.X + 3e-4 * np.random.default_rng(0).standard_normal(mesh.X.shape)
    piola, cauchy = (FiniteVolumes(model, elastic, form) for form in Form)

    def assembled() -> object:
        return scatter.gather(elastic.respond(x, T0).forces)

    runs = (assembled, lambda: piola.forces(x, T0), lambda: cauchy.forces(x, T0))
    fastest(*runs, count=2)
    use_threads(1)
    seconds = fastest(*runs, count=options.count)
    ns = [1e9 * s / mesh.n_tets for s in seconds]
    row = f"{mesh.n_tets:8} {name:>20} {ns[0]:13.1f} {ns[1]:9.1f} {ns[2]:10.1f}"
    row += f" {ns[0] / ns[1]:6.2f} {BYTES / ns[1]:6.2f}"
    if options.threads > 1:
        row += f" {gain(runs[1], options):7.2f}"
    print(row, flush=True)


def gain(run: Callable[[], object], options: argparse.Namespace) -> float:
    """By how much several threads are faster than one, in turns."""

    def on(threads: int) -> float:
        use_threads(threads)
        return fastest(run, count=3, clock=time.perf_counter)[0]

    pairs = [(on(1), on(options.threads)) for _ in range(options.count)]
    one, several = np.min(pairs, axis=0)
    use_threads(1)
    return float(one / several)


if __name__ == "__main__":
    main()
