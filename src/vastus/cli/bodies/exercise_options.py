"""From the options of `vastus upper-body` to a body, an exercise and its simulation.

What no body can do is refused before one is made, which takes a minute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.cli.console import note
from vastus.errors import FileError, ModelError, known

if TYPE_CHECKING:
    from vastus.control.upper_body.controller import Gains
    from vastus.control.upper_body.dynamics import Dynamics
    from vastus.control.upper_body.exercises import Exercise
    from vastus.control.upper_body.simulation import Simulation
    from vastus.files.motion_files import Motion

MOTIONS = ("curl", "breathing", "pectorals", "flex", "pose")
PARTS = ("arm_left", "arm_right", "neck", "trunk")
INVERSES = ("step", "present", "ahead")


def require_sane(motion: str, options: dict[str, Any]) -> Motion | None:
    """Refuse what no body can do; the motion of a file, if it is one, is read for that."""
    from vastus.control.upper_body.coactivation import Sharer
    from vastus.control.upper_body.loads import Load

    if motion not in MOTIONS and not Path(motion).suffix:
        raise ModelError(
            f"no motion '{motion}'; motions: {', '.join(MOTIONS)}, or a file of joint angles"
        )
    if motion not in MOTIONS and not Path(motion).is_file():
        raise FileError(f"'{motion}' is no motion and no file; motions: {', '.join(MOTIONS)}")
    _gains(options)
    Sharer(1, limit=_limit(options))
    masses = tuple(options["masses"])
    if masses:
        Load("hand", np.zeros(3), (0.0,) * len(masses), masses)
    _cage(options["cartilages"])
    _levels(options["coactivation"])
    _columns(options["mapped"])
    if motion == "pose":
        _goals(options)
    if motion in MOTIONS:
        return None
    from vastus.files.motion_files import read_motion

    return read_motion(motion)


def _cage(text: str) -> list[list[int]]:
    """Groups of ribs, such as `2 3 4 5-10`."""
    cage = []
    for word in text.split():
        first, _, last = word.partition("-")
        if not (first.isdigit() and (last or first).isdigit()):
            raise ModelError(f"--cartilages '{text}': give ribs and ranges, such as '2 3 4 5-10'")
        cage.append(list(range(int(first), int(last or first) + 1)))
    return cage


def dynamics_of(options: dict[str, Any]) -> Dynamics:
    """The body that is asked for, ready to move."""
    from vastus.bodies.upper.assembly import whole_upper_body
    from vastus.bodies.upper.joint_table import joint_table
    from vastus.control.upper_body.dynamics import Dynamics
    from vastus.control.upper_body.musculoskeleton import Musculoskeleton
    from vastus.modelling.trunk.scanned import scanned

    cage, bones = _cage(options["cartilages"]), options["bones"]
    joint_table(cage)  # refused before bones are made
    skeleton = None if bones is None else scanned(bones)
    body = Musculoskeleton.of(whole_upper_body(skeleton, cartilages=cage))
    note(
        f"{len(body.muscles)} muscles, {len(body.driven)} joints driven by them, "
        f"{len(body.followers)} passive"
    )
    return Dynamics(body, slack_ratio=options["slack_ratio"])


def exercise_of(
    motion: str, read: Motion | None, dynamics: Dynamics, options: dict[str, Any]
) -> Exercise:
    """What MOTION asks of a body; `read` is the motion of its file."""
    from vastus.control.upper_body import exercises

    breath = None
    if options["breath"] is not None or motion == "breathing":
        angle = 3.0 if options["breath"] is None else options["breath"]
        breath = exercises.Breath(np.radians(angle), options["period"])
    level = _levels(options["coactivation"])
    common: dict[str, Any] = {"breath": breath}
    if options["seconds"] is not None:
        common["seconds"] = options["seconds"]
    makers: dict[str, Callable[[], Exercise]] = {
        "curl": lambda: exercises.curl(
            dynamics, masses=options["masses"] or (2.0, 6.0), change=options["change"],
            inertia=options["inertia"], coactivation=level, **common,
        ),
        "breathing": lambda: exercises.breathing(dynamics, coactivation=level, **common),
        "pectorals": lambda: exercises.pectorals(dynamics, coactivation=level, **common),
        "flex": lambda: exercises.flex(dynamics, high=level or 0.5, **common),
        "pose": lambda: exercises.pose(dynamics, _goals(options), coactivation=level, **common),
    }  # fmt: skip
    if motion in makers:
        return makers[motion]()
    assert read is not None
    columns = _columns(options["mapped"])
    found = exercises.imported(dynamics, read, columns=columns, coactivation=level, **common)
    return replace(found, name=Path(motion).stem)


def _columns(texts: tuple[str, ...]) -> dict[str, str]:
    """The column of each joint that is mapped."""
    found = {}
    for text in texts:
        column, _, joint = text.rpartition("=")
        if not (column and joint):
            raise ModelError(f"--map '{text}': give COLUMN=JOINT, such as Elbow.Xrotation=elbowL")
        found[joint] = column
    return found


def _levels(texts: tuple[str, ...]) -> float | dict[str, float]:
    """One coactivation for all, or one for each part that is named."""
    found: dict[str, float] = {}
    for text in texts:
        part, _, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            raise ModelError(f"--coactivation '{text}': give a number, or PART=number") from None
        if not (np.isfinite(value) and value >= 0):
            raise ModelError(f"--coactivation '{text}': it cannot be below 0")
        if not part:
            return value
        if part not in PARTS:
            raise known("part", part, PARTS)
        found[part] = value
    return found or 0.0


def _goals(options: dict[str, Any]) -> list[Any]:
    from vastus.control.upper_body.posture import Goal

    named = {"skull": options["head"], "T1": options["chest"]}
    goals = [Goal(body, turn=np.radians(turn)) for body, turn in named.items() if turn is not None]
    if not goals:
        raise ModelError("a pose needs a goal: --head X Y Z or --chest X Y Z, in degrees")
    return goals


def simulation_of(dynamics: Dynamics, exercise: Exercise, options: dict[str, Any]) -> Simulation:
    """The exercise, ready to run."""
    from vastus.control.upper_body.coactivation import Sharer
    from vastus.control.upper_body.simulation import Simulation

    sharer = Sharer(len(dynamics.body.muscles), limit=_limit(options), spread=options["spread"])
    gains = _gains(options)
    return Simulation(dynamics, exercise, gains=gains, sharer=sharer, steps=options["steps"])


def _limit(options: dict[str, Any]) -> float:
    return np.inf if options["limit"] is None else float(options["limit"])


def _gains(options: dict[str, Any]) -> Gains:
    from vastus.control.upper_body.controller import Gains

    return Gains(sensor=options["sensor"], inverse=options["inverse"])
