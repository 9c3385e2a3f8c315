"""A page whose visitor is the test: what it changes or presses is done at once."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from vastus.app.web_page import Notice, Page


class Visited(Page):
    """A page without browsers; `do` is what a visitor would, `told` what a visitor would read."""

    def __init__(self) -> None:
        self._jobs: dict[str, tuple[Any, Callable[[Any], None]]] = {}
        self.told: list[str] = []
        self.client: Any = SimpleNamespace()
        super().__init__("test", port=0)

    def when(self, handle: Any, job: Callable[[Any], None], **_: Any) -> None:
        """Note what a change does."""
        self._jobs[getattr(handle, "label", "")] = handle, job

    def do(self, label: str, value: Any = None) -> None:
        """Change the thing with this label to a value, or press it."""
        handle, job = self._jobs[label]
        if value is not None:
            handle.value = value
        job(SimpleNamespace(client=self.client, target=handle))

    def handle(self, label: str) -> Any:
        """What a visitor sees under this label."""
        return self._jobs[label][0]

    def _notify(self, note: Notice) -> None:
        self.told.append(note.sentence)
