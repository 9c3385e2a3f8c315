"""Rings and wraps: where they are nearest, which way they pull, and what models say of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import vastus
from builders import hinge, pair
from vastus.errors import ModelError
from vastus.files.model_file import load_model
from vastus.model import Model
from vastus.modelling.lines.line_arms import around_length
from vastus.skeleton.guides import Ring, Wrap, nearest, weights

POINT = np.array([0.052, 0.004, -0.003])
NOTHING = np.zeros((0, 0), np.int64)


def arc() -> np.ndarray:
    """(9, 3) points of a gentle arc."""
    s = np.linspace(0.0, 0.1, 9)
    return np.column_stack([s, 4.0 * s * (0.1 - s), 0.1 * s])


def ring(**fields: object) -> Ring:
    return replace(Ring("r", "m", "B", NOTHING, POINT, 1e4), **fields)


def test_the_nearest_place_of_a_line_is_where_the_way_there_is_across_it() -> None:
    y = arc()
    k, u = nearest(y, POINT)
    b, slope, _ = weights(u)
    away = b @ y[k : k + 4] - POINT
    others = [
        np.linalg.norm(weights(v)[0] @ y[j : j + 4] - POINT)
        for j in range(6)
        for v in np.linspace(0, 1, 30)
    ]
    assert np.linalg.norm(away) <= min(others)
    assert abs(away @ (slope @ y[k : k + 4])) < 1e-15


def test_a_ring_does_not_pull_along_the_muscle() -> None:
    """Sliding the whole line along itself costs nothing; moving it across does."""
    y = arc()
    pull = ring().pull(y)
    k, u = nearest(y, POINT)
    tangent = weights(u)[1] @ y[k : k + 4]
    total = pull.slope.sum(axis=0)
    assert np.linalg.norm(total) > 10
    assert abs(total @ tangent) < 1e-9 * np.linalg.norm(total) * np.linalg.norm(tangent)
    along = y + 5e-3 * np.array([1.0, 0.0, 0.0])
    across = y + 5e-3 * np.array([0.0, 0.0, 1.0])
    straight = np.column_stack([y[:, 0], 0 * y[:, 1:]])
    assert ring().pull(straight + along - y).value == pytest.approx(ring().pull(straight).value)
    assert ring().pull(across).value > 2 * pull.value


def test_a_wrap_pushes_what_is_inside_straight_out() -> None:
    y = np.array([[0.01, 0.0, 0.3], [0.0, 0.03, -0.2], [0.0, -0.019, 0.0], [0.5, 0.5, 0.5]])
    axis, reach = np.array([0.0, 0.0, 1.0]), np.array([0.02, 0.02, 0.019, 0.02])
    wrap = Wrap("w", "m", "B", NOTHING, np.zeros(3), 1e4, axis, reach)
    pull = wrap.pull(y)
    assert pull.rows.tolist() == [0]
    np.testing.assert_allclose(pull.slope, [[-1e4 * 0.01, 0.0, 0.0]], atol=1e-12)
    assert pull.value == pytest.approx(0.5 * 1e4 * 0.01**2)


def test_a_string_around_a_cylinder_has_the_length_of_the_closed_form() -> None:
    """Two tangents and an arc; a climb along the axis unrolls to a straight line."""
    axis, side, r = np.array([0.0, 0.0, 1.0]), np.array([-1.0, 0.0, 0.0]), 0.02
    a, b = np.array([0.0, 0.1, 0.0]), np.array([0.0, -0.1, 0.05])
    flat = 2 * np.sqrt(0.1**2 - r**2) + r * (np.pi - 2 * np.arccos(r / 0.1))
    found = around_length(a, b, axis, side, r)
    assert found == pytest.approx(np.hypot(flat, 0.05), rel=1e-12)
    shift = np.array([0.05, 0.0, 0.0])
    free = around_length(a - shift, b - shift, axis, side, r)
    assert free == pytest.approx(np.linalg.norm(b - a))
    behind = around_length(a + shift, b + shift, axis, side, r)
    assert behind > free + 0.04


def test_a_string_around_a_sphere_runs_on_the_side_that_is_asked_for() -> None:
    a, b = np.array([0.01, 0.1, 0.0]), np.array([0.01, -0.1, 0.0])
    ahead, back = (
        around_length(a, b, np.zeros(3), np.array([x, 0.0, 0.0]), 0.02) for x in (1.0, -1.0)
    )
    assert np.linalg.norm(b - a) < ahead < back


def guided(**fields: object) -> Model:
    model = pair(hinge())
    soft = np.flatnonzero(model.bone_of_vertex < 0)
    sections = soft[: 4 * (len(soft) // 4)].reshape(4, -1)
    return model.with_(guides=(ring(sections=sections, **fields),))


def test_a_saved_model_has_its_guides(tmp_path: Path) -> None:
    model = guided()
    axis, reach = np.array([0.0, 1.0, 0.0]), np.full(4, 0.01)
    around = Wrap("w", "m", "A", model.guides[0].sections, POINT, 1e4, axis, reach)
    model = model.with_(guides=(*model.guides, around))
    vastus.save(tmp_path / "m.npz", model)
    found = load_model(tmp_path / "m.npz")
    assert found.digest == model.digest
    assert [type(guide) for guide in found.guides] == [Ring, Wrap]
    np.testing.assert_array_equal(found.guides[1].reach, reach)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"bone": "C"}, "no bone 'C'"),
        ({"muscle": "n"}, "no muscle 'n'"),
        ({"stiffness": 0.0}, "stiffness of 0.0 N/m"),
        ({"point": np.zeros(2)}, "'point' of guide 'r' has shape"),
    ],
)
def test_a_guide_that_cannot_be_is_refused(fields: dict[str, object], sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        guided(**fields)


def test_a_guide_needs_cross_sections_that_exist() -> None:
    model = guided()
    guide = model.guides[0]
    with pytest.raises(ModelError, match="fewer than four cross-sections"):
        model.with_(guides=(replace(guide, sections=guide.sections[:3]),))
    with pytest.raises(ModelError, match="names vertex"):
        model.with_(guides=(replace(guide, sections=guide.sections + 10_000),))
