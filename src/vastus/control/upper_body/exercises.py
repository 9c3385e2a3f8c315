"""What a body is asked to do: motions to follow, loads to bear, coactivation, muscles to move.

Each is a function from a body to an `Exercise`. Which way a joint bends is looked up, not assumed:
a hand comes forward when its elbow flexes, and goes outward when its shoulder abducts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vastus.control.upper_body.articulated import Points
from vastus.control.upper_body.coactivation import Prescribed, Sharer, coactivations
from vastus.control.upper_body.controller import Aim, Controller, missing_torques
from vastus.control.upper_body.dynamics import Dynamics
from vastus.control.upper_body.loads import Load
from vastus.control.upper_body.posture import Goal, posture
from vastus.control.upper_body.targets import Breathing, Imported, KeyPoses, Sum, Targets, Wanted
from vastus.errors import ModelError
from vastus.files.motion_files import Motion
from vastus.numerics.types import Floats, Ints

LEFT, BACK, UP = 0, 1, 2  # axes of the world
SIDES = ("L", "R")
PECTORALS = "pectoralis major"
WAY = np.arange(1, 17) / 16  # of the way to a pose, where muscles must hold it
TOO_MUCH = 5.0  # an activation with which no pose is held, whatever the areas of muscles


@dataclass(frozen=True, eq=False)
class Curve:
    """Activations of muscles (k,) as a function of time [s]."""

    muscles: Ints
    at: Callable[[float], Floats]


@dataclass(frozen=True, eq=False)
class Exercise:
    """What is asked for `seconds`: coactivations (k, m) at times (k,) [s], and the rest."""

    name: str
    seconds: float
    targets: Targets
    loads: tuple[Load, ...] = ()
    levels: tuple[Floats, Floats] | None = None
    curve: Curve | None = None

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= 3600:
            raise ModelError(
                f"an exercise of {self.seconds:g} s; it lasts above 0 and at most 3600"
            )

    def aim(self, time: float) -> Aim:
        """What a step shall do that ends at a time [s]."""
        level: Floats | float = 0.0
        if self.levels is not None:
            times, values = self.levels
            k = int(np.clip(np.searchsorted(times, time) - 1, 0, max(len(times) - 2, 0)))
            last = min(k + 1, len(times) - 1)
            span = max(float(times[last] - times[k]), 1e-12)
            s = float(np.clip((time - times[k]) / span, 0.0, 1.0))
            level = (1.0 - s) * values[k] + s * values[last]
        found = None
        if self.curve is not None:
            found = Prescribed(self.curve.muscles, self.curve.at(time))
        return Aim(self.targets.at(time), level, found)


@dataclass(frozen=True)
class Breath:
    """Ribs that rise by `angle` [rad] in each `period` [s]."""

    angle: float = np.radians(3.0)
    period: float = 4.0


Levels = float | Mapping[str, float]


def curl(
    dynamics: Dynamics,
    *,
    seconds: float = 4.0,
    angle: float = np.pi / 2,
    masses: Sequence[float] = (2.0, 6.0),
    change: float = 2.0,
    bent: float = 1.0,
    breath: Breath | None = None,
    coactivation: Levels = 0.0,
    inertia: bool = False,
) -> Exercise:
    """Both elbows bend to an `angle` [rad] until `bent` [s] and stay; dumbbells then change.

    Each hand carries the first of `masses` [kg], and from the time `change` [s] on the last.
    """
    keys = [(0.0, {}), (bent, arms(dynamics, elbow=angle))] if bent > 0 else [
        (0.0, arms(dynamics, elbow=angle))
    ]  # fmt: skip
    loads = tuple(dumbbell(dynamics, side, masses, change, inertia) for side in SIDES)
    return Exercise(
        "curl", seconds, _with_breath(dynamics, KeyPoses.of(dynamics.body, keys), breath), loads,
        _levels(dynamics, coactivation),
    )  # fmt: skip


def breathing(
    dynamics: Dynamics,
    *,
    seconds: float = 8.0,
    breath: Breath | None = None,
    coactivation: Levels = 0.0,
) -> Exercise:
    """Nothing moves but the ribs."""
    still = KeyPoses.of(dynamics.body, [(0.0, {})])
    targets = _with_breath(dynamics, still, breath or Breath())
    return Exercise("breathing", seconds, targets, levels=_levels(dynamics, coactivation))


def pectorals(
    dynamics: Dynamics,
    *,
    seconds: float = 4.0,
    rate: float = 1.0,
    most: float = 0.3,
    breath: Breath | None = None,
    coactivation: Levels = 0.0,
) -> Exercise:
    """The pectorals of both sides contract in turn, `rate` times a second, up to `most`.

    All other muscles hold the skeleton still against them.
    """
    body = dynamics.body
    muscles = body.group(PECTORALS)
    right = np.array([body.names[k].rsplit("_", 1)[-1].startswith("R") for k in muscles])

    def at(time: float) -> Floats:
        # Smooth bumps, begun at rest; the right side is half a beat behind.
        beats = rate * time - 0.5 * right
        return np.asarray(np.where(beats > 0, most * np.sin(np.pi * beats) ** 4, 0.0))

    still = KeyPoses.of(body, [(0.0, {})])
    return Exercise(
        "pectorals", seconds, _with_breath(dynamics, still, breath),
        levels=_levels(dynamics, coactivation), curve=Curve(muscles, at),
    )  # fmt: skip


def flex(
    dynamics: Dynamics,
    *,
    seconds: float = 4.0,
    elbow: float = np.pi / 2,
    abduction: float = np.radians(15.0),
    low: Levels = 0.0,
    high: Levels = 0.5,
    breath: Breath | None = None,
) -> Exercise:
    """Arms are raised and bent in the first third, and tensed in the last.

    Coactivation rises from `low` to `high` in the second third: the pose stays, muscles bulge.
    """
    pose = arms(dynamics, elbow=elbow, abduction=abduction)
    third = seconds / 3.0
    keys = KeyPoses.of(dynamics.body, [(0.0, {}), (0.9 * third, pose)])
    levels = np.array([coactivations(dynamics.body, level) for level in (low, low, high, high)])
    times = np.array([0.0, third, 2.0 * third, seconds])
    return Exercise("flex", seconds, _with_breath(dynamics, keys, breath), levels=(times, levels))


def pose(
    dynamics: Dynamics,
    goals: Sequence[Goal],
    *,
    seconds: float = 3.0,
    reached: float = 1.5,
    breath: Breath | None = None,
    coactivation: Levels = 0.0,
) -> Exercise:
    """Head and chest go to their goals until `reached` [s], and stay there."""
    if not goals:
        raise ModelError("a pose needs a goal of the head or of the chest")
    there = posture(dynamics, goals)
    for share in WAY:
        require_holdable(dynamics, dynamics.rest + share * (there - dynamics.rest))
    there[dynamics.body.followers] = 0.0  # these are nobody's to place
    keys = KeyPoses(np.array([0.0, reached]), np.array([np.zeros_like(there), there]))
    return Exercise(
        "pose", seconds, _with_breath(dynamics, keys, breath),
        levels=_levels(dynamics, coactivation),
    )  # fmt: skip


def require_holdable(dynamics: Dynamics, q: Floats) -> None:
    """Raise a `ModelError` if muscles cannot hold a pose q (n,), or not nearly."""
    body, still = dynamics.body, np.zeros_like(q)
    controller = Controller(dynamics, Sharer(len(body.muscles)))
    _, outcome = controller.step(controller.begin(q), Aim(Wanted(q, still, still)))
    most = int(np.argmax(outcome.sharing.activations))
    joints = tuple(body.joints[int(d)] for d in body.driven)
    lack = missing_torques(joints, outcome.sharing.missing)
    if lack:
        raise ModelError(f"the pose cannot be held: {lack}")
    if outcome.sharing.activations[most] > TOO_MUCH:
        raise ModelError(
            f"the pose cannot be held: '{body.names[most]}' would need "
            f"{outcome.sharing.activations[most]:.0f} times its strength"
        )


def imported(
    dynamics: Dynamics,
    motion: Motion,
    *,
    seconds: float | None = None,
    columns: Mapping[str, str] | None = None,
    cutoff: float | None = 6.0,
    breath: Breath | None = None,
    coactivation: Levels = 0.0,
) -> Exercise:
    """The joints of a motion move as it does; the others stay.

    What is quicker than `cutoff` [Hz] is smoothed away; a motion of fewer samples has nothing that
    is.
    """
    if cutoff is not None and np.diff(motion.times).max() >= 0.5 / cutoff:
        cutoff = None
    found = Imported.of(dynamics.body, motion, columns, cutoff=cutoff)
    length = found.end - found.begin if seconds is None else seconds
    return Exercise(
        "motion", length, _with_breath(dynamics, found, breath),
        levels=_levels(dynamics, coactivation),
    )  # fmt: skip


def arms(dynamics: Dynamics, *, elbow: float = 0.0, abduction: float = 0.0) -> dict[str, float]:
    """The joints of both arms, bent [rad] and lifted sideways [rad]."""
    out = {}
    for side, outward in zip(SIDES, (1.0, -1.0), strict=True):
        bends = _way(dynamics, f"elbow{side}", f"hand{side}", BACK)
        lifts = _way(dynamics, f"shoulder{side}_abd", f"hand{side}", LEFT)
        out[f"elbow{side}"] = -np.sign(bends) * elbow
        out[f"shoulder{side}_abd"] = np.sign(lifts) * outward * abduction
    return out


def dumbbell(
    dynamics: Dynamics, side: str, masses: Sequence[float], change: float, inertia: bool = False
) -> Load:
    """A load at the centre of a hand, whose mass [kg] changes from the first to the last."""
    (hand,) = dynamics.body.bodies(f"hand{side}")
    centre = dynamics.body.model.body_ipos[hand].copy()
    if len(masses) == 1:
        return Load(f"hand{side}", centre, (0.0,), (masses[0],), inertia)
    return Load(f"hand{side}", centre, (0.0, change), (masses[0], masses[-1]), inertia)


def _way(dynamics: Dynamics, joint: str, body: str, axis: int) -> float:
    """[m/rad] how a body's centre moves along an axis of the world with a joint, at rest."""
    whole, skeleton = dynamics.body, dynamics.skeleton
    number = whole.bodies(body)
    skeleton.place(dynamics.rest)
    J = skeleton.jacobian(Points(number, whole.model.body_ipos[number]))
    return float(J[0, axis, whole.dof(joint)])


def _with_breath(dynamics: Dynamics, targets: Targets, breath: Breath | None) -> Targets:
    if breath is None:
        return targets
    return Sum((targets, _yielding(dynamics, breath)))


def _yielding(dynamics: Dynamics, breath: Breath) -> Breathing:
    """A breath in which the spine gives way to the ribs as far as the closed cage asks it to.

    Vertebrae held in place would be pushed by their ribs: muscles of the back would need a third
    more.
    """
    body, ribs = dynamics.body, Breathing.of(dynamics.body, breath.angle, breath.period)
    if breath.angle == 0.0:
        return ribs
    raised = ribs.share * breath.angle
    joints = {body.joints[int(k)]: float(raised[k]) for k in np.flatnonzero(ribs.share)}
    whole = posture(dynamics, [], joints=joints) - dynamics.rest
    whole[body.followers] = 0.0  # these are nobody's to place
    return replace(ribs, share=whole / breath.angle)


def _levels(dynamics: Dynamics, coactivation: Levels) -> tuple[Floats, Floats] | None:
    found = coactivations(dynamics.body, coactivation)
    return (np.zeros(1), found[None]) if found.any() else None
