"""Where visitors stand when they arrive: all of the motion is in the picture."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("viser", reason="the pages need viser")

from builders import hinge, pair
from moments import FakeTape
from vastus.app.view.timeline import ASPECT, BROWSER_ANGLE, Reel, breadth, dock, face, seen
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
    face(page, model, points)
    across, up = slopes(page, points)
    tangent = np.tan(np.radians(BROWSER_ANGLE / 2))
    filled = max(np.abs(up).max(), np.abs(across).max() / ASPECT) / tangent
    assert 0.5 < filled < 1.0


def test_a_motion_is_judged_by_its_ends_and_its_middle(bar_model: Model) -> None:
    playback = FakeTape(bar_model, np.arange(9))
    points = seen(Reel(playback))
    assert playback.read == [0, 4, 8]
    surface = np.unique(bar_model.mesh.boundary)
    assert len(points) == 3 * len(surface)
    single = seen(Reel(FakeTape(bar_model, np.zeros(1))))
    assert len(np.unique(single, axis=0)) == len(surface)


def test_the_breadth_is_level_and_as_far_as_the_model_reaches(bar_model: Model) -> None:
    across = breadth(bar_model, bar_model.mesh.X)
    assert across[2] == 0.0
    length = np.linalg.norm(across)
    assert length == pytest.approx(np.ptp(bar_model.mesh.X @ (across / length)))
    assert 0.06 < length < 0.09


def test_the_panel_is_put_beside_the_picture(page: Visited) -> None:
    dock(page)
