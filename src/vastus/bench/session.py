"""Go through the jobs, each in its own process, and keep each record as soon as it is there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from vastus import __version__
from vastus.bench.apart import Late, Lost, apart
from vastus.bench.machine import describe
from vastus.bench.row import Status
from vastus.errors import FileError
from vastus.io.files import append_text, make_folder, require_writable

RECORDS, STATES = "bench.jsonl", "states"
Record = dict[str, Any]


class Job(Protocol):
    """Something to measure; it is called in a process of its own."""

    @property
    def kind(self) -> str:
        """What sort of record it makes."""

    @property
    def key(self) -> str:
        """What it is called among the results."""

    @property
    def guess(self) -> float:
        """About how long it may take [s]."""

    @property
    def patience(self) -> float:
        """After how long [s] the process is ended."""

    def __call__(self, began: Callable[[], None]) -> Record:
        """Measure."""

    def lost(self, sentence: str, *, late: bool) -> Record:
        """The record of a process that did not come back."""


@dataclass(frozen=True)
class Done:
    """A job and its record; `fresh` unless it was known from before."""

    job: Job
    record: Record
    fresh: bool


def measured(jobs: Sequence[Job], folder: Path, begin: Callable[[Job], None]) -> Iterator[Done]:
    """Each job with its record; those that the folder knows are not measured again.

    `begin` is called before a job is measured.
    """
    known = read_records(folder)
    for job in jobs:
        if job.key in known and _final(known[job.key], job):
            yield Done(job, known[job.key], fresh=False)
            continue
        begin(job)
        record = {"key": job.key, "kind": job.kind, **_measure(job)}
        append_text(folder / RECORDS, json.dumps(record) + "\n")
        yield Done(job, record, fresh=True)


def begin_in(folder: Path, *, resume: bool, overwrite: bool) -> None:
    """Make a folder ready for records; refuse one that holds others unless told what to do."""
    require_writable(folder)
    path = folder / RECORDS
    if path.exists() and resume:
        _same_machine(path)
        return
    if path.exists() and not overwrite:
        raise FileError(
            f"'{folder}' holds a benchmark already; "
            "give --resume to go on, --overwrite to replace it, or another folder"
        )
    make_folder(folder)
    path.unlink(missing_ok=True)
    head = {"kind": "head", "vastus": __version__, "machine": describe()}
    append_text(path, json.dumps(head) + "\n")


def read_records(folder: Path) -> dict[str, Record]:
    """The records of a folder by their keys; a last line that was cut off is left out."""
    return {record["key"]: record for record in _lines(folder / RECORDS) if "key" in record}


def _measure(job: Job) -> Record:
    try:
        return apart(job, job.patience)
    except Lost as lost:
        return job.lost(str(lost), late=isinstance(lost, Late))


def _final(record: Mapping[str, Any], job: Job) -> bool:
    """Whether a record would not change if there were more time."""
    late = record.get("status") == Status.LATE
    return not late or record["limit"] >= getattr(job, "limit", 0.0)


def _same_machine(path: Path) -> None:
    head = next(iter(_lines(path)), {})
    if head.get("vastus") != __version__ or head.get("machine") != describe():
        raise FileError(
            f"'{path}' was measured with other versions or on another machine; "
            "give --overwrite to replace it, or another folder"
        )


def _lines(path: Path) -> Iterator[Record]:
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    for line in text[: text.rfind("\n") + 1].splitlines():
        record = _parsed(line)
        if not isinstance(record, dict):
            raise FileError(f"'{path}' is damaged; give --overwrite to replace it")
        yield record


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return None
