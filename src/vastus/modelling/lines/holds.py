"""Which sections of a muscle follow which bone.

The ends follow the bones of the line's ends. A tendon is also held where its line lies on a bone,
at via points and wrapped stretches, if no free joint is between that bone and the tendon's end:
then nothing there would slide. Elsewhere, and in bellies, nothing holds the line in place.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from vastus.modelling.lines.loft import Loft
from vastus.modelling.lines.strand import reached
from vastus.modelling.lines.tets import DISC
from vastus.numerics.types import Ints


def holds(loft: Loft, roots: Mapping[str, str]) -> list[tuple[str, Ints]]:
    """Pairs of a bone and the vertices of the solid that it carries.

    `roots` tells bones that move together by the same name.
    """
    held = _held_stations(loft, roots)
    rim = np.arange(len(DISC.points))
    return [(bone, station * len(rim) + rim) for station, bone in sorted(held.items())]


def _held_stations(loft: Loft, roots: Mapping[str, str]) -> dict[int, str]:
    bones = loft.muscle.bones
    line = reached(loft.muscle.points)
    middle = reached(loft.stations.centre)
    first, last = loft.stations.belly
    held = {0: bones[0], len(middle) - 1: bones[-1]}
    for share, bone in zip(line / line[-1], bones, strict=True):
        station = int(np.argmin(np.abs(middle / middle[-1] - share)))
        end = bones[0] if station < first else bones[-1]
        if bone and (station < first or station > last) and roots[bone] == roots[end]:
            held.setdefault(station, bone)
    return held
