"""Numbers become colours whose order can be seen."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.errors import ModelError
from vastus.measure.fields import Fields
from vastus.modelling import shapes
from vastus.parts import Contact
from vastus.pictures.colours import FIELDS, MAPS, rgb
from vastus.pictures.field_values import TetValues, VertexValues, values_of
from vastus.results.playback import FIELDS as STORED
from vastus.results.playback import POINT_FIELDS, snapshot_of
from vastus.state import rest


def luminance(colours: np.ndarray) -> np.ndarray:
    """Relative luminance of sRGB colours (k, 3)."""
    c = colours / 255
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


def test_the_map_for_sizes_gets_lighter_all_the_way() -> None:
    assert (np.diff(luminance(rgb(np.linspace(0, 1, 64), "viridis", 0, 1))) > 0).all()


def test_the_map_with_a_middle_is_lightest_there_and_darkens_to_both_ends() -> None:
    light = luminance(rgb(np.linspace(-1, 1, 65), "blue-red", -1, 1))
    assert (np.diff(light[:33]) > 0).all()
    assert (np.diff(light[32:]) < 0).all()
    assert light[0] == pytest.approx(light[-1], abs=0.05)


@pytest.mark.parametrize("name", MAPS)
def test_the_ends_of_a_map_are_those_of_its_table_also_for_values_beyond(name: str) -> None:
    got = rgb(np.array([-9.0, 2.0, 4.0, 9.0]), name, 2.0, 4.0)
    assert got.dtype == np.uint8
    np.testing.assert_array_equal(got, MAPS[name][[0, 0, -1, -1]])


def test_every_field_is_stored_and_has_one_number_a_tet_or_vertex() -> None:
    model = shapes.fusiform(tets=2_000).with_(contact=Contact())
    fields = Fields(model)
    state = rest(model, velocity=(0.0, 0.3, 0.4))
    measured = fields.of(state)
    points = fields.on_vertices(state) | fields.in_motion(state)
    moment = snapshot_of(state, fields=measured, point_fields=points)
    assert [shade.field for shade in FIELDS.values()] == [*STORED, "contact_pressure", "velocity"]
    for shade in FIELDS.values():
        shown = values_of(moment, shade)
        assert isinstance(shown, TetValues | VertexValues)
        values = shown.values
        low, high = shade.limits_of(values)
        count = model.mesh.n_vertices if shade.field in POINT_FIELDS else model.mesh.n_tets
        assert shade.colours(values, low, high).shape == (count, 3)


def test_limits_about_a_centre_are_equally_far_and_round() -> None:
    assert FIELDS["stretch"].limits_of(np.linspace(0.73, 1.02, 500)) == pytest.approx((0.7, 1.3))
    assert FIELDS["volume ratio"].limits_of(np.ones(5)) == pytest.approx((0.99, 1.01))


def test_limits_of_stress_start_at_zero_and_disregard_a_few_tets() -> None:
    stress = np.append(np.linspace(0, 38e3, 999), 1e7)
    assert FIELDS["stress"].limits_of(stress) == pytest.approx((0, 40e3))
    assert FIELDS["stress"].limits_of(np.zeros(3)) == pytest.approx((0, 1e3))
    assert FIELDS["stress"].title == "von Mises stress [kPa]"


def test_limits_of_activation_are_fixed_but_for_more_than_full_activation() -> None:
    assert FIELDS["activation"].limits_of(np.array([0.2])) == (0.0, 1.0)
    assert FIELDS["activation"].limits_of(np.array([0.2, 1.4])) == (0.0, 1.4)


def test_what_cannot_be_coloured_is_said() -> None:
    with pytest.raises(ModelError, match="no colour map 'jet'; colour maps: viridis, blue-red"):
        rgb(np.ones(2), "jet", 0, 1)
    with pytest.raises(ModelError, match="not finite"):
        rgb(np.array([1.0, np.nan]), "viridis", 0, 1)
    with pytest.raises(ModelError, match="increase"):
        rgb(np.ones(2), "viridis", 1, 1)
