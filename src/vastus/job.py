"""A scene prepared, solved frame by frame, written as it goes, and judged."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from vastus.cache import Log, Store
from vastus.checks import Finding, Severity, check
from vastus.checks.before_build import findings_before
from vastus.checks.finding import worst_first
from vastus.checks.short_ends import short_ends
from vastus.errors import FileError, ModelError, SolveError, VastusError
from vastus.files.safe import require_writable
from vastus.inputs import Schedule
from vastus.materials.base import require
from vastus.measure.fields import Fields
from vastus.model import Model
from vastus.modelling.build import USUAL, built
from vastus.modelling.sources import Built
from vastus.modelling.start import started
from vastus.modelling.surfaces.anatomy import Anatomy
from vastus.referee import Referee, Verdict
from vastus.results.frame_file import write_whole
from vastus.results.frame_rows import read_verdicts, write_verdicts
from vastus.results.provenance import Provenance
from vastus.results.result import PROVENANCE, REFEREE, Result, read_result
from vastus.results.writer import LOCK, Lock, ResultWriter
from vastus.scene import Scene
from vastus.scene.read import read
from vastus.scene.schema import SceneError
from vastus.solvers.motion.dynamic import Dynamic
from vastus.solvers.motion.explicit import Explicit
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Reduction
from vastus.state import Frame, State, rest
from vastus.timeloop import ProgressWatch, Solver, Warm, simulate

Watch = Callable[[str], None]  # is told the step that is begun
LAST_GOOD = "last_good.vtu"
MOTIONS = (Dynamic, Explicit)  # the solvers of motion in time


@dataclass(frozen=True, eq=False)
class Job:
    """All that a run needs, validated; nothing is written yet."""

    scene: Scene
    model: Model
    inputs: Schedule
    solver: Solver
    findings: list[Finding]
    anatomy: Anatomy | None = None  # how the model came about, if from surfaces
    start: State | None = None  # what the run begins with, if not at rest
    began: Built | None = None  # what the build began with

    @property
    def provenance(self) -> Provenance:
        """What the result will say about where it comes from."""
        return Provenance(self.solver, self.scene.digest, self.scene.description.seed)

    @property
    def referee(self) -> Newton:
        """The solver that may judge the run, with bones of the same kind."""
        if isinstance(self.solver, MOTIONS):
            raise ModelError("a referee repeats equilibria, and motion in time has none")
        return Newton(reduction=Reduction(self.scene.description.solver.bones()))


def _unwatched(step: str) -> None:
    """Nobody is told of the steps."""


def prepare(
    scene: Scene,
    *,
    store: Store | None = USUAL,
    watch: Watch = _unwatched,
    log: Log | None = None,
    like: Job | None = None,
) -> Job:
    """Build a scene and look for what is wrong in it; surfaces are looked at before they are built.

    What is an error before anything is meshed is raised then. `store` and `watch` are as in
    `built`; a `log` stands for both, and knows the steps that `findings_of` made with it. A scene
    with the geometry of a job that it is `like` begins with the same, and is not looked at again.
    """
    log = log or Log(store, watch)
    if like is not None:
        return _job(scene, built(scene, log=log, began=like.began), like.findings)
    before = findings_before(scene.source, scene, log)
    _refuse_errors(scene, before)
    made = built(scene, log=log)
    if made.anatomy is None:
        log.watch = _unwatched
    later = log.run("looking at the model", check, made.model)
    if made.anatomy is not None:
        body = made.anatomy.body
        later = [*short_ends(body.parts, body.made), *later]
    if isinstance(scene.description.solver.solver, MOTIONS):
        later = [finding for finding in later if not finding.static]
    findings = worst_first([*before, *(finding for finding in later if finding not in before)])
    return _job(scene, made, findings)


def _job(scene: Scene, made: Built, findings: list[Finding]) -> Job:
    """The job of a scene that is built and looked at."""
    inputs, solver = scene.inputs(made.model), scene.description.solver.solver
    start = started(scene, made.model)
    if start is not None and not isinstance(solver, MOTIONS):
        sentence = "equilibria have no velocity to start with; solve with kind: dynamic or explicit"
        raise scene.places.error(("start",), sentence)
    return Job(scene, made.model, inputs, solver, findings, made.anatomy, start, made.began)


def findings_of(
    scene: Scene,
    *,
    store: Store | None = USUAL,
    watch: Watch = _unwatched,
    log: Log | None = None,
) -> list[Finding]:
    """All that looks wrong in a scene before anything is meshed, errors first.

    Only a scene with surfaces has such findings; others are looked at once they are built.
    """
    return findings_before(scene.source, scene, log or Log(store, watch))


def require_sound(job: Job) -> None:
    """Refuse a job with an error among its findings."""
    _refuse_errors(job.scene, job.findings)


def require_movable(job: Job) -> None:
    """Refuse a model with what its solver of motion cannot move; equilibria are only tried."""
    if isinstance(job.solver, MOTIONS):
        with job.scene.places.blame("solver"):
            job.solver.prepare(job.model)


def _refuse_errors(scene: Scene, findings: list[Finding]) -> None:
    errors = [f for f in findings if f.severity is Severity.ERROR]
    if errors and errors[0].refusal:
        raise SceneError(errors[0].refusal)
    if errors:
        with scene.places.blame():
            raise ModelError(str(errors[0]))


def run(
    scene: str | Path,
    folder: str | Path,
    *,
    resume: bool = False,
    overwrite: bool = False,
    watch: ProgressWatch | None = None,
) -> Result:
    """Simulate the scene of a file, write the result into a folder, and return it.

    `resume` goes on after the frames that the folder holds, `overwrite` replaces them. A solve that
    fails raises `SolveError` and leaves the finished frames.
    """
    folder = Path(folder)
    require(not (resume and overwrite), "give only one of resume=True and overwrite=True")
    if not (resume or overwrite):
        require_free(folder, "resume=True", "overwrite=True")
    job = prepare(read(scene))
    require_sound(job)
    for _ in solve(job, folder, resume=resume, watch=watch):
        pass
    return read_result(folder)


def solve(
    job: Job,
    folder: Path,
    *,
    resume: bool = False,
    warm: bool = False,
    watch: ProgressWatch | None = None,
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
            start=job.start if writer.state is None else writer.state,
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
            frame = result.replay(index)
            before = result.replay(index - 1).state if index else None
            verdict = referee.judge(before or rest(job.model), frame)
            if not result.reports[index].get("warmed"):
                verdict = replace(verdict, seconds=None)
            found[index] = verdict
            write_verdicts(folder / REFEREE, job.referee, [found[i] for i in sorted(found)])
            yield verdict


def require_free(folder: Path, resume: str = "--resume", overwrite: str = "--overwrite") -> None:
    """Refuse a folder that cannot be written, or that holds a result."""
    require_writable(folder)
    if (folder / PROVENANCE).exists():
        raise FileError(
            f"'{folder}' holds a result already; "
            f"give {resume} to go on, {overwrite} to replace it, or another folder"
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
            write_whole(folder / LAST_GOOD, Fields(model), error.state)
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
