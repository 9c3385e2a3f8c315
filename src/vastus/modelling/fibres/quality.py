"""How good a muscle's fibres are: whether they agree, run from end to end, and arrive."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.geometry.signs import aligned
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model
from vastus.modelling.fibres.laplace import harmonic, ill_directed, laplace_fibres
from vastus.modelling.fibres.streamlines import Streamlines, streamlines
from vastus.numerics.types import Floats, Ints

LINES = 100  # traced at most


@dataclass(frozen=True)
class FibreQuality:
    """What can be said of a muscle's fibres, those of its tendons included; they have no sense.

    Without two things that hold the muscle it has no ends, and no line to run along.
    """

    muscle: str
    tets: int
    bare: int  # tets without a direction
    stray: float  # share of the volume more than 45 degrees off its surroundings
    off_line: float | None  # share of the volume more than 45 degrees off the way from end to end
    lines: int  # traced from the middle both ways
    arriving: int  # of these, at both ends

    def __str__(self) -> str:
        parts = [f"{self.stray:.1%} of the volume off its surroundings"]
        if self.bare:
            parts.insert(0, f"none in {self.bare} tets among {self.tets}")
        if self.off_line is not None:
            parts.append(f"{self.off_line:.1%} off the way from end to end")
        if self.lines:
            parts.append(f"{self.arriving} of {self.lines} lines arrive")
        return f"fibres of '{self.muscle}': {', '.join(parts)}"


def fibre_quality(model: Model, muscle: str) -> FibreQuality:
    """The quality of the fibres of the muscle called `muscle`."""
    strand = strand_of(model, muscle)
    lines = _lines(strand)
    part, fibre = strand.mesh, strand.fibre
    return FibreQuality(
        muscle=muscle,
        tets=part.n_tets,
        bare=int((np.linalg.norm(fibre, axis=1) < 0.5).sum()),
        stray=ill_directed(part, np.arange(part.n_tets), fibre),
        off_line=_off_line(strand),
        lines=0 if lines is None else len(lines.arrived),
        arriving=0 if lines is None else int(lines.arrived.sum()),
    )


@dataclass(frozen=True, eq=False)
class Strand:
    """A muscle's own mesh, its fibres (m, 3), and the vertices of origin and insertion."""

    mesh: TetMesh
    fibre: Floats
    ends: tuple[Ints, Ints] | None


def strand_of(model: Model, muscle: str) -> Strand:
    """The muscle called `muscle` by itself, with its ends if two things hold it."""
    tets = np.flatnonzero(model.muscle_of_tet == model.muscle(muscle))
    part, kept = model.mesh.submesh(tets)
    fibre = aligned(part, model.fibre[tets])
    return Strand(part, fibre, _ends(part, fibre, _held(model, kept)))


def _ends(part: TetMesh, fibre: Floats, held: list[Ints]) -> tuple[Ints, Ints] | None:
    """The vertices that the fibres come from and go to, of the sets of vertices that are held.

    A set belongs to the origin where the fibres leave it, to the insertion where they enter it. If
    all do the same, those that do so least count as the other, or else the first.
    """
    if len(held) < 2:
        return None
    inflow = np.array([_inflow(part, vertices, fibre) for vertices in held])
    middle = 0.0 if inflow.min() < 0 < inflow.max() else (inflow.min() + inflow.max()) / 2
    enters = inflow > middle
    enters[1:] |= not enters.any()
    origin = [v for v, into in zip(held, enters, strict=True) if not into]
    insertion = [v for v, into in zip(held, enters, strict=True) if into]
    return np.concatenate(origin), np.concatenate(insertion)


def _held(model: Model, kept: Ints) -> list[Ints]:
    """The vertices, among those kept, of each bone and each pin that holds the muscle."""
    owner = model.bone_of_vertex[kept]
    bones = [np.flatnonzero(owner == i) for i in range(len(model.bones))]
    pins = [np.flatnonzero(np.isin(kept, pin.vertices)) for pin in model.pins if all(pin.axes)]
    return [vertices for vertices in bones + pins if len(vertices)]


def _inflow(part: TetMesh, vertices: Ints, fibre: Floats) -> float:
    """How much the fibres enter (1) or leave (-1) some vertices: their slope along the fibres.

    The hat function of the vertices rises towards them, by `sum_a B_a` over those of a tet.
    """
    on = np.isin(part.T, vertices)
    rise = part.volumes[:, None] * np.einsum("ma,mai->mi", on, part.gradients)
    total = np.linalg.norm(rise, axis=1).sum()
    return float(np.einsum("mi,mi->", rise, fibre) / total) if total > 0 else 0.0


def from_end_to_end(strand: Strand) -> Floats | None:
    """(m, 3) the unit fibres that are harmonic between the ends; zero in pieces at neither end."""
    if strand.ends is None:
        return None
    part = strand.mesh
    touched = np.isin(part.T, np.concatenate(strand.ends)).any(axis=1)
    tied = np.flatnonzero(np.isin(part.components, part.components[touched]))
    axis = np.zeros_like(strand.fibre)
    axis[tied] = laplace_fibres(part, tied, *strand.ends)
    return axis


def _off_line(strand: Strand) -> float | None:
    """The share of the volume whose fibre strays from the field that is harmonic between ends."""
    axis = from_end_to_end(strand)
    if axis is None:
        return None
    along = np.einsum("mi,mi->m", strand.fibre, axis)
    sign = np.where(along < 0, -1.0, 1.0)[:, None]
    part = strand.mesh
    return ill_directed(part, np.arange(part.n_tets), sign * strand.fibre, axis)


def _lines(strand: Strand) -> Streamlines | None:
    """Lines from tets spread over the middle of the muscle, both ways."""
    if strand.ends is None:
        return None
    seeds = _middle(strand, *strand.ends)
    ways = zip((-1.0, 1.0), strand.ends, strict=True)
    back, forth = (streamlines(strand.mesh, sign * strand.fibre, seeds, end) for sign, end in ways)
    points = np.concatenate([back.points[::-1], forth.points[1:]])
    return Streamlines(points, back.arrived & forth.arrived)


def _middle(strand: Strand, origin: Ints, insertion: Ints) -> Ints:
    """Tets about half of the volume away from each end: a tenth around the median potential."""
    part = strand.mesh
    values = np.full(part.n_vertices, np.nan)
    values[origin], values[insertion] = -1.0, 1.0
    tied = np.isin(part.components, part.components[np.isin(part.T, insertion).any(axis=1)])
    values[np.unique(part.T[~tied])] = 0.0
    order = np.argsort(harmonic(part, values)[part.T].mean(axis=1))
    share = np.cumsum(part.volumes[order]) / part.volumes.sum()
    seeds = order[np.abs(share - 0.5) <= 0.05]
    return seeds[np.unique(np.linspace(0, len(seeds) - 1, LINES).astype(int))]
