"""Rigid bones: six coordinates each, joints eliminated by the null space of their equations.

A bone turns about its centre c by a rotation vector w and shifts by v: x = c + v + exp(w) r
(theory, eq. 18). Coordinates are (size w, v), all in metres, so that generalised forces are in
newtons. Joints are closed exactly after every move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.errors import SolveError
from vastus.numerics.rotation import exp_map, skew
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.bones import (
    BoneLoads,
    Chart,
    Skeleton,
    Tie,
    image,
    least_squares,
    null_space,
)
from vastus.skeleton.carried import resultants, velocities
from vastus.skeleton.freedoms import A1, A2, Y1, Y2, Slip


@dataclass(frozen=True)
class Rigid:
    """Bones that cannot deform."""

    young: None = None

    def chart(self, skeleton: Skeleton, poses: Floats) -> Chart:
        """Coordinates around these poses."""
        return RigidChart(skeleton, poses)

    def close(self, skeleton: Skeleton, poses: Floats) -> Floats:
        """The nearest poses at which every joint is closed (Gauss-Newton, minimum norm)."""
        reach = float(skeleton.size.max(initial=0.0))
        for _ in range(30):
            errors = skeleton.errors(poses)
            if np.abs(errors).max(initial=0.0) <= 1e-14 * reach:
                return poses
            before = float(np.abs(errors).max())
            poses = approach(skeleton, poses)
            if before <= 1e-12 * reach:
                return poses
        raise SolveError(f"the joints cannot be closed: a gap of {before:.2e} m remains")


class RigidChart(Chart):
    """Coordinates of rigid bones around given poses."""

    def __init__(self, skeleton: Skeleton, poses: Floats) -> None:
        self._skeleton, self._poses = skeleton, poses
        self._centres = _centres(skeleton, poses)
        self._arm = skeleton.positions(poses) - self._centres[skeleton.owner]
        self._equations = _equations(skeleton, poses)
        twists = 6 * len(skeleton.free)
        self._basis = null_space(self._equations) if skeleton.ties else np.eye(twists)
        self.size = self._basis.shape[1]

    def pull(self, g: Floats) -> Floats:
        """Resultant forces and torques of the bones, in the coordinates that the joints leave."""
        return self._basis.T @ self._wrench(g)

    def push(self, rows: Ints) -> Floats:
        """Velocities of carried vertices."""
        skeleton = self._skeleton
        slot = skeleton.slots[skeleton.owner[rows]]
        size = skeleton.size[skeleton.free]
        moved = velocities(self._arm[rows], slot, size, self._basis)
        return moved.reshape(3 * len(rows), self.size)

    def curvature(self, g: Floats, loads: BoneLoads) -> Floats:
        """Geometric stiffness of the forces, and of the joint reactions that balance them."""
        skeleton = self._skeleton
        twists = len(skeleton.free) * 6
        stiffness = np.zeros((twists, twists))
        moment, _ = resultants(g, self._arm, skeleton.owner, skeleton.count)
        for slot, bone in enumerate(skeleton.free):
            moment[bone] += loads.turns[slot] @ self._poses[bone, :, :3].T
        for tie, multipliers in zip(skeleton.ties, self._multipliers(g, loads), strict=True):
            ends = np.cumsum([3 * len(tie.points), len(tie.held)])
            shared, pressed, sliding = np.split(multipliers, ends)
            for bone, points, sign in ((tie.a, tie.on_a, 1.0), (tie.b, tie.points, -1.0)):
                moment[bone] += sign * shared.reshape(-1, 3).T @ self._arms(bone, points)
            for plane, force in enumerate(pressed):
                self._bend_plane(stiffness, tie, plane, float(force))
            for slip, force in zip(tie.slips, sliding, strict=True):
                self._bend_slip(stiffness, moment, tie, slip, float(force))
        for slot, bone in enumerate(skeleton.free):
            turn = slice(6 * slot, 6 * slot + 3)
            stiffness[turn, turn] += _geometric(moment[bone]) / skeleton.size[bone] ** 2
        return self._basis.T @ stiffness @ self._basis

    def _bend_plane(self, stiffness: Floats, tie: Tie, plane: int, force: float) -> None:
        """Add the second derivative of a point's distance to its plane, times a force [N].

        With y the point from the centre of `a` and r from that of `b`, the distance is
        -n . exp(-w_a) (y + v_b - v_a + (exp(w_b) - 1) r).
        """
        skeleton = self._skeleton
        n = self._poses[tie.a, :, :3] @ tie.normals[plane]
        r = self._arms(tie.b, tie.held[plane : plane + 1])[0]
        y = r + self._centres[tie.b] - self._centres[tie.a]
        K = skew(n)
        place = {
            bone: (6 * skeleton.slot(bone), skeleton.size[bone])
            for bone in (tie.a, tie.b)
            if skeleton.slot(bone) >= 0
        }
        for bone, arm in ((tie.a, y), (tie.b, r)):
            if bone in place:
                at, size = place[bone]
                own = slice(at, at + 3)
                stiffness[own, own] -= force * _geometric(np.outer(n, arm)) / size**2
        if tie.a not in place:
            return
        at, size = place[tie.a]
        turn = slice(at, at + 3)
        blocks = [(slice(at + 3, at + 6), -force * K.T / size)]
        if tie.b in place:
            there, other = place[tie.b]
            blocks.append((slice(there + 3, there + 6), force * K.T / size))
            blocks.append((slice(there, there + 3), -force * K.T @ skew(r) / (size * other)))
        for columns, block in blocks:
            stiffness[turn, columns] += block
            stiffness[columns, turn] += block.T

    def _bend_slip(
        self, stiffness: Floats, moment: Floats, tie: Tie, slip: Slip, force: float
    ) -> None:
        """Add the second derivative of a slip, times a force [N].

        Its slope by the bones' linear parts bends as they turn, like any moment.
        """
        skeleton, pair = self._skeleton, self._skeleton.pair(tie, self._poses)
        slope, moved = slip.slope(pair), np.zeros((24, len(stiffness)))
        for bone, turn, shift in ((tie.a, A1, Y1), (tie.b, A2, Y2)):
            A = self._poses[bone, :, :3]
            moment[bone] += force * slope[turn].reshape(3, 3) @ A.T
            at = 6 * skeleton.slot(bone)
            if at >= 0:
                moved[turn, at : at + 3] = _turning(A, skeleton.size[bone])
                moved[shift, at + 3 : at + 6] = np.eye(3)
        stiffness += force * moved.T @ slip.bend(pair) @ moved

    def reactions(self, g: Floats, loads: BoneLoads) -> list[Floats]:
        """The multipliers of the shared points' equations."""
        found = zip(self._skeleton.ties, self._multipliers(g, loads), strict=True)
        return [all_[: 3 * len(tie.points)].reshape(-1, 3) for tie, all_ in found]

    def strain(self) -> Floats:
        """How turning changes the free bones' rotations."""
        skeleton = self._skeleton
        out = np.zeros((len(skeleton.free), 9, self.size))
        for slot, bone in enumerate(skeleton.free):
            turns = _turning(self._poses[bone, :, :3], skeleton.size[bone])
            out[slot] = turns @ self._basis[6 * slot : 6 * slot + 3]
        return out.reshape(9 * len(skeleton.free), self.size)

    def shift(self) -> Floats:
        """The shifts of the free bones."""
        f = len(self._skeleton.free)
        return self._basis.reshape(f, 2, 3, self.size)[:, 1].reshape(3 * f, self.size)

    def lift(self, z: Floats) -> Floats:
        """Scaled twists of the free bones."""
        return self._basis @ z

    def lower(self, w: Floats) -> Floats:
        """The part of scaled twists that the joints allow."""
        return self._basis.T @ w

    def move(self, z: Floats) -> Floats:
        """Turn and shift the free bones, then close the joints."""
        return Rigid().close(self._skeleton, _turn(self._skeleton, self._poses, self._basis @ z))

    def _wrench(self, g: Floats) -> Floats:
        skeleton = self._skeleton
        found = resultants(g, self._arm, skeleton.owner, skeleton.count)
        moments, forces = (each[skeleton.free] for each in found)
        # Of forces g at arms r, with moments the sums of g rᵀ, the torque is the sum of r x g.
        torques = moments[:, [2, 0, 1], [1, 2, 0]] - moments[:, [1, 2, 0], [2, 0, 1]]
        turns = torques / skeleton.size[skeleton.free, None]
        return np.hstack([turns, forces]).ravel()

    def _multipliers(self, g: Floats, loads: BoneLoads) -> list[Floats]:
        """(rows,) of each tie, the forces [N] in its equations (Lagrange multipliers)."""
        skeleton = self._skeleton
        if not skeleton.ties:
            return []
        wrench = self._wrench(g).reshape(-1, 2, 3)
        A = self._poses[skeleton.free, :, :3]
        torque = np.cross(A, loads.turns, axis=1).sum(axis=2)
        wrench[:, 0] += torque / skeleton.size[skeleton.free, None]
        wrench[:, 1] += loads.shifts
        solution = least_squares(self._equations.T, -wrench.ravel())
        return np.split(solution, np.cumsum([tie.rows for tie in skeleton.ties])[:-1])

    def _arms(self, bone: int, points: Floats) -> Floats:
        """(k, 3) the images of a bone's rest points, from that of its centre."""
        return image(self._poses[bone], points) - self._centres[bone]


