"""Outputs and fields of states that can be written down by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vastus.measure.fields import Fields
from vastus.measure.outputs import Outputs
from vastus.model import Bone, Drive, Model, Tissue
from vastus.numerics.rotation import exp_map
from vastus.skeleton.joints import Ball, Hinge, Weld
from vastus.state import State, rest


def stretched(model: Model, factors: tuple[float, float, float], activation: float = 0.0) -> State:
    """The whole mesh stretched along the axes; the bones' poses stay at rest."""
    still = rest(model)
    levels = np.full(len(model.muscles), activation)
    return replace(still, x=model.mesh.X * factors, activation=levels)


def turned(model: Model, bone: str, w: np.ndarray, about: np.ndarray) -> State:
    """One bone turned by the rotation vector w [rad] about a point."""
    still, R = rest(model), exp_map(w)
    poses = still.poses.copy()
    poses[model.bone(bone)] = np.column_stack([R, about - R @ about])
    return replace(still, poses=poses)


def test_at_rest_nothing_is_stretched_or_pulled(bar_model: Model) -> None:
    out = Outputs(bar_model).of(rest(bar_model))
    assert out["belly_length_m"] == pytest.approx(0.06, rel=0.02)
    assert out["belly_stretch"] == pytest.approx(1.0)
    assert out["belly_force_N"] == pytest.approx(0.0, abs=1e-9)
    assert out["belly_volume_change"] == pytest.approx(0.0, abs=1e-12)
    assert out["min_volume_ratio"] == pytest.approx(1.0)
    assert out["bone_strain"] == out["inverted"] == 0.0


def test_a_stretch_scales_length_fibres_and_volume(bar_model: Model) -> None:
    out = Outputs(bar_model).of(stretched(bar_model, (1.2, 0.9, 0.9)))
    assert out["belly_length_m"] == pytest.approx(0.06 * 1.2, rel=0.02)
    assert out["belly_stretch"] == pytest.approx(1.2)
    assert out["belly_volume_change"] == pytest.approx(1.2 * 0.81 - 1)
    assert out["min_volume_ratio"] == pytest.approx(1.2 * 0.81)


def test_an_isometric_muscle_pulls_by_its_stress_times_its_area(bar_model: Model) -> None:
    laws = bar_model.regions[2].laws
    whole = bar_model.with_(
        regions=tuple(
            replace(r, tissue=Tissue.MUSCLE, laws=laws) if r.tissue is Tissue.TENDON else r
            for r in bar_model.regions
        )
    )
    out = Outputs(whole).of(stretched(whole, (1.0, 1.0, 1.0), activation=0.5))
    assert out["belly_activation"] == 0.5
    assert out["belly_force_N"] == pytest.approx(0.5 * 1e5 * 0.02 * 0.02)


@pytest.mark.parametrize("turn", [0.0, 2.0])
def test_a_stretched_bar_pulls_and_a_compressed_one_pushes(bar_model: Model, turn: float) -> None:
    forces = []
    for stretch in (1.2, 0.8):
        state = stretched(bar_model, (stretch, 1.0, 1.0))
        R = exp_map(np.array([0.3, turn, -0.2]))
        forces.append(Outputs(bar_model).of(replace(state, x=state.x @ R.T))["belly_force_N"])
    assert forces[0] > 1.0
    assert forces[1] < -1.0


def test_a_muscle_that_moves_two_bones_tells_the_larger_force(bar_model: Model) -> None:
    free = bar_model.with_(bones=tuple(Bone(b.name, b.regions) for b in bar_model.bones))
    state = stretched(free, (1.0, 1.0, 1.0))
    state.x[:, 0] += np.maximum(state.x[:, 0] - 0.06, 0.0) * -0.1
    out = [Outputs(m).of(state)["belly_force_N"] for m in (free, bar_model)]
    assert out[0] == out[1] < -1.0


def test_the_force_of_a_muscle_between_pinned_bones_is_still_told(bar_model: Model) -> None:
    tip = bar_model.bones[1]
    held = bar_model.with_(bones=(bar_model.bones[0], type(tip)("tip", ("tip",), Drive.PINNED)))
    outputs = [Outputs(m).of(stretched(m, (1.1, 1.0, 1.0))) for m in (bar_model, held)]
    assert outputs[0]["belly_force_N"] > 1.0
    assert outputs[1]["belly_force_N"] == pytest.approx(outputs[0]["belly_force_N"])


def test_a_hinge_angle_is_signed_and_its_gap_closed(bar_model: Model) -> None:
    centre, axis = np.array([0.04, 0.0, 0.01]), np.array([0.0, 2.0, 0.0])
    model = bar_model.with_(joints=(Hinge("knee", ("base", "tip"), centre, axis),))
    out = Outputs(model).of(turned(model, "tip", np.array([0.0, -0.3, 0.0]), centre))
    assert out["knee_angle_deg"] == pytest.approx(np.degrees(-0.3))
    assert out["knee_gap_m"] < 1e-15


def test_an_open_joint_has_a_gap(bar_model: Model) -> None:
    centre = np.array([0.04, 0.0, 0.01])
    ties = (Ball("ball", ("base", "tip"), centre), Weld("weld", ("base", "tip"), centre))
    model = bar_model.with_(joints=ties)
    state = rest(model)
    state.poses[1, :, 3] = [0.0, 3e-3, 4e-3]
    out = Outputs(model).of(state)
    assert out["ball_gap_m"] == pytest.approx(5e-3)
    assert out["weld_gap_m"] == pytest.approx(5e-3)
    assert out["weld_angle_deg"] == pytest.approx(0.0, abs=1e-6)


def test_a_stretched_bone_shows_as_strain(bar_model: Model) -> None:
    state = rest(bar_model)
    state.poses[1, 0, 0] = 1.01
    assert Outputs(bar_model).of(state)["bone_strain"] == pytest.approx(1.01**2 - 1)


def test_inverted_tets_are_counted(bar_model: Model) -> None:
    out = Outputs(bar_model).of(stretched(bar_model, (-1.0, 1.0, 1.0)))
    assert out["inverted"] == len(bar_model.soft)


def test_fields_cover_every_tet(bar_model: Model) -> None:
    fields = Fields(bar_model).of(stretched(bar_model, (1.2, 0.9, 0.9), activation=0.5))
    m = bar_model.mesh.n_tets
    muscle = bar_model.region == 2
    assert fields["fibre"].shape == (m, 3)
    assert all(len(values) == m and np.isfinite(values).all() for values in fields.values())
    np.testing.assert_allclose(fields["activation"], np.where(muscle, 0.5, 0.0))
    np.testing.assert_allclose(fields["fibre_stretch"][muscle], 1.2)
    np.testing.assert_allclose(np.linalg.norm(fields["fibre"][muscle], axis=1), 1.0)
    assert (fields["von_mises"][bar_model.region == 0] == 0).all()


def test_von_mises_of_active_tension_at_rest_is_that_tension(bar_model: Model) -> None:
    """With F = I the Cauchy stress is T0 d d^T, whose von Mises stress is T0."""
    fields = Fields(bar_model).of(stretched(bar_model, (1.0, 1.0, 1.0), activation=1.0))
    np.testing.assert_allclose(fields["von_mises"][bar_model.region == 2], 1e5, rtol=1e-9)
