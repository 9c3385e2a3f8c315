"""A muscle between two clamps, the far one moved along its line, as in a bench of physiology."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from vastus.experiments.trial import Trial
from vastus.inputs import Schedule
from vastus.measure.centreline import tips
from vastus.measure.ends import Ends, Holder, ends_of, own_tets
from vastus.measure.muscle_line import vertices_of
from vastus.measure.muscle_outputs import MuscleOutputs
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.parts import Bone, Drive
from vastus.schedules import from_arrays

FAR_END = "far end"


@dataclass(frozen=True, eq=False)
class Clamp:
    """A muscle alone and without weight, its near end held and its far end driven.

    Lengths are counted in mean fibre lengths at rest: at length 1 the clamps are where the model
    has them, and at 1.2 they are a fifth of a fibre length farther apart.
    """

    model: Model
    muscle: str
    far: tuple[str, ...]  # the bones of the far end
    direction: Floats  # (3,) unit, away from the near end
    fibre_length: float  # [m]
    strongest: float  # [N] strength times physiological cross-section
    optimal: float  # the stretch from rest at which fibres have their optimal length

    def schedule(self, lengths: Floats, levels: Floats) -> Schedule:
        """Frames 0.1 s apart at these lengths and activations."""
        shifts = (lengths - 1.0) * self.fibre_length
        poses = np.tile(np.eye(3, 4), (len(shifts), 1, 1))
        poses[:, :, 3] = np.outer(shifts, self.direction)
        times = np.arange(len(shifts), dtype=float) / 10
        moved = dict.fromkeys(self.far, poses)
        return from_arrays(self.model, times, {self.muscle: levels}, poses=moved)

    def forces(self, tension: Floats, pull: Floats) -> dict[str, Floats]:
        """Columns of both forces [N], and of their shares of the greatest one."""
        given = {"tension": tension, "pull": pull}
        shares = {f"{name}_F0": force / self.strongest for name, force in given.items()}
        return {f"{name}_N": force for name, force in given.items()} | shares

    def pull(self, table: dict[str, Floats]) -> Floats:
        """(frames,) [N] with which the muscle pulls the far end back, from its columns."""
        columns = [
            [table[f"{self.muscle}_on_{bone}_{axis}_N"] for axis in "xyz"] for bone in self.far
        ]
        force = np.sum(columns, axis=0)  # (3, frames)
        return np.asarray(-self.direction @ force)


def clamped(model: Model, muscle: str) -> Clamp:
    """A muscle taken out of its model, between clamps where bones or pins held it.

    An end that nothing held is clamped too.
    """
    index = model.muscle(muscle)
    own = own_tets(model, index)
    ends = ends_of(model, own)
    far = ends.insertion or (_free_end(model, index, ends),)
    measured = MuscleOutputs(model, index).tension
    away = _middle(model, far) - _middle(model, ends.origin)
    return Clamp(
        _dissected(model, index, own, (ends.origin, far)),
        muscle,
        tuple(holder.name for holder in far),
        away / np.linalg.norm(away),
        measured.fibre_length,
        measured.strongest,
        float(model.optimal[index]),
    )


def _dissected(
    model: Model, index: int, own: Ints, sides: tuple[tuple[Holder, ...], tuple[Holder, ...]]
) -> Model:
    """The tets of a muscle alone, without weight, its near end held and its far end scripted."""
    mesh, kept = model.mesh.submesh(own)
    used, region = np.unique(model.region[own], return_inverse=True)
    clamps = tuple(
        Bone(holder.name, (), drive, np.searchsorted(kept, holder.vertices))
        for side, drive in zip(sides, (Drive.PINNED, Drive.SCRIPTED), strict=True)
        for holder in side
    )
    held = {bone.name for bone in clamps}
    pins = tuple(
        replace(pin, vertices=np.searchsorted(kept, np.intersect1d(kept, pin.vertices)))
        for pin in model.pins
        if pin.name not in held and np.isin(pin.vertices, kept).any()
    )
    return Model(
        mesh,
        region,
        tuple(model.regions[k] for k in used),
        model.fibre[own],
        (model.muscles[index],),
        clamps,
        pins=pins,
        gravity=np.zeros(3),
        name=model.name,
        volume=model.volume,
    )


def _free_end(model: Model, muscle: int, ends: Ends) -> Holder:
    """The end of a muscle that nothing holds, as if something did."""
    mesh, kept = model.mesh.submesh(own_tets(model, muscle))
    held = np.searchsorted(kept, vertices_of(ends.origin))
    return Holder(FAR_END, kept[tips(mesh, held, np.zeros(0, np.int64))[1]], fixed=False)


def _middle(model: Model, side: tuple[Holder, ...]) -> Floats:
    return np.asarray(model.mesh.X[vertices_of(side)].mean(axis=0))


class ClampedTrial(Trial):
    """An experiment on one muscle, taken out of its model and held between clamps."""

    @cached_property
    def clamp(self) -> Clamp:
        """The muscle between its clamps."""
        return clamped(self.asked.model, self.asked.chosen())

    @property
    def subject(self) -> str:
        """The model and the muscle."""
        return f"{super().subject}, {self.clamp.muscle}"
