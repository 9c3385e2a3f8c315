"""Line muscles as solids: grown around their lines, moved apart, cut back and filled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.lines.belly import strand_of
from vastus.modelling.lines.distance import Obstacle, merged
from vastus.modelling.lines.limits import limits
from vastus.modelling.lines.overlap import Overlap, overlaps
from vastus.modelling.lines.parts import LineMuscle, Lines
from vastus.modelling.lines.relax import relaxed
from vastus.modelling.lines.separate import separated
from vastus.modelling.lines.stations import Stations, stations_of
from vastus.modelling.lines.strand import reached
from vastus.modelling.lines.tets import belly_volume
from vastus.modelling.sweep import Swept

_ENOUGH = 0.99  # of the wanted volume


@dataclass(frozen=True, eq=False)
class Loft:
    """A muscle as a solid, what it was made from, and how much of it is inside something else."""

    muscle: LineMuscle
    stations: Stations
    solid: Swept
    overlap: Overlap

    @property
    def volume(self) -> float:
        """The volume of the belly with its thin ends [m^3]."""
        return belly_volume(self.stations, self.solid)

    @property
    def section(self) -> float:
        """The mean area across the fibres of the muscle tissue [m^2]."""
        rows = np.flatnonzero(self.solid.segment == 1)
        volume = TetMesh(self.solid.X, self.solid.T[rows]).volumes.sum()
        slabs = rows[[0, -1]] * (len(self.stations.centre) - 1) // len(self.solid.T)
        return float(volume / reached(self.stations.centre[slabs[0] : slabs[1] + 2])[-1])

    @property
    def notes(self) -> tuple[str, ...]:
        """What was put right or could not be reached."""
        share = self.volume / self.stations.volume
        if share >= _ENOUGH:
            return self.muscle.notes
        short = f"bones and neighbours leave room for {100 * share:.0f} % of the wanted volume"
        return (*self.muscle.notes, short)


def loft(lines: Lines) -> list[Loft]:
    """All muscles of `lines` as solids that hardly overlap."""
    _check(lines)
    surfaces = [bone.surface for bone in lines.bones if bone.surface is not None]
    bones = Obstacle(merged(surfaces) if surfaces else _nothing())
    strands = relaxed([strand_of(muscle, bones) for muscle in lines.muscles], bones)
    stations = [stations_of(strand) for strand in strands]
    solids = separated(stations, limits(stations, strands, bones), bones)
    shared = overlaps(solids, bones)
    return [Loft(*parts) for parts in zip(lines.muscles, stations, solids, shared, strict=True)]


def _check(lines: Lines) -> None:
    for muscle in lines.muscles:
        who = f"muscle '{muscle.name}'"
        if not muscle.force > 0:
            raise ModelError(f"{who} has a greatest force of {muscle.force:g} N, not above 0")
        if not muscle.length > 1e-3:
            raise ModelError(f"{who} has a line of {muscle.length:g} m, less than a millimetre")


def _nothing() -> Surface:
    """A tiny triangle far away: there are no bones."""
    return Surface(1e3 + 1e-3 * np.eye(3), np.array([[0, 1, 2]]))
