"""Running experiments one after the other, keeping what is finished."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from vastus.errors import VastusError
from vastus.numerics.jit import use_threads
from vastus.reproduce.experiment import Experiment, Setting
from vastus.reproduce.page import write_page
from vastus.reproduce.plots import save
from vastus.reproduce.record import Record, failed, read_record, record, write_record
from vastus.reproduce.registry import EMU

Tell = Callable[[str], None]
PRIOR = 20.0  # [s] of usual pace, so that the first short experiments do not mislead


def unfinished(
    folder: Path, experiments: Sequence[Experiment], setting: Setting
) -> list[Experiment]:
    """The experiments that have no finding in the folder."""
    found = {e.name: read_record(folder, e.name) for e in experiments}
    return [e for e in experiments if not _answers(found[e.name], e, setting)]


def _answers(found: Record | None, experiment: Experiment, setting: Setting) -> bool:
    return found is not None and found.answers(experiment, setting)


def perform(
    folder: Path, experiments: Sequence[Experiment], setting: Setting, tell: Tell
) -> Iterator[Record]:
    """Run experiments on one thread; each is on disk and on the page before the next begins."""
    use_threads(1)
    for experiment in experiments:
        (folder / f"{experiment.name}.json").unlink(missing_ok=True)
    write_page(folder, on_disk(folder))
    clock = Clock(experiments, setting.full)
    for number, experiment in enumerate(experiments, 1):
        tell(f"[{number}/{len(experiments)}] {experiment.title}{clock.left()}")
        made = _performed(folder, experiment, replace(setting, note=lambda s: tell(f"    {s}")))
        write_record(folder, made)
        write_page(folder, on_disk(folder))
        clock.finished(experiment)
        yield made


def on_disk(folder: Path) -> list[Record]:
    """All records of the folder, in the order of the page."""
    found = (read_record(folder, name) for name in EMU)
    return [r for r in found if r is not None]


def _performed(folder: Path, experiment: Experiment, setting: Setting) -> Record:
    began = time.perf_counter()
    try:
        finding = experiment.run(setting)
        save(finding.figure, folder / f"{experiment.name}.png")
    except Exception as error:  # whatever happens to one, the others must run
        sentence = str(error) if isinstance(error, VastusError) else _named(error)
        return failed(experiment, setting, time.perf_counter() - began, sentence)
    return record(experiment, setting, time.perf_counter() - began, finding)


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


class Clock:
    """Estimates the time left from what the experiments usually take and what they took so far."""

    def __init__(self, experiments: Sequence[Experiment], full: bool) -> None:
        self._usual = {e.name: 60.0 * e.minutes[full] for e in experiments}
        self._done = 0.0
        self._began = time.perf_counter()

    def finished(self, experiment: Experiment) -> None:
        """Note that an experiment has ended."""
        self._done += self._usual[experiment.name]

    def left(self) -> str:
        """The time left in words."""
        elapsed = time.perf_counter() - self._began
        pace = (elapsed + PRIOR) / (self._done + PRIOR)
        seconds = pace * (sum(self._usual.values()) - self._done)
        minutes = seconds / 60.0
        return f" (about {minutes:.0f} min left)" if minutes >= 1.5 else f" ({seconds:.0f} s left)"
