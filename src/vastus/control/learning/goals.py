"""What a learner shall achieve: goals, and the episodes in which they are sought.

A goal is settings. An episode is one of its instances, drawn with the environment's own numbers; it
knows what is wanted, what of it a learner sees, and how good a state is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.interpolate import make_interp_spline

from vastus.control.activations.line_body import Coordinate
from vastus.control.motion_tracking import Course, coordinates_of_arms
from vastus.control.plant import Plant
from vastus.control.tasks import require_positive
from vastus.control.tracking import Reference
from vastus.control.trajectory import Trajectory
from vastus.errors import ModelError
from vastus.numerics.types import Floats, Ints

if TYPE_CHECKING:
    from vastus.bodies.body import Body

FARTHEST = 10.0  # [m, or rad] of what a learner sees of a goal
_INSIDE = 0.9  # of the way to a limit, beyond which no target pose is


class Episode(Protocol):
    """One instance of a goal."""

    def begin(self, plant: Plant) -> None:
        """Bring a plant that is at home and at rest to where the episode begins."""

    def seen(self, plant: Plant) -> Floats:
        """(g,) what a learner sees of the goal now."""

    def error(self, plant: Plant) -> float:
        """How far from the goal the plant is, in the goal's unit."""

    def reference(self, t: float, period: float) -> Reference:
        """A reference of a control period [s] for a tracker that knows the goal."""


class Goal(Protocol):
    """A kind of episodes."""

    @property
    def duration(self) -> float:
        """[s] of an episode."""

    @property
    def unit(self) -> float:
        """The error that costs one in a reward."""

    def names(self, body: Body) -> tuple[str, ...]:
        """What a learner sees of the goal, by name (g)."""

    def episode(self, body: Body, random: np.random.Generator) -> Episode:
        """A new one."""


@dataclass(frozen=True)
class Reach:
    """Bring the palm of an arm to a target in space, and keep it there.

    A target is where the palm is at angles drawn from `spread` [rad] about home, so that it can be
    reached. The error is the distance [m].
    """

    arm: str | None = None  # the first one unless named
    spread: float = 0.4
    duration: float = 2.0
    unit: float = 0.1

    def __post_init__(self) -> None:
        require_positive("a spread of targets", self.spread, "rad")
        require_positive("an episode", self.duration, "s")

    def names(self, body: Body) -> tuple[str, ...]:
        """The way that is left [m]."""
        return ("left_x", "left_y", "left_z")

    def episode(self, body: Body, random: np.random.Generator) -> ReachEpisode:
        """A target for the arm."""
        arm = body.arms[0] if self.arm is None else body.arm(self.arm)
        places = _places(body, np.array(arm.dofs))
        low, high = _limits(body, np.array(arm.dofs))
        home = np.asarray(body.home)[places]
        drawn = home + random.uniform(-self.spread, self.spread, len(home))
        q = np.array(body.home, float)
        q[places] = np.clip(drawn, home + _INSIDE * (low - home), home + _INSIDE * (high - home))
        site = int(body.model.site(arm.palm).id)
        target = np.array(body.data(q).site_xpos[site])
        if np.allclose(target, body.data().site_xpos[site], atol=1e-9):
            raise ModelError(
                f"palm '{arm.palm}' of arm '{arm.name}' does not move with its joints; there is"
                " nothing to reach"
            )
        wanted = q[_places(body, _dofs(body))]
        return ReachEpisode(site, target, wanted, np.asarray(body.home)[_places(body, _dofs(body))])


@dataclass(frozen=True, eq=False)
class ReachEpisode:
    """A target (3,) [m] of a palm, and angles (n,) [rad] at which it is there."""

    site: int
    target: Floats
    pose: Floats
    home: Floats
    swing: float = 0.6  # [s] in which a tracker goes there

    def begin(self, plant: Plant) -> None:
        """It begins at home."""

    def seen(self, plant: Plant) -> Floats:
        """(3,) [m] the way that is left."""
        return np.asarray(self.target - plant.data.site_xpos[self.site])

    def error(self, plant: Plant) -> float:
        """[m] the distance that is left."""
        return float(np.linalg.norm(self.seen(plant)))

    def reference(self, t: float, period: float) -> Reference:
        """From home to the pose along a quintic, and rest there."""
        s, way, T = min(t / self.swing, 1.0), self.pose - self.home, self.swing
        place = 10 * s**3 - 15 * s**4 + 6 * s**5
        speed = (30 * s**2 - 60 * s**3 + 30 * s**4) / T
        gain = (60 * s - 180 * s**2 + 120 * s**3) / T**2
        return Reference(self.home + place * way, speed * way, gain * way)


