"""What joints leave bones to move: rings of bones that lock, by the rank of their equations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vastus.checks.finding import Finding, warning
from vastus.model import Model
from vastus.parts import Drive
from vastus.skeleton.bones import Skeleton, Tie, turning_centres
from vastus.skeleton.joints import Joint, Weld
from vastus.skeleton.rigid import Rigid
from vastus.solvers.ties import make_skeleton
from vastus.state import REST_POSE

GROUND = -1
STILL = 1e-9  # how much motion, for one of the coordinates, is none
SPAN = 0.1  # [m] between points of one joint

Ends = Sequence[tuple[int, int]]


def freedoms(model: Model) -> int:
    """The degrees of freedom that joints leave the free bones, in the pose that they are made in.

    Unless something drives them: a driven joint takes its coordinates away.
    """
    skeleton = make_skeleton(model)
    return Rigid().chart(skeleton, _rest(skeleton)).size


@dataclass(frozen=True)
class Ring:
    """Joints that form rings with each other, and those of them that cannot move."""

    joints: tuple[Joint, ...]
    bones: tuple[str, ...]
    locked: tuple[Joint, ...]


def rings(joints: Sequence[Joint], free: Mapping[str, bool]) -> list[Ring]:
    """The rings of bones, which are `free` or not; those that are not are one body."""
    number = {name: k if moves else GROUND for k, (name, moves) in enumerate(free.items())}
    ends = [(number[joint.bones[0]], number[joint.bones[1]]) for joint in joints]
    skeleton = _bare(joints, ends, len(free))
    tied = [k for k, (a, b) in enumerate(ends) if a != b]
    inner = [k for k in tied if _connected(ends, [j for j in tied if j != k], *ends[k])]
    found = []
    while inner:
        mine = [k for k in inner if _connected(ends, inner, ends[inner[0]][0], ends[k][0])]
        found.append(_ring(joints, ends, skeleton, mine))
        inner = [k for k in inner if k not in mine]
    return found


def _bare(joints: Sequence[Joint], ends: Ends, count: int) -> Skeleton:
    """Bones without a shape, and their ties; a bone that is held is none of them."""
    ties = [
        Tie(a, b, joint.points(SPAN), None, *joint.planes(SPAN), joint.slips, k)
        for k, (joint, (a, b)) in enumerate(zip(joints, ends, strict=True))
    ]
    none, owner = np.zeros((0, 3)), np.zeros(0, np.int64)
    centre = turning_centres(none, owner, count, tuple(ties))
    return Skeleton(none, owner, owner, count, centre, tuple(ties))


def _connected(ends: Ends, edges: Sequence[int], start: int, goal: int) -> bool:
    """Whether joints `edges` lead from one body to another."""
    reached, waiting = {start}, [start]
    while waiting:
        body = waiting.pop()
        near = {b for k in edges if body in ends[k] for b in ends[k]} - reached
        reached |= near
        waiting += near
    return goal in reached


def _ring(joints: Sequence[Joint], ends: Ends, skeleton: Skeleton, mine: Sequence[int]) -> Ring:
    bodies = sorted({body for k in mine for body in ends[k]})
    free = np.array(bodies[1:], np.int64)  # the ground, or else one of them, stands still
    ties = tuple(tie for tie in skeleton.ties if tie.joint in mine)
    ring = replace(skeleton, free=free, ties=ties)
    own = tuple(joints[k] for k in mine)
    locked = [joints[k] for k in mine if not _moves(ring, joints[k], ends[k])]
    names = tuple(dict.fromkeys(name for joint in own for name in joint.bones))
    return Ring(own, names, tuple(joint for joint in locked if not isinstance(joint, Weld)))


def _moves(ring: Skeleton, joint: Joint, ends: tuple[int, int]) -> bool:
    """Whether the two bodies of a joint turn or shift against each other at its centre."""
    chart = Rigid().chart(ring, _rest(ring))
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
    apart = (np.abs(turn - other), np.abs(shift - there))
    return any(part.max(initial=0.0) > STILL for part in apart)


def _rest(skeleton: Skeleton) -> np.ndarray:
    return np.tile(REST_POSE, (skeleton.count, 1, 1))


def locked_rings(model: Model) -> Iterator[Finding]:
    """Rings of bones in which joints cannot move."""
    free = {bone.name: bone.drive is Drive.FREE for bone in model.bones}
    return said_of(rings(model.joints, free))


def said_of(found: Iterable[Ring]) -> Iterator[Finding]:
    """What is said of rings in which joints cannot move."""
    for ring in found:
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
