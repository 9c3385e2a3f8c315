"""A bare model from a labelled mesh: its regions, muscles, and bones by region."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError, known
from vastus.geometry.rows import counts
from vastus.geometry.tetmesh import TetMesh
from vastus.geometry.winding import owners
from vastus.model import Bone, Model, Muscle, Region, Tissue, index_of
from vastus.modelling.claims import region_of_tet, require_whole
from vastus.modelling.tissues import BONE_DENSITY, usual_laws
from vastus.numerics.types import Ints
from vastus.scene.anatomy import BonePart, RegionPart
from vastus.scene.scene import LabelledMesh, Scene


def labelled_model(scene: Scene, base: LabelledMesh) -> Model:
    """What is where, with the usual materials; fibres all run along x until they are known."""
    said = scene.description
    of_tet = region_of_tet(scene, base)
    require_whole(scene, base, of_tet)
    regions = tuple(_region(scene, name, part) for name, part in said.regions.items())
    fibre = np.outer([r.muscle is not None for r in regions], [1.0, 0.0, 0.0])[of_tet]
    muscles = tuple(Muscle(name) for name in said.muscles)
    bones = tuple(_bone(scene, name, part, regions) for name, part in said.bones.items())
    with scene.places.blame():
        _apart(scene, base.mesh, of_tet)
        return Model(base.mesh, of_tet, regions, fibre, muscles, bones, name=scene.name)


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
