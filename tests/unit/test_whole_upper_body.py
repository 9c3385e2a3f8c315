"""The whole upper body: its table adds up, its lines are those of the paper, left is right."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls

from upper import crude, quick_body
from vastus.bodies.paths import moment_arms
from vastus.bodies.upper import FINE_CAGE, joint_table, totals, whole_upper_body, write_mjcf
from vastus.bodies.upper.assembly import LINE_ROWS
from vastus.bodies.upper.lines import lines_of
from vastus.errors import ModelError
from vastus.modelling.trunk.landmarks import SIDES, Landmarks
from vastus.modelling.trunk.proportions import proportions
from vastus.numerics.types import Floats

mujoco: Any = pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

# Table 1 of Lee, Sifakis and Terzopoulos (2009): muscles of both sides, of the arm those of one.
TABLE = {
    "neck": {
        "iliocostalis_thoracis": 2, "interspinalis": 12, "intertransversi": 28, "rotatores": 10,
        "semispinalis_thoracis": 4, "trapezius": 4, "masseter": 2, "iliocostalis_cervicis": 10,
        "longissimus_capitis": 16, "longissimus_cervicis": 10, "semispinalis_cervicis": 12,
        "splenius_capitis": 10, "semispinalis_capitis": 18, "longus_capitis": 8, "geniohyoid": 2,
        "longus_colli": 14, "obliquus_capitis": 4, "omohyoid": 2, "rectus_capitis_posterior": 4,
        "rectus_capitis_anterior": 2, "scalenes": 50, "sternocleidomastoid": 4, "sternohyoid": 2,
        "sternothyroid": 2, "stylohyoid": 2, "rectus_capitis_lateralis": 2, "levator_scapulae": 16,
        "multifidus": 36, "mylohyoid": 2, "splenius_cervicis": 8, "rhomboid_minor": 2,
    },
    "trunk": {
        "obliques": 22, "rectus_abdominis": 6, "iliocostalis_lumborum": 24,
        "iliocostalis_thoracis": 18, "interspinalis": 14, "intertransversi": 34, "multifidus": 116,
        "rotatores": 30, "semispinalis_thoracis": 8, "spinalis_thoracis": 16, "trapezius": 10,
        "external_intercostal": 20, "pectoralis_minor": 6, "serratus_anterior": 16,
        "rhomboid_major": 2, "quadratus_lumborum": 10, "subclavius": 2, "iliocostalis_cervicis": 2,
        "longissimus_thoracis": 48, "serratus_posterior_inferior": 8, "internal_intercostal": 20,
    },
    "arm": {
        "pectoralis_major": 6, "latissimus_dorsi": 7, "biceps_brachii": 2, "brachioradialis": 1,
        "brachialis": 1, "coracobrachialis": 1, "triceps_brachii": 3, "infraspinatus": 1,
        "deltoid": 3, "supraspinatus": 1, "teres_major": 1, "extensor_carpi_radialis_brevis": 1,
        "extensor_carpi_radialis_longus": 1, "extensor_carpi_ulnaris": 1, "supinator": 1,
        "flexor_carpi_ulnaris": 1, "flexor_digitorum_superficialis": 4, "palmaris_longus": 1,
        "pronator_quadratus": 1, "pronator_teres": 2, "extensor_pollicis_longus": 1,
    },
}  # fmt: skip
FLIP = np.array([-1.0, 1.0, 1.0])


def test_the_table_adds_up_to_68_bodies_and_147_degrees_of_freedom() -> None:
    sums = totals(joint_table())
    assert (sums.bodies, sums.dofs, sums.trunk) == (68, 147, 133)
    assert (sums.driven, sums.passive) == (116, 31)  # the thyroid cartilage with sternum and ties


def test_a_finer_cage_is_another_value() -> None:
    assert totals(joint_table(FINE_CAGE)).dofs == 165


@pytest.mark.parametrize("cage", [[[2], [3], [5, 6, 7, 8, 9, 10]], [[2, 2], [3]], []])
def test_a_cage_that_does_not_add_up_is_refused(cage: list[list[int]]) -> None:
    with pytest.raises(ModelError, match="do not add up: the ribs 2 to 10"):
        joint_table(cage)


def test_rows_and_lines_are_those_of_the_paper() -> None:
    lines = lines_of(LINE_ROWS, proportions())
    assert len(LINE_ROWS) == 73
    assert len(lines) == len({line.name for line in lines}) == 814
    found = Counter((line.region, line.group) for line in lines)
    sides = {"neck": 1, "trunk": 1, "arm": 2}
    wanted = {(r, g): sides[r] * n for r, groups in TABLE.items() for g, n in groups.items()}
    assert found == wanted


def test_a_rule_with_too_few_lines_is_refused() -> None:
    row = replace(LINE_ROWS[1], count=14)
    with pytest.raises(ModelError, match=r"interspinalis .* gives 6 lines a side; .* has 7"):
        lines_of([row], proportions())


def test_left_is_the_mirror_image_of_right() -> None:
    lines = lines_of(LINE_ROWS, proportions())
    by_name = {line.name: line for line in lines}
    for line in lines:
        if line.side == "L":
            twin = by_name[line.name.replace("_L", "_R")]
            assert line.area == pytest.approx(twin.area, rel=1e-12)
            for a, b in zip(line.path, twin.path, strict=True):
                np.testing.assert_allclose(a.point, b.point * FLIP, atol=1e-15)


def test_a_missing_rib_is_named() -> None:
    marks = proportions()
    ribs = {key: rib for key, rib in marks.ribs.items() if key != (3, "L")}
    with pytest.raises(ModelError, match="the landmarks have no rib 3 of side L"):
        Landmarks(marks.vertebrae, ribs, marks.cartilages, marks.points)


def test_rib_axes_turn_from_pump_to_bucket_handle() -> None:
    """Angles to the side in the transverse plane grow with the rib's number; all raise the tip."""
    ribs = [proportions().ribs[k, "L"] for k in range(1, 11)]
    angle = [np.degrees(np.arctan2(abs(rib.axis[1]), abs(rib.axis[0]))) for rib in ribs]
    np.testing.assert_allclose(angle, [25, 42, 49, 52, 51, 50, 51, 52, 57, 59], atol=1.0)
    for rib in ribs:
        assert np.cross(rib.axis, rib.tip - rib.head)[2] > 0