@dataclass(frozen=True)
class Track:
    """Follow a course of the joints: one that is given, or swings about home that are drawn.

    A drawn swing of each joint begins and ends at home, and goes up to `spread` [rad] from it. The
    error is the root of the mean square over joints [rad].
    """

    course: Course | None = None
    spread: float = 0.3
    duration: float = 2.0
    unit: float = 0.1

    def __post_init__(self) -> None:
        require_positive("a spread of swings", self.spread, "rad")
        require_positive("an episode", self.duration, "s")
        if self.course is not None and self.duration > self.course.duration + 1e-9:
            raise ModelError(
                f"an episode of {self.duration:g} s for a course of {self.course.duration:g} s; it"
                " cannot be longer"
            )

    def names(self, body: Body) -> tuple[str, ...]:
        """What each joint lacks [rad], and its wanted speed [rad/s]."""
        joints = [c.name for c in coordinates_of_arms(body)]
        return (*(f"{j}_left" for j in joints), *(f"{j}_wanted_speed" for j in joints))

    def episode(self, body: Body, random: np.random.Generator) -> TrackEpisode:
        """The course, or a swing of all joints."""
        places = _places(body, _dofs(body))
        course = self.course
        if course is None:
            course = self._drawn(body, np.asarray(body.home)[places], random)
        return TrackEpisode(course, places, _dofs(body))

    def _drawn(self, body: Body, home: Floats, random: np.random.Generator) -> Course:
        coordinates: tuple[Coordinate, ...] = coordinates_of_arms(body)
        low, high = _limits(body, _dofs(body))
        size = random.uniform(-self.spread, self.spread, len(home))
        size = np.clip(size, _INSIDE * (low - home), _INSIDE * (high - home))
        turns = random.integers(1, 3, len(home))  # swings in an episode
        times = np.linspace(0.0, self.duration, 81)[:, None]
        values = home + 0.5 * size * (1.0 - np.cos(2 * np.pi * turns * times / self.duration))
        curve = Trajectory(make_interp_spline(times[:, 0], values, k=5))
        driven = tuple(range(len(home)))
        return Course(coordinates, home, driven, curve, 0.0, self.duration)


@dataclass(frozen=True, eq=False)
class TrackEpisode:
    """A course of the joints."""

    course: Course
    places: Ints
    dofs: Ints

    def begin(self, plant: Plant) -> None:
        """Where the course begins, at its speeds."""
        plant.data.qpos[self.places] = self.course.at(0.0)
        plant.data.qvel[self.dofs] = self.course.at(0.0, 1)
        plant.refresh()

    def seen(self, plant: Plant) -> Floats:
        """(2 n,) what joints lack [rad], and their wanted speeds [rad/s]."""
        lack = self.course.at(plant.time) - plant.data.qpos[self.places]
        return np.concatenate([lack, self.course.at(plant.time, 1)])

    def error(self, plant: Plant) -> float:
        """[rad] the root of the mean square of what joints lack."""
        lack = self.seen(plant)[: len(self.places)]
        return float(np.sqrt((lack**2).mean()))

    def reference(self, t: float, period: float) -> Reference:
        """That of the course."""
        return self.course.reference(t, period)


def _dofs(body: Body) -> Ints:
    return np.array([dof for arm in body.arms for dof in arm.dofs], np.int64)


def _places(body: Body, dofs: Ints) -> Ints:
    """Where the angles of degrees of freedom are in MuJoCo's positions."""
    return np.asarray(body.model.jnt_qposadr[body.model.dof_jntid[dofs]])


def _limits(body: Body, dofs: Ints) -> tuple[Floats, Floats]:
    joints = body.model.dof_jntid[dofs]
    free = body.model.jnt_limited[joints] == 0
    low, high = body.model.jnt_range[joints].T
    return np.where(free, -np.pi, low), np.where(free, np.pi, high)
