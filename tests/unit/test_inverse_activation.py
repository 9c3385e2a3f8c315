"""Activations for wanted outputs: in few equilibria, least, and told where out of reach."""

from __future__ import annotations

import numpy as np
import pytest

import vastus
from builders import box, carve, hinge, pair
from vastus.control.activations.inverse_equilibrium import inverse_activations
from vastus.errors import ModelError
from vastus.inputs import Inputs

FEW = 8  # equilibria


def side_by_side() -> vastus.Model:
    """Muscles 'm' and 'n', the one a third as wide, both from A to B."""
    mesh = box((8, 4, 2), (0.24, 0.06, 0.03))
    x, y, _ = mesh.centroids.T
    names = np.where(x < 0.06, "A", np.where(x > 0.18, "B", np.where(y < 0.015, "m", "n")))
    return carve(mesh, names, joints=(hinge(),))


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


def test_muscles_that_share_a_joint_settle_in_few_equilibria() -> None:
    """The least effort of two muscles for one output that bends along what leaves it as wanted."""
    model = side_by_side()
    found = vastus.inverse_activation(model, {"AB_angle_deg": 1.0})
    assert found.converged
    assert found.equilibria <= FEW
    J = vastus.derivatives(
        model, found.state, by=[f"inputs.activation.{m.name}" for m in model.muscles],
        of=["AB_angle_deg"],
    ).J  # fmt: skip
    a = np.array(list(found.activations.values()))
    assert (a > 0).all()
    # At the least sum of squares the effort's slope is along that of the output.
    assert a / np.linalg.norm(a) == pytest.approx(-J[0] / np.linalg.norm(J[0]), abs=1e-4)


def test_moments_are_found_one_from_another() -> None:
    model = pair(hinge())
    angles = np.array([2.0, 3.0, 4.0])
    inputs = [Inputs.rest(model, time) for time in (0.0, 0.5, 1.0)]
    rows = inverse_activations(model, {"AB_angle_deg": angles}, inputs)
    assert [row.outputs["AB_angle_deg"] for row in rows] == pytest.approx(angles, abs=1e-6)
    assert max(row.equilibria for row in rows) <= FEW
    alone = vastus.inverse_activation(model, {"AB_angle_deg": 4.0})
    assert rows[-1].activations["m"] == pytest.approx(alone.activations["m"], abs=1e-7)
    with pytest.raises(ModelError, match="3 values are wanted under 2 inputs"):
        inverse_activations(model, {"AB_angle_deg": angles}, inputs[:2])


def test_no_muscle_is_less_active_than_told() -> None:
    found = vastus.inverse_activation(pair(hinge()), {"AB_angle_deg": 0.0}, least=0.05)
    assert found.activations["m"] == pytest.approx(0.05)


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
