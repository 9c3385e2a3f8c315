"""Measured moment arms beside those of the file that a model was built from."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.experiments.trial import Table
from vastus.files.curve_file import PublishedCurve
from vastus.files.safe import read_text, write_text
from vastus.modelling.lines.line_arms import ARMS, COLUMNS
from vastus.numerics.types import Floats
from vastus.pictures.column_plot import ColumnPlot
from vastus.results.frame_rows import line

TABLE, PLOT = "arms.csv", "arms.png"
_WIDTH = 22  # of a column that is printed


@dataclass(frozen=True, eq=False)
class FileArms:
    """Arms [m] of muscles over the angles (k,) [deg] of a joint in the file."""

    pose: float  # [deg] the angle in which the model was built
    angles: Floats
    arms: dict[str, Floats]  # (k,) each


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Arms (k,) [m] of muscles as measured over angles (k,) [deg], and those of the file."""

    joint: str
    angles: Floats
    measured: dict[str, Floats]
    given: FileArms

    @property
    def file(self) -> dict[str, Floats]:
        """(k,) [m] the arms of the file at the same angles."""
        given = self.given
        return {m: np.interp(self.angles, given.angles, given.arms[m]) for m in self.measured}

    def lines(self) -> list[str]:
        """The table as it is printed: measured, of the file, and the ratio of both."""
        head = [f"moment arms about '{self.joint}' [mm]: measured, of the file, ratio"]
        head.append("   deg" + "".join(f"{muscle:>{_WIDTH}}" for muscle in self.measured))
        for i, angle in enumerate(self.angles):
            cells = []
            for muscle, own in self.measured.items():
                file = self.file[muscle][i]
                pulls = np.isfinite(own[i])
                here = f"{1e3 * own[i]:8.1f}" if pulls else f"{'slack':>8}"
                ratio = f"{own[i] / file:7.2f}" if pulls else " " * 7
                cells.append(f"{here}{1e3 * file:7.1f}{ratio}")
            head.append(f"{angle:6.1f}" + "".join(cells))
        return head

    def write(self, folder: Path) -> None:
        """Write the table, a column for each muscle and source."""
        names = ["angle_deg"]
        columns = [self.angles]
        for muscle, own in self.measured.items():
            names += [f"{muscle}_arm_m", f"{muscle}_file_arm_m"]
            columns += [own, self.file[muscle]]
        rows = [["" if v != v else v for v in row] for row in np.column_stack(columns).tolist()]
        write_text(folder / TABLE, line(names) + "".join(line(row) for row in rows))

    def draw(self, folder: Path) -> Path:
        """Draw the arms in millimetres, those of the file behind; needs the extra `viz`."""
        table = {"angle": self.angles} | {m: 1e3 * arm for m, arm in self.measured.items()}
        own = {muscle: muscle for muscle in self.measured}
        behind = [
            PublishedCurve(f"{muscle}, file", self.given.angles, 1e3 * self.given.arms[muscle])
            for muscle in self.measured
        ]
        plot = ColumnPlot("angle", own, f"{self.joint} angle [°]", "moment arm [mm]", "moment arms")
        plot.draw(table, folder / PLOT, behind)
        return folder / PLOT


def read_file_arms(path: Path, joint: str) -> FileArms | None:
    """The arms about a joint in the table beside a model; None if there are none."""
    if not path.exists():
        return None
    table = csv.DictReader(read_text(path).splitlines())
    rows = [row for row in table if row.get("joint") == joint]
    if not rows:
        return None
    try:
        angles = np.unique([float(row["angle_deg"]) for row in rows])
        found = {
            muscle: np.array([float(r["file_arm_m"]) for r in rows if r["muscle"] == muscle])
            for muscle in dict.fromkeys(row["muscle"] for row in rows)
        }
        return FileArms(float(rows[0]["pose_deg"]), angles, found)
    except (KeyError, TypeError, ValueError):
        raise FileError(f"'{path}' is no table of moment arms: {', '.join(COLUMNS)}") from None


def side_by_side(
    folder: Path, joint: str, turned: Floats, table: Table, muscles: Sequence[str]
) -> SideBySide | None:
    """Arms of muscles in the table of an experiment beside those in a folder that was built.

    `turned` (k,) [deg] are the angles from the pose that the model was built in.
    """
    given = read_file_arms(folder / ARMS, joint)
    if given is None:
        return None
    known = [m for m in muscles if m in given.arms and f"{m}_arm_m" in table]
    angles = turned + given.pose
    measured = {m: np.asarray(table[f"{m}_arm_m"]) for m in known}
    return SideBySide(joint, angles, measured, given)
