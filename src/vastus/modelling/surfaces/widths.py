"""How wide muscles are along their length, and how wide an envelope that spares their thin ends.

The mesher keeps to a surface within its envelope, so that what is not much wider may vanish: of a
tendon whose width is 1.5, 2, 3 and 4 envelopes, 96, 19, 8 and 2 % were lost, at any size of tets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vastus.geometry.surface import Surface
from vastus.modelling.surfaces.body_parts import Part
from vastus.modelling.surfaces.decisions import Course
from vastus.modelling.surfaces.ends import Way, way_between
from vastus.modelling.surfaces.mesher import ENVELOPE
from vastus.modelling.surfaces.pipeline import BINS, Plan
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue
from vastus.scene.fibres import End

SPARED, DOUBTFUL, LOST = 4.0, 3.0, 2.0  # envelopes across what stays, may suffer, and vanishes
NARROWEST = 0.25  # of the usual envelope; a narrower one makes very many tets
LEAST = 2  # bins of an end that are worth a word: any tip tapers
_LEVELS = 2  # in each bin


def sections(surface: Surface, s: Floats) -> Floats:
    """(BINS,) the area [m^2] inside the lines of equal s (n,) on a closed surface, smoothed."""
    from scipy.ndimage import gaussian_filter1d  # as heavy as the rest of the package

    levels = (np.arange(BINS * _LEVELS) + 0.5) / (BINS * _LEVELS)
    low, high = s[surface.faces].min(axis=1), s[surface.faces].max(axis=1)
    crossed = [surface.faces[(low < level) & (high >= level)] for level in levels]
    areas = np.array(
        [_area(surface.X, f, s - level) for f, level in zip(crossed, levels, strict=True)]
    )
    means = areas.reshape(BINS, _LEVELS).mean(axis=1)
    return np.asarray(gaussian_filter1d(means, 1.0, mode="nearest"))


def _area(X: Floats, faces: Ints, rise: Floats) -> float:
    """The area that the line through faces (k, 3) where rise (n,) vanishes surrounds.

    From each corner that is alone on its side of the line it leaves by p and q: `|sum p x q| / 2`.
    """
    if not len(faces):
        return 0.0
    above = rise[faces] >= 0
    corner = (above == (above.sum(axis=1) == 1)[:, None]).argmax(axis=1)
    a, b, c = (faces[np.arange(len(faces)), (corner + i) % 3] for i in range(3))
    p, q = _crossing(X, rise, a, b), _crossing(X, rise, a, c)
    sign = np.where(rise[a] >= 0, 1.0, -1.0)[:, None]
    centre = p.mean(axis=0)
    return float(np.linalg.norm((sign * np.cross(p - centre, q - centre)).sum(axis=0))) / 2


def _crossing(X: Floats, rise: Floats, a: Ints, b: Ints) -> Floats:
    """(k, 3) where the rise between vertices a and b vanishes."""
    t = (rise[a] / (rise[a] - rise[b]))[:, None]
    return X[a] + t * (X[b] - X[a])


def widths(surface: Surface, way: Way) -> Floats:
    """(BINS,) the width [m] of a closed surface along a way: of discs with its cross-sections."""
    return np.asarray(2 * np.sqrt(sections(surface, way.s[: surface.n_vertices]) / np.pi))


def usual_envelope(parts: Sequence[Part]) -> float:
    """The envelope [m] for parts of which none is thin."""
    X = np.concatenate([part.surface.X for part in parts])
    return ENVELOPE * float(np.linalg.norm(np.ptp(X, axis=0)))


def fitting_envelope(parts: Sequence[Part], found: Mapping[int, Course]) -> float:
    """The envelope [m] that spares the thinnest stretch of all muscles and tendons, if it can."""
    ways = {i: course.way for i, course in found.items()}
    for i, part in enumerate(parts):
        if part.tissue is Tissue.TENDON:
            ways[i] = way_between(part.surface.X, part.surface.edges)
    thinnest = [
        float(widths(parts[i].surface, way)[LEAST - 1 : 1 - LEAST].min()) for i, way in ways.items()
    ]
    usual = usual_envelope(parts)
    return max(NARROWEST * usual, min([usual, *(w / SPARED for w in thinnest)]))


def with_envelope(plan: Plan, parts: Sequence[Part], found: Mapping[int, Course]) -> Plan:
    """The plan with the envelope of the author, or else one that spares thin ends."""
    fitting = fitting_envelope(parts, found)
    if plan.envelope is not None or fitting == usual_envelope(parts):
        return plan
    return replace(plan, envelope=fitting)


@dataclass(frozen=True)
class ThinEnd:
    """An end of a muscle that the mesher may not see, over its `length` [m]; `lost` if surely."""

    end: End
    length: float
    width: float  # [m] the least there
    lost: bool


def thin_ends(part: Part, way: Way, envelope: float) -> list[ThinEnd]:
    """The ends of a muscle that are thin for an envelope [m], by its own surface."""
    across = widths(part.surface, way)
    found = []
    for end in End:
        inward = across if end is End.ORIGIN else across[::-1]
        for limit, lost in ((LOST, True), (DOUBTFUL, False)):
            thin = int(np.argmin(np.append(inward < limit * envelope, False)))
            if thin >= LEAST:
                length = way.length * thin / BINS
                found.append(ThinEnd(end, length, float(inward[1:thin].min()), lost))
                break
    return found
