"""Pennation: fibres turned towards the sheet of tendon that they end on."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.queries import nearest_on_surface
from vastus.geometry.surface import Surface
from vastus.modelling.fibre_data import NEAR, span
from vastus.numerics.types import Floats
from vastus.scene.fibres import End

# Where the sheet is seen at less than 30 degrees from the fibre, that is beyond its rim, the
# angle fades: there the plane to turn in changes within a tet.
_FADING = 0.5
_TINY = 1e-9  # of the muscle's extent: a point so near lies on the sheet, which has no side


def pennate(fibre: Floats, points: Floats, sheet: Surface, angle: float, end: End) -> Floats:
    """(k, 3) unit fibres (k, 3) at points (k, 3) [m], turned by `angle` [rad].

    They turn in the plane of the fibre and the nearest place of the sheet: towards it if the sheet
    belongs to the insertion, away from it if it belongs to the origin.
    """
    extent = np.linalg.norm(np.ptp(points, axis=0))
    nearest = nearest_on_surface(sheet, points)
    _must_be_near(sheet, points, nearest.distances.min(), float(extent))
    offset = nearest.points - points
    across = offset - np.einsum("ki,ki->k", offset, fibre)[:, None] * fibre
    size = np.linalg.norm(across, axis=1)
    sine = np.divide(
        size, nearest.distances, out=np.zeros_like(size), where=nearest.distances > _TINY * extent
    )
    turn = angle * np.minimum(sine / _FADING, 1.0) * (1 if end is End.INSERTION else -1)
    side = np.divide(across, size[:, None], out=np.zeros_like(across), where=size[:, None] > 0)
    return np.cos(turn)[:, None] * fibre + np.sin(turn)[:, None] * side


def _must_be_near(sheet: Surface, points: Floats, distance: float, extent: float) -> None:
    """Refuse a sheet that is elsewhere, or a point or a plain beside the muscle: other units."""
    ratio = np.linalg.norm(np.ptp(sheet.X, axis=0)) / extent
    if distance > NEAR * extent or not 0.02 < ratio < 50:
        raise ModelError(
            f"the aponeurosis spans {span(sheet.X)}, which does not fit the muscle, which is at "
            f"{span(points)}; check its 'units' and its axes"
        )
