"""The history of what a page edits: documents that never change, each made from the last."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import Generic, Protocol, TypeVar

MERGED = 1.0  # [s] between changes of one kind that are one step, as when a slider is dragged
DEPTH = 1000  # steps that are kept


@dataclass(frozen=True)
class Change:
    """What made a document; changes with the same `key` in quick succession are one step."""

    words: str
    key: str = ""


class Changed(Protocol):
    """A document that says how it came about, and equals another with the same contents."""

    @property
    def change(self) -> Change: ...


Item = TypeVar("Item", bound=Changed)


@dataclass(frozen=True)
class History(Generic[Item]):
    """The document now, those before it, oldest first, and those undone, next first."""

    now: Item
    past: tuple[Item, ...] = ()
    future: tuple[Item, ...] = ()
    at: float = -inf  # [s] when the last step was made; undoing forgets it

    def done(self, document: Item, clock: Callable[[], float] = time.monotonic) -> History[Item]:
        """With another step; what was undone is lost, and a change to the same is no step."""
        at = clock()
        if document == self.now:
            return self
        if self._continues(document, at):
            return replace(self, now=document, future=(), at=at)
        return History(document, (*self.past, self.now)[-DEPTH:], (), at)

    def undone(self) -> History[Item]:
        """A step back, if there is one."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (self.now, *self.future))

    def redone(self) -> History[Item]:
        """A step forward again, if one was undone."""
        if not self.future:
            return self
        return History(self.future[0], (*self.past, self.now), self.future[1:])

    @property
    def undo_words(self) -> str | None:
        """What undoing takes back; None if there is nothing."""
        return self.now.change.words if self.past else None

    @property
    def redo_words(self) -> str | None:
        """What doing again brings back; None if there is nothing."""
        return self.future[0].change.words if self.future else None

    @property
    def steps(self) -> list[str]:
        """What was done, oldest first."""
        return [document.change.words for document in (*self.past, self.now)]

    def _continues(self, document: Item, at: float) -> bool:
        """Whether a document goes on with the step that was just made."""
        key = document.change.key
        return bool(self.past and key) and key == self.now.change.key and at - self.at <= MERGED
