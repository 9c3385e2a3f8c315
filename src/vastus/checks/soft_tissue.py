"""Fibres, attachments and stiffness: whether each muscle can do its work."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vastus.checks.finding import Finding, error, middle_of, warning
from vastus.model import Model, Muscle
from vastus.modelling.fibres.quality import FibreQuality, fibre_quality
from vastus.numerics.types import Ints
from vastus.parts import Tissue

FEW = 6  # vertices; fewer make an attachment a hinge or a point
ILL_DIRECTED = 0.05  # of a muscle's volume
OFF_LINE = 0.25  # of a muscle's volume: more than pennation explains
ARRIVING = 0.5  # of the lines from the origin
RATIO = 1e6  # of stiffness between regions


def fibres(model: Model) -> Iterator[Finding]:
    """Tets of a muscle without a direction, or fibres that disagree or lead nowhere."""
    for muscle in model.muscles:
        quality = fibre_quality(model, muscle.name)
        where, doubt = f"muscle '{muscle.name}'", _doubt(quality)
        tets = np.flatnonzero(model.muscle_of_tet == model.muscle(muscle.name))
        middles = model.mesh.centroids[tets]
        if quality.bare:
            yield error(
                where,
                f"has {quality.bare} tets among {quality.tets} without a fibre direction",
                "give fibres 'from' one bone 'to' another, or a 'direction'",
                middles[np.argmin(np.linalg.norm(model.fibre[tets], axis=1))],
            )
        elif doubt:
            yield warning(
                where,
                doubt,
                "check which bones its fibres run between, and where they touch it",
                middle_of(middles),
            )


def _doubt(quality: FibreQuality) -> str:
    """The worst that can be said of fibres, or nothing."""
    if quality.stray > ILL_DIRECTED:
        share = f"{quality.stray:.0%}"
        return f"has fibres more than 45 degrees off their surroundings in {share} of it"
    if quality.off_line is not None and quality.off_line > OFF_LINE:
        share = f"{quality.off_line:.0%}"
        return f"has fibres more than 45 degrees off the way from end to end in {share} of it"
    if quality.arriving < ARRIVING * quality.lines:
        return f"has fibres that lead nowhere: {quality.arriving} of {quality.lines} lines arrive"
    return ""


def active_laws(model: Model) -> Iterator[Finding]:
    """Muscle tissue that activation cannot move, or moves twice."""
    for region in model.regions:
        names = [law.name for law in region.laws if law.active]
        if region.tissue is not Tissue.MUSCLE or len(names) < 2:
            continue
        yield warning(
            f"region '{region.name}'",
            f"has the active laws {' and '.join(names)}, whose stresses add up",
            "give it one active law, such as active_fibre, besides its elastic law, or none",
        )


def attachments(model: Model) -> Iterator[Finding]:
    """Muscles that pull on nothing, on one bone only, or by a few vertices."""
    for muscle, tets in _muscles(model):
        where = f"muscle '{muscle.name}'"
        vertices = np.unique(model.mesh.T[tets])
        owner = model.bone_of_vertex[vertices]
        shared = {b.name: int((owner == i).sum()) for i, b in enumerate(model.bones)}
        shared = {name: count for name, count in shared.items() if count}
        pinned = bool(model.held[vertices].any())
        middle = middle_of(model.mesh.X[vertices])
        if not shared and not pinned:
            yield error(where, "touches no bone and no pin", _let_touch(model), middle)
        elif len(shared) == 1 and not (pinned or _joins_another(model, tets, vertices)):
            bone = next(iter(shared))
            yield warning(where, f"touches only bone '{bone}'", _let_touch(model), middle)
        for bone, count in shared.items():
            if count < FEW:
                yield warning(
                    where,
                    f"touches bone '{bone}' by {count} vertices only",
                    "refine the mesh there, or attach more vertices to the bone",
                    model.mesh.X[vertices[owner == model.bone(bone)][0]],
                )


def _joins_another(model: Model, tets: Ints, vertices: Ints) -> bool:
    """Whether a muscle may pull on a bone through another that it shares vertices with."""
    others = np.setdiff1d(model.soft, tets)
    return bool(np.isin(vertices, model.mesh.T[others]).any())


def _let_touch(model: Model) -> str:
    bones = ", ".join(b.name for b in model.bones) or "none"
    return f"let it share vertices with two bones (bones: {bones}), or attach or pin vertices of it"


def stiffness_ratio(model: Model) -> Iterator[Finding]:
    """Soft regions so different in stiffness that the solve loses digits."""
    moduli = {r.name: sum(law.stiffness() for law in r.laws) for r in model.regions}
    moduli = {name: modulus for name, modulus in moduli.items() if modulus > 0}
    if moduli and max(moduli.values()) > RATIO * min(moduli.values()):
        low, high = min(moduli, key=moduli.__getitem__), max(moduli, key=moduli.__getitem__)
        yield warning(
            f"region '{high}'",
            f"is {moduli[high] / moduli[low]:.1g} times as stiff as region '{low}'",
            f"keep the ratio below {RATIO:g}, or make the stiff one a bone",
        )


def _muscles(model: Model) -> Iterator[tuple[Muscle, Ints]]:
    """Each muscle with its tets, those of its tendons included."""
    for index, muscle in enumerate(model.muscles):
        yield muscle, np.flatnonzero(model.muscle_of_tet == index)


CHECKS = (fibres, active_laws, attachments, stiffness_ratio)
