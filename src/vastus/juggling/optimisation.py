"""Throws by optimisation: the reference that, followed by the muscles, lets a ball go as wanted.

A reference from the present state to the throw is a cubic Bezier curve of control points c0 .. c3,
of which c0 is where the swing begins. The others are sought (theory, eq. 86 and 87), with the
place p and the velocity v that a ball has at the end of a rollout of the plant and its tracker:

    minimise    |p - p*|^2 / sp^2 + |v - v*|^2 / sv^2 + we int |a|^2 dt.

The points are of the led ball in space, and angles follow by inverse kinematics, or of the joints,
which then stay within their limits, because a Bezier curve is inside the hull of its points. This
is how Lee et al. 2018 throw; `Juggle` needs no such search, since it plans paths whose speeds and
accelerations its tracker knows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from vastus.bellies.law import MuscleLaw
from vastus.control.plant import Plant
from vastus.control.rollouts import Outcome, Rollouts
from vastus.control.tasks import require_positive
from vastus.control.tracking import Tracker
from vastus.juggling.arms import Arms
from vastus.juggling.hands import Hand, resting
from vastus.juggling.kinematics import MARGIN, JointPath, Reach
from vastus.juggling.paths import Knot, bezier_path, bezier_points, quintic, rest
from vastus.juggling.stage import MASS, stage
from vastus.numerics.least_squares import GaussNewton, Method, Minimum, Stop, least_squares
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.bodies.body import Body


class Aim(NamedTuple):
    """A ball shall leave a place (3,) [m] with a velocity (3,) [m/s], and fly for a time [s]."""

    place: Floats
    velocity: Floats
    flight: float


class Throw(NamedTuple):
    """How a ball leaves the hand, and how far [m] from its aim it comes down."""

    place: Floats
    velocity: Floats
    landing: float


@dataclass(frozen=True, eq=False)
class Swing:
    """A hand with a ball, from a state of its joints to an aim at an end [s]."""

    arms: Arms
    hand: int
    ball: int
    start: Knot
    end: float
    aim: Aim

    @property
    def led(self) -> Hand:
        """The hand."""
        return self.arms.hands[self.hand]

    @property
    def local(self) -> Floats:
        """(3,) [m] the ball in the frame of the hand."""
        return self.led.held[self.ball]

    @property
    def first(self) -> Knot:
        """The ball at the start."""
        return self.led.reach.knot(self.led.arm, self.start, self.local)

    @property
    def last(self) -> Knot:
        """The ball when it leaves as it should."""
        return Knot(self.end, self.aim.place, self.aim.velocity, np.zeros(3))

    def planned(self) -> JointPath:
        """The path without any rollout: angles that follow a quintic in space."""
        return self.led.reach.follow(
            self.led.arm, quintic(self.first, self.last), self.start, self.local
        )

    def references(self, path: JointPath) -> Floats:
        """(k, 3, n) the references of all arms if this hand goes along a path."""
        hands = list(self.arms.hands)
        hands[self.hand] = replace(self.led, path=path)
        return replace(self.arms, hands=hands).references(self.start.time, self.end)

    def outcomes(self, rollouts: Rollouts, paths: Sequence[JointPath]) -> list[Outcome]:
        """What comes of several paths."""
        steps = round((self.end - self.start.time) / self.arms.plant.model.opt.timestep)
        tables = [self.references(path) for path in paths]
        return rollouts.run(self.arms.begin(), tables, steps)

    def thrown(self, outcome: Outcome) -> Throw:
        """How the ball leaves at the end of a rollout."""
        p, v = self.arms.stage.ball_in(self.ball, outcome.positions, outcome.speeds)
        off = p - self.aim.place + self.aim.flight * (v - self.aim.velocity)
        return Throw(p, v, float(np.linalg.norm(off)))


class Curve(Protocol):
    """Bezier references of a swing, by the unknowns (3 k,): all control points but the first."""

    @property
    def difference(self) -> float:
        """By how much unknowns are moved for derivatives."""

    def unknowns(self, swing: Swing) -> Floats:
        """Those of the curve that has the wanted ends."""

    def bounds(self, swing: Swing) -> tuple[Floats, Floats]:
        """The least and the greatest unknowns."""

    def path(self, swing: Swing, x: Floats) -> JointPath:
        """The angles of unknowns."""


@dataclass(frozen=True)
class HandCurve:
    """Control points (3,) [m] of the ball in space; joints follow by inverse kinematics."""

    difference: float = 1e-3  # [m] for derivatives

    def unknowns(self, swing: Swing) -> Floats:
        """Those of the curve from the present speed of the ball to the aim."""
        return bezier_points(swing.first, swing.last)[1:].ravel()

    def bounds(self, swing: Swing) -> tuple[Floats, Floats]:
        """None: inverse kinematics keeps the limits of joints."""
        return np.full(9, -np.inf), np.full(9, np.inf)

    def path(self, swing: Swing, x: Floats) -> JointPath:
        """The angles at which the ball follows the curve."""
        points = np.vstack([swing.first.place, x.reshape(3, 3)])
        way = bezier_path(swing.start.time, swing.end, points)
        return swing.led.reach.follow(swing.led.arm, way, swing.start, swing.local)


@dataclass(frozen=True)
class JointCurve:
    """Control points (n,) [rad] of the joints, within their limits."""

    difference: float = 1e-3  # [rad] for derivatives

    def unknowns(self, swing: Swing) -> Floats:
        """Those of the curve from the present speeds to the angles and speeds of the plan."""
        q, qd, qdd = swing.planned().at(swing.end)
        return bezier_points(swing.start, Knot(swing.end, q, qd, qdd))[1:].ravel()

    def bounds(self, swing: Swing) -> tuple[Floats, Floats]:
        """The limits of the joints."""
        low, high = swing.led.reach.limits(swing.led.arm)
        return np.tile(low + MARGIN, 3), np.tile(high - MARGIN, 3)

    def path(self, swing: Swing, x: Floats) -> JointPath:
        """The angles of the curve."""
        points = np.vstack([swing.start.place, x.reshape(3, -1)])
        return swing.led.reach.along(bezier_path(swing.start.time, swing.end, points))


@dataclass(frozen=True)
class Optimisation:
    """How throws are optimised.

    An error of `place` [m] costs as much as one of `velocity` [m/s]: one. `effort` [1/s] weighs
    squared activations. Rollouts run in so many `workers`.
    """

    curve: Curve = field(default_factory=HandCurve)
    method: Method = field(default_factory=GaussNewton)
    stop: Stop = field(default_factory=lambda: Stop(most=20, enough=0.01))
    place: float = 0.01
    velocity: float = 0.02
    effort: float = 0.0
    workers: int = 1

    def __post_init__(self) -> None:
        require_positive("an error of place that costs one,", self.place, "m")
        require_positive("an error of velocity that costs one,", self.velocity, "m/s")

    def residuals(self, swing: Swing, outcome: Outcome) -> Floats:
        """(6,) or more: the square roots of what a throw costs."""
        thrown = swing.thrown(outcome)
        rows = [
            (thrown.place - swing.aim.place) / self.place,
            (thrown.velocity - swing.aim.velocity) / self.velocity,
        ]
        if self.effort > 0:
            own = outcome.activations[:, list(swing.led.arm.units)]
            rows.append(np.sqrt(self.effort * swing.arms.tracker.period) * own.ravel())
        return np.concatenate(rows)


@dataclass(frozen=True, eq=False)
class Optimised:
    """A path of a hand that throws as wanted, and how it was found."""

    path: JointPath
    unknowns: Floats
    minimum: Minimum
    throw: Throw
    landings: tuple[float, ...]  # [m] at the start and after each iteration
    rollouts: int
    cpu_here: float  # [s]
    cpu_apart: float  # [s] of other processes
    seconds: float

    @property
    def cpu(self) -> float:
        """[s] of all processes."""
        return self.cpu_here + self.cpu_apart

    @property
    def costs(self) -> tuple[float, ...]:
        """At the start and after each iteration."""
        return tuple(self.minimum.costs)

    def __str__(self) -> str:
        cm = 100.0 * np.array(self.landings)
        return (
            f"{self.minimum.iterations} iterations, {self.rollouts} rollouts, {self.cpu:.1f} s of "
            f"the processor: cost {self.costs[0]:.3g} to {self.costs[-1]:.3g}, landing "
            f"{cm[0]:.2f} to {cm[-1]:.2f} cm; {self.minimum.ended}"
        )


def optimise(
    swing: Swing,
    settings: Optimisation | None = None,
    *,
    rollouts: Rollouts | None = None,
    guess: Floats | None = None,
    watch: Callable[[Minimum], None] | None = None,
) -> Optimised:
    """The path of a swing's hand whose rollout throws best, from a guess of unknowns if given.

    Rollouts that are not given are started and ended here; `watch` is told of each iteration.
    """
    settings = settings or Optimisation()
    if rollouts is None:
        with Rollouts(swing.arms.plant, swing.arms.tracker, workers=settings.workers) as own:
            return optimise(swing, settings, rollouts=own, guess=guess, watch=watch)
    curve, spent, begun, here = settings.curve, 0.0, time.perf_counter(), time.process_time()
    landings: list[float] = []

    def residuals(xs: Sequence[Floats]) -> list[Floats]:
        nonlocal spent
        found = swing.outcomes(rollouts, [curve.path(swing, x) for x in xs])
        spent += sum(outcome.cpu for outcome in found)
        return [settings.residuals(swing, outcome) for outcome in found]

    def note(minimum: Minimum) -> None:
        if len(landings) < len(minimum.costs):
            landings.append(_landing(swing, settings, minimum.residuals))
        if watch is not None:
            watch(minimum)

    low, high = curve.bounds(swing)
    x = curve.unknowns(swing) if guess is None else guess
    best = least_squares(
        residuals, x, low=low, high=high, difference=curve.difference, method=settings.method,
        stop=settings.stop, watch=note,
    )  # fmt: skip
    r, path = best.residuals, curve.path(swing, best.x)
    throw = Throw(
        swing.aim.place + settings.place * r[:3],
        swing.aim.velocity + settings.velocity * r[3:6],
        landings[-1],
    )
    return Optimised(
        path, best.x, best, throw, tuple(landings), best.evaluations, time.process_time() - here,
        spent if rollouts.apart else 0.0, time.perf_counter() - begun,
    )  # fmt: skip


def _landing(swing: Swing, settings: Optimisation, r: Floats) -> float:
    """[m] how far from its aim a ball with these residuals comes down."""
    off = settings.place * r[:3] + swing.aim.flight * settings.velocity * r[3:6]
    return float(np.linalg.norm(off))


def held_swing(
    body: Body,
    aim: Aim,
    duration: float,
    *,
    hand: str = "right",
    start: Floats | None = None,
    mass: float = MASS,
    law: MuscleLaw | None = None,
    tracker: Tracker | None = None,
) -> Swing:
    """A hand that rests with a ball at a place (3,) [m], and has a duration [s] to throw it.

    The mass is in kg. Without a start it rests where the palm is in the home pose. A tracker gives
    its settings.
    """
    require_positive("a swing", duration, "s")
    scene = stage(body, [mass])
    plant, reach = Plant(scene.body, law), Reach(scene.bare)
    arm, hands = scene.body.arm(hand), []
    for each in scene.hands:
        palm = reach.palm(each)
        home = reach.point(each, reach.home(each), palm)[0]
        place = start if each.name == arm.name and start is not None else home
        path = resting(reach, each, place, duration)
        plant.data.qpos[reach.places(each)] = path.at(0.0)[0]
        hands.append(Hand(each, reach, place, place, [], path, palm))
    plant.refresh()
    h = [each.arm.name for each in hands].index(arm.name)
    scene.place(plant, 0, plant.point(scene.carrier(plant, h), hands[h].local), np.zeros(3))
    plant.refresh()
    hands[h].held[0] = scene.hold(plant, h, 0)
    settings = replace(tracker or Tracker(body), body=scene.body)
    arms = Arms(scene, plant, settings, hands)
    return Swing(arms, h, 0, rest(0.0, hands[h].path.at(0.0)[0]), duration, aim)


def optimise_throw(
    body: Body,
    aim: Aim,
    duration: float,
    settings: Optimisation | None = None,
    *,
    hand: str = "right",
    start: Floats | None = None,
    mass: float = MASS,
    law: MuscleLaw | None = None,
    tracker: Tracker | None = None,
) -> Optimised:
    """How a hand that rests with a ball throws it as aimed; arguments are those of `held_swing`."""
    swing = held_swing(
        body, aim, duration, hand=hand, start=start, mass=mass, law=law, tracker=tracker
    )
    return optimise(swing, settings)
