"""Lengths and moment arms of the paths of a body, and ranges of both over boxes of poses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.bodies.body import Body, mujoco_package
from vastus.errors import ModelError, known
from vastus.numerics.types import Floats

if TYPE_CHECKING:
    import mujoco

Box = Mapping[str, tuple[float, float]]  # joint -> lowest and highest angle [rad]
Pairs = Mapping[tuple[str, str], float]  # (unit, joint) -> the sign that its moment arm must have


def moment_arms(body: Body, data: mujoco.MjData) -> Floats:
    """(units, nv) how much each path shortens per joint, -dL/dq [m/rad], in the data's pose.

    The torque of tensions F (units,) is `moment_arms.T @ F`. The data must hold tendons of its
    pose, as after `Body.data` or MuJoCo's `mj_fwdPosition`.
    """
    m: Any = body.model
    n = len(body.units)
    dense = np.zeros((m.ntendon, m.nv))
    rows = np.repeat(np.arange(m.ntendon), m.ten_J_rownnz)
    dense[rows, m.ten_J_colind[: len(rows)]] = np.ravel(data.ten_J)[: len(rows)]
    return -dense[:n]


class Poses:
    """Paths of a body in pose after pose, with one set of MuJoCo data."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.data = body.data()

    def at(self, q: Floats) -> Poses:
        """Move to a pose q (nq,)."""
        mujoco, m, d = mujoco_package(), self.body.model, self.data
        d.qpos[:] = q
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_tendon(m, d)
        return self

    @property
    def lengths(self) -> Floats:
        """(units,) lengths of the paths [m]."""
        return np.array(self.data.ten_length[: len(self.body.units)])

    @property
    def stretches(self) -> Floats:
        """(units,) fibre lengths over the optimal ones."""
        return (self.lengths - self.body.slack) / self.body.optimal

    @property
    def arms(self) -> Floats:
        """(units, nv) moment arms [m]."""
        return moment_arms(self.body, self.data)


def sampled_poses(body: Body, box: Box, count: int, seed: int = 0) -> Iterator[Floats]:
    """Poses (nq,) with the joints of a box at random in it, and the others at home."""
    for name in box:
        if name not in body.dof_names:
            raise known("joint", name, body.dof_names)
    places = [int(body.model.joint(name).qposadr[0]) for name in box]
    low, high = np.array(list(box.values()), float).reshape(-1, 2).T
    if not (low <= high).all():
        name = list(box)[int(np.argmin(low <= high))]
        raise ModelError(f"the box of joint '{name}' is from {box[name][0]} to {box[name][1]} rad")
    rng = np.random.default_rng(seed)
    for _ in range(count):
        q = np.array(body.home)
        q[places] = rng.uniform(low, high)
        yield q


@dataclass(frozen=True)
class SignReport:
    """How a moment arm keeps its sign over sampled poses."""

    unit: str
    joint: str
    least: float  # [m] the smallest arm in the wanted direction; below zero it has turned round
    wrong: float  # the fraction of poses in which it has turned round


def sign_reports(
    body: Body, pairs: Pairs, box: Box, *, samples: int = 5000, seed: int = 0
) -> list[SignReport]:
    """Whether units keep turning joints the way they should, anywhere in a box."""
    units = [body.names.index(unit) for unit, _ in pairs]
    dofs = [body.dof_names.index(joint) for _, joint in pairs]
    signs = np.array(list(pairs.values()))
    poses = Poses(body)
    arms = np.array(
        [poses.at(q).arms[units, dofs] * signs for q in sampled_poses(body, box, samples, seed)]
    )
    return [
        SignReport(unit, joint, float(arms[:, k].min()), float((arms[:, k] < 0).mean()))
        for k, (unit, joint) in enumerate(pairs)
    ]


def stretch_ranges(
    body: Body,
    box: Box,
    *,
    samples: int = 5000,
    percentiles: Sequence[float] = (1.0, 99.0),
    seed: int = 0,
) -> Floats:
    """(units, percentiles) of the fibres' stretch over random poses in a box."""
    poses = Poses(body)
    rows = [poses.at(q).stretches for q in sampled_poses(body, box, samples, seed)]
    return np.percentile(np.array(rows), percentiles, axis=0).T
