"""Experiments run one after the other, each kept as a JSON file and on a page of them all."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vastus import __version__
from vastus.bench.jobs import describe
from vastus.errors import VastusError
from vastus.files.html import Table, page
from vastus.files.safe import write_text
from vastus.numerics.jit import thread_count
from vastus.pictures.animation import encode
from vastus.reproduce.experiment import Experiment, Finding, Setting
from vastus.reproduce.kept import forget, opened
from vastus.reproduce.papers import EMU, Paper
from vastus.reproduce.style import save
from vastus.results.provenance import described, now

SEED = 0  # of the random vectors; nothing else is random
PRIOR = 20.0  # [s] of usual pace, so that the first short experiments do not mislead
PAGE = "index.html"
KINDS = {"agrees": "good", "agrees in part": "fair", "does not agree": "bad", "failed": "bad"}
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Record:
    """What the page needs of one experiment: either a finding or the sentence of a failure."""

    contents: dict[str, Any]

    @property
    def name(self) -> str:
        """The experiment's name."""
        return str(self.contents["experiment"])

    @property
    def failure(self) -> str:
        """The sentence of a failure, or nothing."""
        return str(self.contents.get("failure", ""))

    @property
    def sentence(self) -> str:
        """What was found, or why not."""
        return self.failure or str(self.contents["sentence"])

    @property
    def verdict(self) -> str:
        """Whether it agrees with the paper, or that it failed."""
        return "failed" if self.failure else str(self.contents["agreement"])

    @property
    def seconds(self) -> float:
        """How long it took [s]."""
        return float(self.contents["seconds"])

    @property
    def tables(self) -> list[Table]:
        """Its tables."""
        return [Table(**t) for t in self.contents["tables"]]

    def answers(self, experiment: Experiment, setting: Setting) -> bool:
        """Whether this is a finding of the experiment in the same setting and version."""
        wanted = _version(experiment, setting)
        same = all(self.contents.get(key) == value for key, value in wanted.items())
        return same and not self.failure


def record(
    paper: Paper, experiment: Experiment, setting: Setting, seconds: float, finding: Finding
) -> Record:
    """The record of a finding."""
    return Record(
        _head(paper, experiment, setting, seconds)
        | {
            "agreement": finding.agreement.value,
            "sentence": finding.sentence,
            "tables": [_table(table) for table in finding.tables],
            "picture": f"{experiment.name}.png",
            "caption": finding.caption,
            "film": f"{experiment.name}.mp4" if finding.film else None,
            "solvers": {name: described(solver) for name, solver in finding.solvers.items()},
        }
    )


def failed(
    paper: Paper, experiment: Experiment, setting: Setting, seconds: float, sentence: str
) -> Record:
    """The record of an experiment that failed."""
    return Record(_head(paper, experiment, setting, seconds) | {"failure": sentence})


def write_record(folder: Path, made: Record) -> None:
    """Write a record as JSON, whole or not at all."""
    text = json.dumps(made.contents, indent=1, ensure_ascii=False, allow_nan=False)
    write_text(folder / f"{made.name}.json", text + "\n")


def read_record(folder: Path, paper: Paper, name: str) -> Record | None:
    """The record of a paper's experiment, None if there is no whole one."""
    try:
        contents = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    whole = isinstance(contents, dict) and contents.get("experiment") == name
    # There was one paper before records said which.
    return Record(contents) if whole and contents.get("paper", EMU.name) == paper.name else None


def _head(paper: Paper, experiment: Experiment, setting: Setting, seconds: float) -> dict[str, Any]:
    return {
        "paper": paper.name,
        "experiment": experiment.name,
        "title": experiment.title,
        "shows": experiment.shows,
        "seconds": round(seconds, 2),
        "finished": now(),
        "seed": SEED,
        "machine": describe(),
    } | _version(experiment, setting)


def _version(experiment: Experiment, setting: Setting) -> dict[str, Any]:
    """What must be the same for a finding, or a part of one, to be kept."""
    return {"setting": _setting(experiment, setting), "vastus": __version__}


