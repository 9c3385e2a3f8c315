"""What a build would make of a muscle, foreseen on its surface without any tets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from vastus.errors import ModelError
from vastus.modelling.anatomy.along import Way, way_between
from vastus.modelling.anatomy.attach import attached_at, directed
from vastus.modelling.anatomy.attachment import Attachment, End
from vastus.modelling.anatomy.outside import Outside
from vastus.modelling.anatomy.parts import Part
from vastus.modelling.anatomy.pipeline import Plan
from vastus.modelling.anatomy.sections import sections
from vastus.modelling.anatomy.tendons import in_tendon, spanned, tendon_fractions
from vastus.modelling.meshing.tetrahedralise import ENVELOPE
from vastus.numerics.types import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Preview:
    """A muscle foreseen, on the n vertices of its own surface.

    `s` (n,) is 0 at the tip of the origin and 1 at that of the insertion. `held` are the vertices
    where each end would be attached; `fractions` of the length would be tendon. What would be
    refused is an `error`, and the end it is about has no names and no vertices.
    """

    s: Floats
    origin: tuple[str, ...]
    insertion: tuple[str, ...]
    held: Mapping[End, Ints]
    fractions: tuple[float, float]
    error: str | None = None

    def tendon(self, fractions: tuple[float, float] | None = None) -> Bools:
        """(n,) which vertices would be tendon, for the foreseen or for other fractions."""
        return in_tendon(self.s, fractions or self.fractions)


def preview(parts: Sequence[Part], index: int, plan: Plan) -> Preview:
    """What a build would make of the muscle at a position among parts with repaired surfaces."""
    outside = outside_of(parts, index, plan)
    way, error = way_of(outside), None
    try:
        way = directed(outside, index, way, np.array(plan.up))
    except ModelError as refusal:
        error = str(refusal)
    found: dict[End, list[Attachment]] = {end: [] for end in End}
    for end in End:
        try:
            found[end] = attached_at(outside, index, way, end)
        except ModelError as refusal:
            error = error or str(refusal)
    origin, insertion = (tuple(parts[a.to].name for a in found[end]) for end in End)
    held = {end: _held(outside, way, found[end]) for end in End}
    own = way.s[: parts[index].surface.n_vertices]
    return Preview(own, origin, insertion, held, _fractions(outside, way), error)


def outside_of(parts: Sequence[Part], index: int, plan: Plan) -> Outside:
    """The surface of a muscle among parts."""
    X = np.concatenate([part.surface.X for part in parts])
    usual = ENVELOPE * float(np.linalg.norm(np.ptp(X, axis=0)))
    return Outside(parts, index, plan.gap, plan.envelope or usual)


def way_of(outside: Outside) -> Way:
    """The way along a muscle's surface, between the tips that no bone covers."""
    free = outside.free
    place = np.full(len(outside.X), -1)
    place[free] = np.arange(len(free))
    links = place[outside.links]
    way = way_between(outside.X[free], links[(links >= 0).all(axis=1)])
    nearest = cKDTree(outside.X[free]).query(outside.X)[1]
    return Way(way.s[nearest], way.length)


def _held(outside: Outside, way: Way, attachments: Sequence[Attachment]) -> Ints:
    """The muscle's own vertices where some attachments would hold."""
    own = np.arange(outside.parts[outside.index].surface.n_vertices)
    held = np.zeros(len(own), bool)
    for a in attachments:
        near = outside.away(a.to, own) <= outside.gap
        held |= near & a.reaches(outside.X[own], way.s[own])
    return np.flatnonzero(held)


def _fractions(outside: Outside, way: Way) -> tuple[float, float]:
    """How much of the length would be tendon at each end."""
    part = outside.parts[outside.index]
    if part.ends.tendons is not None:
        return part.ends.tendons
    own = part.surface.n_vertices
    if len(outside.X) > own:
        return spanned(way.s[own:])
    return tendon_fractions(sections(part.surface, way.s[:own]))
