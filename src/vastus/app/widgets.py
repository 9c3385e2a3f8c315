"""A list to choose from whose items are things, not texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from vastus.app.page import Page
from vastus.app.text import label
from vastus.files.identifiers import unlike

NOTHING = "(nothing)"
Item = TypeVar("Item")


class Choice(Generic[Item]):
    """A drop-down list; names that look the same are told apart by a number."""

    def __init__(self, page: Page, title: str, change: Callable[[Item], None]) -> None:
        self._items: dict[str, Item] = {}
        self._handle = page.server.gui.add_dropdown(title, (NOTHING,), disabled=True)
        page.when(self._handle, lambda _: self._changed(change), key=self)

    def offer(self, items: Iterable[tuple[str, Item]], chosen: Item | None) -> None:
        """Offer things by name, one of them chosen; none is chosen if it is not among them."""
        self._items = {}
        for name, item in items:
            self._items[unlike(label(name), (NOTHING, *self._items))] = item
        word = next((w for w, item in self._items.items() if item == chosen), NOTHING)
        words = (*self._items,) if word in self._items else (NOTHING, *self._items)
        self._handle.options = words
        self._handle.value = word
        self._handle.disabled = not self._items

    @property
    def visible(self) -> bool:
        """Whether the list is seen."""
        return bool(self._handle.visible)

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._handle.visible = visible

    def _changed(self, change: Callable[[Item], None]) -> None:
        if self._handle.value in self._items:
            change(self._items[self._handle.value])
