"""Juggling that goes on for as long as somebody watches, in a process of its own.

Whoever watches may push the body for a while, or pull at a bone as by a spring.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

import numpy as np

from vastus.errors import VastusError
from vastus.numerics.types import Floats
from vastus.processes import when_orphaned

if TYPE_CHECKING:
    from vastus.bodies.body import Body
    from vastus.juggling.juggle import Juggle

SHOWN = 1 / 30  # [s] between what is told
LATE = 0.1  # [s] behind the clock, after which it is not caught up with
LONGEST = 300.0  # [s] of a pattern, after which it begins anew
STRONGEST = 200.0  # [N] of a pull


@dataclass(frozen=True)
class Pattern:
    """What is juggled: a siteswap, the strength of muscles, and the mass of each ball [kg]."""

    values: str = "3"
    strength: float = 1.0
    mass: float = 0.13


@dataclass(frozen=True, eq=False)
class Pulled:
    """A bone that a spring pulls from a point (3,) of its own frame to a place (3,) [m]."""

    part: str
    point: Floats
    place: Floats
    stiffness: float  # [N/m]


@dataclass(frozen=True, eq=False)
class Ask:
    """What the page wants: to go on or not, to begin anew, and what acts on the body.

    A push is a part, a force (3,) [N] and how long [s] it acts; it counts once.
    """

    running: bool = True
    anew: int = 0
    push: tuple[str, tuple[float, float, float], float] | None = None
    pushes: int = 0  # how many there have been
    pulled: Pulled | None = None


@dataclass(frozen=True, eq=False)
class Told:
    """What the page hears: the time [s], positions (nq,), activations (m,), and how it goes."""

    time: float
    position: Floats
    activation: Floats
    catches: int
    drops: int
    pace: float  # of real time
    sentence: str = ""  # trouble


class Performance:
    """A body that juggles, step by step."""

    def __init__(self, pattern: Pattern) -> None:
        from vastus.bodies import juggler

        self.pattern = pattern
        self._body: Body = juggler(strength=pattern.strength)
        self.show: Juggle = self._begun()
        self._anew = self._pushes = 0
        self._pulled: Pulled | None = None

    @property
    def body(self) -> Body:
        """The body with its balls."""
        return self.show.stage.body

    @property
    def time(self) -> float:
        """[s]"""
        return self.show.plant.time

    def obey(self, ask: Ask) -> None:
        """Do what the page wants from now on."""
        from vastus.juggling.juggle import Push

        if ask.anew > self._anew:
            self._anew, self.show = ask.anew, self._begun()
        if ask.push is not None and ask.pushes > self._pushes:
            self._pushes = ask.pushes
            part, force, seconds = ask.push
            self.show.pushes = (Push(part, force, self.time, seconds),)
        if self._pulled is not None:
            self._apply(self._pulled.part, np.zeros(6))
        self._pulled = ask.pulled

    def advance(self, seconds: float) -> None:
        """Go on for so many seconds [s]."""
        if self.time > LONGEST - 1.0:
            self.show = self._begun()
        over = [p for p in self.show.pushes if self.time > p.start + p.duration]
        self.show.pushes = tuple(p for p in self.show.pushes if p not in over)
        for _ in range(max(1, round(seconds / self.show.plant.model.opt.timestep))):
            if self._pulled is not None:
                self._pull(self._pulled)
            self.show.step()
        self.show.arms.rows.clear()  # nobody asks for a record

    def told(self, pace: float = 0.0, sentence: str = "") -> Told:
        """How it stands."""
        plant, result = self.show.plant, self.show.result
        position, level = plant.data.qpos.copy(), plant.activation.copy()
        return Told(self.time, position, level, result.catches, result.drops, pace, sentence)

    def _begun(self) -> Juggle:
        from vastus.control.observer import Observer
        from vastus.control.tracking import Tracker
        from vastus.juggling.juggle import Juggle
        from vastus.juggling.siteswap import Siteswap
        from vastus.juggling.style import usual_style

        siteswap = Siteswap.read(self.pattern.values)
        style = usual_style(siteswap.values)
        beats = int(LONGEST / style.timing.beat) + style.timing.hands
        tracker = Tracker(self._body, observer=Observer())
        return Juggle(
            self._body, siteswap.beats(beats), style, masses=self.pattern.mass, tracker=tracker
        )

    def _pull(self, pulled: Pulled) -> None:
        plant = self.show.plant
        b = plant.model.body(pulled.part).id
        point = plant.point(b, pulled.point)
        force = pulled.stiffness * (pulled.place - point)
        force *= min(1.0, STRONGEST / max(float(np.linalg.norm(force)), 1e-9))
        moment = np.cross(point - plant.data.xipos[b], force)
        self._apply(pulled.part, np.concatenate([force, moment]))

    def _apply(self, part: str, load: Floats) -> None:
        plant = self.show.plant
        plant.data.xfrc_applied[plant.model.body(part).id] = load


def perform(pipe: Connection) -> None:
    """Read a pattern and then what is asked from a pipe until it is closed, and tell through it."""
    when_orphaned(lambda: os._exit(0))
    try:
        performance = Performance(pipe.recv())
        pipe.send(performance.told())
        ask, clock = Ask(), Clock()
        while True:
            while pipe.poll() or not ask.running:
                stood, ask = not ask.running, pipe.recv()
                performance.obey(ask)
                clock = Clock() if stood else clock
            performance.advance(SHOWN)
            pipe.send(performance.told(clock.wait(SHOWN)))
    except (EOFError, ConnectionError):
        return
    except Exception as error:  # whatever it is, the page must hear of it
        known = isinstance(error, VastusError)
        said = str(error) if known else f"{type(error).__name__}: {' '.join(str(error).split())}"
        with suppress(OSError):
            nothing = np.zeros(0)
            pipe.send(Told(0.0, nothing, nothing, 0, 0, 0.0, said))


class Clock:
    """Lets nothing be faster than real time, and knows how fast it is."""

    def __init__(self) -> None:
        self._due = self._last = time.perf_counter()
        self._asked = self._passed = 0.0

    def wait(self, seconds: float) -> float:
        """Wait until so many seconds [s] more have passed, and return the pace, smoothed."""
        self._due += seconds
        ahead = self._due - time.perf_counter()
        if ahead > 0:
            time.sleep(ahead)
        elif ahead < -LATE:
            self._due = time.perf_counter()
        now = time.perf_counter()
        # Each is smoothed, not their ratio: a moment after one that came late would count most.
        self._asked += 0.1 * (seconds - self._asked)
        self._passed += 0.1 * (now - self._last - self._passed)
        self._last = now
        return self._asked / max(self._passed, 1e-6)
