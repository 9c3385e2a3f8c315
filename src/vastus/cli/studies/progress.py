"""How far a study is, as it is told while it runs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vastus.cli.console import ProgressBar, duration

if TYPE_CHECKING:
    from vastus.studies.study import Progress

SHOWN = 10  # sentences of failures


class StudyProgress(ProgressBar):
    """Shows how many variants have ended, how many of them failed, and the time left."""

    def __init__(self, total: int) -> None:
        super().__init__(total)
        self._total, self._began, self._told = total, time.monotonic(), set[str]()

    def watch(self, at: Progress) -> None:
        """Called when a variant has ended."""
        failed = f", {at.failed} failed" if at.failed else ""
        kept = f", {at.kept} of them before" if at.kept else ""
        text = f"{at.ended}/{at.total} variants{kept}{failed}{self._left(at)}"
        if at.last is None and at.kept:
            self.say(text)
        if at.last is not None and at.last.sentence and at.last.sentence not in self._told:
            self._told.add(at.last.sentence)
            if len(self._told) <= SHOWN:
                self.say(f"{at.last.status}: {values_told(at.last.values)}: {at.last.sentence}")
        self.tell(text, completed=at.ended)

    def _left(self, at: Progress) -> str:
        """The time left, from the mean of all variants but the first, in which kernels compile."""
        if at.last is not None and at.ended == at.kept + 1:
            self._began = time.monotonic()
        solved, remaining = at.ended - at.kept - 1, at.total - at.ended
        if solved < 1 or remaining < 1:
            return ""
        seconds = (time.monotonic() - self._began) / solved * remaining
        return f", about {duration(seconds)} left"


def values_told(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {number_told(value)}" for name, value in values.items())


def number_told(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
