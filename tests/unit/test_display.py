"""The panels that say what is shown: a click on the model, and its parts by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("viser", reason="the pages need viser")

from moments import HOSTILE, moment
from vastus.app.figure import Figure, Hit
from vastus.app.look import Look
from vastus.app.view.display import (
    ALL,
    HINT,
    Colouring,
    Parts,
    Probe,
    described,
    usual_limits,
)
from vastus.model import Model, Muscle
from vastus.parts import Bone, Contact
from visited import Visited

SCRIPT = "[x](javascript:window.broken=1) {window.broken=1} `a` **b** https://evil.example"


@pytest.fixture
def page() -> Iterator[Visited]:
    with Visited() as made:
        yield made


def hostile(model: Model, name: str) -> Model:
    """The model whose muscle, regions and bones all have such a name."""
    regions = tuple(
        replace(r, name=f"{name}{i}", muscle=None if r.muscle is None else name)
        for i, r in enumerate(model.regions)
    )
    bones = (Bone(name, (f"{name}0",)), Bone(f"{name} tip", (f"{name}4",)))
    return model.with_(regions=regions, muscles=(Muscle(name, 1e5),), bones=bones)


def tet_of(model: Model, region: int) -> int:
    return int(np.flatnonzero(model.region == region)[0])


def test_a_muscle_is_told_with_units(page: Visited, bar_model: Model) -> None:
    tet = tet_of(bar_model, 2)
    row = {"belly_length_m": 0.05, "belly_force_N": 12.5, "belly_volume_change": 0.01}
    figure = Figure(page.server, bar_model)
    text = described(figure, Hit("belly", tet, (0.0, 0.0, 0.0)), moment(bar_model), row)
    for said in ("(muscle), tet", " mm", "length: 50 mm", "force: 12.5 N", "volume change: 1 %"):
        assert said in text


def test_a_bone_has_no_fields(page: Visited, bar_model: Model) -> None:
    figure = Figure(page.server, bar_model)
    hit = Hit("base", tet_of(bar_model, 0), (0.0, 0.0, 0.0))
    text = described(figure, hit, moment(bar_model), {})
    assert "(bone)" in text
    assert "stress" not in text


@pytest.mark.parametrize("name", [HOSTILE, SCRIPT, "a\n# head\n<script>"])
def test_names_are_text_to_markdown_and_to_html(page: Visited, bar_model: Model, name: str) -> None:
    model = hostile(bar_model, name)
    row = {f"{name}_force_N": 1.0}
    hit = Hit(f"{name}2", tet_of(model, 2), (0.0, 0.0, 0.0))
    text = described(Figure(page.server, model), hit, moment(model), row)
    ours = text.replace("**", "").replace("  \n", " ")
    assert not set(ours) & set("<>[]`{}*\\\"'")
    assert "&#" in ours
    assert "](" not in text
    assert "://" not in text


def test_a_click_shows_a_place_and_a_click_beside_hides_it(page: Visited, bar_model: Model) -> None:
    figure = Figure(page.server, bar_model)
    probe = Probe(page, figure)
    now = moment(bar_model)
    figure.draw(now, Look())
    probe.show(now, {})
    assert probe._text.content == HINT
    probe._clicked(np.array([0.0401, 0.0102, 1.0]), np.array([0.0, 0.0, -1.0]))
    assert "(muscle), tet" in probe._text.content
    probe._clicked(np.array([9.0, 9.0, 1.0]), np.array([0.0, 0.0, -1.0]))
    assert probe._text.content == HINT


ONLY = "Show only"
Shown = list[tuple[frozenset[str], frozenset[str] | None]]


def renamed(model: Model, muscle: str, *bones: str) -> Model:
    regions = tuple(replace(r, muscle=muscle if r.muscle else None) for r in model.regions)
    made = tuple(Bone(name, b.regions) for name, b in zip(bones, model.bones, strict=True))
    return model.with_(regions=regions, muscles=(Muscle(muscle, 1e5),), bones=made)


def test_a_muscle_is_alone_with_its_tendons(page: Visited, bar_model: Model) -> None:
    shown: Shown = []
    Parts(page, bar_model, lambda *what: shown.append(what))
    page.do(ONLY, "belly")
    page.do(ONLY, ALL)
    assert shown == [
        (frozenset(), frozenset({"origin", "belly", "insertion"})),
        (frozenset(), None),
    ]


def test_boxes_hide_one_region_or_a_whole_tissue(page: Visited, bar_model: Model) -> None:
    shown: Shown = []
    Parts(page, bar_model, lambda *what: shown.append(what))
    page.do("tip", False)
    page.do("base", False)
    page.do("tip", True)
    assert [hidden for hidden, _ in shown] == [{"tip"}, {"tip", "base"}, {"base"}]


@pytest.mark.parametrize("name", [ALL, HOSTILE, "a\u200b", "", "x" * 300])
def test_no_option_is_there_twice_and_each_shows_its_own(
    page: Visited, bar_model: Model, name: str
) -> None:
    """A muscle and its bones may bear one name, and a list with an option twice ends the page."""
    shown: Shown = []
    Parts(page, renamed(bar_model, name, name, f"{name}\u200b"), lambda *what: shown.append(what))
    options = page.handle(ONLY).options
    assert len(set(options)) == len(options) == 4
    for option in options[1:]:
        page.do(ONLY, option)
    assert [alone for _, alone in shown] == [{"origin", "belly", "insertion"}, {"base"}, {"tip"}]


@pytest.mark.parametrize("touching", [False, True])
def test_contact_is_offered_where_there_is_any(
    page: Visited, bar_model: Model, touching: bool
) -> None:
    looks: list[Look] = []
    model = bar_model.with_(contact=Contact()) if touching else bar_model
    Colouring(page, usual_limits(model), looks.append)
    assert ("contact pressure" in page.handle("Colour by").options) is touching
    assert page.handle("Contact forces").visible is touching
    if touching:
        page.do("Contact forces", True)
        page.do("Colour by", "contact pressure")
        assert looks[-1].forces
        assert looks[-1].limits[looks[-1].colour_by] == (0.0, 1e5)


def test_the_pressure_at_a_tet_is_told_where_it_is_known(page: Visited, bar_model: Model) -> None:
    tet = tet_of(bar_model, 2)
    pressure = np.zeros(bar_model.mesh.n_vertices)
    pressure[bar_model.mesh.T[tet][1]] = 3e3
    now = replace(moment(bar_model), point_fields={"contact_pressure": pressure})
    figure, hit = Figure(page.server, bar_model), Hit("belly", tet, (0.0, 0.0, 0.0))
    assert "contact pressure: 3 kPa" in described(figure, hit, now, {})
    assert "contact" not in described(figure, hit, moment(bar_model), {})
