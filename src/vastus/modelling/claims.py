"""Which region of the author's each tet of a labelled mesh belongs to, by labels or by sets."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError, known
from vastus.numerics.types import Ints
from vastus.scene.anatomy import MeshFile, RegionPart
from vastus.scene.scene import LabelledMesh, Scene
from vastus.scene.sets import members

NONE, SEVERAL = -1, -2  # instead of a region


def region_of_tet(scene: Scene, base: LabelledMesh) -> Ints:
    """(m,) the position of the region that each tet belongs to, or `NONE`, or `SEVERAL`."""
    out = np.full(base.mesh.n_tets, NONE)
    claimed: dict[tuple[int | None, str | None], str] = {}
    for index, (name, part) in enumerate(scene.description.regions.items()):
        key = (part.label, part.set)
        with scene.places.blame("regions", name, "label" if part.set is None else "set"):
            if key in claimed:
                raise ModelError(f"region '{claimed[key]}' has {_named(part)} already")
            mine = _claim(scene, part, base)
        claimed[key] = name
        out[mine] = np.where(out[mine] == NONE, index, SEVERAL)
    return out


def _claim(scene: Scene, part: RegionPart, base: LabelledMesh) -> np.ndarray:
    """(m,) the tets that a region asks for; none is an error."""
    if part.set is not None:
        mine = members(base.cells, part.set)
        present = ""
    elif part.label is not None:
        labels = _labels(scene, base)
        mine = labels == part.label
        present = f"; labels in the mesh: {_some(labels)}"
    else:
        raise ModelError("the key 'label' is missing, or a 'set' instead")
    if not mine.any():
        raise ModelError(f"no tet has {_named(part)}{present}")
    return mine


def _named(part: RegionPart) -> str:
    return f"label {part.label}" if part.set is None else f"the set '{part.set}'"


def _some(labels: Ints) -> str:
    return ", ".join(str(label) for label in np.unique(labels)[:20])


def _labels(scene: Scene, base: LabelledMesh) -> Ints:
    """(m,) the label of each tet."""
    said: MeshFile | None = scene.description.mesh
    assert said is not None
    with scene.places.blame("mesh", "labels"):
        if said.labels not in base.cells:
            raise known("cell array", said.labels, base.cells)
        labels = np.asarray(base.cells[said.labels])
        if labels.ndim != 1 or not np.array_equal(labels, np.round(labels)):
            raise ModelError(f"the cell array '{said.labels}' does not hold one whole number a tet")
        return labels.astype(np.int64)


def require_whole(scene: Scene, base: LabelledMesh, region: Ints) -> None:
    """Refuse tets that are inverted or flat, or in no region (m,), or in several, with counts."""
    wrong = np.flatnonzero(base.mesh.volumes <= 0)
    bare, twice = (int((region == odd).sum()) for odd in (NONE, SEVERAL))
    faults = {
        f"are inverted or flat (first tet {wrong[0]})" if len(wrong) else "": len(wrong),
        f"belong to no region{_unclaimed(scene, base, region)}": bare,
        "belong to several regions": twice,
    }
    said = [f"{count} {what}" for what, count in faults.items() if count]
    if said:
        said[0] = said[0].replace(" ", f" of {base.mesh.n_tets} tets ", 1)
        listed = " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)
        place = ("mesh", "file") if len(wrong) else ("regions",)
        raise scene.places.error(place, f"{listed}; {_remedy(bool(bare))}")


def _unclaimed(scene: Scene, base: LabelledMesh, region: Ints) -> str:
    """Which labels no region has, if the mesh has labels."""
    parts = scene.description.regions.values()
    loose = region == NONE
    if not loose.any() or all(part.label is None for part in parts):
        return ""
    return f" (label {_some(_labels(scene, base)[loose])})"


def _remedy(bare: bool) -> str:
    described = "describe their region, list them under 'ignore' of the mesh, or " if bare else ""
    return f"{described}let 'vastus check --fix' mend the mesh"
