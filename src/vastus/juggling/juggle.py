"""Juggling: hands that carry, throw, return and catch, each led by its arm's muscles.

A hand carries a ball from the catch to the throw along a quintic of space and returns along another
to where the next ball will be. Angles, speeds and accelerations of both come from inverse
kinematics, and activations from tracking them. A ball is caught if it is near the hand at its time
or a little later, in the pose in which it is; from then on the ball itself is led, not the palm.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.bellies.law import MuscleLaw
from vastus.control.plant import Plant
from vastus.control.rollouts import Rollouts
from vastus.control.tracking import Tracker
from vastus.errors import ModelError
from vastus.juggling.arms import Arms
from vastus.juggling.flights import Flight, Flights
from vastus.juggling.hands import Hand, resting, throws_by_hand
from vastus.juggling.kinematics import Reach
from vastus.juggling.optimisation import Aim, Swing, optimise
from vastus.juggling.paths import Knot, rest
from vastus.juggling.result import Caught, Result, Thrown
from vastus.juggling.siteswap import Siteswap, Throw, throws_of
from vastus.juggling.stage import MASS, Stage, stage
from vastus.juggling.style import YIELDING, Style
from vastus.juggling.timing import GRAVITY, launch
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.bodies.body import Body

NEAR = 0.05  # [m] a ball this near can be caught
LATE = 0.04  # [s] for which a hand waits for it
_IN_PALM = np.array([[0.0, 0.0, 0.0], [0.03, 0.0, 0.035], [-0.03, 0.0, 0.035]])  # [m] at the start
_RETHINK = 0.05  # [s] between two new plans of a pushed hand
_TOO_LATE = 0.12  # [s] before a throw or catch at which its plan stays
_SHORTEST = 0.04  # [s] of a path
_SETTLING = 0.08  # [s] in which a caught ball comes to rest at least
_COASTING = 0.4  # of the way that the ball would go meanwhile, where it comes to rest


@dataclass(frozen=True)
class Push:
    """A force (3,) [N] on a body of the model from a time [s] on, for a duration [s]."""

    body: str
    force: tuple[float, float, float]
    start: float
    duration: float = 0.5


class Juggle:
    """Jugglers at work."""

    def __init__(
        self,
        body: Body,
        values: Sequence[int],
        style: Style | None = None,
        *,
        masses: Sequence[float] | float = MASS,
        law: MuscleLaw | None = None,
        tracker: Tracker | None = None,
        pushes: Sequence[Push] = (),
        jugglers: int = 1,
    ) -> None:
        """Throws of `values` beat by beat, by one body or two like it.

        `masses` [kg] are of each ball or of all. A law is of the units of all bodies. A tracker
        gives its settings.
        """
        self.style, self.values, self.pushes = style or Style(), tuple(values), tuple(pushes)
        self.timing, throws = self.style.timing, throws_of(values)
        self.stage: Stage = stage(body, _each(masses, throws), jugglers=jugglers)
        count = len(self.stage.hands)
        if self.timing.hands != count:
            raise ModelError(f"a timing of {self.timing.hands} hands for jugglers with {count}")
        self.plant = Plant(self.stage.body, law)
        self.reach = Reach(self.stage.bare)
        self.lead = self.timing.hold + self.timing.beat  # [s] from the start to beat 0
        self.hands = [self._hand(h, own) for h, own in enumerate(throws_by_hand(throws, count))]
        self.tracker = replace(tracker or Tracker(body), body=self.stage.body)
        self.arms = Arms(self.stage, self.plant, self.tracker, self.hands)
        self.flights = Flights(self.stage, self.plant)
        self.result = Result()
        self._replanned: dict[int, float] = {}
        self._rollouts: Rollouts | None = None
        self._guesses: dict[tuple[int, int, int], Floats] = {}  # by hand, value and balls held
        self._give_out(throws)
        for hand in self.hands:
            if hand.next is not None:
                self._return(hand, 0.0)

    def run(self, duration: float, watch: Callable[[float], None] | None = None) -> Result:
        """Juggle for a duration [s] from the start; `watch` is told the time [s] at each beat."""
        plan = self.style.optimisation
        if plan is None:
            return self._run(duration, watch)
        with Rollouts(self.plant, self.tracker, workers=plan.workers) as self._rollouts:
            return self._run(duration, watch)

    def _run(self, duration: float, watch: Callable[[float], None] | None) -> Result:
        begun, every = time.process_time(), self.arms.every
        beat = round(self.timing.beat / self.plant.model.opt.timestep)
        for step in range(round(duration / self.plant.model.opt.timestep)):
            t = self.plant.time
            if watch is not None and step % beat == 0:
                watch(t)
            self._push(t)
            self.flights.enter(t)
            self.reach.settle(self.plant.data.qpos)
            for h, hand in enumerate(self.hands):
                self._act(h, hand, t)
            if step % every == 0:
                if self.style.replan:
                    self._rethink(t)
                command = self.arms.command(t)
                self.result.note(self.tracker.shortfalls(self.plant, command))
            self.plant.step(command.activation, command.reserve)
        self.result.record, self.result.work = self.arms.record(), self.plant.work
        self.result.reach = max(hand.worst for hand in self.hands)
        apart = sum(found.cpu_apart for found in self.result.optimised)
        self.result.cpu = time.process_time() - begun + apart
        return self.result

    def _hand(self, h: int, throws: list[Throw]) -> Hand:
        arm = self.stage.hands[h]
        throw, catch = self.style.places.of(self.reach, arm)
        first = self._due(throws[0]) if throws else self.lead
        path = resting(self.reach, arm, catch, first)
        return Hand(arm, self.reach, throw, catch, throws, path, self.reach.palm(arm))

    def _give_out(self, throws: Sequence[Throw]) -> None:
        """Put balls into hands, or let them come from the air to their first throws."""
        for hand in self.hands:
            self.plant.data.qpos[self.reach.places(hand.arm)] = hand.path.at(0.0)[0]
        self.plant.refresh()
        firsts: dict[int, Throw] = {}
        for throw in throws:
            firsts.setdefault(throw.ball, throw)
        for ball, throw in firsts.items():
            h = throw.beat % len(self.hands)
            hand = self.hands[h]
            if self.style.start == "air" or throw.beat >= max(self.values):
                self.flights.wait(ball, self._incoming(hand, throw))
                continue
            local = hand.local + _IN_PALM[len(hand.held) % len(_IN_PALM)]
            place = self.plant.point(self.stage.carrier(self.plant, h), local)
            self.stage.place(self.plant, ball, place, np.zeros(3))
            self.plant.refresh()
            hand.held[ball] = self.stage.hold(self.plant, h, ball)

    def _incoming(self, hand: Hand, throw: Throw) -> Flight:
        """How a ball comes in from the air for its first throw: as if it had been thrown high."""
        value, due = max(self.values), self._due(throw)
        flight = min(self.timing.flight(value), due)
        place = self.hands[(throw.beat - value) % len(self.hands)].throw_place
        return Flight(due - flight, place, launch(place, hand.catch_place, flight))

    def _act(self, h: int, hand: Hand, t: float) -> None:
        """Do what is due for a hand."""
        throw, soon = hand.next, 0.5 * self.plant.model.opt.timestep
        if throw is None:
            return
        if hand.carrying:
            if hand.swings is not None and t > hand.swings - soon:
                self._swing(h, hand, t)
            if t > self._end(throw) - soon:
                self._throw(h, hand, t)
        elif t > self._due(throw) - soon:
            if throw.ball in hand.held:
                self._carry(h, hand, t)
            else:
                self._catch(h, hand, throw, t)

    def _catch(self, h: int, hand: Hand, throw: Throw, t: float) -> None:
        """Catch the ball of the next throw if it is near, or give it up if it is too late."""
        palm = self.plant.point(self.stage.carrier(self.plant, h), self.reach.palm(hand.arm))
        gap = float(np.linalg.norm(self.stage.ball(self.plant, throw.ball)[0] - palm))
        flying = throw.ball in self.flights.flying
        caught = flying and gap < NEAR
        if not caught and t < self._due(throw) + LATE:
            return
        if caught:
            hand.held[throw.ball] = self.stage.hold(self.plant, h, throw.ball)
            self.tracker.forget(hand.arm.name)
        if flying:
            self.result.events.append(Caught(t, throw.ball, hand.arm.name, gap, caught))
            del self.flights.flying[throw.ball]
        self._carry(h, hand, t)

    def _carry(self, h: int, hand: Hand, t: float) -> None:
        """Let a caught ball come to rest if its swing is yet to begin, or swing it at once."""
        throw, hand.carrying = hand.throws[0], True
        if self.style.swing is not None and throw.ball in hand.held:
            duration = self.style.swing.duration(self.stage.masses[throw.ball])
            begin = self._end(throw) - duration
            if begin > t + _SETTLING:
                start, local = hand.state(t), hand.held[throw.ball]
                ball = self.reach.knot(hand.arm, start, local)
                place = ball.place + _COASTING * (begin - t) * ball.speed
                hand.lead(start, local, rest(begin, place))
                hand.swings = begin
                return
        self._swing(h, hand, t)

    def _swing(self, h: int, hand: Hand, t: float) -> None:
        """Go to the next throw, with its ball if that is in the hand."""
        throw, hand.swings = hand.throws[0], None
        local = hand.held.get(throw.ball, self.reach.palm(hand.arm))
        start = hand.state(t)
        self._lead_to_throw(hand, throw, start, local)
        if throw.ball not in hand.held:
            return
        for _ in range(self.style.corrections):
            p, v = self.arms.tried(throw.ball, t, self._end(throw))
            better = hand.thrown_at + self._launch(p, throw) - v
            self._lead_to_throw(hand, throw, start, local, better)
        if self.style.optimisation is not None:
            self._optimise(h, throw, start)

    def _optimise(self, h: int, throw: Throw, start: Knot) -> None:
        """Lead a hand along the reference whose rollout throws best."""
        hand, key = self.hands[h], (h, throw.value, len(self.hands[h].held))
        flight = self.timing.flight(throw.value)
        aim = Aim(hand.throw_place, hand.thrown_at, flight)
        swing = Swing(self.arms, h, throw.ball, start, self._end(throw), aim)
        found = optimise(
            swing, self.style.optimisation, rollouts=self._rollouts, guess=self._guesses.get(key)
        )
        self._guesses[key] = found.unknowns
        hand.path = found.path
        self.result.optimised.append(found)

    def _lead_to_throw(
        self, hand: Hand, throw: Throw, start: Knot, local: Floats, velocity: Floats | None = None
    ) -> None:
        """Lead a point of the hand to where it throws, with a velocity that lands unless given."""
        hand.thrown_at = self._launch(hand.throw_place, throw) if velocity is None else velocity
        leaving = self.style.places.leaving * GRAVITY
        aim = Knot(self._end(throw), hand.throw_place, hand.thrown_at, leaving)
        hand.lead(start, local, aim)

    def _throw(self, h: int, hand: Hand, t: float) -> None:
        """Let go of the ball of the next throw, and return."""
        throw = hand.throws.pop(0)
        hand.carrying = False
        if hand.held.pop(throw.ball, None) is not None:
            self.stage.release(self.plant, h, throw.ball)
            self.tracker.forget(hand.arm.name)
            flight = self.flights.leave(throw.ball, t)
            target = self.hands[throw.landing % len(self.hands)]
            there, _ = flight.at(t + self.timing.flight(throw.value))
            miss = float(np.linalg.norm(there - target.catch_place))
            self.result.throws.append(
                Thrown(t, throw.ball, throw.value, hand.arm.name, flight.velocity, miss)
            )
        self._return(hand, t)
        for other in self.hands:
            waits = other.next is not None and other.next.ball == throw.ball
            if other is not hand and waits and not other.carrying:
                self._return(other, t)

    def _return(self, hand: Hand, t: float, start: Knot | None = None) -> None:
        """Go to where the ball of the next throw will be, or to its place if nobody knows."""
        throw = hand.next
        due = t + self.timing.empty if throw is None else self._due(throw)
        if due < t + _SHORTEST:
            return
        place, velocity = hand.catch_place, np.zeros(3)
        flight = None if throw is None else self.flights.of(throw.ball)
        if flight is not None:
            there, velocity = flight.at(due)
            nearest = hand.nearest(there)
            if np.linalg.norm(nearest - there) < NEAR:
                place = nearest  # else a ball that the arm does not reach, which is let go
        aim = Knot(due, place, YIELDING * velocity, np.zeros(3))
        hand.lead(start or hand.state(t), self.reach.palm(hand.arm), aim)

    def _rethink(self, t: float) -> None:
        """Plan anew from where a hand is, if something has pushed it off its path."""
        for h, hand in enumerate(self.hands):
            throw = hand.next
            if throw is None or t - self._replanned.get(h, -1.0) < _RETHINK:
                continue
            end = self._end(throw) if hand.carrying else self._due(throw)
            start = self.arms.pushed(h, t) if end - t > _TOO_LATE else None
            if start is None:
                continue
            self._replanned[h], hand.swings = t, None
            if hand.carrying:
                self._lead_to_throw(hand, throw, start, hand.local)
            else:
                self._return(hand, t, start)

    def _push(self, t: float) -> None:
        for push in self.pushes:
            on = push.start <= t < push.start + push.duration
            body = self.plant.model.body(push.body).id
            self.plant.data.xfrc_applied[body, :3] = push.force if on else 0.0

    def _launch(self, p: Floats, throw: Throw) -> Floats:
        """(3,) [m/s] the velocity with which a throw from p comes down where it is to be caught."""
        target = self.hands[throw.landing % len(self.hands)]
        return launch(p, target.catch_place, self.timing.flight(throw.value))

    def _due(self, throw: Throw) -> float:
        """[s] from the start, when the ball of a throw comes to the hand."""
        return self.lead + self.timing.caught(throw.beat)

    def _end(self, throw: Throw) -> float:
        """[s] from the start, when a throw is made."""
        return self.lead + self.timing.thrown(throw)


def juggle(
    body: Body, pattern: str, duration: float, style: Style | None = None, **settings: Any
) -> Result:
    """Juggle a siteswap for a duration [s]; settings are those of `Juggle`."""
    timing = (style or Style()).timing
    beats = int(np.ceil(duration / timing.beat)) + timing.hands
    return Juggle(body, Siteswap.read(pattern).beats(beats), style, **settings).run(duration)


def _each(masses: Sequence[float] | float, throws: Sequence[Throw]) -> list[float]:
    """The mass [kg] of each ball that is thrown."""
    if not throws:
        raise ModelError("a pattern in which nothing is thrown; '3' is the three-ball cascade")
    balls = 1 + max(throw.ball for throw in throws)
    each = list(masses) if isinstance(masses, Sequence) else [float(masses)] * balls
    if len(each) < balls:
        raise ModelError(f"{len(each)} masses for {balls} balls; each ball needs one")
    return each[:balls]
