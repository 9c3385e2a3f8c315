"""The values of a field that colours stand for, wherever they are given: on tets or on vertices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.section import Cut
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.pictures.colours import Shade
from vastus.pictures.skin import Skin
from vastus.results.playback import Snapshot


class FieldValues(Protocol):
    """The values of one field at one time."""

    def on_skin(self, skin: Skin) -> Floats:
        """(p,) those of the points of a surface."""

    def on_cut(self, cut: Cut, tets: Ints) -> Floats:
        """(q, 3) those of the corners of a cut through tets (k,)."""

    def at_tet(self, model: Model, tet: int) -> float:
        """That of one tet."""

    def among(self, tets: Ints) -> Floats:
        """(k,) those that limits of colours are found from, for tets (k,)."""


@dataclass(frozen=True, eq=False)
class TetValues:
    """One value (m,) a tet; points have the mean of the tets behind their faces."""

    values: Floats

    def on_skin(self, skin: Skin) -> Floats:
        """(p,) those of the points of a surface."""
        return skin.averaged(self.values)

    def on_cut(self, cut: Cut, tets: Ints) -> Floats:
        """(q, 3) those of the corners of a cut through tets (k,): each tet has its own."""
        return np.repeat(self.values[tets[cut.source], None], 3, axis=1)

    def at_tet(self, model: Model, tet: int) -> float:
        """That of one tet."""
        return float(self.values[tet])

    def among(self, tets: Ints) -> Floats:
        """(k,) those of tets (k,)."""
        return self.values[tets]


@dataclass(frozen=True, eq=False)
class VertexValues:
    """One value (n,) a vertex, such as pressure on a surface, which is zero nearly everywhere."""

    values: Floats

    def on_skin(self, skin: Skin) -> Floats:
        """(p,) those of the points of a surface."""
        return self.values[skin.vertices]

    def on_cut(self, cut: Cut, tets: Ints) -> Floats:
        """(q, 3) those of the corners of a cut, between its vertices."""
        return cut.at(self.values)

    def at_tet(self, model: Model, tet: int) -> float:
        """The largest at the corners of a tet."""
        return float(self.values[model.mesh.T[tet]].max())

    def among(self, tets: Ints) -> Floats:
        """(k,) those that are not zero, of whatever tets."""
        return self.values[self.values != 0]


def has_field(snapshot: Snapshot, shade: Shade) -> bool:
    """Whether a snapshot has the field of a shade."""
    return shade.field in snapshot.fields or shade.field in snapshot.point_fields


def values_of(snapshot: Snapshot, shade: Shade) -> FieldValues:
    """The values of a snapshot that a shade shows."""
    if shade.field in snapshot.point_fields:
        values = snapshot.point_fields[shade.field]
        return VertexValues(values if values.ndim == 1 else np.linalg.norm(values, axis=1))
    if shade.field not in snapshot.fields:
        raise ModelError(
            f"this frame has no {shade.label}"
            + (f"; only frames of {shade.only} have one" if shade.only else "")
        )
    return TetValues(np.asarray(snapshot.fields[shade.field], float))
