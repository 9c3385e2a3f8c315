"""Activations for wanted outputs: in few equilibria, least, and told where out of reach."""

from __future__ import annotations

import numpy as np
import pytest

import vastus
from builders import hinge, pair
from vastus.errors import ModelError

FEW = 8  # equilibria


def test_an_angle_is_reached_in_few_equilibria() -> None:
    found = vastus.inverse_activation(pair(hinge()), {"AB_angle_deg": 4.0})
    assert found.converged
    assert found.equilibria <= FEW
    assert abs(found.missed["AB_angle_deg"]) <= 1e-6
    assert 0 < found.activations["m"] < 1


def test_a_marker_is_brought_to_a_place() -> None:
    model = pair(hinge())
    tip = int(np.argmax(model.mesh.X[:, 0]))
    lowest = vastus.inverse_activation(model, {"AB_angle_deg": 4.0}).state.x[tip, 2]
    found = vastus.inverse_activation(model, {f"vertex_{tip}_z_m": float(lowest)})
    assert found.equilibria <= FEW
    assert found.state.x[tip, 2] == pytest.approx(lowest, abs=1e-6)


def test_what_is_out_of_reach_ends_at_the_bound() -> None:
    found = vastus.inverse_activation(pair(hinge()), {"AB_angle_deg": 170.0})
    assert not found.converged
    assert min(found.activations["m"], 1.0 - found.activations["m"]) < 1e-6
    assert "out of reach: it misses AB_angle_deg by -" in found.sentence
    assert "with m at " in found.sentence


def test_what_cannot_be_wanted_is_refused() -> None:
    model = pair(hinge())
    with pytest.raises(ModelError, match="nothing is wanted"):
        vastus.inverse_activation(model, {})
    with pytest.raises(ModelError, match="no output 'angle'"):
        vastus.inverse_activation(model, {"angle": 3.0})
    with pytest.raises(ModelError, match="no muscle 'n'"):
        vastus.inverse_activation(model, {"AB_angle_deg": 4.0}, muscles=["n"])
    with pytest.raises(ModelError, match="no vertex 99999; the mesh has"):
        vastus.inverse_activation(model, {"vertex_99999_x_m": 0.0})
