"""Pictures of bodies that move: nothing of them may leave the picture."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")
pytest.importorskip("pyvista", reason="the extra 'viz' is absent")

from swinging_body import swinging_motion
from vastus.numerics.types import Floats
from vastus.pictures.body_pictures import BodyRenderer

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
