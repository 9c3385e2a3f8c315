"""The contact energies of a model, and what its settings are where they are not given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from vastus.cache import Store, cache_root, digest
from vastus.contact.barrier import BarrierContact
from vastus.contact.bodies import bones, check_pairs, pieces, soft_bodies
from vastus.contact.collision import colliding, patches
from vastus.contact.detector import Detector, available
from vastus.contact.distance import DistanceContact, Obstacle, Placed
from vastus.contact.faces import Faces
from vastus.contact.field import field_of
from vastus.contact.friction import BarrierFriction, BoneFriction
from vastus.energies.energy import Energy
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Contact, ContactKind, Tissue

KEPT = Store(cache_root() / "contact", ("contact", "geometry", "numerics"))
MODELS = 4  # whose obstacles are kept
GAP = 1e-3  # [m]
PART = 0.1  # of the median edge of soft surfaces that the gap is at most
# Of the gap: what is nearer at rest is left out by a barrier. One that is found is made so small
# that nothing is pushed at rest, so that a few close places would make all of it narrow and stiff.
TOUCH, CLOSE = 0.25, 0.5
STIFF = 30.0  # times the shear modulus of tissue, or ten times Young's
# Times the greatest strength of a muscle, for a penalty. What lies on a bone at rest and is pressed
# there gets into it: at the strength itself a brachialis does so over all its length, by a quarter
# of a cubic centimetre, and slips; a barrier needs no more than the strength to part bodies.
FIRM = 25.0


def contact_energies(model: Model, free: Sequence[int], centres: Floats) -> Iterator[Energy]:
    """The energies that keep bodies apart; see `DistanceContact` for the arguments."""
    if model.contact is not None:
        check_pairs(model, model.contact)
    for energy in (bone_contact(model, free, centres), barrier(model)):
        if energy is not None:
            yield energy


def frictions(model: Model, energies: Sequence[Energy], start: Placed) -> Iterator[Energy]:
    """The friction of contact energies in a step that begins at a placement."""
    coefficient = model.contact.friction if model.contact else 0.0
    if coefficient == 0.0:
        return
    for energy in energies:
        if isinstance(energy, DistanceContact):
            yield BoneFriction(energy, start, coefficient)
        elif isinstance(energy, BarrierContact):
            yield BarrierFriction(energy, start, coefficient)


def usual_contact() -> Contact:
    """What contact models have unless said: that of soft bodies only where it can be had."""
    return Contact(muscles=ContactKind.BARRIER if available() else ContactKind.NONE)


def barrier(model: Model) -> BarrierContact | None:
    """What keeps soft bodies out of each other, if anything does; and out of bones, if asked."""
    surfaces = colliding(model)
    if surfaces is None:
        return None
    X, gap = model.mesh.X, gap_of(model)
    found = model.contact is not None and model.contact.gap is None
    touch = (CLOSE if found else TOUCH) * gap
    detector = Detector(surfaces, X, list(patches(model, surfaces)), touch)
    if found:
        gap = min(gap, 0.5 * detector.least(X, 2 * gap))  # nothing is pushed at rest
    folds = model.contact is not None and model.contact.folds
    return BarrierContact(detector, gap, pressure_of(model), folds=folds)


def bone_contact(
    model: Model, free: Sequence[int] = (), centres: Floats | None = None
) -> DistanceContact | None:
    """What keeps soft bodies out of bones, if anything does."""
    if model.contact is None or model.contact.bones is not ContactKind.DISTANCE:
        return None
    found = obstacles(model)
    if not found:
        return None
    about = np.zeros((len(model.bones), 3)) if centres is None else centres
    return DistanceContact(found, gap_of(model), pressure_of(model, FIRM), free, about)


def as_firm(
    model: Model, bones: DistanceContact | None, soft: BarrierContact | None
) -> tuple[DistanceContact | None, BarrierContact | None]:
    """The contact of a model of the same shape, resisting as the laws of this one suggest."""
    return (
        bones.resisting(pressure_of(model, FIRM)) if bones else None,
        soft.resisting(pressure_of(model)) if soft else None,
    )


def obstacles(model: Model) -> list[Obstacle]:
    """The bones that soft bodies may touch, without the faces that are glued to them.

    Those of the last few geometries are kept: solver and measures share them, and so do models
    that differ in their materials only.
    """
    assert model.contact is not None
    shape = model.mesh.X, model.mesh.T, np.asarray(model.region), model.bone_of_vertex
    names = [(r.name, r.tissue, r.muscle) for r in model.regions], [m.name for m in model.muscles]
    bony = [(bone.name, bone.regions) for bone in model.bones]
    key = digest((shape, names, bony, model.contact))
    if key not in _LAST:
        _LAST[key] = _obstacles(model)
    found = _LAST[key]
    for old in list(_LAST)[:-MODELS]:
        _LAST.pop(old, None)
    return found


_LAST: dict[str, list[Obstacle]] = {}


def _obstacles(model: Model) -> list[Obstacle]:
    assert model.contact is not None
    soft = list(soft_bodies(model))
    if not soft:
        return []
    X, gap = model.mesh.X, gap_of(model)
    triangles = np.concatenate([body.faces for body in soft])
    of = np.repeat(np.arange(len(soft)), [len(body.faces) for body in soft])
    found = []
    for bone in bones(model):
        left_out = [i for i, b in enumerate(soft) if model.contact.excludes(bone.name, b.name)]
        held = model.bone_of_vertex == model.bone(bone.name)
        own = ~held[triangles].all(axis=1) & ~np.isin(of, left_out)
        # A field is the finer, the smaller what it is of: bones of several pieces have several.
        for piece in pieces(model, bone):
            vertices, numbered = np.unique(piece, return_inverse=True)
            field, _ = KEPT.kept(field_of, X[vertices], numbered.reshape(-1, 3), gap)
            faces = Faces.of_surface(X, triangles[own], of[own], field.spacing)
            points = faces.points(X, np.arange(len(faces.weights)))
            phi, _, _ = field.at(points, np.full(len(points), gap))
            # Beside its own glue a face comes nearer whenever tissue shortens: no contact.
            rim = held[faces.triangles].any(axis=1)[faces.face] & (phi < gap)
            start = np.where(rim, -np.inf, np.minimum(phi, gap))
            found.append(Obstacle(model.bone(bone.name), field, faces, start))
    return found


def gap_of(model: Model) -> float:
    """The distance [m] within which bodies push each other."""
    assert model.contact is not None
    return usual_gap(model) if model.contact.gap is None else model.contact.gap


def usual_gap(model: Model) -> float:
    """The gap [m] where none is given, by the edges of soft bodies."""
    edges = [_edges(model.mesh.X[body.faces]) for body in soft_bodies(model)]
    return min(GAP, PART * float(np.median(np.concatenate(edges)))) if edges else GAP


def pressure_of(model: Model, firm: float = 1.0) -> float:
    """The pressure [Pa] of bodies that touch: by stiffness, or `firm` times their strength."""
    assert model.contact is not None
    given = model.contact.pressure
    return usual_pressure(model, firm) if given is None else given


def usual_pressure(model: Model, firm: float = 1.0) -> float:
    """The pressure [Pa] where none is given."""
    soft = [r for r in model.regions if r.tissue is not Tissue.BONE]
    # Tendons are stiffer than what bones mostly touch: they count where there is nothing else.
    chosen = [r for r in soft if r.tissue is not Tissue.TENDON] or soft
    moduli = [sum(law.stiffness() for law in region.laws) for region in chosen]
    strengths = [float(s) for s in model.stress if np.isfinite(s)]
    return max(STIFF * float(np.median(moduli)), firm * max(strengths, default=0.0))


def _edges(corners: Floats) -> Floats:
    """The lengths of the edges of triangles (k, 3, 3) [m]."""
    return np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).ravel()