def test_the_model_has_hinges_and_slides_only_and_a_line_for_each_unit() -> None:
    body = quick_body()
    model: Any = body.model
    assert (model.nq, model.nv, model.nbody - 1, model.ntendon) == (147, 147, 68, 814)
    assert [model.tendon(i).name for i in range(814)] == list(body.names)
    assert body.driven.sum() == 116
    assert body.stiffness.shape == body.damping.shape == (147,)
    rest = np.array(body.data().ten_length)
    np.testing.assert_allclose(rest, [line.length for line in body.lines], atol=1e-15)
    trunk = np.array([line.region != "arm" for line in body.lines])
    np.testing.assert_allclose(body.optimal[trunk], 1.05 * rest[trunk])
    assert (body.optimal > 1.0499 * rest).all()
    assert len(body.ties.first) == 60


def test_masses_are_mirrored_and_passive_cartilage_carries_little() -> None:
    body = quick_body()
    model: Any = body.model
    for row in body.rows:
        if row.name.endswith("L") and row.name != "L":
            left, right = model.body(row.name), model.body(row.name[:-1] + "R")
            assert left.mass[0] == pytest.approx(right.mass[0], rel=1e-12)
            np.testing.assert_allclose(left.ipos, right.ipos * FLIP, atol=1e-12)
    assert model.body("cart5_10L").mass[0] < 1.0


def test_moment_arms_are_the_slopes_of_lengths() -> None:
    """-dL/dq by central differences in a pose off rest."""
    body = quick_body()
    q = 0.05 * np.random.default_rng(0).standard_normal(147)
    arms, step, error = moment_arms(body, body.data(q)), 1e-6, 0.0
    data: Any = body.data(q)
    for j in range(147):
        lengths = []
        for sign in (1.0, -1.0):
            data.qpos[:] = q
            data.qpos[j] += sign * step
            mujoco.mj_kinematics(body.model, data)
            mujoco.mj_comPos(body.model, data)
            mujoco.mj_tendon(body.model, data)
            lengths.append(np.array(data.ten_length))
        error = max(error, np.abs((lengths[1] - lengths[0]) / (2 * step) - arms[:, j]).max())
    assert error < 1e-8


def test_muscles_reach_every_driven_degree_of_freedom() -> None:
    body = quick_body()
    P = moment_arms(body, body.data()).T[body.driven]
    assert np.linalg.matrix_rank(P) == 116


