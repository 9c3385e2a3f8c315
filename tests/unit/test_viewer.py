"""Where visitors stand when they arrive: all of the motion is in the picture."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("viser", reason="the pages need viser")

from builders import hinge, pair
from vastus.app.view.viewer import ASPECT, BROWSER_ANGLE, look_at
from vastus.model import Model
from visited import Visited


@pytest.fixture
def page() -> Iterator[Visited]:
    with Visited() as made:
        yield made


def slopes(page: Visited, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tangents of the angles across and up at which a visitor sees points."""
    camera = page.server.initial_camera
    position, target = np.array(camera.position), np.array(camera.look_at)
    forward = (target - position) / np.linalg.norm(target - position)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    away = points - position
    depth = away @ forward
    assert (depth > 0).all()
    return away @ right / depth, away @ np.cross(right, forward) / depth


@pytest.mark.parametrize("jointed", [True, False])
@pytest.mark.parametrize("scale", [1e-2, 1.0, 50.0])
def test_all_points_are_in_the_picture_and_fill_it(
    page: Visited, bar_model: Model, jointed: bool, scale: float
) -> None:
    model = pair(hinge()) if jointed else bar_model
    points = scale * model.mesh.X
    look_at(page, model, points)
    across, up = slopes(page, points)
    tangent = np.tan(np.radians(BROWSER_ANGLE / 2))
    filled = max(np.abs(up).max(), np.abs(across).max() / ASPECT) / tangent
    assert 0.5 < filled < 1.0
