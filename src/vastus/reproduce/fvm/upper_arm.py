"""The paper's arm: biceps and triceps with all their heads, and the bones that they join.

They are taken out of this package's anatomical arm, each head a muscle of its own, and are made of
the paper's tissue.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from vastus.geometry.section import section
from vastus.geometry.tetmesh import TetMesh
from vastus.measure.centreline import centreline, tips
from vastus.measure.ends import ends_of, own_tets
from vastus.measure.muscle_line import MuscleLine, vertices_of
from vastus.model import Model, Muscle
from vastus.modelling.shapes.arm import arm
from vastus.muscle import belly_of
from vastus.numerics.types import Floats, Ints
from vastus.parts import Bone, Contact, ContactKind, Drive, Region, Tissue
from vastus.reproduce.experiment import Setting
from vastus.reproduce.fvm import paper
from vastus.skeleton.guides import Ring, nearest, weights

HEADS = ("biceps long", "biceps short", "triceps long", "triceps lateral", "triceps medial")
SIZE = (0.01, 0.007)  # [m] edges of tets
SECTIONS = 24  # along a belly, among which the largest is sought
# The way of the long tendon over the head of the humerus [mm], where it is held, and how stiffly.
SLUNG, SLING = "biceps long", 2e5  # [N/m]
SLINGS = ((-15.0, -1.0, 315.5), (-2.0, 11.5, 307.0), (4.5, 19.5, 292.0), (6.5, 20.0, 265.0))
STATIONS, AROUND = 16, 6  # sections of the tendon, and vertices of each
BEHIND = (0.1, -1.0, 0.12)  # the direction to the camera, posterior
SIDE = (1.0, -0.35, 0.15)


def upper_arm(setting: Setting, **drives: Drive) -> Model:
    """The model; bones are pinned unless `drives` says otherwise."""
    setting.note("the arm, which is built in minutes and then kept")
    whole = arm(SIZE[setting.full])
    kept = np.array([r.tissue is Tissue.BONE or _head(r) in HEADS for r in whole.regions])
    tets = np.flatnonzero(kept[whole.region])
    mesh, vertices = whole.mesh.submesh(tets)
    regions = tuple(_made_of(r) for r, keep in zip(whole.regions, kept, strict=True) if keep)
    bones = tuple(_on(b, vertices, drives.get(b.name, Drive.PINNED)) for b in whole.bones)
    model = whole.with_(
        mesh=mesh,
        region=np.cumsum(kept)[whole.region[tets]] - 1,
        regions=regions,
        fibre=whole.fibre[tets],
        muscles=tuple(Muscle(name, strength=paper.MUSCLE.strength) for name in HEADS),
        bones=bones,
        joints=whole.joints if Drive.FREE in drives.values() else (),
        name="upper arm",
        contact=Contact(muscles=ContactKind.NONE),
    )
    return model.with_(guides=_slings(model))


def _slings(model: Model) -> tuple[Ring, ...]:
    """What the joint's capsule and the ligament of the groove do for the long tendon of the biceps.

    Without them it would slip off the head of the humerus when it is tense.
    """
    own = own_tets(model, model.muscle(SLUNG))
    mesh, vertices = model.mesh.submesh(own)
    ends = ends_of(model, own)
    held = [np.searchsorted(vertices, vertices_of(side)) for side in (ends.origin, ends.insertion)]
    line = centreline(mesh, *tips(mesh, *held))
    tendon = np.unique(mesh.T[model.is_tissue(Tissue.TENDON)[own]])
    tendon = tendon[line.along[tendon] < 0.5]
    low, high = line.along[tendon].min(), line.along[tendon].max()
    places = np.linspace(low, high, STATIONS)
    rows = [tendon[np.argsort(np.abs(line.along[tendon] - s))[:AROUND]] for s in places]
    sections = vertices[np.array(rows)]
    middle = model.mesh.X[sections].mean(axis=1)
    rings = []
    for number, place in enumerate(SLINGS, 1):
        k, u = nearest(middle, np.array(place) / 1e3)
        point = weights(u)[0] @ middle[k : k + 4]
        rings.append(Ring(f"sling {number}", SLUNG, "humerus", sections, point, SLING))
    return tuple(rings)


def _head(region: Region) -> str:
    """The head that a region of muscle or tendon belongs to."""
    return region.name.removesuffix(" tendon")


def _made_of(region: Region) -> Region:
    """The region with the paper's laws, of a muscle that is its head alone."""
    if region.tissue is Tissue.BONE:
        return region
    laws = paper.TENDON if region.tissue is Tissue.TENDON else paper.MUSCLE.laws
    return replace(region, laws=laws, muscle=_head(region))


def _on(bone: Bone, vertices: Ints, drive: Drive) -> Bone:
    """The bone on a part of the mesh that has these vertices."""
    attached = np.searchsorted(vertices, np.intersect1d(vertices, bone.attached))
    return replace(bone, drive=drive, attached=attached)


@dataclass(frozen=True)
class Shape:
    """The lengths [m] of a head's belly and tendons, and its largest section [m^2]."""

    belly: float
    tendons: float
    section: float


class Gauge:
    """Measures the shape of one head."""

    def __init__(self, model: Model, head: str) -> None:
        index = model.muscle(head)
        own = own_tets(model, index)
        self._line = MuscleLine(model, own, ends_of(model, own))
        self._T = model.mesh.T[belly_of(model, index)]
        self._axis = longest(TetMesh(model.mesh.X, self._T))

    def of(self, x: Floats) -> Shape:
        """The shape when vertices are at x (n, 3) [m]."""
        lengths = self._line.of(x)
        tendons = sum(v for name, v in lengths.items() if name.endswith("_tendon"))
        return Shape(lengths["_belly"], tendons, self._largest(x))

    def _largest(self, x: Floats) -> float:
        """The largest section across the belly's long axis at rest."""
        along = x @ self._axis
        low, high = along[self._T].min(), along[self._T].max()
        places = np.linspace(low, high, SECTIONS + 2)[1:-1]
        return max(section_area(self._T, x, along - place) for place in places)


def section_area(T: Ints, x: Floats, distance: Floats) -> float:
    """The area [m^2] in which a plane cuts tets, of which vertices have these distances."""
    corners = section(T, distance).at(x)
    sides = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    return float(0.5 * np.linalg.norm(np.cross(*sides), axis=1).sum())


def longest(mesh: TetMesh) -> Floats:
    """(3,) the direction in which a body is longest."""
    middle = mesh.centroids - np.average(mesh.centroids, axis=0, weights=mesh.volumes)
    spread = (middle * mesh.volumes[:, None]).T @ middle
    return np.asarray(np.linalg.eigh(spread)[1][:, -1])
