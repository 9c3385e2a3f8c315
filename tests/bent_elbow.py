"""A result that was never solved: bones turn about their hinges while soft tissue wavers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from vastus import shapes
from vastus.model import Model
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.results.writer import ResultWriter
from vastus.state import Frame, Report, State, rest

ANGLE = 1.2  # [rad] of turned bones in the last frame


@cache
def elbow() -> Model:
    """A coarse elbow."""
    return shapes.elbow(tets=2000)


def bent_elbow(
    folder: Path, times: Floats, model: Model | None = None, strain: float = 0.0
) -> Path:
    """Write the result of frames at `times` [s]; `strain` is that of turned bones in the last."""
    model = model or elbow()
    with ResultWriter(folder, model) as writer:
        for index, time in enumerate(times):
            share = index / max(len(times) - 1, 1)
            state = _state(model, float(time), share, strain)
            levels = {f"{m.name}_activation": share for m in model.muscles}
            writer.add(Frame(index, state, Report(True, 1, 0.0, 1.0, 0.0), levels))
    return folder


def _state(model: Model, time: float, share: float, strain: float) -> State:
    X, start = model.mesh.X, rest(model)
    poses = start.poses.copy()
    for joint in model.joints:
        A = exp_map(share * ANGLE * joint.direction) @ (np.eye(3) + share * strain)
        poses[model.bone(joint.bones[1])] = np.column_stack([A, joint.centre - A @ joint.centre])
    x = X + 0.004 * share * np.sin(6.0 * share + 20.0 * X[:, [1, 2, 0]])
    for bone, pose in enumerate(poses):
        own = model.bone_of_vertex == bone
        x[own] = X[own] @ pose[:, :3].T + pose[:, 3]
    levels = np.full(len(model.muscles), share)
    return State.still(time, x, poses, levels)
