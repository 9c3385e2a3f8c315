"""Motions of joints that muscles follow: key frames and recordings, tracked by a body.

Unlike activations that balance given poses, the body moves by its muscles alone. A curve with two
derivatives runs through the samples of the motion, and the tracker leads the joints along it from
the first pose on. Joints of arms that the motion does not drive stay in the home pose; those of no
arm, like a trunk's, are left to their springs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from vastus.bellies.law import MuscleLaw
from vastus.control.activations.key_frames import driven_by
from vastus.control.activations.line_body import Coordinate
from vastus.control.plant import Plant
from vastus.control.tracking import Reference, Shortfall, Tracker
from vastus.control.trajectory import Trajectory
from vastus.errors import ModelError, known
from vastus.files.motion_files import Motion
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    from vastus.bodies.body import Body

Watch = Callable[[float, float], None]  # is told the time that is done, and of how long [s]

_BEYOND = 1e-3  # [rad or m] past a limit that is told


@dataclass(frozen=True, eq=False)
class Course:
    """What all joints of a body's arms shall do: a curve of those driven, the home pose of others.

    It begins at time 0, where the motion does.
    """

    coordinates: tuple[Coordinate, ...]
    home: Floats  # (n,) [rad or m]
    driven: tuple[int, ...]
    curve: Trajectory
    first: float  # [s] in the motion
    duration: float  # [s]

    def at(self, t: float, order: int = 0) -> Floats:
        """(n,) coordinates [rad or m] at a time [s], or a derivative; afterwards as at the end."""
        values = self.home.copy() if order == 0 else np.zeros_like(self.home)
        inside = np.array([self.first + min(t, self.duration)])
        values[list(self.driven)] = self.curve.at(inside, order)[0]
        return values

    def reference(self, t: float, period: float) -> Reference:
        """Of a control period [s] that begins at a time [s]."""
        if t + period < self.duration:
            gain = (self.at(t + period, 1) - self.at(t, 1)) / period
        else:
            gain = self.at(t, 2)
        return Reference(self.at(t), self.at(t, 1), gain)


@dataclass(frozen=True, eq=False)
class Tracked:
    """What was, at the beginning of each control period; k of them, n coordinates, m units."""

    times: Floats  # (k,) [s]
    coordinates: tuple[Coordinate, ...]
    driven: tuple[int, ...]  # of the coordinates, those that the motion drives
    units: tuple[str, ...]
    wanted: Floats  # (k, n) [rad or m]
    had: Floats  # (k, n) [rad or m]
    activations: Floats  # (k, m)
    forces: Floats  # (k, m) [N]
    missing: Floats  # (k, n) [N m or N]
    reserves: Floats  # (k, n) [N m or N]
    shortfalls: Mapping[str, tuple[float, Shortfall]]  # the time [s] and the worst, by joint
    beyond: Mapping[str, float]  # [rad or m] by which the motion goes past the limit of a joint

    @property
    def rms(self) -> Floats:
        """(n,) [rad or m] root mean squares of the errors."""
        return np.asarray(np.sqrt(((self.had - self.wanted) ** 2).mean(axis=0)))

    @property
    def largest(self) -> Floats:
        """(n,) [rad or m] the largest errors."""
        return np.asarray(np.abs(self.had - self.wanted).max(axis=0))

    def motion(self) -> Motion:
        """The activations as columns by unit."""
        return Motion(self.times, dict(zip(self.units, self.activations.T, strict=True)), False)

    def table(self) -> Motion:
        """Coordinates wanted and had [deg or m], activations, forces, missing torques, reserves."""
        columns: dict[str, Floats] = {}
        for k, c in enumerate(self.coordinates):
            unit, scale = ("deg", np.degrees(1.0)) if c.turns else ("m", 1.0)
            columns[f"{c.name}_wanted_{unit}"] = scale * self.wanted[:, k]
            columns[f"{c.name}_{unit}"] = scale * self.had[:, k]
        for k, name in enumerate(self.units):
            columns[f"{name}_activation"] = self.activations[:, k]
            columns[f"{name}_force_N"] = self.forces[:, k]
        for k, c in enumerate(self.coordinates):
            effort = c.effort.replace(" ", "")
            columns[f"{c.name}_missing_{effort}"] = self.missing[:, k]
            columns[f"{c.name}_reserve_{effort}"] = self.reserves[:, k]
        return Motion(self.times, columns)


def coordinates_of_arms(body: Body) -> tuple[Coordinate, ...]:
    """The joints of a body's arms, in the order of a plant's `dofs`; all are hinges or sliders."""
    slide, hinge = 2, 3  # MuJoCo's numbers of kinds
    found = []
    for arm in body.arms:
        for dof in arm.dofs:
            joint = int(body.model.dof_jntid[dof])
            name, kind = body.model.joint(joint).name, int(body.model.jnt_type[joint])
            if kind not in (slide, hinge):
                raise ModelError(
                    f"joint '{name}' of arm '{arm.name}' is no hinge and no slider; muscles track"
                    " joints of one coordinate"
                )
            found.append(Coordinate(name, kind == hinge))
    return tuple(found)


def course_of(
    body: Body,
    motion: Motion,
    columns: Mapping[str, str] | None = None,
    *,
    rest: Mapping[str, float] | None = None,
    cutoff: float | None = None,
) -> Course:
    """The course that a motion gives the joints of a body.

    `columns` name the column of a joint that is not called as the joint is. `rest` [rad or m] are
    values of the motion at which joints have zero. What is faster than `cutoff` [Hz] is filtered
    out.
    """
    coordinates = coordinates_of_arms(body)
    names = [c.name for c in coordinates]
    driven = driven_by(motion, coordinates, columns or {})
    for name in rest or {}:
        if name not in [c.name for c in driven]:
            raise known("driven joint", name, [c.name for c in driven])
    zero = [(rest or {}).get(c.name, 0.0) for c in driven]
    given = [motion.coordinate((columns or {}).get(c.name, c.name), turns=c.turns) for c in driven]
    curve = Trajectory.through(motion.times, np.column_stack(given) - zero, cutoff)
    places = _places(body)
    first, last = float(motion.times[0]), float(motion.times[-1])
    order = tuple(names.index(c.name) for c in driven)
    return Course(coordinates, np.asarray(body.home)[places], order, curve, first, last - first)


def track(
    body: Body,
    course: Course,
    *,
    law: MuscleLaw | None = None,
    tracker: Tracker | None = None,
    watch: Watch | None = None,
) -> Tracked:
    """Let the muscles of a body follow a course; a tracker gives its settings."""
    plant = Plant(body, law)
    tracker = replace(tracker or Tracker(body), body=body)
    places, step = _places(body), plant.model.opt.timestep
    every = max(1, round(tracker.period / step))
    plant.data.qpos[places], plant.data.qvel[plant.dofs] = course.at(0.0), course.at(0.0, 1)
    plant.refresh()
    rows, worst = [], dict[str, tuple[float, Shortfall]]()
    for k in range(int(course.duration / tracker.period + 1e-9) + 1):
        t = k * every * step
        wanted, had = course.reference(t, tracker.period), plant.data.qpos[places].copy()
        command = tracker.activation(plant, wanted)
        for lack in tracker.shortfalls(plant, command):
            if lack.joint not in worst or abs(lack.torque) > abs(worst[lack.joint][1].torque):
                worst[lack.joint] = t, lack
        for _ in range(every):
            plant.step(command.activation, command.reserve)
        rows.append((t, wanted.q, had, command.activation, plant.tension.copy(), *command[1:3]))
        if watch is not None:
            watch(t, course.duration)
    columns = (np.array(column) for column in zip(*rows, strict=True))
    times, q, had_all, a, forces, missing, reserves = columns
    return Tracked(
        times, course.coordinates, course.driven, body.names, q, had_all, a, forces, missing,
        reserves, worst, _beyond(body, course, q),
    )  # fmt: skip


def _places(body: Body) -> list[int]:
    """Where the joints of arms are in MuJoCo's positions."""
    model = body.model
    return [int(model.jnt_qposadr[model.dof_jntid[dof]]) for arm in body.arms for dof in arm.dofs]


def _beyond(body: Body, course: Course, wanted: Floats) -> dict[str, float]:
    """By how much coordinates wanted (k, n) are past the limits of joints, by name."""
    found = {}
    for k, c in enumerate(course.coordinates):
        joint = body.model.joint(c.name).id
        if not body.model.jnt_limited[joint]:
            continue
        low, high = body.model.jnt_range[joint]
        past = float(max(low - wanted[:, k].min(), wanted[:, k].max() - high))
        if past > _BEYOND:
            found[c.name] = past
    return found
