"""A result folder written frame by frame, so that a killed run keeps what it finished."""

from __future__ import annotations

import os
import socket
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from html import escape
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from vastus.errors import FileError
from vastus.files.model_file import save_model
from vastus.files.safe import (
    keep_lines,
    leftovers,
    make_folder,
    read_text,
    reason,
    require_own,
    write_text,
)
from vastus.inputs import Inputs
from vastus.measure.fields import Fields
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.results import result as names
from vastus.results.frame_file import (
    FRAMES,
    FrameFiles,
    bones_path,
    frame_path,
    paths_of,
    pinned_path,
)
from vastus.results.frame_rows import (
    append_inputs,
    append_penetrations,
    append_poses,
    append_report,
    append_row,
    keep_penetrations,
    keep_rows,
    read_table,
    row_of,
)
from vastus.results.provenance import Provenance, Record, Status
from vastus.state import Frame

if TYPE_CHECKING:
    from filelock import BaseFileLock

LOCK = ".lock"
OURS = ("frame_*.vtu", "bones_*.vtu")
HEAD = '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1">\n  <Collection>\n'
TAIL = "  </Collection>\n</VTKFile>\n"
Begin = Callable[[Path, Model, Provenance], Record]


def write_collection(path: Path, times: Sequence[float], files: Sequence[Sequence[str]]) -> None:
    """Write the file that gives the files of each frame their time [s]."""
    entries = [_entries(time, parts) for time, parts in zip(times, files, strict=True)]
    write_text(path, HEAD + "".join(entries) + TAIL)


def append_to_collection(path: Path, time: float, files: Sequence[str]) -> None:
    """Add a frame's files and their time [s] in place: to write all again would cost ever more."""
    require_own(path)
    try:
        with path.open("r+b") as collection:
            collection.seek(-len(TAIL), os.SEEK_END)
            collection.write((_entries(time, files) + TAIL).encode())
    except OSError as error:
        raise FileError(f"cannot write '{path}': {reason(error)}") from None


def _entries(time: float, files: Sequence[str]) -> str:
    return "".join(
        f'    <DataSet timestep="{time!r}" part="{part}" file="{escape(file)}"/>\n'
        for part, file in enumerate(files)
    )


