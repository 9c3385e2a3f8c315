"""The solids that an author asks for, and how well the fibres of a muscle follow them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model
from vastus.modelling.fibres.ends import attached
from vastus.modelling.fibres.quality import from_end_to_end, strand_of
from vastus.modelling.fibres.solids import (
    FibreSolid,
    SolidField,
    solid_along,
    solid_between,
    solid_field,
)
from vastus.modelling.select import tets_in
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue
from vastus.scene.fibres import SolidFibres
from vastus.scene.scene import Scene

WHOLE = "whole"  # the name of a muscle's only solid
MOST_OUTSIDE, MOST_FOLDED = 0.05, 0.02  # shares of tets, and of points, that are not warned of


def authored_solids(scene: Scene, name: str, model: Model, tets: Ints) -> dict[str, FibreSolid]:
    """The solids by name of a muscle with these tets, whose author asks for them.

    A solid between the muscle's ends has what regions leave; beside solids from files it has the
    tendons, which pull along the muscle.
    """
    said = scene.description.muscles[name].fibres
    assert isinstance(said, SolidFibres)
    found = _from_files(scene, name, said)
    left = tets[~model.is_tissue(Tissue.MUSCLE)[tets]] if found else tets
    for key, region in said.regions.items():
        with scene.places.blame("muscles", name, "fibres", "regions", key):
            chosen = [tets_in(selection, model) for selection in region.within]
            mine = reduce(np.intersect1d, chosen, left)
            if not len(mine):
                raise ModelError("no tet of the muscle lies there that is not in another region")
            found[key] = _between(model, mine, (region.start, region.end), said)
            left = np.setdiff1d(left, mine)
    if said.start is not None and said.end is not None:
        if not len(left):
            raise ModelError("nothing of the muscle is left for the solid between 'from' and 'to'")
        # Without its regions a muscle may be in pieces, such as the tendons of a belly.
        whole = _between(model, tets, (said.start, said.end), said)
        found[WHOLE] = replace(whole, tets=left)
    return found


def _from_files(scene: Scene, name: str, said: SolidFibres) -> dict[str, FibreSolid]:
    """The solids of a file, or along the curves of one; none if no file is named."""
    if said.file is not None:
        if name not in scene.solids:
            raise ModelError("its 'file' was not read; read the scene from its own file")
        return {key: FibreSolid(solid) for key, solid in scene.solids[name].items()}
    if said.curves is not None:
        if name not in scene.fascicles:
            raise ModelError("its 'curves' were not read; read the scene from its own file")
        return {k: solid_along(own, said.lattice) for k, own in scene.fascicles[name].items()}
    return {}


def _between(
    model: Model, tets: Ints, ends: tuple[tuple[str, ...], tuple[str, ...]], said: SolidFibres
) -> FibreSolid:
    own = np.unique(model.mesh.T[tets])
    origin, insertion = (attached(names, model, own) for names in ends)
    return solid_between(model.mesh, tets, np.setdiff1d(origin, insertion), insertion, said.lattice)


@dataclass(frozen=True, eq=False)
class SolidReport:
    """How the fibres of a muscle follow its solids, and how far they are from a potential's.

    `angles` are the median and the 95th percentile [deg] by volume between them and the gradient
    of the potential that is harmonic between the muscle's ends; None without two ends.
    """

    muscle: str
    solids: dict[str, FibreSolid]
    field: SolidField
    angles: tuple[float, float] | None

    @property
    def outside(self) -> int:
        """The number of tets outside all solids."""
        return int((~self.field.inside).sum())

    @property
    def doubt(self) -> str | None:
        """What is wrong with the solids and what may help, if much of the muscle is ill served."""
        share = self.outside / len(self.field.inside)
        folds = max(one.folded for one in self.solids.values())
        if share <= MOST_OUTSIDE and folds <= MOST_FOLDED:
            return None
        found = f"leave {share:.0%} of its tets outside" if share > MOST_OUTSIDE else ""
        found = found or f"are folded in {folds:.0%} of it"
        return (
            f"the solids of '{self.muscle}' {found}; give it 'regions' or 'curves', or other "
            "'control_points' and 'smoothing'"
        )

    def __str__(self) -> str:
        solids = " and ".join(solid_text(name, one) for name, one in self.solids.items())
        return f"solids of '{self.muscle}': {solids}; {self.summary}"

    @property
    def summary(self) -> str:
        """How much of the muscle is outside its solids, and the angles."""
        parts = [
            f"{self.outside} of {len(self.field.inside)} tets outside"
            + (f", by up to {1e3 * self.field.distance.max():.2g} mm" if self.outside else ""),
        ]
        if self.angles is not None:
            parts.append(
                f"{self.angles[0]:.1f} degrees off the potential's in the median, "
                f"{self.angles[1]:.1f} in 95 %"
            )
        return "; ".join(parts)


def solid_text(name: str, one: FibreSolid) -> str:
    """How fine a solid is, and how well it fits."""
    text = f"'{name}' of {' x '.join(map(str, one.solid.control.shape[:3]))} control points"
    if one.misfit is not None:
        text += f", fitted to {1e3 * one.misfit:.2g} mm"
    return text + (f", {one.folded:.1%} folded" if one.folded else "")


def solid_reports(scene: Scene, model: Model) -> list[SolidReport]:
    """A report on each muscle of a built model whose author asks for solids."""
    out = []
    for name, part in scene.description.muscles.items():
        if isinstance(part.fibres, SolidFibres):
            tets = np.flatnonzero(model.muscle_of_tet == model.muscle(name))
            with scene.places.blame("muscles", name, "fibres"):
                solids = authored_solids(scene, name, model, tets)
                field = solid_field(solids, model.mesh, tets)
            out.append(SolidReport(name, solids, field, _angles(model, name, field.directions)))
    return out


def _angles(model: Model, muscle: str, directions: Floats) -> tuple[float, float] | None:
    """The median and 95th percentile [deg] off the potential between the muscle's ends."""
    strand = strand_of(model, muscle)
    axis = from_end_to_end(strand)
    return None if axis is None else angle_percentiles(strand.mesh, directions, axis)


def angle_percentiles(mesh: TetMesh, first: Floats, second: Floats) -> tuple[float, float]:
    """The median and the 95th percentile [deg], by volume, between two unit fields (m, 3)."""
    cosine = np.clip(np.abs(np.einsum("mi,mi->m", first, second)), 0.0, 1.0)
    angle = np.degrees(np.arccos(cosine))
    order = np.argsort(angle)
    share = np.cumsum(mesh.volumes[order]) / mesh.volumes.sum()
    median, high = angle[order][np.searchsorted(share, [0.5, 0.95])]
    return float(median), float(high)
