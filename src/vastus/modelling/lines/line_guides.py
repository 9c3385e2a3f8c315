"""The guides of lofted muscles: rings at via points, and what the lines of the file run around.

A line of the file passes through its via points and off its wraps. So does the middle of the
volume, at the place to which growing has moved it: nothing is pulled at rest.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from vastus.modelling.lines.lines import LineMuscle, LineWrap
from vastus.modelling.lines.loft import Loft
from vastus.modelling.lines.stations import DISC
from vastus.modelling.lines.strand import reached
from vastus.numerics.types import Floats, Ints
from vastus.skeleton.guides import Guide, Ring, Wrap, nearest, weights

_GIVES = 5e-4  # [m] that a guide gives way under the greatest force of its muscle


def guides_of(loft: Loft, start: int, held: Collection[int]) -> list[Guide]:
    """The guides of a muscle whose first vertex is `start`; none is where stations are `held`."""
    sections = start + np.arange(len(loft.solid.X)).reshape(-1, len(DISC.points))
    middle = middle_of(loft)
    if len(sections) < 4:
        return []
    found: list[Guide] = []
    for number, index in enumerate(loft.muscle.via, 1):
        if (ring := _ring(loft, number, index, sections, middle, held)) is not None:
            found.append(ring)
    return found + [_wrap(loft.muscle, wrap, sections, middle) for wrap in loft.muscle.wraps]


def middle_of(loft: Loft) -> Floats:
    """(k, 3) the means of the cross-sections [m]."""
    return np.asarray(loft.solid.X.reshape(-1, len(DISC.points), 3).mean(axis=1))


def _ring(
    loft: Loft, number: int, index: int, sections: Ints, middle: Floats, held: Collection[int]
) -> Ring | None:
    """The ring of a via point, unless the nearest station is held by a bone."""
    muscle, bone = loft.muscle, loft.muscle.bones[index]
    line, way = reached(muscle.points), reached(middle)
    share = line[index] / line[-1]
    station = int(np.argmin(np.abs(way / way[-1] - share)))
    if station in held:
        return None
    wanted = np.array([np.interp(share * way[-1], way, column) for column in middle.T])
    k, u = nearest(middle, wanted)
    point = weights(u)[0] @ middle[k : k + 4]
    stiffness = muscle.force / _GIVES
    return Ring(f"{muscle.name} via {number}", muscle.name, bone, sections, point, stiffness)


def _wrap(muscle: LineMuscle, wrap: LineWrap, sections: Ints, middle: Floats) -> Wrap:
    """The wrap, for all sections: any may come to slide over it."""
    off = middle - wrap.centre
    away = np.linalg.norm(off - np.outer(off @ wrap.axis, wrap.axis), axis=1)
    reach = np.minimum(wrap.radius, away)
    name = f"{muscle.name} around {wrap.name}"
    stiffness = muscle.force / _GIVES
    return Wrap(name, muscle.name, wrap.bone, sections, wrap.centre, stiffness, wrap.axis, reach)