def approach(skeleton: Skeleton, poses: Floats) -> Floats:
    """Poses turned and shifted, by one Gauss-Newton step, towards closed joints."""
    errors = skeleton.errors(poses)
    return _turn(skeleton, poses, least_squares(_equations(skeleton, poses), -errors))


def _velocity(arm: Floats, size: float) -> Floats:
    """(k, 3, 6) velocities of points at arms (k, 3) by the scaled twist of their bone."""
    out = np.zeros((len(arm), 3, 6))
    out[:, :, :3] = -skew(arm) / size
    out[:, :, 3:] = np.eye(3)
    return out


def _turning(A: Floats, size: float) -> Floats:
    """(9, 3) how a bone's linear part A (3, 3) changes as it turns."""
    return np.asarray((skew(np.eye(3)) @ A / size).reshape(3, 9).T)


def _geometric(M: Floats) -> Floats:
    """(3, 3) the second derivative by a turn of forces g at arms r, M the sum of g rᵀ."""
    return np.asarray(0.5 * (M + M.T) - np.trace(M) * np.eye(3))


def _centres(skeleton: Skeleton, poses: Floats) -> Floats:
    """(bones, 3) the images of the bones' centres."""
    return np.einsum("bij,bj->bi", poses[:, :, :3], skeleton.centre) + poses[:, :, 3]


