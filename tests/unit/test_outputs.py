"""Outputs and fields of states that can be written down by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from builders import WEIGHTLESS, box, carve, ladder, solve
from vastus.errors import ModelError
from vastus.measure.fields import Fields
from vastus.measure.outputs import Outputs
from vastus.measure.resultants import fused
from vastus.model import Model
from vastus.numerics.rotation import exp_map
from vastus.parts import Bone, Drive, Tissue
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
    assert out["belly_share"] == pytest.approx(1.0)
    for section in range(1, 9):
        assert out[f"belly_section_{section}_N"] == pytest.approx(0.5 * 1e5 * 0.02 * 0.02)
    assert out["belly_force_N"] == pytest.approx(0.5 * 1e5 * 0.02 * 0.02)


@pytest.mark.parametrize("turn", [0.0, 2.0])
def test_fibres_never_push_and_bones_feel_what_the_tissue_does(
    bar_model: Model, turn: float
) -> None:
    """The matrix of a compressed bar pushes its bones apart, which is no force of its fibres."""
    R = exp_map(np.array([0.3, turn, -0.2]))
    for stretch, sign in ((1.2, -1.0), (0.8, 1.0)):
        state = stretched(bar_model, (stretch, 1.0, 1.0))
        out = Outputs(bar_model).of(replace(state, x=state.x @ R.T))
        assert out["belly_force_N"] == 0.0
        force = np.array([out[f"belly_on_tip_{axis}_N"] for axis in "xyz"])
        assert sign * (force @ R[:, 0]) > 1.0
        assert out["belly_on_tip_N"] == pytest.approx(np.linalg.norm(force))


def test_what_a_muscle_does_to_its_two_bones_cancels(bar_model: Model) -> None:
    """The same stress in the layers at both ends: equal and opposite forces at their middles."""
    out = Outputs(bar_model).of(stretched(bar_model, (1.1, 1.0, 1.0), activation=0.5))
    for axis in "xyz":
        one, other = (out[f"belly_on_{bone}_{axis}_N"] for bone in ("base", "tip"))
        assert one == pytest.approx(-other, abs=1e-9)
    assert [out[f"belly_on_tip_at_{axis}_m"] for axis in "xyz"] == pytest.approx(
        [0.077, 0.01, 0.01]
    )


def test_names_that_would_make_two_columns_alike_are_refused(bar_model: Model) -> None:
    bones = (Bone("tip_x", ("base",), Drive.PINNED), bar_model.bones[1])
    with pytest.raises(ModelError, match="two columns would be called 'belly_on_tip_x_N'"):
        Outputs(bar_model.with_(bones=bones)).of(rest(bar_model))


def test_the_force_of_a_muscle_between_pinned_bones_is_still_told(bar_model: Model) -> None:
    tip = bar_model.bones[1]
    held = bar_model.with_(bones=(bar_model.bones[0], type(tip)("tip", ("tip",), Drive.PINNED)))
    states = [stretched(m, (1.1, 1.0, 1.0), activation=0.5) for m in (bar_model, held)]
    rows = [Outputs(m).of(s) for m, s in zip((bar_model, held), states, strict=True)]
    assert rows[0]["belly_force_N"] > 1.0
    assert rows[1] == pytest.approx(rows[0], nan_ok=True)


def test_lengths_add_up_from_tip_to_tip(bar_model: Model) -> None:
    out = Outputs(bar_model).of(stretched(bar_model, (1.2, 0.9, 0.9)))
    parts = [out[f"belly_{part}_m"] for part in ("origin_tendon", "belly", "insertion_tendon")]
    assert sum(parts) == pytest.approx(out["belly_length_m"])
    assert parts == pytest.approx([0.012, 0.048, 0.012], rel=0.1)


def test_what_is_held_along_a_bone_counts_in_the_length(bar_model: Model) -> None:
    """The far tendon glued to the pinned base along its way is still part of the muscle."""
    x = bar_model.mesh.X[:, 0]
    glued = np.flatnonzero((x > 0.015) & (x < 0.045))
    tip = bar_model.bones[1]
    model = bar_model.with_(bones=(Bone("base", ("base",), Drive.PINNED, glued), tip))
    assert Outputs(model).of(rest(model))["belly_length_m"] == pytest.approx(0.06, rel=0.05)


def test_work_is_force_times_shortening_between_frames(bar_model: Model) -> None:
    """With tension a T0 A lam of the quadratic law: W = a T0 A L (1 - 0.9^2)/2, in 0.1 s."""
    before = stretched(bar_model, (1.0, 1.0, 1.0), activation=0.5)
    after = replace(stretched(bar_model, (0.9, 1.0, 1.0), activation=0.5), time=0.1)
    out = Outputs(bar_model).of(after, before)
    expected = 0.5 * 1e5 * 0.02 * 0.02 * 0.04 * (1 - 0.9**2) / 2
    assert out["belly_work_J"] == pytest.approx(expected, rel=1e-9)
    assert out["belly_power_W"] == pytest.approx(10 * expected, rel=1e-9)


def test_muscles_that_share_vertices_are_reported_together() -> None:
    model = ladder(gravity=WEIGHTLESS)
    assert fused(model) == []
    names = np.array(["A", "m", "n", "B"])
    mesh = box((4, 2, 2), (0.08, 0.02, 0.02))
    side = carve(mesh, names[np.searchsorted([0.02, 0.04, 0.06], mesh.centroids[:, 0])])
    assert fused(side) == [(0, 1)]
    state, _ = solve(side, m=0.5, n=0.5)
    out = Outputs(side).of(state)
    assert out["m+n_force_N"] == pytest.approx(out["m_force_N"] + out["n_force_N"])
    assert out["m+n_on_A_N"] == out["m_on_A_N"]
    assert not any(name.startswith(("m_section", "m_share")) for name in out)


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
