"""The experiments of flesh in the paper on the upper body, on small shapes and made-up findings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("igl", reason="surfaces are enclosed by libigl")
pytest.importorskip("mujoco", reason="the body is placed by MuJoCo")

from vastus.energies.flesh.mixture import Tissue
from vastus.geometry.lattice.coarsening import coarsen
from vastus.geometry.lattice.cutting import cut
from vastus.geometry.surface import Surface
from vastus.reproduce.experiment import Agreement
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.tissue import dance, fig8, fig9, fig10, fig11, fig14, timing
from vastus.reproduce.upper_body.tissue.flesh import upper_solver
from vastus.reproduce.upper_body.tissue.held import flexed_frame


def test_fingers_nearer_than_a_spacing_stay_apart() -> None:
    lattice = cut(fig9.fingers(0.002), paper.SPACING)
    assert fig9.pieces_of(lattice) == 2
    # As one finger, if they overlap.
    assert fig9.pieces_of(cut(fig9.fingers(-0.004), paper.SPACING)) == 1


def test_the_cut_agrees_only_if_all_fingers_are_apart() -> None:
    found = fig9.Cutting(1000, 4, 2, 0.0401, 0.04, dict.fromkeys(fig9.GAPS, 2))
    assert fig9.agreement(found) is Agreement.YES
    grown = replace(found, pieces={**found.pieces, 0.001: 1})
    assert fig9.agreement(grown) is Agreement.PARTLY


def test_a_covering_lattice_fills_its_box() -> None:
    mesh = fig9.covering(np.zeros(3), np.full(3, 0.04), 0.01)
    assert mesh.n_tets == 12 * 4**3
    np.testing.assert_allclose(mesh.volumes, 0.01**3 / 12, rtol=1e-9)


def test_hanging_nodes_keep_linear_fields() -> None:
    lattice = cut(fig9.fingers(-0.004), 0.0025)
    coarse = coarsen(lattice, 2)
    found = fig10.graded(coarsen(lattice, 0), coarse)
    assert found.hanging > 0
    assert found.tets < found.uniform == len(lattice.nodes)
    assert found.missed < 1e-12
    assert fig10.agreement(replace(found, uniform=20 * found.tets)) is Agreement.YES
    assert fig10.agreement(replace(found, uniform=2 * found.tets)) is Agreement.PARTLY


def test_triangles_are_measured_by_side_and_height() -> None:
    high = np.sqrt(3) / 2
    even = Surface(np.array([[0.0, 0, 0], [1, 0, 0], [0.5, high, 0]]), np.array([[0, 1, 2]]))
    assert fig8.quality(even).aspect[0] == pytest.approx(1 / high)
    sliver = Surface(np.array([[0.0, 0, 0], [1, 0, 0], [0.5, 0.01, 0]]), np.array([[0, 1, 2]]))
    assert fig8.quality(sliver).aspect[0] == pytest.approx(100.0)
    good, bad = fig8.quality(even), fig8.quality(sliver)
    assert fig8.agreement(good, bad) is Agreement.YES
    assert fig8.agreement(bad, good) is Agreement.NO


def test_points_are_spread_evenly_in_a_tet() -> None:
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    X = fig11.scattered(corners, 20_000, np.random.default_rng(0))
    assert X.min() >= 0
    assert X.sum(axis=1).max() <= 1 + 1e-12
    # A tet cut at half its height has an eighth of the volume above.
    assert np.mean(X[:, 2] > 0.5) == pytest.approx(0.125, abs=0.01)


def test_shares_agree_if_points_do_and_volume_is_kept() -> None:
    share = np.linspace(0.1, 0.9, 9)
    found = fig11.Densities(share, share, np.zeros(9, int), 1000, 9, np.ones((2, 2)), 10, 0)
    assert fig11.agreement(found) is Agreement.YES
    other = replace(found, by_points=share - 0.1, level=np.arange(9) % 2)
    assert other.apart_at(True) == pytest.approx(0.1)
    assert fig11.agreement(other) is Agreement.PARTLY


def test_coactivation_agrees_if_skin_bulges_and_joints_are_stiffer() -> None:
    stiffer = dict.fromkeys(fig14.JOINTS, (1.0, 2.0))
    bulge = dict.fromkeys(fig14.OVER, 0.002)
    found = fig14.Tensed(stiffer, stiffer, bulge, bulge, 0.0, fig14.shear(Tissue()))
    assert fig14.agreement(found) is Agreement.YES
    flat = replace(found, bulge=dict.fromkeys(fig14.OVER, 0.0002))
    assert fig14.agreement(flat) is Agreement.PARTLY
    assert "8 kPa in shear" in fig14.sentence(found)
    assert "160 kPa of the paper" in fig14.sentence(found)


@pytest.mark.slow
def test_a_biceps_that_lifts_bulges_by_millimetres_with_coactivation() -> None:
    """With 2 kg in each hand, elbows at 90 degrees, in a lattice of 9 mm."""
    solver = upper_solver(0.009)
    frames = [flexed_frame(0.009, level, 2.0) for level in (0.0, fig14.LEVEL)]
    for report in (frame.report for frame in frames):
        assert report is not None
        assert report.converged
        assert report.inverted == 0
        assert report.volume == pytest.approx(1.0, abs=0.05)
    moved = fig14.outward(solver, *frames)
    assert fig14.over(solver, frames[0], "biceps", moved) > 3e-3


def test_the_dance_agrees_if_the_side_that_contracts_bulges() -> None:
    beats = {name: dance.Beat(0.0, 0.0, 0.1) for name in dance.BEATS}
    beats["left"], beats["right"] = dance.Beat(0.003, 0.0, 0.1), dance.Beat(0.0, 0.003, 0.1)
    beats["both"] = dance.Beat(0.003, 0.003, 0.1)
    assert dance.agreement(beats) is Agreement.YES
    swapped = {**beats, "left": beats["right"]}
    assert dance.agreement(swapped) is Agreement.PARTLY


def test_frames_are_compared_by_the_number_of_tets() -> None:
    found = timing.Costs(np.array([2.0, 4.0]), np.array([3.0, 4.0]), paper.TETS // 10, 1.5)
    assert found.of_paper == pytest.approx(30.0, rel=1e-4)
    assert timing.agreement(found) is Agreement.YES
    assert timing.agreement(replace(found, tets=paper.TETS // 100)) is Agreement.PARTLY
