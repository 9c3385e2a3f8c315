"""Pictures of bodies that move: nothing of them may leave the picture."""

from __future__ import annotations

import signal
from contextlib import suppress

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")
pytest.importorskip("pyvista", reason="the extra 'viz' is absent")

from swinging_body import swinging_motion
from vastus.numerics.types import Floats
from vastus.pictures.bodies.body_pictures import BodyRenderer
from vastus.pictures.bodies.juggling_pictures import sheet_rows

HEIGHT = 120


def painted(picture: Floats) -> Floats:
    """(height, width) where a picture differs from its background, which is even in each row."""
    background = np.median(picture.astype(float), axis=1, keepdims=True)
    return np.asarray(np.abs(picture - background).max(axis=2) > 40)


def test_a_limb_and_a_ball_stay_in_the_picture_in_all_positions() -> None:
    motion = swinging_motion()
    positions = motion.positions.copy()
    positions[:, 0] = np.linspace(-1.5, 1.5, len(positions))  # straight in the middle
    balls = positions[:, 1:4]
    with BodyRenderer(
        motion.body, positions, HEIGHT, view=(0.0, -1.0, 0.0), points=balls
    ) as renderer:
        for row in (0, len(positions) - 1):
            inked = painted(renderer.picture(positions[row], motion.activations[row]))
            assert inked.any()
            edges = (inked[0], inked[-1], inked[:, 0], inked[:, -1])
            assert not any(edge.any() for edge in edges), f"row {row} touches an edge"


def test_ctrl_c_within_a_picture_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = swinging_motion()

    def swallows(*_: object, **__: object) -> None:
        with suppress(KeyboardInterrupt):  # as the pipeline of VTK does
            signal.raise_signal(signal.SIGINT)

    with BodyRenderer(motion.body, motion.positions, HEIGHT) as renderer:
        monkeypatch.setattr(renderer._plotter, "render", swallows)
        with pytest.raises(KeyboardInterrupt):
            renderer.picture(motion.positions[0], motion.activations[0])


@pytest.mark.parametrize("seconds", [0.5, 1.2, 6.0])
def test_pictures_of_a_sheet_are_of_different_moments(seconds: float) -> None:
    times = np.arange(0.0, seconds, 0.002)
    rows = sheet_rows(times, 6)
    assert len(set(rows)) == 6
    assert np.ptp(times[rows]) == pytest.approx(min(times[-1], 1.0), abs=0.003)