def _equations(skeleton: Skeleton, poses: Floats) -> Floats:
    """(rows, 6 f) the velocities of the ties' errors by the bones' scaled twists."""
    centres = _centres(skeleton, poses)
    blocks = [np.zeros((0, 6 * len(skeleton.free)))]
    for tie in skeleton.ties:
        block = np.zeros((tie.rows, 6 * len(skeleton.free)))
        normals = tie.normals @ poses[tie.a, :, :3].T
        there, rolled = image(poses[tie.b], tie.held), tie.rows - len(tie.slips)
        slopes = np.array([slip.slope(skeleton.pair(tie, poses)) for slip in tie.slips])
        sides = (tie.a, tie.on_a, 1.0, A1, Y1), (tie.b, tie.points, -1.0, A2, Y2)
        for bone, points, sign, turn, shift in sides:
            slot = skeleton.slot(bone)
            if slot >= 0:
                shared = _velocity(image(poses[bone], points) - centres[bone], skeleton.size[bone])
                # A plane turns with its bone: it moves as the bone would where the point is.
                plane = _velocity(there - centres[bone], skeleton.size[bone])
                rows = np.concatenate(
                    [shared.reshape(-1, 6), np.einsum("pi,pij->pj", normals, plane)]
                )
                own = slice(6 * slot, 6 * slot + 6)
                block[:rolled, own] = sign * rows
                if tie.slips:
                    turned = slopes[:, turn] @ _turning(poses[bone, :, :3], skeleton.size[bone])
                    block[rolled:, own] = np.hstack([turned, slopes[:, shift]])
        blocks.append(block)
    return np.concatenate(blocks)


def _turn(skeleton: Skeleton, poses: Floats, twist: Floats) -> Floats:
    """Poses after the free bones turn and shift by scaled twists (6 f,)."""
    out = poses.copy()
    centres = _centres(skeleton, poses)
    for bone, (w, v) in zip(skeleton.free, twist.reshape(-1, 2, 3), strict=True):
        R = exp_map(w / skeleton.size[bone]) @ poses[bone, :, :3]
        out[bone, :, :3] = R
        out[bone, :, 3] = centres[bone] + v - R @ skeleton.centre[bone]
    return out
