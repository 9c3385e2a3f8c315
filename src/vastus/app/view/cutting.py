"""A plane that cuts the model open: along an axis by a slider, or any way by its handle."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from vastus.app.look import Plane
from vastus.app.page import Page
from vastus.numerics.types import Floats

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
NONE, FREE = "no cut", "free"


class Cutting:
    """Moves a plane through points (k, 3) [m]."""

    def __init__(self, page: Page, points: Floats, change: Callable[[Plane | None], None]) -> None:
        self._change, self._points = change, points
        gui = page.server.gui
        self._how = gui.add_dropdown("Cut across", (NONE, *AXES, FREE), initial_value=NONE)
        self._place = gui.add_slider(
            "Share kept [%]", min=0.0, max=100.0, step=0.5, initial_value=50.0, visible=False
        )
        self._flip = gui.add_checkbox("Other side", False, visible=False)
        extent = float(np.ptp(points, axis=0).max())
        self._handle = page.server.scene.add_transform_controls(
            "/cut",
            scale=0.2 * extent,
            position=tuple(np.median(points, axis=0)),
            visible=False,
            depth_test=False,
        )
        for what in (self._how, self._place, self._flip):
            page.when(what, lambda _: self._changed(), key="cut")
        page.when(self._handle, lambda _: self._changed(), key="cut", event="on_update")

    def _changed(self) -> None:
        how = self._how.value
        self._place.visible = how in AXES
        self._flip.visible = how != NONE
        self._handle.visible = how == FREE
        self._change(None if how == NONE else self._plane(how))

    def _plane(self, how: str) -> Plane:
        side = -1.0 if self._flip.value else 1.0
        if how == FREE:
            w, x, y, z = self._handle.wxyz
            normal = Rotation.from_quat([x, y, z, w]).apply([1.0, 0.0, 0.0])
            return Plane(np.asarray(self._handle.position, float), side * normal)
        normal = np.array(AXES[how])
        # So much of the model lies before the plane; far limbs do not move it out of the rest.
        along = np.percentile(self._points @ normal, self._place.value)
        return Plane(along * normal, side * normal)
