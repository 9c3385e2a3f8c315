"""Line muscles as solids, grown, moved apart, cut back and filled; and how much they overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.signed_distance import Obstacle, merged
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.modelling.lines.clearance import Watch, limits, separated, shell
from vastus.modelling.lines.lines import LineMuscle, Lines
from vastus.modelling.lines.relax import relaxed
from vastus.modelling.lines.stations import Stations, belly_volume, stations_of
from vastus.modelling.lines.strand import reached, strand_of
from vastus.modelling.shapes.tube import SweptSolid
from vastus.numerics.types import Floats

_POINTS = 10  # in each tet
_ENOUGH = 0.99  # of the wanted volume
_ALIKE = 1.2  # ratio of fibre lengths that is not worth a word


@dataclass(frozen=True)
class Overlap:
    """The shares of a muscle's whole volume, tendons included, inside bones and neighbours."""

    bones: float
    muscles: float


def overlaps(solids: Sequence[SweptSolid], bones: Obstacle) -> list[Overlap]:
    """For each solid how much of it is inside a bone, and inside any other solid."""
    shells = [shell(solid) for solid in solids]
    found = []
    for k, solid in enumerate(solids):
        mesh = TetMesh(solid.X, solid.T)
        others = [o for j, o in enumerate(shells) if j != k]
        found.append(Overlap(_share(mesh, [bones]), _share(mesh, others)))
    return found


def _share(mesh: TetMesh, others: Sequence[Obstacle]) -> float:
    """The share of a mesh's volume that is inside any of the others."""
    corners = mesh.X[mesh.T]
    reach = np.linalg.norm(corners - mesh.centroids[:, None], axis=2).max(axis=1)
    inside = np.zeros((mesh.n_tets, _POINTS), bool)
    for other in others:
        box = other.near(mesh.centroids, reach)
        distance, _ = other.signed(mesh.centroids[box])
        inside[box[distance < -reach[box]]] = True
        cut = box[np.abs(distance) <= reach[box]]
        points = np.einsum("pa,mai->mpi", _EVEN, corners[cut])
        inside[cut] |= other.inside(points.reshape(-1, 3)).reshape(-1, _POINTS)
    return float(mesh.volumes @ inside.mean(axis=1) / mesh.volumes.sum())


def _even(count: int) -> Floats:
    """(count, 4) barycentric weights spread evenly at random, the same in every run."""
    parts = -np.log(np.random.default_rng(0).uniform(size=(count, 4)))
    return np.asarray(parts / parts.sum(axis=1, keepdims=True))


_EVEN = _even(_POINTS)


@dataclass(frozen=True, eq=False)
class Loft:
    """A muscle as a solid, what it was made from, and how much of it is inside something else."""

    muscle: LineMuscle
    stations: Stations
    solid: SweptSolid
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
        return float(volume / self.fibre_length)

    @property
    def fibre_length(self) -> float:
        """The length of the muscle tissue [m], which is that of its fibres in this pose."""
        rows = np.flatnonzero(self.solid.segment == 1)
        slabs = rows[[0, -1]] * (len(self.stations.centre) - 1) // len(self.solid.T)
        return float(reached(self.stations.centre[slabs[0] : slabs[1] + 2])[-1])

    @property
    def slack(self) -> float:
        """By how much it is longer than its line [m], having made room: what is pulled straight."""
        return max(0.0, float(reached(self.stations.centre)[-1]) - self.muscle.length)

    @property
    def optimal_length(self) -> float:
        """The optimal length of its fibres [m], which have the line's relative length when taut."""
        return (self.fibre_length - self.slack) / self.muscle.relative

    @property
    def tendon_section(self) -> float:
        """The area [m^2] of a tendon as long as those of the muscle, and as compliant."""
        slabs = len(self.stations.centre) - 1
        volumes = TetMesh(self.solid.X, self.solid.T).volumes.reshape(slabs, -1).sum(axis=1)
        lengths = np.diff(reached(self.stations.centre))
        tendon = self.solid.segment.reshape(slabs, -1)[:, 0] != 1
        return float(lengths[tendon].sum() / (lengths**2 / volumes)[tendon].sum())

    @property
    def notes(self) -> tuple[str, ...]:
        """What was put right or could not be reached."""
        notes = [*self.muscle.notes, *self.muscle.relative_notes]
        share = self.volume / self.stations.volume
        if share < _ENOUGH:
            part = f"{100 * share:.0f} %"
            notes.append(f"bones and neighbours leave room for {part} of the wanted volume")
        optimal, given = self.optimal_length, self.muscle.fibre_length
        if not 1 / _ALIKE < optimal / given < _ALIKE:
            notes.append(
                f"its fibres run along the whole belly: their optimal length is {1e3 * optimal:.3g}"
                f" mm instead of {1e3 * given:.3g} mm, so that the same force and volume make a "
                f"stress of {optimal / given:.3g} times that of the file's muscle"
            )
        return tuple(notes)


def loft(lines: Lines, watch: Watch = lambda _: None, *, free: Sequence[str] = ()) -> list[Loft]:
    """All muscles of `lines` as solids that hardly overlap; `watch` is told what is done.

    They keep their arms about the joints `free` as far as there is room.
    """
    _check(lines)
    surfaces = [bone.surface for bone in lines.bones if bone.surface is not None]
    bones = Obstacle(merged(surfaces) if surfaces else _nothing())
    watch("lines make room for each other")
    joints = [next(iter(lines.crossed(muscle, free)), None) for muscle in lines.muscles]
    pairs = zip(lines.muscles, joints, strict=True)
    axes = [np.zeros(3) if joint is None else joint.axis for joint in joints]
    strands = relaxed([strand_of(m, bones, joint) for m, joint in pairs], bones, axes)
    watch(f"growing {len(strands)} muscles")
    stations = [stations_of(strand) for strand in strands]
    solids = separated(stations, limits(stations, strands, bones), bones, watch)
    watch("measuring overlaps")
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
