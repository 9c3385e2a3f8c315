"""Where visitors look from when they arrive, and where the panel stands."""

from __future__ import annotations

import numpy as np

from vastus.app.page import Page
from vastus.app.view.reel import Reel
from vastus.io.camera import fitted, view_direction
from vastus.model import Model
from vastus.numerics.types import Floats

WIDTH = 400  # [px] of the panel
BROWSER_ANGLE = 75.0  # [deg] vertical, of the page's camera
ASPECT, MARGIN = 1.2, 1.25
SEEN = 3  # moments that must fit into the picture


def dock(page: Page) -> None:
    """Put the panel beside the picture, not over it."""
    panel = page.server.gui.main_panel
    panel.dock_right()
    panel.set_width(WIDTH)


def seen(reel: Reel) -> Floats:
    """(k, 3) places of the surface in some moments of a motion [m]."""
    used = np.unique(reel.model.mesh.boundary)
    return np.concatenate([moment.x[used] for moment in reel.spread(SEEN)])


def face(page: Page, model: Model, points: Floats) -> None:
    """Let visitors see all points (k, 3) [m] about a model when they arrive."""
    view = fitted(points, view_direction(model), ASPECT, BROWSER_ANGLE)
    page.look_from(view.target + MARGIN * (view.position - view.target), view.target)


def breadth(model: Model, points: Floats) -> Floats:
    """(3,) to the right in the picture, as far as points (k, 3) reach [m]."""
    direction = view_direction(model)
    right = np.cross([0.0, 0.0, 1.0], direction)
    right /= np.linalg.norm(right)
    return np.asarray(np.ptp(points @ right) * right)