@pytest.mark.slow
def test_no_unit_torque_is_out_of_reach() -> None:
    body = quick_body()
    P = moment_arms(body, body.data()).T[body.driven]
    for torque in np.concatenate([np.eye(116), -np.eye(116)]):
        assert nnls(100 * P, torque, maxiter=20000)[1] < 1e-6


def raising(group: str, side: str) -> Floats:
    """(10,) moment arms [mm] that raise both ribs of each space."""
    body = quick_body()
    arms = moment_arms(body, body.data())
    found = np.zeros(10)
    for space in range(1, 11):
        unit = body.names.index(f"{group}_intercostal_{side}{space}")
        for rib in (f"rib{space}{side}", f"rib{space + 1}{side}"):
            if rib in body.dof_names:
                found[space - 1] += 1e3 * arms[unit, body.dof_names.index(rib)]
    return found


@pytest.mark.parametrize("side", SIDES)
def test_hamberger_external_intercostals_raise_and_internal_ones_lower(side: str) -> None:
    external, internal = raising("external", side), raising("internal", side)
    assert (external[1:8] > 0).all()
    assert (internal[3:9] < 0).all()
    assert external.sum() == pytest.approx(74, abs=15)
    assert internal.sum() == pytest.approx(-270, abs=40)


@pytest.mark.parametrize(
    ("line", "joint", "sign"),
    [
        ("biceps_brachii_L0", "elbowL", 1), ("triceps_brachii_L0", "elbowL", -1),
        ("brachialis_R0", "elbowR", 1), ("supinator_L0", "forearmL", 1),
        ("pronator_teres_L0", "forearmL", -1), ("pronator_quadratus_R0", "forearmR", -1),
        ("flexor_carpi_ulnaris_L0", "wristL_flex", 1),
        ("extensor_carpi_radialis_longus_L0", "wristL_flex", -1),
        ("deltoid_L1", "shoulderL_abd", 1), ("pectoralis_major_L3", "shoulderL_flex", 1),
        ("latissimus_dorsi_L3", "shoulderL_flex", -1), ("infraspinatus_R0", "shoulderR_rot", 1),
        ("masseter_L0", "jaw", -1), ("sternohyoid_L0", "hyoid_lift", -1),
        ("rectus_abdominis_L1", "L3_flex", 1), ("longissimus_thoracis_L19", "L3_flex", -1),
        ("splenius_capitis_L2", "skull_turn", 1), ("semispinalis_capitis_L4", "skull_flex", -1),
        ("trapezius_L2", "clavicleL_elev", 1), ("serratus_anterior_L5", "clavicleL_prot", 1),
    ],
)  # fmt: skip
def test_lines_turn_joints_as_in_anatomy(line: str, joint: str, sign: int) -> None:
    body = quick_body()
    arms = moment_arms(body, body.data())
    assert sign * arms[body.names.index(line), body.dof_names.index(joint)] > 1e-4


@pytest.mark.slow
def test_areas_and_parameters_scale_the_units() -> None:
    strong = whole_upper_body(crude(), stress=1e6, slack=1.1, tie_stiffness=5000.0)
    body = quick_body()
    np.testing.assert_allclose(strong.forces, 2 * body.forces)
    np.testing.assert_allclose(strong.optimal, body.optimal * 1.1 / 1.05)
    assert set(strong.ties.stiffness) == {5000.0}


def test_a_slack_of_nothing_is_refused() -> None:
    with pytest.raises(ModelError, match=r"slack 0\.0 of the upper body: it must be above zero"):
        whole_upper_body(crude(), slack=0.0)


def test_intercostal_muscles_are_as_large_as_their_thickness_says() -> None:
    areas = {line.name: 1e4 * line.area for line in lines_of(LINE_ROWS, proportions())}
    external = [areas[f"external_intercostal_L{k}"] for k in range(1, 11)]
    assert 2.5 < min(external) < max(external) < 9.0


def test_the_written_model_is_the_same(tmp_path: Path) -> None:
    body = quick_body()
    path = write_mjcf(body, tmp_path / "upper_body.xml")
    again: Any = mujoco.MjModel.from_xml_path(str(path))
    assert (again.nq, again.nv, again.ntendon, again.nmesh) == (147, 147, 814, body.model.nmesh)
    data: Any = mujoco.MjData(again)
    mujoco.mj_forward(again, data)
    assert not data.warning.number.any()
    np.testing.assert_allclose(data.ten_length, body.data().ten_length, atol=1e-6)
