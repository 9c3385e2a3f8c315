"""An experiment carried out: runs on disk as results, then its table, plot and provenance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vastus.errors import FileError, SolveError
from vastus.experiments.trial import Finding, Question, Run, Table, Trial
from vastus.files.curve_file import PublishedCurve
from vastus.files.safe import make_folder, require_writable, write_text
from vastus.pictures.column_plot import ColumnPlot
from vastus.results.frame_rows import line
from vastus.results.provenance import Provenance, Record, Status
from vastus.results.result import PROVENANCE, read_result
from vastus.results.writer import ResultWriter
from vastus.state import Frame
from vastus.timeloop import ProgressWatch, simulate

TABLE, PLOT = "curve.csv", "plot.png"


@dataclass(frozen=True, eq=False)
class Performance:
    """An experiment on its way: where it writes, and what its record says."""

    trial: Trial
    folder: Path
    scene: str = ""  # the hash of the scene

    def runs(self) -> Sequence[Run]:
        """What will be simulated."""
        return self.trial.runs()

    def simulated(self, run: Run, watch: ProgressWatch | None = None) -> Iterator[Frame]:
        """The frames of a run, each on disk in a folder of its own when it is yielded."""
        asked = self.trial.asked
        provenance = Provenance(asked.solver, self.scene)
        with ResultWriter(self.folder / run.name, run.model, provenance) as writer:
            frames = simulate(
                run.model, asked.solver, run.inputs, observers=run.observers, watch=watch
            )
            for frame in frames:
                writer.add(frame)
                yield frame

    def finding(self) -> Finding:
        """What the tables on disk say, written as a table with its provenance."""
        runs = self.runs()
        found = self.trial.finding({run.name: _counted(self.folder, run) for run in runs})
        rows = zip(*(column.tolist() for column in found.table.values()), strict=True)
        cells = [["" if value != value else value for value in row] for row in rows]
        write_text(
            self.folder / TABLE, line(list(found.table)) + "".join(line(row) for row in cells)
        )
        self._record(runs, found)
        return found

    def draw(self, found: Finding, over: Sequence[PublishedCurve] = ()) -> Path:
        """Draw the curves, with published ones behind them."""
        title = f"{self.trial.title}: {self.trial.subject}"
        plot = ColumnPlot(found.x, found.curves, found.x_label, found.y_label, title, found.other_x)
        plot.draw(found.table, self.folder / PLOT, over)
        return self.folder / PLOT

    def _record(self, runs: Sequence[Run], found: Finding) -> None:
        asked = self.trial.asked
        provenance = Provenance(asked.solver, self.scene)
        record = Record.begin(self.folder / PROVENANCE, provenance, asked.model.digest)
        record.contents["experiment"] = {
            "name": self.trial.name,
            "muscles": list(asked.muscles),
            "joint": asked.joint,
            "activation": asked.activation,
            "rest_angle_deg": asked.rest_angle,
            "range": self.trial.range.tolist(),
            "runs": [run.name for run in runs],
            "found": found.sentence,
        }
        record.mark(Status.FINISHED)


def begin(trial: Trial, folder: Path, *, scene: str = "", overwrite: bool = False) -> Performance:
    """The experiment, ready to run in a folder that holds no other unless it is replaced."""
    require_writable(folder)
    if not overwrite and (folder / TABLE).exists():
        raise FileError(f"'{folder}' holds an experiment; --overwrite replaces it")
    if (folder / "model.npz").exists():
        raise FileError(f"'{folder}' holds a result; give another folder")
    trial.runs()  # what cannot be done is said before anything is written
    make_folder(folder)
    return Performance(trial, folder, scene)


def perform(trial: type[Trial], question: Question, folder: str | Path) -> Finding:
    """Carry out an experiment from Python, replacing a former one in the folder."""
    work = begin(trial(question), Path(folder), overwrite=True)
    for run in work.runs():
        for _ in work.simulated(run):
            pass
    return work.finding()


def _counted(folder: Path, run: Run) -> Table:
    """The columns of a run's table in the frames that count."""
    table = read_result(folder / run.name).table
    count = len(next(iter(table.values()), np.zeros(0)))
    if count != len(run.inputs):
        raise SolveError(f"run '{run.name}' has {count} of {len(run.inputs)} frames")
    return {name: column[-run.counted :] for name, column in table.items()}
