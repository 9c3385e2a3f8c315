"""Plots beside the timeline: which columns, in which units, and the line at the present time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("viser", reason="the pages need viser")

from builders import hinge, pair
from vastus.app.view.time_plots import MOST, ColumnChoice, Plot, Plots, energies, families
from vastus.model import Model, Muscle
from visited import Visited

TIMES = np.array([0.0, 0.5, 2.0])


@pytest.fixture
def page() -> Iterator[Visited]:
    with Visited() as made:
        yield made


def data(plot: Plot) -> tuple[np.ndarray, ...]:
    return tuple(np.asarray(column) for column in plot._plot.data)


def test_families_have_the_units_of_their_titles() -> None:
    model = pair(hinge())
    table = {
        "AB_angle_deg": np.array([10.0]),
        "m_length_m": np.array([0.12]),
        "m_force_N": np.array([7.0]),
        "m_activation": np.array([0.5]),
    }
    assert families(model, table) == {
        "joint angle [deg]": {"AB": 10.0},
        "muscle length [mm]": {"m": 120.0},
        "muscle force [N]": {"m": 7.0},
    }
    assert families(model, {}) == {title: {} for title in families(model, table)}


def test_energies_of_a_motion_are_plotted_together_in_a_unit_of_their_size() -> None:
    table = {
        "energy_kinetic_J": np.array([0.0, 0.02]),
        "energy_loads_J": np.array([0.0, 0.05]),
        "energy_drag_J": np.zeros(2),
        "energy_balance_error": np.array([0.0, 0.3]),
        "energy_J": np.array([1.0, 2.0]),
    }
    (title, curves), *more = energies(table).items()
    assert (title, list(curves), more) == ("energies and works [mJ]", ["kinetic", "loads"], [])
    np.testing.assert_allclose(curves["loads"], [0.0, 50.0])
    assert families(pair(), table)[title].keys() == curves.keys()
    assert list(energies({"energy_kinetic_J": np.array([3.0])})) == ["energies and works [J]"]
    assert energies({"time_s": TIMES}) == {}


def test_no_more_curves_than_can_be_told_apart() -> None:
    model = pair()
    many = tuple(Muscle(f"m{i}", 1e5) for i in range(30))
    table = {f"m{i}_force_N": TIMES for i in range(30)}
    crowd = type("Crowd", (), {"joints": (), "muscles": (*model.muscles, *many)})
    assert len(families(crowd, table)["muscle force [N]"]) <= MOST  # type: ignore[arg-type]


@pytest.mark.parametrize("time", [-1.0, 0.0, 0.25, 0.5, 1.9, 2.0, 3.0])
def test_the_line_stands_at_the_present_time_and_the_curves_stay(
    page: Visited, time: float
) -> None:
    y = np.array([1.0, 2.0, 4.0])
    plot = Plot(page, "force [N]", TIMES, {"m": y})
    plot.at(time)
    x, curve, line = data(plot)
    assert (np.diff(x) >= 0).all()
    np.testing.assert_allclose(np.interp(TIMES, x, curve), y)
    assert x[np.isfinite(line)].tolist() == [time, time]
    low, high = line[np.isfinite(line)]
    assert low < 1.0
    assert high > 4.0


def test_a_single_frame_is_plotted(page: Visited) -> None:
    plot = Plot(page, "force [N]", np.zeros(1), {"m": np.array([5.0])})
    plot.at(0.0)
    x, curve, line = data(plot)
    assert x.tolist() == [0.0, 0.0, 0.0]
    assert curve.tolist() == [5.0, 5.0, 5.0]
    assert np.isfinite(line).sum() == 2


@pytest.mark.parametrize("value", [0.0, -3.0, 1e-12, 5e9])
def test_a_constant_has_room_around_it(page: Visited, value: float) -> None:
    plot = Plot(page, "force [N]", TIMES, {"m": np.full(3, value)})
    low, high = plot._range
    assert low < value < high


def test_values_that_differ_by_rounding_are_a_constant(page: Visited) -> None:
    """An axis that is shorter than its ticks are apart ends the whole page."""
    values = 120.0 + np.array([0.0, 1e-14, -1e-14])
    low, high = Plot(page, "length [mm]", TIMES, {"m": values})._range
    assert high - low > 1e-3


def test_what_is_no_number_leaves_a_gap_and_the_rest_its_range(page: Visited) -> None:
    curves = {"m": np.array([1.0, np.nan, 2.0]), "n": np.full(3, np.nan)}
    plot = Plot(page, "force [N]", TIMES, curves)
    assert plot._range == pytest.approx((0.95, 2.05))
    plot.at(0.4)
    line = data(plot)[-1]
    assert np.isfinite(line).sum() == 2


def test_a_column_without_numbers_has_some_range(page: Visited) -> None:
    low, high = Plot(page, "force [N]", TIMES, {"m": np.full(3, np.inf)})._range
    assert np.isfinite([low, high]).all()
    assert low < high


def test_only_families_with_columns_are_plotted(page: Visited, bar_model: Model) -> None:
    plots = Plots(page, bar_model, {"time_s": TIMES, "belly_force_N": TIMES})
    assert len(plots._plots) == 1
    plots.at(1.0)
    Plots(page, bar_model, {"time_s": TIMES}).at(1.0)


def test_a_visitor_draws_any_column_against_any_other(page: Visited) -> None:
    table = {"time_s": TIMES, "angle_deg": TIMES[::-1], "m_force_N": np.array([1.0, np.nan, 2.0])}
    chosen = ColumnChoice(page, table)
    assert (chosen._x.value, chosen._y.value) == ("time_s", "m_force_N")
    before = chosen._picture()
    assert before.ndim == 3
    chosen._x.value = "angle_deg"
    assert (chosen._picture() != before).any()
