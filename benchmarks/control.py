"""Times of control by muscles: a rigid step, the programs of both arms, the plan of a throw.

Run `python benchmarks/control.py`. Besides: how exactly arms follow a swing at several periods, and
what juggling costs for each simulated second.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from vastus.bodies import juggler
from vastus.control.plant import Plant
from vastus.control.tracking import Reference, Tracker
from vastus.juggling import Places, Style, juggle
from vastus.juggling.kinematics import Reach
from vastus.juggling.paths import Knot, quintic, rest


def milliseconds(function: Callable[[], object], runs: int) -> float:
    """The mean time of the processor for a call."""
    start = time.process_time()
    for _ in range(runs):
        function()
    return 1e3 * (time.process_time() - start) / runs


def tracking_error(period: float) -> float:
    """[deg] rms of 14 joints that swing at 0.6 to 1.1 Hz for 2 s."""
    body = juggler()
    plant, tracker = Plant(body), Tracker(body, period=period)
    rng, n = np.random.default_rng(1), len(body.home)
    size, rate = rng.uniform(0.1, 0.2, n), 2 * np.pi * rng.uniform(0.6, 1.1, n)
    errors = []
    for _ in range(round(2.0 / period)):
        t = plant.time
        now, then = (size * rate * np.sin(rate * s) for s in (t, t + period))
        q = body.home + size * (1 - np.cos(rate * t))
        command = tracker.activation(plant, Reference(q, now, (then - now) / period))
        for _ in range(round(period / 1e-3)):
            plant.step(command.activation)
            errors.append(plant.data.qpos - body.home - size * (1 - np.cos(rate * plant.time)))
    return float(np.degrees(np.sqrt(np.mean(np.square(errors)))))


def main() -> None:
    """Print all times."""
    body = juggler()
    plant, tracker, reach = Plant(body), Tracker(body), Reach(body)
    still = Reference(body.home, np.zeros_like(body.home), np.zeros_like(body.home))
    command = tracker.activation(plant, still)
    print(f"rigid step      {milliseconds(lambda: plant.step(command.activation), 1000):6.2f} ms")
    solve = milliseconds(lambda: tracker.activation(plant, still), 500)
    print(f"programs        {solve:6.2f} ms for two arms of 35 units")
    arm = body.arm("right")
    palm, q = reach.palm(arm), reach.home(arm)
    here, _ = reach.point(arm, q, palm)
    thrown = Knot(0.42, here + np.array([0.0, 0.1, 0.1]), np.array([0.0, 0.8, 2.4]), np.zeros(3))
    way = quintic(rest(0.0, here), thrown)
    plan = milliseconds(lambda: reach.follow(arm, way, rest(0.0, q), palm), 10)
    print(f"plan of a throw {plan:6.2f} ms")
    for period in (5e-3, 2e-3, 1e-3):
        print(f"tracking        {tracking_error(period):6.3f} deg rms each {1e3 * period:g} ms")
    result = juggle(body, "3", 3.0, Style(places=Places(outer=0.28)))
    print(f"three balls     {result.cpu / 3.0:6.2f} s a simulated second; {result}")


if __name__ == "__main__":
    main()
