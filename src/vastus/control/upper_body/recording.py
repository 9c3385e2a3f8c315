"""What a body did: states, activations and poses of bodies at 30 frames a second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.control.upper_body.articulated import Articulated
from vastus.control.upper_body.coactivation import above_one
from vastus.control.upper_body.controller import SLACK, missing_torques
from vastus.control.upper_body.musculoskeleton import Musculoskeleton
from vastus.control.upper_body.simulation import FPS, Frame
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class Recording:
    """Frames k at times (k,) [s]: coordinates q and speeds v (k, n), activations (k, m).

    `missing` (k, d) [N m] are torques of driven joints that lacked, `peaks` (k, m) the greatest
    activations since the frame before, `off` (k,) [rad/s^2] how far accelerations were from wanted
    ones, and `cpu` (k,) [s] what a frame took.
    """

    times: Floats
    q: Floats
    v: Floats
    activations: Floats
    missing: Floats
    peaks: Floats
    off: Floats
    cpu: Floats

    @classmethod
    def of(cls, frames: Sequence[Frame]) -> Recording:
        """Frames put together."""
        return cls(*(np.array(column) for column in zip(*frames, strict=True)))

    def frames(self) -> list[Frame]:
        """The frames one by one."""
        rows = zip(
            self.times.tolist(), self.q, self.v, self.activations, self.missing, self.peaks,
            self.off.tolist(), self.cpu.tolist(), strict=True,
        )  # fmt: skip
        return [Frame(*row) for row in rows]

    def poses(self, skeleton: Articulated) -> Floats:
        """(k, b, 3, 4) where bodies are: a point X of the body at rest is at R X + t [m]."""
        skeleton.place(skeleton.model.qpos_spring)
        x0, R0 = skeleton.frames()
        out = np.empty((len(self.times), len(x0), 3, 4))
        for pose, q in zip(out, self.q, strict=True):
            skeleton.place(q)
            x, R = skeleton.frames()
            pose[:, :, :3] = R @ np.swapaxes(R0, 1, 2)
            pose[:, :, 3] = x - np.einsum("bij,bj->bi", pose[:, :, :3], x0)
        return out

    def centre(self, skeleton: Articulated, body: str) -> Floats:
        """(k, 3) [m] where the centre of mass of a body is."""
        (number,) = skeleton.body.bodies(body)
        out = []
        for q in self.q:
            skeleton.place(q)
            out.append(skeleton.data.xipos[number].copy())
        return np.array(out)

    def warnings(self, body: Musculoskeleton) -> list[str]:
        """Sentences about what muscles cannot do, each by name."""
        joints = tuple(body.joints[int(d)] for d in body.driven)
        worst = np.take_along_axis(self.missing, np.abs(self.missing).argmax(axis=0)[None], axis=0)[
            0
        ]
        told = [above_one(body.names, self.peaks.max(axis=0)), missing_torques(joints, worst)]
        return [sentence for sentence in told if sentence]

    @property
    def lacking(self) -> bool:
        """Whether torques lacked anywhere."""
        return bool(np.abs(self.missing).max(initial=0.0) > SLACK)

    @property
    def slowness(self) -> float:
        """Seconds of the processor for each second of motion."""
        return float(self.cpu[1:].sum() * FPS / max(len(self.times) - 1, 1))
