"""Juggling with volumetric muscles in the loop, and with tendons that stretch."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.bodies import Body, juggler
from vastus.control.muscle_kinds import MuscleKind, TendonKind, diamond_of, muscles
from vastus.control.plant import Plant
from vastus.errors import ModelError
from vastus.juggling.juggle import juggle
from vastus.juggling.style import Places, Style

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")


@pytest.fixture(scope="module")
def body() -> Body:
    return juggler()


def test_a_diamond_has_the_volume_of_its_unit(body: Body) -> None:
    for unit in body.units[:5]:
        assert diamond_of(unit).mesh.volumes.sum() == pytest.approx(unit.volume)


def test_lines_of_a_kind_are_the_lines_of_a_plant(body: Body) -> None:
    a = np.linspace(0.0, 1.0, len(body.units))
    plain, rigid = (Plant(body, law).pull(a) for law in (None, muscles(body.units).law))
    assert rigid.force == pytest.approx(plain.force, rel=1e-12)
    stretched = Plant(body, muscles(body.units, tendons=TendonKind.ELASTIC).law)
    assert 0.5 < stretched.pull(a).force.sum() / plain.force.sum() < 1.0
    with pytest.raises(ModelError, match="each 0 rigid steps; it must be at least 1"):
        Plant(body, soft=0)


@pytest.mark.slow
def test_a_cascade_with_bellies_in_the_loop(body: Body) -> None:
    own = muscles(body.units, MuscleKind.BELLIES)
    result = juggle(
        body, "3", 10.0, Style(places=Places(outer=0.28)),
        law=own.law, believed=own.believed, soft=own.soft,
    )  # fmt: skip
    assert (result.catches, result.drops) == (33, 0)
    assert result.landings.max() < 0.005
    assert result.mismatch is not None
    assert result.mismatch.count == 10_000 * len(body.units)
    assert 1e-6 < result.mismatch.rms < result.mismatch.most < 0.01
    assert own.bellies is not None
    assert own.bellies.mean_iterations < 1.5


@pytest.mark.slow
def test_tensions_between_two_solutions_are_near_to_those_solved(body: Body) -> None:
    own = muscles(body.units, MuscleKind.BELLIES)
    bellies, optimal = own.bellies, body.optimal
    assert bellies is not None
    at = 1.1 * optimal, -0.5 * optimal, np.linspace(0.05, 0.9, len(optimal))
    near = 1.105 * optimal, -0.2 * optimal, at[2] + 0.05
    bellies.forces(*at)
    pull, again = bellies.continued(*near), bellies.copy().continued(*near)
    np.testing.assert_array_equal(pull.force, again.force)
    exact = bellies.forces(*near)
    assert np.abs(pull.force - exact.force).max() < 1e-3 * body.forces.max()
    np.testing.assert_array_equal(bellies.continued(*near).force, exact.force)
