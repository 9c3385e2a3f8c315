"""A bare model from a labelled mesh: which region each tet belongs to, muscles, and bones."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError, known
from vastus.files.meshes import LabelledMesh
from vastus.geometry.indices import counts
from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.topology import owners
from vastus.model import Model, Muscle, index_of
from vastus.modelling.tissues import BONE_DENSITY, usual_laws
from vastus.numerics.types import Ints
from vastus.parts import Bone, Region, Tissue, Volume
from vastus.scene.body import BonePart, MeshFile, RegionPart
from vastus.scene.named_files import in_set
from vastus.scene.scene import Scene

NONE, SEVERAL = -1, -2  # instead of a region


def region_of_tet(scene: Scene, source: LabelledMesh) -> Ints:
    """(m,) the position of the region that each tet belongs to, or `NONE`, or `SEVERAL`."""
    out = np.full(source.mesh.n_tets, NONE)
    claimed: dict[tuple[int | None, str | None], str] = {}
    for index, (name, part) in enumerate(scene.description.regions.items()):
        key = (part.label, part.set)
        with scene.places.blame("regions", name, "label" if part.set is None else "set"):
            if key in claimed:
                raise ModelError(f"region '{claimed[key]}' has {_named(part)} already")
            mine = _claim(scene, part, source)
        claimed[key] = name
        out[mine] = np.where(out[mine] == NONE, index, SEVERAL)
    return out


def _claim(scene: Scene, part: RegionPart, source: LabelledMesh) -> np.ndarray:
    """(m,) the tets that a region asks for; none is an error."""
    if part.set is not None:
        mine = in_set(source, part.set)
        present = ""
    elif part.label is not None:
        labels = _labels(scene, source)
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


def _labels(scene: Scene, source: LabelledMesh) -> Ints:
    """(m,) the label of each tet."""
    said: MeshFile | None = scene.description.mesh
    assert said is not None
    with scene.places.blame("mesh", "labels"):
        if said.labels not in source.cell_data:
            raise known("cell array", said.labels, source.cell_data)
        labels = np.asarray(source.cell_data[said.labels])
        if labels.ndim != 1 or not np.array_equal(labels, np.round(labels)):
            raise ModelError(f"the cell array '{said.labels}' does not hold one whole number a tet")
        return labels.astype(np.int64)


def require_whole(scene: Scene, source: LabelledMesh, region: Ints) -> None:
    """Refuse tets that are inverted or flat, or in no region (m,), or in several, with counts."""
    wrong = np.flatnonzero(source.mesh.volumes <= 0)
    bare, twice = (int((region == odd).sum()) for odd in (NONE, SEVERAL))
    faults = {
        f"are inverted or flat (first tet {wrong[0]})" if len(wrong) else "": len(wrong),
        f"belong to no region{_unclaimed(scene, source, region)}": bare,
        "belong to several regions": twice,
    }
    said = [f"{count} {what}" for what, count in faults.items() if count]
    if said:
        said[0] = said[0].replace(" ", f" of {source.mesh.n_tets} tets ", 1)
        listed = " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)
        place = ("mesh", "file") if len(wrong) else ("regions",)
        raise scene.places.error(place, f"{listed}; {_remedy(bool(bare))}")


def _unclaimed(scene: Scene, source: LabelledMesh, region: Ints) -> str:
    """Which labels no region has, if the mesh has labels."""
    parts = scene.description.regions.values()
    loose = region == NONE
    if not loose.any() or all(part.label is None for part in parts):
        return ""
    return f" (label {_some(_labels(scene, source)[loose])})"


def _remedy(bare: bool) -> str:
    described = "describe their region, list them under 'ignore' of the mesh, or " if bare else ""
    return f"{described}let 'vastus check --fix' repair the mesh"


def labelled_model(scene: Scene, source: LabelledMesh) -> Model:
    """What is where, with the usual materials; fibres all run along x until they are known."""
    said = scene.description
    of_tet = region_of_tet(scene, source)
    require_whole(scene, source, of_tet)
    regions = tuple(_region(scene, name, part) for name, part in said.regions.items())
    fibre = np.outer([r.muscle is not None for r in regions], [1.0, 0.0, 0.0])[of_tet]
    muscles = tuple(Muscle(name) for name in said.muscles)
    bones = tuple(_bone(scene, name, part, regions) for name, part in said.bones.items())
    with scene.places.blame():
        _apart(scene, source.mesh, of_tet)
        return Model(
            *(source.mesh, of_tet, regions, fibre, muscles, bones),
            name=scene.name,
            volume=Volume.AVERAGED,
        )


def _region(scene: Scene, name: str, part: RegionPart) -> Region:
    """The region; muscle tissue belongs to the muscle of its own name unless the author says."""
    with scene.places.blame("regions", name):
        if part.tissue is None:
            raise ModelError("the key 'tissue' is missing")
        muscles = scene.description.muscles
        muscle = muscle_of_region(scene, name, part)
        if part.tissue is Tissue.MUSCLE and muscle is None:
            raise ModelError("muscle tissue belongs to a muscle: give the key 'muscle'")
        if muscle is not None and muscle not in muscles:
            raise known("muscle", muscle, muscles)
        density = {"density": BONE_DENSITY} if part.tissue is Tissue.BONE else {}
        return Region(name, part.tissue, usual_laws(part.tissue), muscle=muscle, **density)


def muscle_of_region(scene: Scene, name: str, part: RegionPart) -> str | None:
    """The muscle that a region belongs to: what its author says, or the one of its own name."""
    return part.muscle or (name if name in scene.description.muscles else None)


def _bone(scene: Scene, name: str, part: BonePart, regions: tuple[Region, ...]) -> Bone:
    for i, region in enumerate(part.regions or ()):
        with scene.places.blame("bones", name, "regions", i):
            index_of("region", region, regions)
    return Bone(name, part.regions or ())


def _apart(scene: Scene, mesh: TetMesh, of_tet: Ints) -> None:
    """Refuse bones that share vertices, which would lock any joint between them."""
    names = list(scene.description.bones)
    held = owners(mesh.T, body_of_region(scene)[of_tet])
    shared = held[counts(held[:, :1]) > 1]
    if len(shared):
        first = shared[shared[:, 0] == shared[0, 0]][:2, 1]
        both = np.intersect1d(*(held[held[:, 1] == body, 0] for body in first))
        place = ", ".join(f"{c:.3g}" for c in mesh.X[both[0]])
        raise ModelError(
            f"bones '{names[first[0]]}' and '{names[first[1]]}' share {len(both)} vertices, the "
            f"first near [{place}] m, which locks them; let 'vastus check --fix' part them"
        )


def body_of_region(scene: Scene) -> Ints:
    """(regions,) the bone that each region belongs to, as its position, or -1."""
    bones = list(scene.description.bones.values())
    owner = [
        [i for i, bone in enumerate(bones) if name in (bone.regions or ())]
        for name in scene.description.regions
    ]
    return np.array([found[0] if found else -1 for found in owner], np.int64)
