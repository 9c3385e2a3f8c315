"""A model in the scene of a page: what is sent, what is only moved, and what a click meets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("viser", reason="the pages need viser")

from moments import HOSTILE, moment
from vastus.app.figure import Figure, _paths, limits_of
from vastus.app.look import ColourBy, Look, Plane
from vastus.app.marks import arrows
from vastus.model import Model
from vastus.parts import Bone
from vastus.pictures.skin import region_skins
from vastus.results.playback import Snapshot
from vastus.state import rest
from visited import Visited

ABOVE, DOWN = np.array([0.0101, 0.0102, 1.0]), np.array([0.0, 0.0, -1.0])
ALONG = np.array([1.0, 0.0, 0.0])


class Watched(Figure):
    """A figure that notes which regions are sent."""

    def __init__(self, page: Visited, model: Model) -> None:
        super().__init__(page.server, model)
        self.sent: list[str] = []

    def _send(self, name: str, *given: object, **more: object) -> None:
        self.sent.append(name)
        super()._send(name, *given, **more)  # type: ignore[arg-type]

    def seen(self) -> set[str]:
        """The regions that are visible."""
        return {name for name, node in self._nodes.items() if node.visible}

    def show(self, model: Model, look: Look, **moved: np.ndarray) -> list[str]:
        """Which regions were sent to show this."""
        self.sent.clear()
        self.draw(moment(model, **moved), look)  # type: ignore[arg-type]
        return sorted(self.sent)


@pytest.fixture
def page() -> Iterator[Visited]:
    with Visited() as made:
        yield made


@pytest.fixture
def figure(page: Visited, bar_model: Model) -> Watched:
    return Watched(page, bar_model)


def renamed(model: Model, names: dict[str, str]) -> Model:
    """The model with other names of regions."""
    bones = tuple(Bone(b.name, tuple(names.get(r, r) for r in b.regions)) for b in model.bones)
    regions = tuple(replace(r, name=names.get(r.name, r.name)) for r in model.regions)
    return model.with_(regions=regions, bones=bones)


def test_hidden_regions_are_not_sent_nor_seen(figure: Watched, bar_model: Model) -> None:
    assert figure.show(bar_model, Look(hidden=frozenset({"belly", "tip"}))) == [
        "base", "insertion", "origin",
    ]  # fmt: skip
    figure.show(bar_model, Look())
    assert figure.seen() == set(figure.regions)
    figure.show(bar_model, Look(hidden=frozenset({"belly"})))
    assert figure.seen() == set(figure.regions) - {"belly"}


def test_an_isolated_region_is_seen_alone_unless_it_is_hidden(
    figure: Watched, bar_model: Model
) -> None:
    figure.show(bar_model, Look())
    alone = Look(isolated=frozenset({"belly", "tip"}), hidden=frozenset({"tip"}))
    assert figure.show(bar_model, alone) == ["belly"]
    assert figure.seen() == {"belly"}


def test_rigid_bones_are_only_moved(figure: Watched, bar_model: Model) -> None:
    figure.show(bar_model, Look())
    quarter = np.array([[0.0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3]])
    poses = np.stack([rest(bar_model).poses[0], quarter])
    assert figure.show(bar_model, Look(), poses=poses) == ["belly", "insertion", "origin"]
    node = figure._nodes["tip"]
    np.testing.assert_allclose(node.position, [1, 2, 3])
    np.testing.assert_allclose(np.abs(node.wxyz), [np.sqrt(0.5), 0, 0, np.sqrt(0.5)])


def test_bones_that_are_strained_are_sent(figure: Watched, bar_model: Model) -> None:
    figure.show(bar_model, Look())
    poses = rest(bar_model).poses.copy()
    poses[1, :, :3] *= 1.01
    assert "tip" in figure.show(bar_model, Look(), poses=poses)
    assert "tip" in figure.show(bar_model, Look())  # as it was modelled, once more
    assert "tip" not in figure.show(bar_model, Look())


def test_a_bone_that_was_cut_is_put_back_whole(figure: Watched, bar_model: Model) -> None:
    figure.show(bar_model, Look())
    cut = Look(cut=Plane(np.array([0.005, 0, 0]), ALONG))
    assert figure.show(bar_model, cut) == ["base"]
    assert figure.seen() == {"base"}
    figure.show(bar_model, Look())
    assert figure.seen() == set(figure.regions)
    assert "tip" not in figure.show(bar_model, Look())


def test_a_bone_cut_where_it_was_moved_to_stands_there(figure: Watched, bar_model: Model) -> None:
    poses = rest(bar_model).poses.copy()
    poses[1, :, 3] = (0.0, 0.0, 1.0)
    figure.show(bar_model, Look(), poses=poses)
    figure.show(bar_model, Look(cut=Plane(np.array([9.0, 0, 0]), ALONG)), poses=poses)
    # The points themselves are moved now, so the node must not be.
    np.testing.assert_allclose(figure._nodes["tip"].position, 0.0)


def test_glass_is_sent_again_once(figure: Watched, bar_model: Model) -> None:
    figure.show(bar_model, Look())
    figure.set_translucent(True)
    assert figure.show(bar_model, Look()) == sorted(figure.regions)
    figure.set_translucent(True)
    assert "tip" not in figure.show(bar_model, Look())


def test_a_ray_meets_the_nearest_region_that_is_seen(figure: Watched, bar_model: Model) -> None:
    figure.show(bar_model, Look())
    origin = np.array([-1.0, 0.0101, 0.0102])
    hit = figure.hit(origin, ALONG)
    assert hit is not None
    assert hit.region == "base"
    assert hit.place[0] == pytest.approx(0.0)
    assert bar_model.region[hit.tet] == 0
    figure.show(bar_model, Look(hidden=frozenset({"base", "origin"})))
    hit = figure.hit(origin, ALONG)
    assert hit is not None
    assert hit.region == "belly"
    assert hit.place[0] == pytest.approx(0.02)
    assert figure.hit(origin, -ALONG) is None
    figure.show(bar_model, Look(isolated=frozenset()))
    assert figure.hit(origin, ALONG) is None


def test_a_ray_meets_the_figure_where_it_is_shown(figure: Watched, bar_model: Model) -> None:
    figure.show(bar_model, Look())
    figure.move(np.array([0.0, 5.0, 0.0]))
    assert figure.hit(ABOVE, DOWN) is None
    hit = figure.hit(ABOVE + np.array([0.0, 5.0, 0.0]), DOWN)
    assert hit is not None
    np.testing.assert_allclose(hit.place, [0.0101, 5.0102, 0.02])


def test_a_ray_meets_the_face_of_a_cut(figure: Watched, bar_model: Model) -> None:
    figure.show(bar_model, Look(cut=Plane(np.array([0.0333, 0, 0]), ALONG)))
    hit = figure.hit(np.array([1.0, 0.0101, 0.0102]), -ALONG)
    assert hit is not None
    assert hit.place[0] == pytest.approx(0.0333)


def test_names_that_look_the_same_or_hold_anything_have_nodes_of_their_own(
    page: Visited, bar_model: Model
) -> None:
    names = {
        "base": "a",
        "origin": "a\u200b",
        "belly": "a #2",
        "insertion": "../../" + HOSTILE,
        "tip": "/",
    }
    model = renamed(bar_model, names)
    figure = Watched(page, model)
    assert figure.show(model, Look()) == sorted(names.values())
    paths = list(figure._paths.values())
    assert len(set(paths)) == 5
    assert all(path.count("/") == 3 for path in paths)
    figure.show(model, Look(hidden=frozenset({"a\u200b"})))
    assert figure.seen() == set(names.values()) - {"a\u200b"}


def test_a_number_that_tells_names_apart_is_not_taken_by_a_name(bar_model: Model) -> None:
    (skin, *_) = region_skins(bar_model, split=True).values()
    names = ["a #2", "a", "a\u200b", "a\u200c", "a #3", "b/a"]
    paths = _paths("/model", dict.fromkeys(names, skin))
    assert len(set(paths.values())) == len(names)


@pytest.mark.parametrize("colour_by", [p for p in ColourBy if p is not ColourBy.DISTANCE])
def test_every_field_can_be_painted(figure: Watched, bar_model: Model, colour_by: ColourBy) -> None:
    look = Look(colour_by=colour_by, limits={colour_by: (0.0, 1.0)}, fibres=True)
    assert figure.show(bar_model, look) == sorted(figure.regions)


def test_the_limits_of_colours_are_those_of_muscles(bar_model: Model) -> None:
    now = moment(bar_model)
    stress = np.where(bar_model.region == 2, 1e4, 1e7)
    low, high = limits_of(ColourBy.STRESS, [replace(now, fields={"von_mises": stress})], bar_model)
    assert high < 1e6
    assert low < high


def pushed(model: Model) -> Snapshot:
    """The model with a force of 2 N along x on one vertex of the belly, and of 1 N on another."""
    forces, pressure = np.zeros((model.mesh.n_vertices, 3)), np.zeros(model.mesh.n_vertices)
    one, other = np.unique(model.mesh.T[model.region == 2])[:2]
    forces[one], forces[other] = (2.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    pressure[[one, other]] = 2e3, 1e3
    fields = {"contact_force": forces, "contact_pressure": pressure}
    return replace(moment(model), point_fields=fields)


def test_arrows_are_as_long_as_their_forces() -> None:
    x = np.array([[0.0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]])
    forces = np.array([[0.0, 0, 4], [0, -2, 0], [0, 0, 0.1], [0, 0, 0]])
    shown = arrows(x, forces, 0.5)
    np.testing.assert_allclose(shown[:, 0], x[:2])
    np.testing.assert_allclose(shown[:, 1] - shown[:, 0], [[0, 0, 0.5], [0, -0.25, 0]])
    np.testing.assert_allclose(arrows(x, forces, 0.5, 8.0)[0, 1], [0, 0, 0.25])
    assert arrows(x, np.zeros((4, 3)), 0.5).shape == (0, 2, 3)


def test_forces_of_contact_are_drawn_on_what_is_seen(figure: Watched, bar_model: Model) -> None:
    now, looks = pushed(bar_model), Look(forces=True)
    assert figure._arrows(now, looks).shape == (2, 2, 3)
    assert not len(figure._arrows(now, Look()))
    assert not len(figure._arrows(moment(bar_model), looks)), "a moment without contact"
    assert not len(figure._arrows(now, replace(looks, isolated=frozenset({"tip"}))))
    assert not len(figure._arrows(now, replace(looks, cut=Plane(np.zeros(3), ALONG))))
    figure.draw(now, looks)


def test_contact_pressure_has_limits_of_what_is_pressed(bar_model: Model) -> None:
    assert limits_of(ColourBy.CONTACT, [pushed(bar_model)], bar_model) == (0.0, 2e3)
