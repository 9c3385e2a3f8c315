"""Poses of the arm, and the activations of its muscles as lines that hold them (section 7).

A muscle is a straight line between its attachments that pulls with activation times strength. Of
all activations that hold the forearm still about the elbow, those with the least sum of squares
count. What turns the shoulder is left to muscles that are not modelled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.control.activations.static_optimisation import distribute
from vastus.measure.moments import Crossing, crossings
from vastus.measure.muscle_outputs import MuscleOutputs
from vastus.model import Model
from vastus.modelling.shapes.arm import SHOULDER_CENTRE
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.state import State, rest

ABOUT = np.array([1.0, 0.0, 0.0])  # both joints flex about it


def bone_poses(shoulder: float, elbow: float) -> dict[str, Floats]:
    """(3, 4) the poses of humerus and forearm, flexed from rest by angles [rad]."""
    upper = _turned(SHOULDER_CENTRE, shoulder)
    lower = _turned(np.zeros(3), elbow)
    R, t = upper[:, :3], upper[:, 3]
    return {"humerus": upper, "forearm": np.column_stack([R @ lower[:, :3], R @ lower[:, 3] + t])}


def _turned(centre: Floats, angle: float) -> Floats:
    R = exp_map(angle * ABOUT)
    return np.column_stack([R, centre - R @ centre])


def placed(model: Model, shoulder: float, elbow: float) -> State:
    """The model with its bones, and all that they carry, in a pose; other tissue is at rest."""
    state = rest(model)
    x, poses = state.x.copy(), state.poses.copy()
    for name, pose in bone_poses(shoulder, elbow).items():
        index = model.bone(name)
        carried = model.bone_of_vertex == index
        poses[index] = pose
        x[carried] = x[carried] @ pose[:, :3].T + pose[:, 3]
    return State.still(0.0, x, poses, state.activation)


@dataclass(frozen=True, eq=False)
class Held:
    """A pose: activations (m,), arms (m,) [m], the lines' ends (m, 2, 3) [m], and torques [N m]."""

    state: State
    activations: Floats
    arms: Floats
    ends: Floats
    torque: float  # that muscles must give
    reserve: float  # that they cannot


class Lines:
    """The muscles of a model, whose forearm is free, as straight lines across the elbow."""

    def __init__(self, model: Model) -> None:
        self._model, count = model, len(model.muscles)
        self._crossings: list[Crossing] = [crossings(model, k)[0] for k in range(count)]
        self.strengths = np.array(
            [MuscleOutputs(model, k).tension.strongest for k in range(count)]
        )  # [N]
        tets = model.tets_of(model.bones[model.bone("forearm")].regions)
        density = np.array([region.density for region in model.regions])[model.region[tets]]
        weights = density * model.mesh.volumes[tets]
        self._mass = float(weights.sum())
        self._centre = weights @ model.mesh.centroids[tets] / self._mass

    def hold(self, shoulder: float, elbow: float) -> Held:
        """The activations that hold a pose, flexed from rest by angles [rad]."""
        state = placed(self._model, shoulder, elbow)
        pose = state.poses[self._model.bone("forearm")]
        centre, axes = self._crossings[0].place(state)
        weight = self._mass * self._model.gravity
        lever = pose[:, :3] @ self._centre + pose[:, 3] - centre
        torque = -float(axes[""] @ np.cross(lever, weight))
        arms = np.array([c.string.arm(state.x, centre, axes[""]) for c in self._crossings])
        shared = distribute((arms * self.strengths)[None], np.array([torque]))
        ends = np.array([_ends(c, state.x) for c in self._crossings])
        return Held(state, shared.activations, arms, ends, torque, float(shared.reserves[0]))


def _ends(crossing: Crossing, x: Floats) -> tuple[Floats, Floats]:
    string = crossing.string
    return string.near_weights @ x[string.near], string.far_weights @ x[string.far]
