"""What an examination before and after disorders found, as tables and plots in a folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import numpy as np

from vastus.control.disorders.comparison import Comparison
from vastus.control.disorders.disorder_file import write_disorders
from vastus.control.disorders.patient import Patient
from vastus.files.curve_file import PublishedCurve
from vastus.files.identifiers import clean_names
from vastus.files.safe import make_folder, read_bytes, write_text
from vastus.numerics.types import Floats
from vastus.pictures.column_plot import ColumnPlot
from vastus.results.frame_rows import line
from vastus.results.provenance import Provenance, Record, Status
from vastus.results.result import PROVENANCE

TABLE = "findings.csv"
KEPT = "disorders.yaml"
# What is drawn over the angle of a joint.
CURVES = {"raising": "raising", "lowering": "lowering", "relaxed": "relaxed, with weight"}


def write_findings(
    found: Comparison, folder: Path, patient: Patient, *, body: Path | None, changes: Path | None
) -> None:
    """Write all numbers, the curves of each joint, the disorders and where they came from.

    `body` and `changes` are the files that were read, if there were any.
    """
    make_folder(folder)
    rows = [(f.measure, f.subject, f.unit, f.before, f.after) for f in found.findings]
    head = ("measure", "of", "unit", "before", "after")
    write_text(folder / TABLE, "".join(line(row) for row in (head, *rows)))
    files = clean_names(found.curves, empty="joint")
    for joint, columns in found.curves.items():
        values = np.column_stack(list(columns.values())).tolist()
        text = "".join(line(row) for row in (list(columns), *values))
        write_text(folder / f"{files[joint]}.csv", text)
    write_disorders(folder / KEPT, patient.disorders)
    record = Record.begin(folder / PROVENANCE, Provenance(scene=_digest(changes)), _digest(body))
    record.contents["disorders"] = [str(each) for each in patient.disorders]
    record.mark(Status.FINISHED)


def _digest(source: Path | None) -> str:
    return "" if source is None else sha256(read_bytes(source)).hexdigest()


def draw_findings(found: Comparison, folder: Path) -> Iterator[Path]:
    """Draw the torques about each joint over its range, and say where each plot is."""
    files = clean_names(found.curves, empty="joint")
    for joint, columns in found.curves.items():
        path = folder / f"{files[joint]}.png"
        _plot(joint).draw(columns, path, _before(columns))
        yield path


def _plot(joint: str) -> ColumnPlot:
    shown = {f"{word}_after_Nm": f"{label}, after" for word, label in CURVES.items()}
    title = f"torques about '{joint}', agonists at full activation"
    return ColumnPlot("angle_deg", shown, f"{joint} [deg]", "torque [N m]", title)


def _before(columns: Mapping[str, Floats]) -> list[PublishedCurve]:
    return [
        PublishedCurve(f"{label}, before", columns["angle_deg"], columns[f"{word}_before_Nm"])
        for word, label in CURVES.items()
    ]
