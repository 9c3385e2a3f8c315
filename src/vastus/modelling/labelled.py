"""A bare model from a labelled mesh: regions by label, muscles, and bones by region."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError, known
from vastus.geometry.tetmesh import TetMesh
from vastus.materials.base import Law
from vastus.model import Bone, Model, Muscle, Region, Tissue, index_of
from vastus.modelling.tissues import BONE_DENSITY, Materials
from vastus.numerics.types import Ints
from vastus.scene.anatomy import BonePart, MeshFile, RegionPart
from vastus.scene.scene import LabelledMesh, Scene


def labelled_model(scene: Scene, base: LabelledMesh) -> Model:
    """What is where, with the usual materials; fibres all run along x until they are known."""
    said = scene.description
    assert said.mesh is not None
    with scene.places.blame("mesh", "file"):
        _upright(base.mesh)
    with scene.places.blame("mesh", "labels"):
        labels = _labels(said.mesh, base)
    regions = tuple(_region(scene, name, part) for name, part in said.regions.items())
    of_tet = _of_tet(scene, labels)
    fibre = np.outer([r.muscle is not None for r in regions], [1.0, 0.0, 0.0])[of_tet]
    muscles = tuple(Muscle(name) for name in said.muscles)
    bones = tuple(_bone(scene, name, part, regions) for name, part in said.bones.items())
    with scene.places.blame():
        return Model(base.mesh, of_tet, regions, fibre, muscles, bones, name=scene.name)


def _upright(mesh: TetMesh) -> None:
    wrong = np.flatnonzero(mesh.volumes <= 0)
    if len(wrong):
        share = f"{len(wrong)} of {mesh.n_tets} tets"
        raise ModelError(f"{share} are inverted or flat, the first is tet {wrong[0]}; remesh")


def _labels(said: MeshFile, base: LabelledMesh) -> Ints:
    if said.labels not in base.cells:
        raise known("cell array", said.labels, base.cells)
    labels = np.asarray(base.cells[said.labels])
    if labels.ndim != 1 or not np.array_equal(labels, np.round(labels)):
        raise ModelError(f"the cell array '{said.labels}' does not hold one whole number a tet")
    return labels.astype(np.int64)


def _region(scene: Scene, name: str, part: RegionPart) -> Region:
    """The region; muscle tissue belongs to the muscle of its own name unless the author says."""
    with scene.places.blame("regions", name):
        if part.label is None or part.tissue is None:
            raise ModelError(f"the key '{'label' if part.label is None else 'tissue'}' is missing")
        muscles = scene.description.muscles
        muscle = part.muscle or (name if name in muscles else None)
        if part.tissue is Tissue.MUSCLE and muscle is None:
            raise ModelError("muscle tissue belongs to a muscle: give the key 'muscle'")
        if muscle is not None and muscle not in muscles:
            raise known("muscle", muscle, muscles)
        density = {"density": BONE_DENSITY} if part.tissue is Tissue.BONE else {}
        return Region(name, part.tissue, _usual(part.tissue), muscle=muscle, **density)


def _usual(tissue: Tissue) -> tuple[Law, ...]:
    usual = Materials()
    passive = tuple(law for law in usual.muscle if not law.active)
    return {
        Tissue.MUSCLE: usual.muscle,
        Tissue.TENDON: usual.tendon,
        Tissue.PASSIVE: passive,
        Tissue.BONE: (),
    }[tissue]


def _bone(scene: Scene, name: str, part: BonePart, regions: tuple[Region, ...]) -> Bone:
    for i, region in enumerate(part.regions or ()):
        with scene.places.blame("bones", name, "regions", i):
            index_of("region", region, regions)
    return Bone(name, part.regions or ())


def _of_tet(scene: Scene, labels: Ints) -> Ints:
    """(m,) the region of each tet."""
    region = np.full(len(labels), -1)
    present = ", ".join(str(label) for label in np.unique(labels)[:20])
    claimed: dict[int | None, str] = {}
    for index, (name, part) in enumerate(scene.description.regions.items()):
        with scene.places.blame("regions", name, "label"):
            if part.label in claimed:
                raise ModelError(f"region '{claimed[part.label]}' has label {part.label} already")
            if not (labels == part.label).any():
                raise ModelError(f"no tet has label {part.label}; labels in the mesh: {present}")
        claimed[part.label] = name
        region[labels == part.label] = index
    _all_claimed(scene, labels[region < 0])
    return region


def _all_claimed(scene: Scene, loose: Ints) -> None:
    if len(loose):
        raise scene.places.error(
            ("regions",),
            f"{(loose == loose[0]).sum()} tets have label {loose[0]}, which no region has; "
            "describe it, or list it under 'ignore' of the mesh",
        )
