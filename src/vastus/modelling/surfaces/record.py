"""What the builder did and decided, as plain values for reports."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.cache import Step
from vastus.model import Model
from vastus.modelling.fibres.laplace import ill_directed
from vastus.modelling.joints.joint_fit import HingeFit
from vastus.modelling.surfaces.anatomy import Anatomy
from vastus.modelling.surfaces.pipeline import shared_vertices
from vastus.modelling.surfaces.surface_model import Body
from vastus.parts import Tissue


@dataclass(frozen=True)
class PartRecord:
    """A part: its volume [m^3], its tets, and what was repaired."""

    name: str
    tissue: str
    tets: int
    volume: float
    repairs: tuple[str, ...]


@dataclass(frozen=True)
class Anchor:
    """An attachment: of which muscle, which end, to what, and how well it holds."""

    muscle: str
    end: str
    to: str
    given: bool  # the part, by the author; else proposed
    distance: float  # [m] between the tip, or what is painted, and the part
    cap: float  # of the muscle's length; how far it reaches, if painted
    painted: int  # spots of the author's brush
    fibre_cap: float  # of the muscle's length, within which fibres begin
    vertices: int  # shared


@dataclass(frozen=True)
class MuscleRecord:
    """A muscle part: length between its tips [m], tendon at each end, ill-directed share."""

    name: str
    length: float
    tendons: tuple[float, float]
    ill_directed: float


@dataclass(frozen=True)
class JointRecord:
    """A joint that was found from the shape of its bones."""

    name: str
    centre: tuple[float, ...]
    axis: tuple[float, ...] | None
    residual: float  # [m]
    sentence: str


@dataclass(frozen=True)
class MeshRecord:
    """The mesh as a whole."""

    tets: int
    vertices: int
    inverted: int
    min_dihedral: float  # [deg]
    bones_sharing: int  # vertices that two bones share


@dataclass(frozen=True)
class Record:
    """All that the builder did and decided."""

    unit: str
    unit_sure: bool
    mesh: MeshRecord
    parts: tuple[PartRecord, ...]
    anchors: tuple[Anchor, ...]
    muscles: tuple[MuscleRecord, ...]
    joints: tuple[JointRecord, ...]
    steps: tuple[Step, ...]


def record_of(anatomy: Anatomy, model: Model) -> Record:
    """What was decided in making the model."""
    body = anatomy.body
    return Record(
        unit=anatomy.unit.unit.value,
        unit_sure=anatomy.unit.sure,
        mesh=_mesh(body),
        parts=_parts(anatomy),
        anchors=_anchors(body),
        muscles=_muscles(body, model),
        joints=_joints(anatomy),
        steps=_steps(anatomy.log.steps),
    )


def _mesh(body: Body) -> MeshRecord:
    mesh = body.model.mesh
    owner = [np.unique(mesh.T[body.made.labels == i]) for i, p in enumerate(body.parts) if p.bony]
    times = np.unique(np.concatenate([*owner, np.zeros(0, np.int64)]), return_counts=True)[1]
    return MeshRecord(
        mesh.n_tets,
        mesh.n_vertices,
        int((mesh.volumes <= 0).sum()),
        float(mesh.quality().min_dihedral.min()),
        int((times > 1).sum()),
    )


def _parts(anatomy: Anatomy) -> tuple[PartRecord, ...]:
    body = anatomy.body
    return tuple(
        PartRecord(
            part.name,
            part.tissue.value,
            int((body.made.given == i).sum()),
            float(body.model.mesh.volumes[body.made.given == i].sum()),
            anatomy.repaired[part.name].done,
        )
        for i, part in enumerate(body.parts)
    )


def _anchors(body: Body) -> tuple[Anchor, ...]:
    made = body.made
    return tuple(
        Anchor(
            body.parts[a.part].name,
            a.end.value,
            body.parts[a.to].name,
            a.given,
            a.distance,
            a.cap,
            len(a.painted),
            a.fibre_cap,
            len(shared_vertices(made.body.mesh, made.labels, made.ways[a.part], a)),
        )
        for a in made.attachments
    )


def _muscles(body: Body, model: Model) -> tuple[MuscleRecord, ...]:
    records = []
    for i, part in enumerate(body.parts):
        if part.tissue is Tissue.MUSCLE:
            tets = np.flatnonzero(body.made.labels == i)
            ill = ill_directed(model.mesh, tets, model.fibre[tets])
            length, tendons = body.made.ways[i].length, body.flesh.fractions[i]
            records.append(MuscleRecord(part.name, length, tendons, ill))
    return tuple(records)


def _joints(anatomy: Anatomy) -> tuple[JointRecord, ...]:
    return tuple(
        JointRecord(
            name,
            tuple(fit.centre.tolist()),
            tuple(fit.axis.tolist()) if isinstance(fit, HingeFit) else None,
            fit.residual,
            fit.sentence,
        )
        for name, fit in anatomy.fits.items()
    )


def _steps(steps: list[Step]) -> tuple[Step, ...]:
    """The steps, the repairs of all parts as one."""
    repairs = [s for s in steps if s.name.startswith("repair ")]
    kept = all(s.kept for s in repairs)
    first = Step("repair", sum(s.seconds for s in repairs), kept)
    return (first, *steps[len(repairs) :])
