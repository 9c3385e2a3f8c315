"""Time of a control step of volumetric muscles, and how far the methods are from each other.

Run `python benchmarks/bellies.py`; 130 diamonds are to take at most 5 ms a step on one thread, and
their tables 0.1 ms.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from vastus.bellies.belly import Belly
from vastus.bellies.condensed import Condensed
from vastus.bellies.law import MotorUnit
from vastus.bellies.line import LineLaw
from vastus.bellies.projective import Projective, shortfall
from vastus.bellies.shapes import Loft, diamond, tube
from vastus.bellies.volumes import Bellies
from vastus.numerics.jit import use_threads
from vastus.numerics.types import Floats

MUSCLES, STEP, STEPS = 130, 0.005, 200  # [s]
STRENGTH = 3e5  # [Pa]
Law = LineLaw | Condensed | Bellies | Projective


def units(count: int) -> list[MotorUnit]:
    """Muscles of many sizes, from a tenth to three tenths as wide as they are long."""
    rng = np.random.default_rng(0)
    sizes = zip(rng.uniform(0.1, 0.3, count), rng.uniform(0.05, 0.3, count), strict=True)
    return [MotorUnit(f"muscle {k}", STRENGTH * (r * l) ** 2, l) for k, (r, l) in enumerate(sizes)]


def states(of: tuple[MotorUnit, ...]) -> list[tuple[Floats, Floats, Floats]]:
    """A smooth motion of one second, as of arms that juggle, at 200 Hz."""
    rng = np.random.default_rng(1)
    optimal = np.array([unit.optimal for unit in of])
    phase, rate = (
        rng.uniform(0, 2 * np.pi, (2, len(of))),
        2 * np.pi * rng.uniform(0.5, 1.7, len(of)),
    )
    out = []
    for t in STEP * np.arange(STEPS):
        length = optimal * (1 + 0.15 * np.sin(rate * t + phase[0]))
        speed = optimal * 0.15 * rate * np.cos(rate * t + phase[0])
        out.append((length, speed, 0.5 + 0.45 * np.sin(1.3 * rate * t + phase[1])))
    return out


def milliseconds(law: Law) -> tuple[float, float]:
    """The median and the least time of a step."""
    times = []
    law.forces(*states(law.units)[0])
    for state in states(law.units):
        start = time.perf_counter()
        law.forces(*state)
        times.append(1e3 * (time.perf_counter() - start))
    return float(np.median(times)), min(times)


def steps_of(bellies: Bellies) -> float:
    """The steps of Newton's method in a control step, in the mean over bellies."""
    counts = []
    for state in states(bellies.units):
        bellies.forces(*state)
        counts.append(bellies.iterations.mean())
    return float(np.mean(counts[1:]))


def main() -> None:
    use_threads(1)
    many = units(MUSCLES)
    diamonds = [diamond(u, width=float(np.sqrt(u.force / STRENGTH))) for u in many]

    def tubes(count: int, slabs: int) -> list[Belly]:
        across = [2 * float(np.sqrt(u.force / STRENGTH / np.pi)) for u in many]
        loft = Loft(slabs=slabs)
        return [tube(many[k], width=across[k], loft=loft) for k in range(count)]

    cases: dict[str, Callable[[], Law]] = {
        "line": lambda: LineLaw(many),
        "condensed": lambda: Condensed(diamonds),
        "diamonds": lambda: Bellies(diamonds),
        "projective diamonds": lambda: Projective(diamonds),
        "tubes of 192": lambda: Bellies(tubes(10, 8)),
        "tubes of 960": lambda: Bellies(tubes(2, 40)),
    }
    print(f"{'law':>20} {'muscles':>7} {'ms a step':>10} {'least':>8}")
    for name, make in cases.items():
        law = make()
        median, least = milliseconds(law)
        print(f"{name:>20} {len(law.units):7} {median:10.3f} {least:8.3f}")
    bellies = Bellies(diamonds)
    print(f"steps of Newton's method a control step: {steps_of(bellies):.2f}")
    print(Condensed(diamonds).compare(bellies, states(bellies.units)))
    length, _, activation = states(bellies.units)[5]
    print(shortfall(Projective(diamonds), length, activation, limit=1000))


if __name__ == "__main__":
    main()
