"""A build in a process of its own, which can be watched and stopped while the page lives on."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from vastus.checks import Finding
from vastus.errors import VastusError
from vastus.job import prepare
from vastus.model import Model
from vastus.modelling.surfaces.record import Record, record_of
from vastus.processes import (
    end_family,
    end_own_family,
    found_family,
    prepared,
    start,
    when_orphaned,
)
from vastus.scene.read import read, scene_of


@dataclass(frozen=True)
class Step:
    """The build has come to a step."""

    name: str


@dataclass(frozen=True, eq=False)
class Done:
    """The build is finished."""

    model: Model
    record: Record | None
    findings: list[Finding]


@dataclass(frozen=True)
class Failed:
    """The build could not be finished."""

    sentence: str


BuildEvent = Step | Done | Failed


class Building:
    """Builds a scene; what is known of it is asked for by `events`.

    Its `text` is that of the file unless given, for the file may change before it is read.
    """

    def __init__(self, scene: Path, text: str | None = None) -> None:
        self._pipe, theirs = multiprocessing.Pipe(duplex=False)
        self._process = prepared(_build, scene, text, theirs, name="build")
        start(self._process, script=False)
        theirs.close()
        self.over = False

    def events(self) -> list[BuildEvent]:
        """What has happened since it was last asked; never waits."""
        events: list[BuildEvent] = []
        try:
            while not self.over and self._pipe.poll():
                events.append(self._pipe.recv())
                self.over = not isinstance(events[-1], Step)
        except (EOFError, OSError):
            self.over = True
            events.append(Failed(f"the build ended unexpectedly ({self._why()})"))
        return events

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    def cancel(self) -> None:
        """Stop the build and its mesher; finished steps stay in the cache."""
        self.over = True
        end_family(self._process)
        self._pipe.close()

    def _why(self) -> str:
        self._process.join(timeout=2.0)
        code = self._process.exitcode or 0
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def _build(scene: Path, text: str | None, pipe: Connection) -> None:
    found_family()
    when_orphaned(end_own_family)
    # Nobody may listen any more; then there is nothing left to say.
    with contextlib.suppress(BrokenPipeError):
        pipe.send(_outcome(scene, text, pipe))


def _outcome(path: Path, text: str | None, pipe: Connection) -> BuildEvent:
    try:
        scene = read(path) if text is None else scene_of(text.encode(), path)
        job = prepare(scene, watch=lambda name: pipe.send(Step(name)))
        record = record_of(job.anatomy, job.model) if job.anatomy else None
        return Done(job.model, record, job.findings)
    except VastusError as error:
        return Failed(str(error))
    except MemoryError:
        return Failed("there is not enough memory to build this; give a larger size of the tets")
    except BrokenPipeError:
        raise
    except Exception as error:  # whatever it is, the page must hear of it
        said = " ".join(str(error).split())
        return Failed(f"the build failed unexpectedly ({type(error).__name__}: {said})")