def _setting(experiment: Experiment, setting: Setting) -> dict[str, Any]:
    made: dict[str, Any] = {"full": setting.full, "mesh": None}
    for word, path, taken in (
        ("mesh", setting.mesh, experiment.takes_mesh),
        ("arm", setting.arm, experiment.takes_arm),
    ):
        if path and taken:
            made |= {word: path.name, f"{word}_sha256": _digest(path)}
    return made


def _digest(path: Path) -> str | None:
    """The hash of a file; None if it is gone, which must not cost a finding of hours."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def _table(table: Table) -> dict[str, Any]:
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    return {"title": table.title, "columns": list(table.columns), "rows": rows}


def _cell(cell: Any) -> Any:
    """A cell as JSON knows it: no infinity, no numpy."""
    if isinstance(cell, str) or cell is None:
        return cell
    number = cell.item() if hasattr(cell, "item") else cell
    return number if math.isfinite(number) else None


def write_page(folder: Path, paper: Paper, records: Sequence[Record]) -> Path:
    """Write the page of these records; pictures and films are taken from the folder."""
    text = page(
        paper.template,
        paper.title,
        records=records,
        pictures={r.name: _file(folder, r.contents, "picture") for r in records},
        films={r.name: _file(folder, r.contents, "film") for r in records},
        kinds=KINDS,
    )
    write_text(folder / PAGE, text)
    return folder / PAGE


def _file(folder: Path, contents: Mapping[str, Any], kind: str) -> bytes | None:
    """The picture or film of an experiment, None if it has none or the file is gone."""
    try:
        return (folder / contents[kind]).read_bytes()
    except (KeyError, TypeError, OSError):
        return None


def unfinished(
    folder: Path, paper: Paper, experiments: Sequence[Experiment], setting: Setting
) -> list[Experiment]:
    """The experiments of a paper that have no finding in the folder."""
    found = {e.name: read_record(folder, paper, e.name) for e in experiments}
    return [e for e in experiments if not _answers(found[e.name], e, setting)]


def _answers(found: Record | None, experiment: Experiment, setting: Setting) -> bool:
    return found is not None and found.answers(experiment, setting)


def perform(
    folder: Path, paper: Paper, experiments: Sequence[Experiment], setting: Setting, tell: Tell
) -> Iterator[Record]:
    """Run experiments on one thread; each is on disk and on the page before the next begins.

    One that is interrupted goes on, if it is run again in the same setting, with what it has kept.
    """
    with thread_count(1):
        for experiment in experiments:
            (folder / f"{experiment.name}.json").unlink(missing_ok=True)
        write_page(folder, paper, on_disk(folder, paper))
        clock = Clock(experiments, setting.full)
        for number, experiment in enumerate(experiments, 1):
            tell(f"[{number}/{len(experiments)}] {experiment.title}{clock.left()}")
            place = opened(folder, experiment.name, _version(experiment, setting))
            told = replace(setting, note=lambda s: tell(f"    {s}"), folder=place)
            made = _performed(folder, paper, experiment, told)
            write_record(folder, made)
            forget(folder, experiment.name)
            write_page(folder, paper, on_disk(folder, paper))
            clock.finished(experiment)
            yield made


def on_disk(folder: Path, paper: Paper) -> list[Record]:
    """All records of a paper in the folder, in the order of the page."""
    found = (read_record(folder, paper, name) for name in paper.experiments)
    return [r for r in found if r is not None]


def _performed(folder: Path, paper: Paper, experiment: Experiment, setting: Setting) -> Record:
    began = time.perf_counter()
    try:
        finding = experiment.run(setting)
        save(finding.figure, folder / f"{experiment.name}.png")
        if finding.film:
            encode(folder / f"{experiment.name}.mp4", iter(finding.film.pictures), finding.film.fps)
    except Exception as error:  # whatever happens to one, the others must run
        sentence = str(error) if isinstance(error, VastusError) else _named(error)
        return failed(paper, experiment, setting, time.perf_counter() - began, sentence)
    return record(paper, experiment, setting, time.perf_counter() - began, finding)


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
