"""Lines along fibres, to be drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.materials import StableNeoHookean
from vastus.model import Model
from vastus.modelling.fibres.streamlines import fibre_lines
from vastus.modelling.shapes.simple import fusiform
from vastus.numerics.types import Floats


@pytest.fixture(scope="module")
def spindle() -> Model:
    return fusiform(tets=4000)


def lengths(lines: list[Floats]) -> Floats:
    return np.array([np.linalg.norm(np.diff(line, axis=0), axis=1).sum() for line in lines])


def test_lines_follow_straight_fibres_from_end_to_end(bar_model: Model) -> None:
    lines = fibre_lines(bar_model, "belly", 8)
    assert 1 < len(lines) <= 8
    for line in lines:
        assert np.ptp(line[:, 0]) > 0.04  # of 6 cm
        assert np.ptp(line[:, 1:], axis=0).max() < 1e-9
        assert (np.diff(line[:, 0]) >= -1e-12).all()


def test_no_two_lines_are_one(spindle: Model) -> None:
    (muscle,) = spindle.muscles
    lines = fibre_lines(spindle, muscle.name, 30)
    assert len(lines) == 30
    X = spindle.mesh.X[np.unique(spindle.mesh.T[spindle.muscle_of_tet == 0])]
    length = float(np.ptp(X, axis=0).max())
    assert np.median(lengths(lines)) > 0.5 * length
    middles = [line[np.argmin(np.abs(line - X.mean(axis=0)).sum(axis=1))] for line in lines]
    away = np.linalg.norm(np.array(middles)[:, None] - middles, axis=2)
    assert (away + np.eye(30)).min() > 1e-4


def test_a_muscle_without_fibres_has_no_lines(bar_model: Model) -> None:
    plain = (StableNeoHookean(6e4, 0.45),)
    regions = tuple(replace(r, laws=plain) if r.laws else r for r in bar_model.regions)
    bare = bar_model.with_(regions=regions, fibre=np.zeros_like(bar_model.fibre))
    assert fibre_lines(bare, "belly") == []


def test_an_unknown_muscle_is_named_with_those_that_exist(bar_model: Model) -> None:
    with pytest.raises(ModelError, match="no muscle 'bely'; muscles: belly"):
        fibre_lines(bar_model, "bely")
