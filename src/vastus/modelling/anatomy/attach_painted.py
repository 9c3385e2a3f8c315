"""Attachments where the author painted them."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.model import Tissue
from vastus.modelling.anatomy.along import Way
from vastus.modelling.anatomy.attachment import Attachment, End
from vastus.modelling.anatomy.ground import Ground
from vastus.modelling.anatomy.paint import beyond, covered
from vastus.numerics.types import Ints

FIBRE_CAP = 0.15  # of the length, within which fibres begin where an attachment is painted


def painted_attachment(
    ground: Ground, part: int, to: int, way: Way, end: End, *, given: bool
) -> Attachment:
    """The attachment to a part that holds where the author painted; refused if it would nowhere."""
    said = ground.parts[part].ends
    vertices = _require_painted(ground, part, end)
    away = ground.away(to, vertices)
    held = vertices[away <= ground.gap]
    if not len(held):
        raise _missed(ground, part, to, end, float(away.min()))
    cap, within = float(end.along(way.s[held]).max()), said.fibre_cap(end)
    return Attachment(
        part,
        end,
        to,
        cap=cap,
        distance=float(away.min()),
        given=given,
        painted=said.painted[end],
        fibre_cap=FIBRE_CAP if within is None else within,
    )


def beneath(ground: Ground, part: int, end: End) -> int:
    """The bone nearest to where a muscle is painted, or else the muscle nearest there."""
    vertices = _require_painted(ground, part, end)
    centres = np.array([dab.centre for dab in ground.parts[part].ends.painted[end]])
    others = [i for i in range(len(ground.parts)) if i != part]
    for tissue in (Tissue.BONE, Tissue.MUSCLE):
        there = [i for i in others if ground.parts[i].tissue is tissue]
        near = [i for i in there if ground.away(i, vertices).min() <= ground.gap]
        if near:
            return min(near, key=lambda i: float(ground.distances(i, centres).mean()))
    bones = [i for i in others if ground.parts[i].bony] or others
    if not bones:
        raise ModelError(f"muscle '{ground.parts[part].name}' is the only part; add bones")
    away = {i: float(ground.away(i, vertices).min()) for i in bones}
    nearest = min(away, key=away.__getitem__)
    raise _missed(ground, part, nearest, end, away[nearest])


def off(ground: Ground, part: int, way: Way, end: End) -> float:
    """How far along a muscle the painted places of an end are from it, on average [m]."""
    mine, dabs = ground.vertices(part), ground.parts[part].ends.painted[end]
    away = beyond(dabs, ground.X[mine])
    there = mine[away <= max(0.0, float(away.min()))]
    return way.length * float(end.along(way.s[there]).mean())


def _require_painted(ground: Ground, part: int, end: End) -> Ints:
    """The vertices of a muscle within what is painted for an end."""
    mine, dabs = ground.vertices(part), ground.parts[part].ends.painted[end]
    away = beyond(dabs, ground.X[mine])
    if away.min() > 0:
        name, key = ground.parts[part].name, f"'{end.word}_at'"
        raise ModelError(
            f"muscle '{name}' has no vertex within its {key}, the nearest is "
            f"{1000 * away.min():.3g} mm off; paint on the muscle with a larger brush, or give a "
            "smaller 'size'"
        )
    return mine[covered(dabs, ground.X[mine])]


def _missed(ground: Ground, part: int, to: int, end: End, away: float) -> ModelError:
    muscle, other = (ground.parts[i].name for i in (part, to))
    return ModelError(
        f"muscle '{muscle}' does not touch '{other}' within its '{end.word}_at': it comes no "
        f"nearer than {1000 * away:.3g} mm there, and the 'gap' is {1000 * ground.gap:.3g} mm; "
        "paint where they touch, allow a wider 'gap', or name another part"
    )