class Lock:
    """The right to write in a folder, until `release` or until it is forgotten.

    The operating system keeps it on a file that names the process, so none outlives its process.
    """

    def __init__(self, folder: Path) -> None:
        from filelock import FileLock, Timeout

        path = folder.resolve() / LOCK  # not where a link would lead
        require_own(path)
        lock = FileLock(path, timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            raise FileError(f"'{folder}' is being written by {_owner(path)}") from None
        except OSError as error:
            raise FileError(f"cannot write '{path}': {reason(error)}") from None
        with suppress(OSError):  # Windows locks what the file holds, too
            path.write_text(f"{os.getpid()} {socket.gethostname()}", encoding="utf-8")
        self._finalizer = weakref.finalize(self, _release, lock, path)

    def release(self) -> None:
        """Let others write."""
        self._finalizer()


def _owner(path: Path) -> str:
    """The process that a lock's file names."""
    try:
        pid, host = read_text(path).split(" ", 1)
    except (FileError, ValueError):
        return "another process"
    return f"process {pid} on {host}"


def _release(lock: BaseFileLock, path: Path) -> None:
    if lock.is_locked:  # not in a fork
        with suppress(OSError):
            path.unlink(missing_ok=True)  # before the release: afterwards it may be another's
        lock.release()


class ResultWriter:
    """Writes frames as they come; as a context manager it notes how the run ended.

    With `resume` it goes on after the finished frames of a run of the same model and scene:
    `finished` is their number and `state` the last state (None if there is none yet). Without,
    a result that was in the folder before is replaced. A folder has one writer at a time: until
    `close`, others are refused.
    """

    def __init__(
        self,
        folder: str | Path,
        model: Model,
        provenance: Provenance | None = None,
        *,
        resume: bool = False,
    ) -> None:
        self.folder = Path(folder)
        if resume:
            names.require_result(self.folder)
        require_own(self.folder / FRAMES)
        make_folder(self.folder / FRAMES)
        self._lock = Lock(self.folder)
        try:
            self._open(model, provenance or Provenance(), _reopened if resume else _begun)
        except BaseException:
            self._lock.release()
            raise

    def _open(self, model: Model, provenance: Provenance, begin: Begin) -> None:
        self._record = begin(self.folder, model, provenance)
        count, self.state = names.read_state(self.folder)
        table = _trimmed(self.folder, count)
        self._model, self._files = model, FrameFiles(model)
        self._warmed = provenance.warmed
        self._columns = list(table)
        self._times = table["time_s"].tolist() if table else []
        self._record.mark(Status.RUNNING)
        files = [_listed(self.folder, i) for i in range(count)]
        write_collection(self.folder / names.COLLECTION, self._times, files)

    @cached_property
    def _fields(self) -> Fields:
        return Fields(self._model)

    @property
    def finished(self) -> int:
        """How many frames are on disk."""
        return len(self._times)

    def add(self, frame: Frame) -> None:
        """Write one frame; when this returns, it is safe."""
        number, row = self.finished, row_of(frame, self.finished)
        self._columns = self._columns or list(row)
        self._files.write(self.folder, number, self._fields, frame.state)
        append_row(self.folder / names.TABLE, row, self._columns)
        append_report(self.folder / names.REPORTS, frame.report, warmed=self._warmed)
        append_penetrations(self.folder / names.PENETRATION, number, frame)
        append_poses(self.folder / names.POSES, self._model, frame.state.poses)
        drive = frame.inputs or Inputs.of(frame.state)
        append_inputs(self.folder / names.INPUTS, drive)
        names.write_state(self.folder, number + 1, frame.state)
        self.state = frame.state
        self._times.append(frame.time)
        listed = _listed(self.folder, number)
        append_to_collection(self.folder / names.COLLECTION, frame.time, listed)

    def close(self, status: Status = Status.FINISHED, sentence: str = "") -> None:
        """Note how the run ended, and let others write."""
        try:
            self._record.mark(status, sentence)
        finally:
            self._lock.release()

    def __enter__(self) -> ResultWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        elif isinstance(error, Exception):
            self.close(Status.FAILED, str(error))
        else:
            self.close(Status.INTERRUPTED, f"interrupted after {self.finished} frames")


def _begun(folder: Path, model: Model, provenance: Provenance) -> Record:
    _clear(folder)
    save_model(folder / names.MODEL, model.with_(energies=()))
    return Record.begin(folder / names.PROVENANCE, provenance, model.digest)


def _reopened(folder: Path, model: Model, provenance: Provenance) -> Record:
    record = Record.read(folder / names.PROVENANCE)
    given = {"scene": provenance.scene, "model": model.digest}
    for what, value in given.items():
        if record.contents.get(what) != value:
            raise FileError(f"cannot resume '{folder}': its {what} was another or has changed")
    return record


def _trimmed(folder: Path, count: int) -> dict[str, Floats]:
    """Drop what lies beyond the finished frames, and return the table that is left."""
    keep_rows(folder / names.TABLE, count)
    for name in (names.REPORTS, names.POSES, names.INPUTS):
        keep_lines(folder / name, count)
    keep_penetrations(folder / names.PENETRATION, count)
    table = read_table(folder / names.TABLE)
    names.require_whole(folder, count, table)
    kinds = (frame_path, bones_path, pinned_path)
    kept = {at(folder, i) for i in range(count) for at in kinds}
    if count:
        kept.add(pinned_path(folder))
    for path in [*set(_all_frames(folder)) - kept, *_half_written(folder)]:
        path.unlink()
    return table


def _clear(folder: Path) -> None:
    """Remove the files of a former result; the rest of the folder is not ours."""
    for path in [*(folder / name for name in names.FILES), *_all_frames(folder)]:
        path.unlink(missing_ok=True)


def _all_frames(folder: Path) -> list[Path]:
    return [path for name in OURS for path in (folder / FRAMES).glob(name)]


def _half_written(folder: Path) -> list[Path]:
    """What killed runs left while they were writing."""
    ours = [*names.FILES, *(f"{FRAMES}/{name}" for name in OURS)]
    return [part for name in ours for part in leftovers(folder / name)]


def _listed(folder: Path, number: int) -> list[str]:
    """The names of a frame's files in the list of frames."""
    return [path.relative_to(folder).as_posix() for path in paths_of(folder, number)]
