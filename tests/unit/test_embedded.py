"""Points in bellies and around them follow their tets."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.bellies.embedded import Embedded
from vastus.bellies.law import MotorUnit
from vastus.bellies.shapes import Loft, diamond, tube

UNIT = MotorUnit("biceps", 400.0, 0.24)


@pytest.mark.parametrize(
    "belly", [diamond(UNIT, width=0.036), tube(UNIT, width=0.04, loft=Loft(slabs=4))],
    ids=["diamond", "tube"],
)  # fmt: skip
def test_an_affine_map_of_a_belly_is_one_of_its_points(belly) -> None:
    rng = np.random.default_rng(0)
    points = rng.uniform([-0.05, -0.05, -0.05], [0.29, 0.05, 0.05], (300, 3))
    embedded = Embedded.of(belly.mesh, points)
    assert (embedded.weights.min(axis=1) < -1e-6).sum() > 50, "none would lie outside"
    assert embedded.at(belly.mesh.X) == pytest.approx(points, abs=1e-12)
    A, b = np.eye(3) + 0.3 * rng.standard_normal((3, 3)), np.array([0.1, -0.2, 0.3])
    assert embedded.at(belly.mesh.X @ A.T + b) == pytest.approx(points @ A.T + b, abs=1e-12)


def test_points_outside_go_with_the_nearest_tet() -> None:
    belly = diamond(UNIT, width=0.036)
    mesh, beyond = belly.mesh, np.array([[0.3, 0.0, 0.0], [-0.1, 0.001, 0.0]])
    embedded = Embedded.of(mesh, beyond)
    assert 9 in embedded.corners[0], "the tip of the unit"
    assert 0 in embedded.corners[1], "the common tip"
    x = mesh.X.copy()
    x[9, 0] += 0.01
    moved = embedded.at(x)
    assert np.isfinite(moved).all()
    assert moved[0, 0] > 0.31
    assert moved[1] == pytest.approx(beyond[1])
