"""What joints leave bones to move: rings of bones that lock, by the rank of their equations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vastus.checks.finding import Finding, warning
from vastus.model import Drive, Model
from vastus.skeleton.bones import Skeleton
from vastus.skeleton.joints import Joint, Weld
from vastus.skeleton.rigid import Rigid
from vastus.solvers.problem import make_skeleton
from vastus.state import REST_POSE

GROUND = -1
STILL = 1e-9  # how much motion, for one of the coordinates, is none


def freedoms(model: Model) -> int:
    """The degrees of freedom that joints leave the free bones, in the pose that they are made in.

    Unless something drives them: a driven joint takes its coordinates away.
    """
    return _size(make_skeleton(model))


@dataclass(frozen=True)
class Ring:
    """Joints that form rings with each other, and those of them that cannot move."""

    joints: tuple[Joint, ...]
    bones: tuple[str, ...]
    locked: tuple[Joint, ...]


def rings(model: Model) -> list[Ring]:
    """The rings of bones of a model; all that is pinned or scripted is one body."""
    found, skeleton = [], make_skeleton(model)
    ends = [_ends(model, joint) for joint in model.joints]
    tied = [k for k, (a, b) in enumerate(ends) if a != b]
    inner = [k for k in tied if _connected(ends, [j for j in tied if j != k], *ends[k])]
    while inner:
        mine = [k for k in inner if _connected(ends, inner, ends[inner[0]][0], ends[k][0])]
        found.append(_ring(model, skeleton, mine, ends))
        inner = [k for k in inner if k not in mine]
    return found


def _ends(model: Model, joint: Joint) -> tuple[int, int]:
    bones = [model.bone(name) for name in joint.bones]
    one, two = (b if model.bones[b].drive is Drive.FREE else GROUND for b in bones)
    return one, two


def _connected(
    ends: Sequence[tuple[int, int]], edges: Sequence[int], start: int, goal: int
) -> bool:
    """Whether joints `edges` lead from one body to another."""
    reached, waiting = {start}, [start]
    while waiting:
        body = waiting.pop()
        near = {b for k in edges if body in ends[k] for b in ends[k]} - reached
        reached |= near
        waiting += near
    return goal in reached


def _ring(
    model: Model, skeleton: Skeleton, mine: Sequence[int], ends: Sequence[tuple[int, int]]
) -> Ring:
    bodies = sorted({body for k in mine for body in ends[k]})
    free = np.array(bodies[1:], np.int64)  # the ground, or else one of them, stands still
    ties = tuple(tie for tie in skeleton.ties if tie.joint in mine)
    ring = replace(skeleton, free=free, ties=ties)
    joints = tuple(model.joints[k] for k in mine)
    locked = [model.joints[k] for k in mine if not _moves(ring, model.joints[k], ends[k])]
    names = tuple(dict.fromkeys(name for joint in joints for name in joint.bones))
    return Ring(joints, names, tuple(joint for joint in locked if not isinstance(joint, Weld)))


def _moves(ring: Skeleton, joint: Joint, ends: tuple[int, int]) -> bool:
    """Whether the two bodies of a joint turn or shift against each other at its centre."""
    poses = np.tile(REST_POSE, (ring.count, 1, 1))
    chart = Rigid().chart(ring, poses)
    twists = chart.lift(np.eye(chart.size)).reshape(len(ring.free), 2, 3, chart.size)
    motions = []
    for body in ends:
        turn, shift = np.zeros((2, 3, chart.size))
        if body in ring.free:
            turn, shift = twists[ring.slot(body)]
            turn = turn / ring.size[body]
            arm = np.asarray(joint.centre, float) - ring.centre[body]
            shift = shift + np.cross(turn, arm, axisa=0).T
        motions.append((turn, shift))
    (turn, shift), (other, there) = motions
    apart = [float(ring.size.max()) * np.abs(turn - other), np.abs(shift - there)]
    return any(part.max(initial=0.0) > STILL for part in apart)


def _size(skeleton: Skeleton) -> int:
    poses = np.tile(REST_POSE, (skeleton.count, 1, 1))
    return Rigid().chart(skeleton, poses).size


def locked_rings(model: Model) -> Iterator[Finding]:
    """Rings of bones in which joints cannot move."""
    for ring in rings(model):
        if ring.locked:
            bones, joints = _listed(ring.bones), _listed([j.name for j in ring.locked])
            many = len(ring.locked) > 1
            yield warning(
                f"joint{'s' * many} {joints}",
                f"cannot move, because the bones {bones} form a ring that leaves "
                f"{'them' if many else 'it'} no degree of freedom",
                "leave one joint of the ring out, or make it a ball",
                np.asarray(ring.locked[0].centre, float),
            )


def _listed(names: Sequence[str]) -> str:
    *others, last = (f"'{name}'" for name in names)
    return f"{', '.join(others)} and {last}" if others else last


CHECKS = (locked_rings,)
