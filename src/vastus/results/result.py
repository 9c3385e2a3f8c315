"""A result folder: its files, and what is read back from them.

`state.npz` is written after a frame's other files, so it says how many frames are finished; what
a killed run left beyond them is dropped when it is resumed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import FileError
from vastus.files.model_file import load_model
from vastus.files.npz import read_npz, write_npz
from vastus.files.safe import DAMAGED
from vastus.geometry.penetration import Penetration
from vastus.inputs import Inputs
from vastus.model import Model, overview
from vastus.numerics.types import Floats
from vastus.referee import Verdict
from vastus.results.frame_file import frame_path
from vastus.results.frame_rows import (
    read_inputs,
    read_penetrations,
    read_poses,
    read_reports,
    read_table,
    read_verdicts,
)
from vastus.results.playback import ALL_FIELDS, FIELDS, POINT_FIELDS, Playback, Snapshot
from vastus.results.provenance import Record
from vastus.state import Frame, Report, State

MODEL, STATE, TABLE = "model.npz", "state.npz", "table.csv"
COLLECTION, PROVENANCE = "result.pvd", "provenance.json"
REPORTS, POSES, REFEREE = "reports.jsonl", "poses.jsonl", "referee.json"
PENETRATION, INPUTS = "penetration.csv", "inputs.jsonl"
PLACES, SPEEDS = ("x", "poses", "activation"), ("v", "twists")  # of a state
MEMORY = "memory/"  # before the names of what a state remembers
MOST_FRAMES = 10**6
FILES = (
    *(STATE, TABLE, REPORTS, POSES, INPUTS, PENETRATION, REFEREE, COLLECTION, PROVENANCE, MODEL),
)


@dataclass(frozen=True, eq=False)
class Result:
    """What a result folder holds.

    `state` is that of the last finished frame; `reports` say how each frame was solved, with the
    names of `vastus.state.Report`; `provenance` says what ran, and how that ended; `verdicts`
    are those of a referee; `penetrations` are the bodies in each other in each frame.
    """

    model: Model
    times: Floats  # (frames,) [s]
    table: dict[str, Floats]  # (frames,) each
    frames: tuple[Path, ...]
    state: State | None
    reports: tuple[dict[str, Any], ...]
    provenance: dict[str, object]
    poses: Floats  # (frames, bones, 3, 4) of the bones; x = A X + t
    inputs: tuple[Inputs, ...] = ()  # what drove each frame
    verdicts: tuple[Verdict, ...] = ()
    penetrations: tuple[tuple[Penetration, ...], ...] = ()
    folder: Path | None = None

    def frame(self, index: int) -> Snapshot:
        """A frame with all its fields, which can be drawn by its `plot`."""
        return Playback(self, (*ALL_FIELDS, *POINT_FIELDS))[index]

    def __repr__(self) -> str:
        """Where it is, how the run ended, and the outputs of the last frame."""
        count = len(self.times)
        span = f", {self.times[0]:g} to {self.times[-1]:g} s" if count else ""
        ended = self.provenance.get("status", "of unknown status")
        last = {n: float(column[-1]) for n, column in self.table.items() if count}
        title = f"Result '{self.folder or self.model.name}': {ended}, {count} frames{span}"
        return overview(title, {"model": self.model.name, **last})

    def replay(self, index: int) -> Frame:
        """A frame as it was solved, with the row of the table as its outputs."""
        seen, inputs = self.frame(index), self.inputs[index]
        state = State.still(inputs.time, seen.mesh.X, self.poses[index], seen.activation)
        told = {k: v for k, v in self.reports[index].items() if k in Report.__dataclass_fields__}
        row = {name: float(column[index]) for name, column in self.table.items()}
        return Frame(index, state, Report(**told), row, model=self.model, inputs=inputs)


def read_result(folder: str | Path) -> Result:
    """The finished frames of a result folder."""
    folder = Path(folder)
    require_result(folder)
    model = load_model(folder / MODEL)
    count, state = read_state(folder)
    table = {name: column[:count] for name, column in read_table(folder / TABLE).items()}
    require_whole(folder, count, table)
    files = tuple(frame_path(folder, i) for i in range(count))
    times = table["time_s"] if table else np.zeros(0)
    reports = read_reports(folder / REPORTS, count)
    record = Record.read(folder / PROVENANCE).contents
    if state is not None:
        _require_fitting(folder / STATE, model, state)
    poses = read_poses(folder / POSES, model, count)
    inputs = read_inputs(folder / INPUTS, model, table, poses)
    verdicts = read_verdicts(folder / REFEREE)
    inside = read_penetrations(folder / PENETRATION, count)
    return Result(
        model, times, table, files, state, reports, record, poses, inputs, verdicts, inside, folder
    )


def read_playback(folder: str | Path, fields: Collection[str] = FIELDS) -> Playback:
    """The playback of a result folder with at least one finished frame."""
    playback = Playback(read_result(folder), fields)
    if not len(playback):
        raise FileError(f"the result '{folder}' has no finished frame yet")
    return playback


UNDRIVEN = {"joints", "reactions"}  # what is not a number where a joint moves freely


def write_state(folder: Path, finished: int, state: State) -> None:
    """Keep the state after so many finished frames, bit by bit."""
    moving = SPEEDS if state.v.any() or state.twists.any() else ()
    arrays = {name: getattr(state, name) for name in ("time", *PLACES, *moving)}
    memory = {f"{MEMORY}{name}": values for name, values in state.memory.items()}
    write_npz(folder / STATE, arrays | memory | {"finished": finished})


def read_state(folder: Path) -> tuple[int, State | None]:
    """How many frames are finished, and the state of the last."""
    if not (folder / STATE).exists():
        return 0, None
    a = read_npz(folder / STATE)
    try:
        state, count = _state(a), int(a["finished"])
    except KeyError as error:
        raise FileError(f"'{folder / STATE}' has no array {error}") from None
    except DAMAGED:
        raise FileError(f"'{folder / STATE}' is damaged: it lacks a time or a count") from None
    if not 0 <= count <= MOST_FRAMES:
        raise FileError(f"'{folder / STATE}' tells of {count} frames; 0 to {MOST_FRAMES} can be")
    return count, state


def _state(a: Mapping[str, np.ndarray]) -> State:
    """The state that arrays tell of; one at which nothing moves has no velocities."""
    memory = {k.removeprefix(MEMORY): v for k, v in a.items() if k.startswith(MEMORY)}
    still = State.still(float(a["time"]), a["x"], a["poses"], a["activation"], memory)
    return replace(still, v=a.get("v", still.v), twists=a.get("twists", still.twists))


def require_result(folder: Path) -> None:
    """Raise a `FileError` unless a run began here."""
    for name in (PROVENANCE, MODEL):
        if not (folder / name).is_file():
            raise FileError(f"'{folder}' is not a result folder: it has no {name}")


def require_whole(folder: Path, count: int, table: dict[str, Floats]) -> None:
    """Raise a `FileError` unless each finished frame has its row and its file."""
    rows = len(next(iter(table.values()), ()))
    if rows != count:
        raise FileError(f"the result '{folder}' has {count} frames but {rows} rows in {TABLE}")
    if table and not np.isfinite(table.get("time_s", np.nan)).all():
        raise FileError(f"the table '{folder / TABLE}' lacks a finite time_s of each frame")
    missing = [i for i in range(count) if not frame_path(folder, i).is_file()]
    if missing:
        raise FileError(f"the result '{folder}' lacks {frame_path(Path(), missing[0])}")


def _require_fitting(path: Path, model: Model, state: State) -> None:
    """Raise a `FileError` unless a state is one of this model."""
    bones = (len(model.bones), 3, 4)
    shapes = {
        "x": (state.x, model.mesh.X.shape),
        "v": (state.v, model.mesh.X.shape),
        "poses": (state.poses, bones),
        "twists": (state.twists, (len(model.bones), 6)),
        "activation": (state.activation, (len(model.muscles),)),
        **{name: (values, values.shape) for name, values in state.memory.items()},
    }
    count = (model.n_coordinates,)
    for name in UNDRIVEN & set(shapes):
        values = np.asarray(shapes[name][0])
        # A joint that moves freely has no such number.
        shapes[name] = (np.nan_to_num(values) if values.shape == count else values, count)
    for name, (values, shape) in shapes.items():
        fits = values.shape == shape and values.dtype.kind == "f" and np.isfinite(values).all()
        if not fits:
            raise FileError(
                f"'{path}' is of another model: '{name}' must be {shape} finite numbers"
            )
