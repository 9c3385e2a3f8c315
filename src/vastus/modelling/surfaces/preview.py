"""What a build would make of a muscle, foreseen on its surface without any tets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vastus.modelling.surfaces.body_parts import Part
from vastus.modelling.surfaces.decisions import course_of
from vastus.modelling.surfaces.ends import Attachment, Way
from vastus.modelling.surfaces.outside import Outside, outside_of
from vastus.modelling.surfaces.pipeline import Plan, in_tendon, spanned, tendon_fractions
from vastus.modelling.surfaces.widths import sections
from vastus.numerics.types import Bools, Floats, Ints
from vastus.scene.fibres import End


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
    course = course_of(outside, plan)
    ends = [course.attachments[end] for end in End]
    origin, insertion = (tuple(parts[a.to].name for a in end) for end in ends)
    held = {end: _held(outside, course.way, course.attachments[end]) for end in End}
    own = course.way.s[: parts[index].surface.n_vertices]
    fractions = _fractions(outside, course.way)
    error = next(iter(course.refusals.values()), None)
    return Preview(own, origin, insertion, held, fractions, error)


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
