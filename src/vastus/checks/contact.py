"""Bodies that lie side by side: nothing will keep them apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from vastus.checks.finding import Finding, warning
from vastus.contact.bodies import bodies
from vastus.contact.prepare import barrier
from vastus.geometry.penetration import Body, Presence, entered
from vastus.geometry.queries import nearest_on_surface
from vastus.geometry.surface import Surface
from vastus.measure.overlap import BONES, penetrations
from vastus.model import Model
from vastus.numerics.types import Bools, Floats, Ints
from vastus.parts import ContactKind, Drive
from vastus.skeleton.joints import Weld

NAMED = 5  # pairs
DEEP = 1e-4  # [m]
NEAR = 0.5  # of the length of the edges there


@dataclass(frozen=True, eq=False)
class Side:
    """The outer faces of a body that touch another: their areas [m^2] and middles (k, 3) [m]."""

    areas: Floats
    middles: Floats

    @property
    def area(self) -> float:
        """The area of all [m^2]."""
        return float(self.areas.sum())


@dataclass(frozen=True, eq=False)
class Touch:
    """Two bodies that touch or overlap, by the mean area of both sides [m^2], at a place (3,)."""

    names: tuple[str, str]
    area: float
    place: Floats

    def __str__(self) -> str:
        place = ", ".join(f"{c:.3g}" for c in self.place)
        pair = " and ".join(f"'{name}'" for name in self.names)
        return f"{pair} ({self.area * 1e4:.2g} cm^2 near [{place}] m)"


def contact(model: Model) -> Iterator[Finding]:
    """Pairs of bodies that touch or overlap at rest where they are not glued."""
    found = sorted(touches(model), key=lambda touch: -touch.area)
    if found:
        named = ", ".join(str(touch) for touch in found[:NAMED])
        more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
        count = f"{len(found)} pairs" if len(found) > 1 else "a pair"
        bones_only = all(model.bony(name) for touch in found for name in touch.names)
        apart = f"{BONES[0].lower()}{BONES[1:]}" if bones_only else "nothing keeps these apart"
        yield warning(
            "the model",
            f"has {count} of bodies that touch or overlap where they are not glued: {named}{more}",
            f"{apart}, so they may pass through each other; penetration.csv of a result says how "
            "far",
            found[0].place,
        )


def touches(model: Model) -> Iterator[Touch]:
    """All such pairs; bones that cannot be pushed apart are left out."""
    fixed = _kept_apart(model)
    here = [Presence(body, model.mesh.X) for body in bodies(model)]
    for one, other in combinations(here, 2):
        pair = {one.body.name, other.body.name}
        if pair not in fixed and not kept_apart(model, one.body.name, other.body.name):
            yield from _touch(one, other)


def kept_apart(model: Model, one: str, other: str) -> bool:
    """Whether contact keeps two bodies apart."""
    contact = model.contact
    if contact is None or contact.excludes(one, other):
        return False
    return contact.kind(model.bony(one), model.bony(other)) is not ContactKind.NONE


def _kept_apart(model: Model) -> list[set[str]]:
    """The pairs of bones that are welded, or that no force can move."""
    still = [bone.name for bone in model.bones if bone.drive is not Drive.FREE]
    welded = [set(joint.bones) for joint in model.joints if isinstance(joint, Weld)]
    return welded + [set(pair) for pair in combinations(still, 2)]


def _touch(one: Presence, other: Presence) -> Iterator[Touch]:
    reach = NEAR * max(float(_edges(p.x[p.body.faces]).max()) for p in (one, other))
    if not one.meets(other, reach):
        return
    found = one.overlap(other)
    bare = _unglued(one, other.body), _unglued(other, one.body)
    sides = (
        _side(bare[0], entered(one, found.one_in, other), bare[1]),
        _side(bare[1], entered(other, found.other_in, one), bare[0]),
    )
    area = (sides[0].area + sides[1].area) / 2
    if area > 0:
        larger = max(sides, key=lambda side: side.area)
        yield Touch((one.body.name, other.body.name), area, _place(larger))


def _unglued(one: Presence, other: Body) -> Surface:
    """The outer faces of one without a vertex that other has or carries."""
    faces = one.body.faces
    return Surface(one.x, faces[~other.held[faces].any(axis=1)])


def _side(one: Surface, inside: Ints, other: Surface) -> Side:
    """The faces of one that have a vertex `inside` the other body, or face it from nearby."""
    middles = one.X[one.faces].mean(axis=1)
    touching = np.isin(one.faces, inside).any(axis=1) | _facing(one, middles, other)
    return Side(one.areas[touching], middles[touching])


def _facing(one: Surface, middles: Floats, other: Surface) -> Bools:
    """(k,) whether the faces of one are near to faces of other that look the opposite way."""
    facing = np.zeros(one.n_faces, bool)
    if not other.n_faces:
        return facing
    reach, corners = NEAR * _edges(one.X[one.faces]), other.X[other.faces]
    lower, upper = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    apart = np.maximum(lower - middles, middles - upper).max(axis=1)
    close = np.flatnonzero(apart < reach)
    nearest = nearest_on_surface(other, middles[close])
    opposite = np.einsum("ki,ki->k", one.normals[close], other.normals[nearest.faces]) < 0
    facing[close] = (nearest.distances < reach[close]) & opposite
    return facing


def _edges(corners: Floats) -> Floats:
    """(k,) the mean edge [m] of each triangle (k, 3, 3)."""
    return np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).mean(axis=1)


def _place(side: Side) -> Floats:
    """(3,) the middle of the face that is nearest to the middle of all [m]."""
    middle = np.average(side.middles, axis=0, weights=side.areas)
    return side.middles[np.argmin(np.linalg.norm(side.middles - middle, axis=1))]


def begun_inside(model: Model) -> Iterator[Finding]:
    """Soft bodies that lie in a bone at rest, which contact does not push out."""
    if model.contact is None:
        return
    for found in penetrations(model, model.mesh.X):
        bony = model.bony(found.one), model.bony(found.other)
        if found.depth > DEEP and any(bony) and kept_apart(model, found.one, found.other):
            soft, bone = (found.other, found.one) if bony[0] else (found.one, found.other)
            yield warning(
                f"part '{soft}'",
                f"lies {1e3 * found.depth:.2g} mm deep in '{bone}' at rest; contact lets it be so, "
                "and only keeps it from going deeper",
                "part their surfaces",
            )


def left_out(model: Model) -> Iterator[Finding]:
    """Parts of soft bodies that touch or cross at rest, which a barrier leaves out."""
    energy = barrier(model)
    if energy is None or not len(energy.detector.left_out):
        return
    surfaces, out = energy.detector.surfaces, energy.detector.left_out
    names = [f"'{surfaces.names[body]}'" for body in np.unique(surfaces.body[out])]
    share = len(out) / len(surfaces.vertex)
    yield warning(
        f"parts {' and '.join(names)}" if len(names) < 3 else f"parts {', '.join(names)}",
        f"touch or cross at rest at {len(out)} vertices ({100 * share:.2g} % of their surfaces), "
        "where contact lets them pass through each other",
        "part their surfaces, or build surfaces with a larger 'clearance'",
        model.mesh.X[surfaces.vertex[out[0]]],
    )


CHECKS = (contact, begun_inside, left_out)
