"""Where visitors look from when they arrive, and where the panel stands."""

from __future__ import annotations

import numpy as np

from vastus.app.page import Page
from vastus.app.view.reel import Reel
from vastus.io.camera import VIEW_ANGLE, fitted, view_direction
from vastus.model import Model

WIDTH = 360  # [px] of the panel
BROWSER_ANGLE = 75.0  # [deg] vertical, of the page's camera
SEEN = 3  # moments that must fit into the picture


def dock(page: Page) -> None:
    """Put the panel beside the picture, not over it."""
    panel = page.server.gui.main_panel
    panel.dock_right()
    panel.set_width(WIDTH)


def face(page: Page, model: Model, reel: Reel | None) -> None:
    """Let visitors see all of a model, and of its motion, when they arrive."""
    used = np.unique(model.mesh.boundary)
    chosen = np.linspace(0, len(reel) - 1, SEEN).astype(int) if reel else np.zeros(0, int)
    places = [model.mesh.X[used]] + [reel[int(i)].x[used] for i in chosen if reel]
    view = fitted(np.concatenate(places), view_direction(model), 1.2)
    nearer = np.tan(np.radians(VIEW_ANGLE / 2)) / np.tan(np.radians(BROWSER_ANGLE / 2))
    page.look_from(view.target + 1.25 * nearer * (view.position - view.target), view.target)
