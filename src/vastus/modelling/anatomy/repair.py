"""Sound surfaces out of what people have: closed, of one piece, with their normals outward.

Small crossings of faces are counted, not removed: meshing and labelling take them as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.crossings import self_intersections
from vastus.geometry.surface import Surface
from vastus.modelling.anatomy.repair_faces import (
    joined,
    single_faces,
    straightened,
    used,
    whole_faces,
)
from vastus.modelling.anatomy.repair_holes import filled
from vastus.modelling.anatomy.repair_pieces import dropped_pieces, dropped_walls
from vastus.modelling.anatomy.repair_sides import turned
from vastus.modelling.anatomy.repair_words import counted

_STEPS = (
    *(used, joined, whole_faces, single_faces, dropped_walls),
    *(dropped_pieces, turned, filled, straightened),
)
_FLAT = 1e-6  # of the extent
_HOLLOW = 1e-4  # volume over area^(3/2): a sheet of 20 cm that is 0.1 mm thick; a ball has 0.09


@dataclass(frozen=True, eq=False)
class Repaired:
    """A sound surface, and what was `done` to it, each in a short phrase."""

    surface: Surface
    done: tuple[str, ...]

    @cached_property
    def crossing(self) -> int:
        """How many of its faces still cross others."""
        return len(self_intersections(self.surface))


def repair(surface: Surface) -> Repaired:
    """Make a surface sound, or say in a sentence why it cannot be; a sound one stays as it is.

    Vertices at almost the same place are joined, faces without area, repeated faces, inner walls
    and small pieces are dropped, faces are turned outward and holes filled. A closed piece inside
    the largest is kept as a cavity, its normals pointing into it.
    """
    done: list[str] = []
    for step in _STEPS:
        _require_body(surface)
        surface, said = step(surface)
        done += [said] if said else []
    _require_closed(surface)
    return Repaired(surface, tuple(done))


def _require_body(surface: Surface) -> None:
    if surface.n_faces < 4:
        usable = counted(surface.n_faces, "usable face")
        raise ModelError(f"the surface has {usable}; a closed one has at least 4")
    X = surface.X[np.unique(surface.faces)]
    extent = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    if len(X) < 4 or extent[2] <= _FLAT * extent[0]:
        sides = " x ".join(f"{side:.3g}" for side in np.ptp(X, axis=0))
        raise ModelError(f"the surface is flat ({sides}); a body has three dimensions")


def _require_closed(surface: Surface) -> None:
    if not surface.closed:
        raise ModelError(
            "the surface cannot be closed: faces meet at its edges in threes or against each "
            "other; repair it in a mesh editor"
        )
    if surface.volume <= _HOLLOW * surface.areas.sum() ** 1.5:
        raise ModelError("the surface encloses no volume; its faces must surround a body")
