"""The coordinates of all joints: their values, and what forces on them do to the bones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.numerics.types import Floats, Ints
from vastus.skeleton.bones import BoneLoads
from vastus.skeleton.freedoms import A1, A2, Y1, Y2, Freedom, Pair
from vastus.skeleton.joints import Joint


def numbered(joints: Sequence[Joint]) -> list[tuple[int, Freedom]]:
    """The coordinates of joints, in order: the number of its joint, and the freedom."""
    return [(index, freedom) for index, joint in enumerate(joints) for freedom in joint.freedoms]


def of_joint(joints: Sequence[Joint], index: int) -> slice:
    """Where the coordinates of a joint are among those of all."""
    start = sum(len(joint.freedoms) for joint in joints[:index])
    return slice(start, start + len(joints[index].freedoms))


class Coordinates:
    """Coordinates of a model's joints as functions of the poses of its bones.

    Each is `given` by the number of its joint and a freedom. `pairs` are the numbers of each
    joint's bones, `free` (f,) those that forces move, and `centres` (bones, 3) the points that
    bones turn about.
    """

    def __init__(
        self,
        given: Sequence[tuple[int, Freedom]],
        pairs: Sequence[tuple[int, int]],
        free: Ints,
        centres: Floats,
    ) -> None:
        self._all = [(freedom, np.array(pairs[index])) for index, freedom in given]
        self._centres, self._count = centres, len(free)
        self._slot = np.full(len(centres), -1)
        self._slot[free] = np.arange(len(free))

    def __len__(self) -> int:
        return len(self._all)

    def values(self, poses: Floats) -> Floats:
        """(c,) the coordinates [rad or m] at poses (bones, 3, 4)."""
        pairs = [(freedom, self._pair(bones, poses)) for freedom, bones in self._all]
        return np.array([freedom.value(pair) for freedom, pair in pairs])

    def loads(self, poses: Floats, efforts: Floats) -> BoneLoads:
        """What derivatives (c,) of energies by the coordinates are by the bones' places."""
        total = self._slope(poses, efforts)
        turns = total[: 9 * self._count].reshape(-1, 3, 3)
        return BoneLoads(turns, total[9 * self._count :].reshape(-1, 3))

    def stiffness(self, poses: Floats, efforts: Floats, second: Floats) -> Floats:
        """(12 f, 12 f) second derivatives by linear parts, all bones', then by places of centres.

        `efforts` and `second` (c,) are the first and second derivatives by each coordinate.
        """
        out = np.zeros((12 * self._count, 12 * self._count))
        rows = zip(self._all, efforts, second, strict=True)
        for (freedom, bones), effort, stiff in rows:
            if effort or stiff:
                pair = self._pair(bones, poses)
                slope = freedom.slope(pair)
                block = effort * freedom.bend(pair) + stiff * np.outer(slope, slope)
                own, places = self._places(bones)
                out[np.ix_(places, places)] += block[np.ix_(own, own)]
        return out

    def _slope(self, poses: Floats, efforts: Floats) -> Floats:
        out = np.zeros(12 * self._count)
        for (freedom, bones), effort in zip(self._all, efforts, strict=True):
            if effort:
                own, places = self._places(bones)
                out[places] += effort * freedom.slope(self._pair(bones, poses))[own]
        return out

    def _pair(self, bones: Ints, poses: Floats) -> Pair:
        return Pair.of(poses[bones], self._centres[bones])

    def _places(self, bones: Ints) -> tuple[Ints, Ints]:
        """Which of a freedom's 24 numbers are of free bones, and their places among all."""
        own, places = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for bone, (turn, shift) in zip(bones, ((A1, Y1), (A2, Y2)), strict=True):
            slot = self._slot[bone]
            if slot >= 0:
                own += [np.arange(24)[turn], np.arange(24)[shift]]
                places += [9 * slot + np.arange(9), 9 * self._count + 3 * slot + np.arange(3)]
        return np.concatenate(own), np.concatenate(places)
