"""Lists whose items are things: names that look the same, nothing chosen, nothing to choose."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("viser", reason="the pages need viser")

from moments import HOSTILE
from vastus.app.widgets import NOTHING, Choice
from visited import Visited


@pytest.fixture
def page() -> Iterator[Visited]:
    with Visited() as made:
        yield made


@pytest.fixture
def chosen() -> list[object]:
    return []


@pytest.fixture
def choice(page: Visited, chosen: list[object]) -> Choice[object]:
    return Choice[object](page, "What", chosen.append)


def test_a_thing_is_chosen_not_its_name(
    page: Visited, choice: Choice[object], chosen: list[object]
) -> None:
    choice.offer([("one", 1), ("two", 2), ("none of them", None)], 1)
    assert page.handle("What").value == "one"
    page.do("What", "two")
    page.do("What", "none of them")
    assert chosen == [2, None]


def test_names_that_look_the_same_stay_apart(
    page: Visited, choice: Choice[object], chosen: list[object]
) -> None:
    names = ["a", "a\u200b", "a (2)", " a", NOTHING, "", "\x00", HOSTILE, "x" * 500, "x" * 501]
    choice.offer([(name, index) for index, name in enumerate(names)], None)
    options = page.handle("What").options
    assert len(set(options)) == len(options) == len(names) + 1
    for option in options[1:]:
        page.do("What", option)
    assert chosen == list(range(len(names)))


def test_nothing_is_chosen_until_something_is(
    page: Visited, choice: Choice[object], chosen: list[object]
) -> None:
    choice.offer([("one", 1)], 7)
    handle = page.handle("What")
    assert (handle.options, handle.value) == ((NOTHING, "one"), NOTHING)
    page.do("What", NOTHING)
    assert chosen == []
    choice.offer([("one", 1)], 1)
    assert handle.options == ("one",)


def test_a_list_without_items_cannot_be_opened(page: Visited, choice: Choice[object]) -> None:
    assert page.handle("What").disabled
    choice.offer([("one", 1)], 1)
    assert not page.handle("What").disabled
    choice.offer([], None)
    assert page.handle("What").disabled
    choice.visible = False
    assert not choice.visible
