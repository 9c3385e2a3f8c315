"""Whether a pattern can be juggled, before it is: speeds, reach, limits of joints and torques.

The hands' paths of the steady pattern are planned as they will be when every ball is where it
should be. At times along them the torques tau that they need are compared with what the muscles can
give at those angles and speeds: the margin is the largest s with

    tau_p + G a = s tau,    0 <= a <= 1,

with passive torques tau_p, all joints together. Below 1 muscles alone cannot do all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import linprog

from vastus.bellies.law import MuscleLaw
from vastus.control.plant import Payload, Plant
from vastus.errors import ModelError
from vastus.juggling.hands import Hand, resting
from vastus.juggling.kinematics import Reach
from vastus.juggling.paths import Knot
from vastus.juggling.siteswap import Siteswap
from vastus.juggling.stage import MASS, stage
from vastus.juggling.style import YIELDING, Style
from vastus.juggling.timing import GRAVITY, launch
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.bodies.body import Body

SAMPLE = 0.02  # [s] between the times at which torques are compared
# Margins that simulations of three to five balls at 0.35 to 1 of the strength needed: a throw has
# none to spare, while a hand that returns late for a while still catches.
THROWING, RETURNING = 1.05, 0.6
REACHED = 2e-3  # [m] from the path
ENOUGH = 10.0  # margins beyond are told as this


class Margin(NamedTuple):
    """How many times the torques that a path needs muscles can give, where that is least.

    There a joint limits it most, at which `torque` [N m] is needed, and units are at their full.
    """

    factor: float
    joint: str
    torque: float
    units: tuple[str, ...]


@dataclass(frozen=True)
class Check:
    """A path of a hand: `what` it is, peak acceleration [m/s^2], gap [m] and joints at limits."""

    what: str
    acceleration: float
    gap: float
    limited: tuple[str, ...]
    margin: Margin
    least: float  # of margins

    @property
    def problem(self) -> str | None:
        """What makes it impossible, in one sentence."""
        if self.gap > REACHED:
            verb = "is at its limit" if len(self.limited) == 1 else "are at their limits"
            stop = f", where {', '.join(self.limited)} {verb}" if self.limited else ""
            return f"{self.what} leads {100 * self.gap:.1f} cm past what the arm reaches{stop}"
        if self.margin.factor < self.least:
            m = self.margin
            full = f"; {', '.join(m.units[:4])} can no more" if m.units else ""
            return (
                f"{self.what} needs more than the muscles give: {m.factor:.2f} of it is there, of "
                f"{self.least:g} that it takes, limited by {m.joint} "
                f"({m.torque:+.0f} N m at up to {self.acceleration:.0f} m/s^2 of the hand{full})"
            )
        return None


@dataclass(frozen=True)
class Feasibility:
    """The paths of a pattern, and what is impossible about it."""

    checks: tuple[Check, ...]
    problems: tuple[str, ...]

    @property
    def margin(self) -> float:
        """The least of all."""
        return min((check.margin.factor for check in self.checks), default=0.0)

    def require(self) -> None:
        """Raise a `ModelError` if it cannot be juggled."""
        if self.problems:
            raise ModelError(self.problems[0])


def feasibility(
    body: Body, pattern: str | Siteswap, style: Style | None = None, *, mass: float = MASS,
    law: MuscleLaw | None = None, jugglers: int = 1,
) -> Feasibility:  # fmt: skip
    """Whether a body, or two, can juggle a siteswap with balls of a mass [kg] in a style."""
    siteswap = Siteswap.read(pattern) if isinstance(pattern, str) else pattern
    style = style or Style()
    too_short = []
    for value in sorted(set(siteswap.values) - {0}):
        try:
            style.timing.flight(value)
        except ModelError as error:
            too_short.append(str(error))
    if too_short:
        return Feasibility((), tuple(too_short))
    scene = stage(body, (), jugglers=jugglers)
    plant, reach = Plant(scene.bare, law), Reach(scene.bare)
    places = [style.places.of(reach, arm) for arm in scene.hands]
    checks = []
    for h, arm in enumerate(scene.hands):
        path = resting(reach, arm, places[h][1], 1.0)
        hand = Hand(arm, reach, *places[h], [], path, reach.palm(arm))
        checks += _hand_checks(plant, hand, h, places, siteswap, style, mass)
    problems = tuple(check.problem for check in checks if check.problem)
    return Feasibility(tuple(checks), problems)


def _hand_checks(
    plant: Plant, hand: Hand, h: int, places: Sequence[tuple[Floats, Floats]], siteswap: Siteswap,
    style: Style, mass: float,
) -> list[Check]:  # fmt: skip
    """The paths of one hand over a period of its pattern, after one that leads into it."""
    timing, hands, period = style.timing, len(places), len(siteswap.values)
    beats = [n for n in range(h, 3 * hands * period, hands) if siteswap.values[n % period]]
    came = {(n + v) % period: v for n, v in enumerate(siteswap.values)}
    carrier = int(plant.model.body(hand.arm.hand).id)
    held = Payload(mass, carrier, hand.local)
    checks: dict[str, Check] = {}
    for k, n in enumerate(beats[:-1]):
        value, now = siteswap.values[n % period], timing.caught(n)
        if k == 0:
            hand.path = resting(hand.reach, hand.arm, hand.catch_place, 1.0)
            start = Knot(now, hand.path.at(0.0)[0], *np.zeros((2, len(hand.arm.dofs))))
        else:
            start = hand.state(now)
        target = places[(n + value) % hands][1]
        v = launch(hand.throw_place, target, timing.flight(value))
        thrown = n * timing.beat
        hand.lead(
            start, hand.local, Knot(thrown, hand.throw_place, v, style.places.leaving * GRAVITY)
        )
        what = f"throw {value} of the {hand.arm.name} hand"
        if k > 0 and what not in checks:
            checks[what] = _check(plant, hand, what, (held,))
        after = beats[k + 1]
        coming = came[after % period]
        flight = timing.flight(coming)
        source = places[(after - coming) % hands][0]
        speed = launch(source, hand.catch_place, flight) + GRAVITY * flight
        aim = Knot(timing.caught(after), hand.catch_place, YIELDING * speed, np.zeros(3))
        hand.lead(hand.state(thrown), hand.local, aim)
        back = f"the return of the {hand.arm.name} hand after throw {value}"
        if k > 0 and back not in checks:
            checks[back] = _check(plant, hand, back, ())
    return list(checks.values())


def _check(plant: Plant, hand: Hand, what: str, loads: tuple[Payload, ...]) -> Check:
    path, way = hand.path, hand.way
    assert way is not None  # it was led along one
    times = np.arange(path.start, path.end, SAMPLE)
    margins = [_margin(plant, hand, t, loads) for t in times]
    names = plant.body.dof_names
    return Check(
        what,
        float(np.linalg.norm(way.at(np.linspace(path.start, path.end, 200), 2), axis=1).max()),
        path.error,
        tuple(names[hand.arm.dofs[j]] for j in path.limited),
        min(margins, key=lambda margin: margin.factor),
        THROWING if loads else RETURNING,
    )


def _margin(plant: Plant, hand: Hand, t: float, loads: tuple[Payload, ...]) -> Margin:
    """How much of the torques at a time muscles can give."""
    dofs, units = np.array(hand.arm.dofs), np.array(hand.arm.units)
    q, qd, qdd = hand.path.at(t)
    plant.data.qpos[hand.reach.places(hand.arm)] = q
    plant.data.qvel[dofs] = qd
    plant.refresh()
    motion = plant.motion().of(dofs, units)
    tau = motion.inertia @ qdd + motion.bias
    for load in loads:
        J, force = plant.load(load)
        J = J[:, dofs]
        tau += J.T @ (load.mass * J @ qdd + force)
    pull = plant.pull(np.zeros(len(plant.body.units)))
    G = -motion.arms.T * pull.by_activation[units]
    passive = -motion.arms.T @ pull.force[units]
    best = linprog(
        np.append(np.zeros(len(units)), -1.0), A_eq=np.column_stack([G, -tau]), b_eq=-passive,
        bounds=[(0.0, 1.0)] * len(units) + [(0.0, ENOUGH)], method="highs",
    )  # fmt: skip
    if best.x is None:  # passive torques alone are more than muscles can hold against
        return Margin(0.0, plant.body.dof_names[dofs[np.argmax(np.abs(passive))]], 0.0, ())
    share = np.abs(best.eqlin.marginals * tau)
    worst = int(np.argmax(share))
    full = (best.x[:-1] > 1.0 - 1e-6) & (G[worst] * tau[worst] > 0)
    order = units[np.argsort(-np.abs(G[worst]))]
    told = tuple(plant.body.units[i].name for i in order if full[np.flatnonzero(units == i)[0]])
    return Margin(float(best.x[-1]), plant.body.dof_names[dofs[worst]], float(tau[worst]), told)
