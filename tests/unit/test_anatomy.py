"""The unit of a file from the size of what is in it."""

from __future__ import annotations

import pytest

from vastus.errors import ModelError
from vastus.modelling.surfaces.anatomy import likely_unit
from vastus.scene.schema import Unit


@pytest.mark.parametrize(
    ("extent", "unit"),
    [
        *((0.05, Unit.M), (0.6, Unit.M), (2.5, Unit.M)),
        *((6.0, Unit.CM), (40.0, Unit.CM)),
        *((251.0, Unit.MM), (633.0, Unit.MM), (1800.0, Unit.MM)),
    ],
)
def test_a_limb_has_one_unit(extent: float, unit: Unit) -> None:
    guess = likely_unit(extent)
    assert guess.unit is unit
    assert guess.sure


@pytest.mark.parametrize("extent", [50.0, 120.0, 250.0])
def test_a_hand_in_millimetres_may_be_a_leg_in_centimetres(extent: float) -> None:
    guess = likely_unit(extent)
    assert guess.unit is Unit.MM
    assert guess.others == (Unit.CM,)
    assert not guess.sure


def test_a_doubt_is_told_with_both_sizes() -> None:
    assert str(likely_unit(120.0)) == (
        "the files may be in mm (0.12 m across) or in cm (1.2 m across); "
        "mm is taken unless 'units' says it"
    )


def test_a_sure_guess_tells_the_size() -> None:
    assert str(likely_unit(633.0)) == "the files are in mm: the parts are 0.633 m across"


@pytest.mark.parametrize("extent", [0.0, 0.049, 3.0, 4.9, 2501.0, 1e9, -1.0])
def test_what_is_no_body_in_any_unit_is_refused(extent: float) -> None:
    with pytest.raises(ModelError, match=r"a limb or body is 0\.05 to 2\.5 m: give 'units'"):
        likely_unit(extent)


@pytest.mark.parametrize("extent", [float("nan"), float("inf")])
def test_an_endless_extent_is_refused(extent: float) -> None:
    with pytest.raises(ModelError, match="the parts together are endless"):
        likely_unit(extent)
