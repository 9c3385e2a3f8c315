"""A job solved frame by frame, written as it goes, and judged."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from vastus.errors import FileError, SolveError, VastusError
from vastus.fields import Fields
from vastus.io.files import require_writable
from vastus.io.lock import LOCK, Lock
from vastus.io.result import PROVENANCE, REFEREE, read_result, write_frame
from vastus.io.result_writer import ResultWriter
from vastus.io.verdicts import read_verdicts, write_verdicts
from vastus.job import Job
from vastus.model import Model
from vastus.motion import Frame, State, rest
from vastus.referee import Referee, Verdict
from vastus.timeloop import Progress, simulate
from vastus.warm import Warm

LAST_GOOD = "last_good.vtu"


def run(
    job: Job,
    folder: Path,
    *,
    resume: bool = False,
    warm: bool = False,
    watch: Callable[[Progress], None] | None = None,
) -> Iterator[Frame]:
    """The frames of a job, each on disk when it is yielded; `resume` goes on after those there.

    With `warm`, the first step is made twice, so that no compiling is in the time it took. A solve
    that fails leaves the finished frames, and the last good state as `last_good.vtu`.
    """
    with _clean(folder):
        going_on = resume and (folder / PROVENANCE).exists()
        provenance = replace(job.provenance, warmed=warm)
        writer = ResultWriter(folder, job.model, provenance, resume=going_on)
        frames = simulate(
            job.model,
            Warm(job.solver) if warm else job.solver,
            job.inputs,
            start=writer.state,
            first=writer.finished,
            watch=watch,
        )
        with writer, _keeping(folder, job.model):
            for frame in frames:
                writer.add(frame)
                yield frame


def judge(job: Job, folder: Path, chosen: Collection[int]) -> Iterator[Verdict]:
    """Verdicts on the chosen frames of a result, each on disk when it is yielded.

    Frames that were judged before are left out. The times of frames that were not solved `warm`
    are not compared.
    """
    with _locked(folder):
        found = {v.frame: v for v in read_verdicts(folder / REFEREE, job.referee)}
        left = sorted(set(chosen) - set(found))
        if not left:
            return
        result, referee = read_result(folder), Referee(job.model, job.referee)
        for index in left:
            frame = result.replay(index, job.inputs[index])
            before = result.replay(index - 1, job.inputs[index - 1]).state if index else None
            verdict = referee.judge(before or rest(job.model), frame)
            if not result.reports[index].get("warmed"):
                verdict = replace(verdict, seconds=None)
            found[index] = verdict
            write_verdicts(folder / REFEREE, job.referee, [found[i] for i in sorted(found)])
            yield verdict


def require_free(folder: Path) -> None:
    """Refuse a folder that cannot be written, or that holds a result."""
    require_writable(folder)
    if (folder / PROVENANCE).exists():
        raise FileError(
            f"'{folder}' holds a result already; "
            "give --resume to go on, --overwrite to replace it, or another folder"
        )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    lock = Lock(folder)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def _keeping(folder: Path, model: Model) -> Iterator[None]:
    """Save the last good state of a solve that fails."""
    try:
        yield
    except SolveError as error:
        if isinstance(error.state, State):
            write_frame(folder / LAST_GOOD, Fields(model), error.state)
        raise


@contextmanager
def _clean(folder: Path) -> Iterator[None]:
    """Remove the folder if it is new, the run could not even begin, and no other has begun."""
    new = not folder.exists()
    try:
        yield
    except SolveError:
        raise
    except VastusError:
        begun = (folder / LOCK).exists() or any(folder.glob("frames/*.vtu"))
        if new and not begun:
            shutil.rmtree(folder, ignore_errors=True)
        raise
