"""How well a muscle's fibres run, and the lines that tell."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.checks import check
from vastus.geometry.tetmesh import TetMesh
from vastus.model import Model
from vastus.modelling.fibres.quality import FibreQuality, fibre_quality
from vastus.modelling.fibres.streamlines import streamlines
from vastus.modelling.shapes.elbow import elbow
from vastus.modelling.shapes.simple import bar, bipennate, box, fusiform
from vastus.numerics.types import Floats

BLOCK = box((12, 4, 4), (0.3, 0.1, 0.1))


def along(model: Model, direction: Floats | list[float]) -> Model:
    """The model with the same direction in all its fibres."""
    unit = np.array(direction) / np.linalg.norm(direction)
    return model.with_(fibre=np.where(model.fibre.any(axis=1)[:, None], unit, 0.0))


def test_lines_along_a_box_are_straight_and_arrive() -> None:
    x = BLOCK.X[:, 0]
    field = np.tile([1.0, 0, 0], (BLOCK.n_tets, 1))
    seeds = np.flatnonzero(BLOCK.centroids[:, 0] < 0.025)
    lines = streamlines(BLOCK, field, seeds, np.flatnonzero(x == x.max()))
    assert lines.arrived.all()
    assert np.ptp(lines.points[:, :, 1:], axis=0).max() < 1e-12
    # Within an edge of the goal, which is at most the diagonal of a cell's face.
    assert lines.points[-1, :, 0].min() >= 0.3 - 0.025


def test_lines_that_leave_at_the_side_do_not_arrive() -> None:
    x = BLOCK.X[:, 0]
    field = np.tile([0.8, 0.6, 0], (BLOCK.n_tets, 1))
    seeds = np.flatnonzero(BLOCK.centroids[:, 0] < 0.025)
    lines = streamlines(BLOCK, field, seeds, np.flatnonzero(x == x.max()))
    assert not lines.arrived.any()


@pytest.mark.parametrize("cells", [12, 24])
def test_lines_in_a_bent_bar_are_circles(cells: int) -> None:
    """Over a quarter of a turn they keep their radius within half a cell."""
    straight = box((cells, cells // 3, cells // 3), (0.3, 0.1, 0.1))
    angle, radius = straight.X[:, 0] * np.pi / 0.6, 0.2 + straight.X[:, 1]
    X = np.column_stack([radius * np.sin(angle), radius * np.cos(angle), straight.X[:, 2]])
    mesh = TetMesh(X, straight.T).oriented()
    x, y, _ = mesh.centroids.T
    tangent = np.column_stack([y, -x, np.zeros_like(x)]) / np.hypot(x, y)[:, None]
    inner = np.abs(np.hypot(x, y) - 0.2) < 0.025
    seeds = np.flatnonzero((straight.centroids[:, 0] < 0.3 / cells) & inner)
    lines = streamlines(mesh, tangent, seeds, np.flatnonzero(straight.X[:, 0] > 0.29))
    assert lines.arrived.all()
    assert np.ptp(np.hypot(*lines.points[:, :, :2].T), axis=1).max() < 0.5 * 0.3 / cells


@pytest.mark.parametrize("make", [fusiform, bipennate, elbow])
def test_procedural_muscles_are_good(make: type) -> None:
    model = make(tets=12_000)
    for muscle in model.muscles:
        found = fibre_quality(model, muscle.name)
        assert found.bare == 0
        assert found.stray < 0.01
        assert found.off_line is not None
        assert found.off_line < 0.01
        assert found.arriving > 0.9 * found.lines > 0


def test_fibres_have_no_sense(bar_model: Model) -> None:
    signs = np.random.default_rng(3).choice([-1, 1], len(bar_model.fibre))
    scattered = bar_model.with_(fibre=bar_model.fibre * signs[:, None])
    assert fibre_quality(scattered, "belly") == fibre_quality(bar_model, "belly")
    assert check(scattered) == []


def test_fibres_across_a_muscle_are_found(bar_model: Model) -> None:
    across = along(bar_model, [0, 0, 1])
    found = fibre_quality(across, "belly")
    assert found.stray == 0
    assert found.off_line == 1
    assert found.arriving == 0
    assert "off the way from end to end in 100%" in " ".join(map(str, check(across)))


def test_fibres_that_lead_nowhere_are_found(bar_model: Model) -> None:
    slanting = along(bar_model, [1, 0, 0.8])
    found = fibre_quality(slanting, "belly")
    assert (found.stray, found.off_line) == (0, 0)
    assert found.arriving == 0
    assert "lead nowhere: 0 of 15 lines arrive" in " ".join(map(str, check(slanting)))


def test_tets_without_a_direction_are_counted(bar_model: Model) -> None:
    fibre = bar_model.fibre.copy()
    bare = bar_model.tets_of(["origin"])
    fibre[bare] = 0
    found = fibre_quality(bar_model.with_(fibre=fibre), "belly")
    assert (found.bare, found.tets) == (len(bare), int((bar_model.muscle_of_tet == 0).sum()))
    assert found.stray == pytest.approx(len(bare) / found.tets)  # all tets are of one size


def test_a_muscle_held_at_one_end_has_no_way_to_run() -> None:
    model = bar(tets=1000)
    found = fibre_quality(model, "bar")
    assert (found.off_line, found.lines) == (None, 0)


def test_the_quality_is_a_sentence() -> None:
    good = FibreQuality("biceps", 100, 0, 0.003, 0.02, 50, 49)
    assert str(good) == (
        "fibres of 'biceps': 0.3% of the volume off its surroundings, "
        "2.0% off the way from end to end, 49 of 50 lines arrive"
    )
    assert "none in 7 tets among 100" in str(FibreQuality("biceps", 100, 7, 0.1, None, 0, 0))
