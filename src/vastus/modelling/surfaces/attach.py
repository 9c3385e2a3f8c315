"""Where muscles are attached: proposed from the tips of each, unless the author says or paints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from vastus.errors import ModelError, known
from vastus.modelling.surfaces.body_parts import Part, beyond, covered
from vastus.modelling.surfaces.ends import Attachment, Ground, Way
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue
from vastus.scene.fibres import End

FIBRE_CAP = 0.15  # of the length, within which fibres begin where an attachment is painted
TIP = 0.05  # of a muscle's length
CAP, BEYOND = 0.15, 0.05  # how far an attachment reaches, and past its first contact


def painted_attachment(
    ground: Ground, part: int, to: int, way: Way, end: End, *, given: bool
) -> Attachment:
    """The attachment to a part that holds where the author painted; refused if it would nowhere."""
    said = ground.parts[part].ends
    vertices = _require_painted(ground, part, end)
    away = ground.away(to, vertices)
    held = vertices[away <= ground.gap_of(part)]
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
        painted=end.of(said.painted),
        fibre_cap=FIBRE_CAP if within is None else within,
    )


def beneath(ground: Ground, part: int, end: End) -> int:
    """The bone nearest to where a muscle is painted, or else the muscle nearest there."""
    vertices = _require_painted(ground, part, end)
    centres = np.array([spot.centre for spot in end.of(ground.parts[part].ends.painted)])
    others = [i for i in range(len(ground.parts)) if i != part]
    for tissue in (Tissue.BONE, Tissue.MUSCLE):
        there = [i for i in others if ground.parts[i].tissue is tissue]
        near = [i for i in there if ground.away(i, vertices).min() <= ground.gap_of(part)]
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
    mine, spots = ground.vertices(part), end.of(ground.parts[part].ends.painted)
    away = beyond(spots, ground.X[mine])
    there = mine[away <= max(0.0, float(away.min()))]
    return way.length * float(end.along(way.s[there]).mean())


def _require_painted(ground: Ground, part: int, end: End) -> Ints:
    """The vertices of a muscle within what is painted for an end."""
    mine, spots = ground.vertices(part), end.of(ground.parts[part].ends.painted)
    away = beyond(spots, ground.X[mine])
    if away.min() > 0:
        name, key = ground.parts[part].name, f"'{end.value}_at'"
        raise ModelError(
            f"muscle '{name}' has no vertex within its {key}, the nearest is "
            f"{1000 * away.min():.3g} mm off; paint on the muscle with a larger brush, or give a "
            "smaller 'size'"
        )
    return mine[covered(spots, ground.X[mine])]


def _missed(ground: Ground, part: int, to: int, end: End, away: float) -> ModelError:
    muscle, other = (ground.parts[i].name for i in (part, to))
    gap = 1000 * ground.gap_of(part)
    return ModelError(
        f"muscle '{muscle}' does not touch '{other}' within its '{end.value}_at': it comes no "
        f"nearer than {1000 * away:.3g} mm there, and the 'gap' is {gap:.3g} mm; "
        "paint where they touch, allow a wider 'gap', or name another part"
    )


def attached(ground: Ground, part: int, way: Way, up: Floats) -> tuple[Way, tuple[Attachment, ...]]:
    """The attachments of a muscle, and its way turned so that it starts at its origin.

    The origin is the upper end, unless what the author named or painted fits better the other way.
    """
    way = directed(ground, part, way, up)
    found: list[Attachment] = []
    for end in End:
        found += attached_at(ground, part, way, end)
    return way, tuple(found)


def directed(ground: Ground, part: int, way: Way, up: Floats) -> Way:
    """The way along a muscle, from its origin."""
    decided = ground.parts[part].ends.decided
    if decided is not None:
        ends = np.array([ground.X[tip(ground, part, way, end)].mean(axis=0) for end in End])
        tips = np.array(decided.tips)
        turned = np.linalg.norm(ends[::-1] - tips) < np.linalg.norm(ends - tips)
        return way.reversed() if turned else way
    if _misfit(ground, part, way, up) > _misfit(ground, part, way.reversed(), up):
        return way.reversed()
    return way


def attached_at(ground: Ground, part: int, way: Way, end: End) -> list[Attachment]:
    """The attachments of one end of a muscle, along the way from its origin."""
    said, wanted = ground.parts[part].ends, _wanted(ground.parts, part, end)
    given, painted = end.of(said.named) is not None, end.of(said.painted)
    if painted:
        wanted = wanted or [beneath(ground, part, end)]
        return [painted_attachment(ground, part, to, way, end, given=given) for to in wanted]
    found = []
    for to in wanted or [_proposed(ground, part, way, end)]:
        cap = said.cap(end)
        cap = _cap(ground, part, to, way, end) if cap is None else cap
        distance = float(ground.away(to, tip(ground, part, way, end)).min())
        fibre_cap = said.fibre_cap(end)
        within = 1.0 if fibre_cap is None else fibre_cap
        found.append(Attachment(part, end, to, cap, distance, given, fibre_cap=within))
    return found


def _wanted(parts: Sequence[Part], part: int, end: End) -> list[int] | None:
    """The parts that the author named at an end, or that were decided, or None."""
    said = parts[part].ends
    names = end.of(said.named)
    if names is None and said.decided is not None:
        names = end.of(said.decided.parts)
    return None if names is None else [_position(parts, part, name) for name in names]


def _position(parts: Sequence[Part], part: int, name: str) -> int:
    others = [p.name for i, p in enumerate(parts) if i != part]
    if name not in others:
        raise known("part", name, others)
    return [p.name for p in parts].index(name)


def _misfit(ground: Ground, part: int, way: Way, up: Floats) -> float:
    """How far the ends are from where they should be [m], or how far the origin is below."""
    said = ground.parts[part].ends
    if not any(said.painted) and all(names is None for names in said.named):
        low, high = (ground.X[tip(ground, part, way, end)].mean(axis=0) for end in End)
        return float((high - low) @ up)
    named = sum(
        float(ground.away(to, tip(ground, part, way, end)).min())
        for end in End
        for to in _wanted(ground.parts, part, end) or ()
    )
    return named + sum(off(ground, part, way, end) for end in End if end.of(said.painted))


def tip(ground: Ground, part: int, way: Way, end: End) -> Ints:
    """The vertices of a muscle near one of its ends."""
    mine = ground.vertices(part)
    return mine[end.along(way.s[mine]) <= TIP]


def _proposed(ground: Ground, part: int, way: Way, end: End) -> int:
    """The bone at the tip, or else the muscle that it touches most there."""
    bones = bones_at(ground, part, way, end)
    if bones:
        return bones[0]
    touched = _touched(ground, part, way, end)
    if touched is not None:
        return touched
    vertices = tip(ground, part, way, end)
    away = {i: float(ground.away(i, vertices).min()) for i in _bones(ground)}
    raise _unattached(ground, part, end, vertices, away)


def bones_at(ground: Ground, part: int, way: Way, end: End) -> list[int]:
    """The bones that the tip of a muscle comes within the gap of, first the likeliest.

    That is the one nearest to the tip as a whole, its very end most: others may only be touched in
    passing.
    """
    vertices = tip(ground, part, way, end)
    away = {i: ground.away(i, vertices) for i in _bones(ground)}
    near = [i for i in away if away[i].min() <= ground.gap_of(part)]
    weights = (TIP - end.along(way.s[vertices])) ** 2
    return sorted(near, key=lambda i: float(weights @ away[i]))


def _bones(ground: Ground) -> list[int]:
    return [i for i, p in enumerate(ground.parts) if p.bony]


def _unattached(
    ground: Ground, part: int, end: End, vertices: Ints, away: dict[int, float]
) -> ModelError:
    place = ", ".join(f"{c:.3g}" for c in ground.X[vertices].mean(axis=0))
    bone = min(away, key=away.__getitem__, default=None)
    nearest = "there are no bones"
    if bone is not None:
        name = ground.parts[bone].name
        nearest = f"the nearest bone, '{name}', is {1000 * away[bone]:.3g} mm away"
    return ModelError(
        f"muscle '{ground.parts[part].name}' is attached to nothing at its end near [{place}] m; "
        f"{nearest}: name its {end.value}, or move it"
    )


def _touched(ground: Ground, part: int, way: Way, end: End) -> int | None:
    """The muscle that shares most area with a muscle's cap."""
    areas = ground.touching(part, way, end, CAP)
    soft = [i for i, p in enumerate(ground.parts) if p.tissue is Tissue.MUSCLE]
    shared = [areas[i] if i != part else 0.0 for i in soft]
    return soft[int(np.argmax(shared))] if soft and max(shared) > 0 else None


def _cap(ground: Ground, part: int, to: int, way: Way, end: End) -> float:
    """How far from the end the attachment reaches: further where contact begins late."""
    mine = ground.vertices(part)
    near = mine[ground.away(to, mine) <= ground.gap_of(part)]
    if not len(near):
        return CAP
    first = float(end.along(way.s[near]).min())
    return min(1.0, max(CAP, first + BEYOND))
