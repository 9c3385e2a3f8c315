"""The parts of a model by name: what is hidden, what is alone, and names that look the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

pytest.importorskip("viser", reason="the pages need viser")

from moments import HOSTILE
from vastus.app.view.display import ALL, Parts
from vastus.model import Bone, Model, Muscle
from visited import Visited

ONLY = "Show only"
Shown = list[tuple[frozenset[str], frozenset[str] | None]]


@pytest.fixture
def page() -> Iterator[Visited]:
    with Visited() as made:
        yield made


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
