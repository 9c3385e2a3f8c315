"""Time per point of a hand-written law against the same energy traced, on one thread and two.

Run `python benchmarks/laws.py`; the traced law is to stay within twice the hand-written one.
"""

from __future__ import annotations

import time

import numpy as np

from vastus.energies.loops import loops
from vastus.materials import Law, StableNeoHookean, det, law
from vastus.numerics.jit import use_threads

POINTS = 100_000


@law
def traced_stable_neo_hookean(F, mu=1.0, lam=1.0, a=1.0):
    I1, J = np.trace(F.T @ F), det(F)
    return mu / 2 * (I1 - 3 - np.log((I1 + 1) / 4)) + lam / 2 * ((J - a) ** 2 - (1 - a) ** 2)


def nanoseconds(made: Law) -> dict[str, float]:
    """The least time per point of each function over some repetitions."""
    F = np.eye(3) + 0.2 * np.random.default_rng(0).standard_normal((POINTS, 3, 3))
    d, T0 = np.tile([1.0, 0.0, 0.0], (POINTS, 1)), np.zeros(POINTS)
    points, row = np.arange(POINTS), np.zeros(POINTS, np.int64)
    p = np.array([made.parameters()])
    shapes = {"energy": (), "stress": (3, 3), "tangent": (9, 9)}
    times = {}
    for name, shape in shapes.items():
        loop = getattr(loops((made.point, made.slots)), name)
        out = np.zeros((POINTS, *shape))
        runs = []
        for _ in range(15):
            start = time.perf_counter()
            loop(points, F, d, T0, row, p, out)
            runs.append(time.perf_counter() - start)
        times[name] = min(runs) / POINTS * 1e9
    return times


def main() -> None:
    written = StableNeoHookean()
    traced = traced_stable_neo_hookean(*written.parameters())
    print(f"{'threads':>7} {'function':>9} {'written ns':>11} {'traced ns':>10} {'ratio':>6}")
    for threads in (1, 2):
        use_threads(threads)
        first, second = nanoseconds(written), nanoseconds(traced)
        for name, ns in first.items():
            print(f"{threads:7} {name:>9} {ns:11.1f} {second[name]:10.1f} {second[name] / ns:6.2f}")


if __name__ == "__main__":
    main()
