"""Which parts the ends of muscles are attached to, decided on surfaces before there are tets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vastus.errors import ModelError
from vastus.modelling.surfaces.attach import attached_at, bones_at, directed
from vastus.modelling.surfaces.body_parts import Decided, Part
from vastus.modelling.surfaces.ends import Attachment, Way
from vastus.modelling.surfaces.outside import Outside, outside_of, way_of
from vastus.modelling.surfaces.pipeline import Plan
from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.scene.fibres import End

ENDS = "looking at the ends"  # the step in which they are decided


@dataclass(frozen=True, eq=False)
class Course:
    """Where a muscle begins and ends on its surface, and why it cannot if it is refused.

    An end that is refused has no attachments and a sentence. `bones` are those that the author may
    mean by an end for which nothing is named or painted, first the one that is taken.
    """

    way: Way
    attachments: Mapping[End, tuple[Attachment, ...]]
    refusals: Mapping[End, str]
    bones: Mapping[End, tuple[int, ...]]
    tips: Mapping[End, Floats]  # (3,) [m]


def course_of(outside: Outside, plan: Plan) -> Course:
    """What is decided of the muscle of a surface among parts."""
    index = outside.index
    way, refusals = way_of(outside), {}
    try:
        way = directed(outside, index, way, np.array(plan.up))
    except ModelError as refusal:
        refusals = {_misnamed(outside): str(refusal)}
    found: dict[End, tuple[Attachment, ...]] = dict.fromkeys(End, ())
    for end in End:
        try:
            found[end] = tuple(attached_at(outside, index, way, end))
        except ModelError as refusal:
            refusals[end] = str(refusal)
    return Course(
        way,
        found,
        refusals,
        {end: _offered(outside, way, end) for end in End},
        {end: _tip(outside, way, end) for end in End},
    )


def _misnamed(outside: Outside) -> End:
    """The end at which a part is named that is not there."""
    names = {part.name for part in outside.parts}
    said = outside.parts[outside.index].ends.named
    return End.ORIGIN if not names.issuperset(said[0] or ()) else End.INSERTION


def _offered(outside: Outside, way: Way, end: End) -> tuple[int, ...]:
    said = outside.parts[outside.index].ends
    if end.of(said.named) is not None or end.of(said.painted):
        return ()
    return tuple(bones_at(outside, outside.index, way, end))


def _tip(outside: Outside, way: Way, end: End) -> Floats:
    free = outside.free
    return outside.X[free[int(np.argmin(end.along(way.s[free])))]]


def courses(parts: Sequence[Part], plan: Plan) -> dict[int, Course]:
    """What is decided of every muscle, by its position among parts with repaired surfaces."""
    muscles = [i for i, part in enumerate(parts) if part.tissue is Tissue.MUSCLE]
    return {i: course_of(outside_of(parts, i, plan), plan) for i in muscles}


def decided(parts: Sequence[Part], found: Mapping[int, Course]) -> list[Part]:
    """The parts, the ends of all muscles decided; an end that is refused is an error."""
    out = list(parts)
    for i, course in found.items():
        for sentence in course.refusals.values():
            raise ModelError(sentence)
        ends = [course.attachments[end] for end in End]
        origin, insertion = (tuple(parts[a.to].name for a in end) for end in ends)
        first, last = ((*map(float, course.tips[end]),) for end in End)
        fixed = Decided((origin, insertion), (first, last))  # type: ignore[arg-type]
        out[i] = replace(parts[i], ends=replace(parts[i].ends, decided=fixed))
    return out
