"""The ends of muscles, looked at on their surfaces: whether they reach what they pull at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from vastus.checks.finding import Finding, warning
from vastus.errors import ModelError
from vastus.model import Tissue
from vastus.modelling.anatomy.along import Way
from vastus.modelling.anatomy.attach import attached_at, directed, tip
from vastus.modelling.anatomy.attachment import Attachment, End
from vastus.modelling.anatomy.outside import Outside
from vastus.modelling.anatomy.parts import Part
from vastus.modelling.anatomy.pipeline import Plan
from vastus.modelling.anatomy.preview import outside_of, way_of
from vastus.numerics.types import Floats


def ends(parts: Sequence[Part], plan: Plan) -> list[Finding]:
    """Ends of muscles that touch nothing, so that they would be refused once there is a mesh.

    These are only warnings: a mesh differs from the surfaces by a little.
    """
    muscles = [i for i, part in enumerate(parts) if part.tissue is Tissue.MUSCLE]
    return [finding for i in muscles for finding in _ends(parts, i, plan)]


def _ends(parts: Sequence[Part], muscle: int, plan: Plan) -> Iterator[Finding]:
    outside = outside_of(parts, muscle, plan)
    way = directed(outside, muscle, way_of(outside), np.array(plan.up))
    for end in End:
        at = _place(outside, way, end)
        try:
            found = attached_at(outside, muscle, way, end)
        except ModelError as refusal:
            yield _refused(parts[muscle].name, str(refusal), at)
        else:
            for attachment in found:
                yield from _short(outside, way, attachment, at)


def _refused(name: str, refusal: str, at: Floats) -> Finding:
    muscle = f"muscle '{name}'"
    why, _, remedy = refusal.removeprefix(f"{muscle} ").partition("; ")
    return warning(muscle, why, remedy, at)


def _short(outside: Outside, way: Way, attachment: Attachment, at: Floats) -> Iterator[Finding]:
    """A finding if an end does not come within the gap of what it is attached to."""
    end, free = attachment.end, outside.free
    near = free[attachment.reaches(outside.X[free], way.s[free])]
    away = float(outside.away(attachment.to, near).min(initial=np.inf))
    if away > max(outside.gap, outside.near):
        muscle, other = (outside.parts[i].name for i in (attachment.part, attachment.to))
        yield warning(
            f"muscle '{muscle}'",
            f"does not reach '{other}', which is {1000 * away:.3g} mm from its {end.word}",
            "move it there, allow a wider 'gap' or larger 'caps', or name another part",
            at,
        )


def _place(outside: Outside, way: Way, end: End) -> Floats:
    """(3,) where an end is, or is painted [m]."""
    dabs = outside.parts[outside.index].ends.painted[end]
    if dabs:
        return np.array(dabs[0].centre)
    return np.asarray(outside.X[tip(outside, outside.index, way, end)].mean(axis=0))
