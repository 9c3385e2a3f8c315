"""The labelled mesh of a scene mended, with the fibre data that its muscles use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vastus.errors import ModelError
from vastus.modelling.claims import region_of_tet
from vastus.modelling.labelled import body_of_region, muscle_of_region
from vastus.modelling.mend import Mend, Mended, mend
from vastus.modelling.mend_fibres import directed
from vastus.modelling.mend_labels import NONE
from vastus.numerics.types import Ints
from vastus.scene.scene import LabelledMesh, Scene

MANY = 0.1  # of the tets: more of no region are no slip but a region that was not described
REGION = "region"


@dataclass(frozen=True, eq=False)
class MendedBase:
    """A mesh with the cell data `region`, counted from 1, and what was done to it."""

    base: LabelledMesh
    done: Mapping[Mend, int]
    shift: float  # [m] how far a vertex was moved at most


def mended_base(scene: Scene, base: LabelledMesh) -> MendedBase:
    """The mesh that a scene starts from, mended; what cannot be mended is an error."""
    region = region_of_tet(scene, base)
    with scene.places.blame("regions"):
        _few(int((region < 0).sum()), len(region))
    out = mend(base.mesh, np.where(region < 0, NONE, region), body=body_of_region(scene))
    with scene.places.blame("mesh", "file"):
        if out.folded:
            raise ModelError(
                f"{out.folded} of {out.mesh.n_tets} tets stay inverted or flat wherever a few "
                "vertices are moved; remesh"
            )
    cells, directions = _directed(scene, out, _vectors(base.cells, out.tets))
    points = _vectors(base.points, out.vertices)
    done = {**out.done, Mend.DIRECTED: directions} if directions else out.done
    whole = LabelledMesh(out.mesh, {REGION: out.labels + 1, **cells}, points)
    return MendedBase(whole, done, out.shift(base.mesh.X))


def _few(bare: int, tets: int) -> None:
    if bare > MANY * tets:
        raise ModelError(
            f"{bare} of {tets} tets belong to no region or to several, which is too many to "
            "guess; describe their region, or list them under 'ignore' of the mesh"
        )


def _vectors(data: Mapping[str, np.ndarray], kept: Ints) -> dict[str, np.ndarray]:
    """The vectors among data, of what was kept; sets and labels would no longer be true."""
    return {name: a[kept] for name, a in data.items() if np.shape(a)[1:] == (3,)}


def _directed(
    scene: Scene, out: Mended, cells: dict[str, np.ndarray]
) -> tuple[dict[str, np.ndarray], int]:
    """The cell vectors without gaps in the muscles that use them, and how many gaps there were."""
    total = 0
    for name, part in scene.description.muscles.items():
        data = part.fibres.data if part.fibres and part.fibres.file is None else None
        tets = np.flatnonzero(np.isin(out.labels, _regions(scene, name)))
        if data is not None and data in cells:
            cells[data], count = directed(out.mesh, cells[data], tets)
            total += count
    return cells, total


def _regions(scene: Scene, muscle: str) -> list[int]:
    """The positions of the regions that belong to a muscle."""
    regions = enumerate(scene.description.regions.items())
    return [i for i, (name, part) in regions if muscle_of_region(scene, name, part) == muscle]
