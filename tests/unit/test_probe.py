"""A click on the model: numbers with units, and names that mean nothing but themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("viser", reason="the pages need viser")

from moments import HOSTILE, moment
from vastus.app.figure import Figure, Hit
from vastus.app.look import Look
from vastus.app.view.display import HINT, Probe, described
from vastus.model import Bone, Model, Muscle
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
