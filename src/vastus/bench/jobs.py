"""Jobs of a benchmark, each measured in a process of its own and recorded at once."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol

from vastus import __version__
from vastus.bench.rows import Status
from vastus.errors import FileError
from vastus.files.safe import append_text, make_folder, require_writable
from vastus.numerics.factor import best_factor
from vastus.processes import prepared, start

SETUP = 900.0  # [s] for imports, compilation and building, before the measured part begins
PACKAGES = ("vastus", "numpy", "scipy", "numba", "mkl", "felupe", "scikit-fem", "ngsolve")
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
RECORDS, STATES = "bench.jsonl", "states"

Record = dict[str, Any]
Work = Callable[[Callable[[], None]], dict[str, Any]]


class Lost(Exception):
    """Work that did not come back; the sentence says why."""


class Late(Lost):
    """Work that was ended because it took too long."""


@dataclass(frozen=True)
class _Failure:
    sentence: str


def apart(work: Work, limit: float) -> dict[str, Any]:
    """What `work` returns in a new process; it calls its argument when the measured part begins.

    From then on it has `limit` seconds.
    """
    here, there = multiprocessing.Pipe(duplex=False)
    process = prepared(_report, there, work)
    try:
        start(process)
        there.close()
        answer = _next(here, process, SETUP)
        if answer is None:
            answer = _next(here, process, limit)
    finally:
        if process.pid is not None:
            process.kill()
            process.join()
        here.close()
    if isinstance(answer, _Failure):
        raise Lost(answer.sentence)
    return dict(answer)


def _report(there: Connection, work: Work) -> None:
    try:
        there.send(work(lambda: there.send(None)))
    except Exception as error:  # whatever it is, it belongs in the table
        there.send(_Failure(f"{type(error).__name__}: {' '.join(str(error).split())}"))


def _next(here: Connection, process: BaseProcess, limit: float) -> Any:
    if not here.poll(limit):
        raise Late(f"ended after {limit:g} s")
    try:
        return here.recv()
    except EOFError:
        process.join()
        code = process.exitcode or 0
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        raise Lost(f"the process died ({how})") from None


def describe() -> dict[str, object]:
    """The processor, its cores, the memory [GB], the system, and the versions that matter."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "memory_GB": round(memory() / 1e9, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "factorisation": best_factor(),
        "packages": {name: installed(name) for name in PACKAGES},
    }


def processor() -> str:
    """The processor's model as the system names it."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def memory() -> int:
    """The physical memory [bytes], or 0 where the system does not say."""
    if not hasattr(os, "sysconf"):
        return 0
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def installed(package: str) -> str:
    """The version of a package, or 'none'."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


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


def forget_peak() -> None:
    """Begin to watch the peak anew, where the system can (Linux)."""
    with suppress(OSError):
        _CLEAR.write_text("5")


def peak() -> float | None:
    """The most memory [MB] this process has had since the peak was forgotten; None if unknown."""
    with suppress(OSError):
        # Unlike `ru_maxrss`, this does not count the process from which it was started.
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return float(line.split()[1]) / 1024
    with suppress(ImportError):
        import resource

        unit = 1024**2 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return None
