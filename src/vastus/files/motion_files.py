"""Numbers over time in files: motions of joints, and activations of muscles.

Each format is a function from a path to a `Motion`: tables in CSV, the `.mot` and `.sto` of
OpenSim, the hierarchies of BVH, and skeletons that a USD stage animates. A table is also written.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from vastus.errors import FileError, known
from vastus.files.foreign import by_suffix
from vastus.files.safe import TEXT, read_bytes, write_text
from vastus.numerics.types import Floats

TIME = "time"


@dataclass(frozen=True, eq=False)
class Motion:
    """Columns (k,) of numbers by name, at times (k,) [s] that increase.

    Angles are in degrees if `degrees` says so, else in radians. Which columns are angles a file
    does not tell: the joint that a column drives does.
    """

    times: Floats
    columns: Mapping[str, Floats]
    degrees: bool = True

    def column(self, name: str) -> Floats:
        """(k,) a column as the file has it; a minus before its name turns its sign."""
        plain = name.removeprefix("-")
        if name in self.columns:
            return self.columns[name]
        if plain not in self.columns:
            raise known("column", plain, self.columns)
        return -self.columns[plain]

    def coordinate(self, name: str, *, turns: bool) -> Floats:
        """(k,) a column as a coordinate: an angle [rad] if it turns, else a length [m]."""
        found = self.column(name)
        return np.radians(found) if turns and self.degrees else found


def read_motion(path: str | Path) -> Motion:
    """The motion in a file, whose suffix tells its format."""
    path = Path(path)
    return by_suffix(path, READERS)(path)


def read_table(path: str | Path) -> Motion:
    """The columns of a table over time: `.sto` and `.mot` as OpenSim writes them, else CSV."""
    path = Path(path)
    return _read_storage(path) if path.suffix.lower() in (".sto", ".mot") else _read_csv(path)


def write_motion(path: str | Path, motion: Motion) -> None:
    """Write a motion as a table: `.csv`, or `.sto` and `.mot`, which OpenSim reads."""
    path = Path(path)
    write_text(path, by_suffix(path, WRITERS)(path.stem, motion))


def checked(path: Path, names: list[str], rows: Floats, *, degrees: bool = True) -> Motion:
    """The motion of a table (k, columns), one of which is the time [s]."""
    if TIME not in names or len(rows) < 2:
        raise FileError(f"'{path}' needs a column '{TIME}' and at least two rows")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FileError(f"'{path}' has two columns '{twice}'")
    columns = dict(zip(names, rows.T, strict=True))
    times = columns.pop(TIME)
    if (np.diff(times) <= 0).any():
        raise FileError(f"the times in '{path}' do not increase")
    return Motion(times, columns, degrees)


def csv_rows(path: Path) -> list[list[str]]:
    """The cells of a table in CSV."""
    try:
        return list(csv.reader(io.StringIO(read_bytes(path, TEXT).decode("utf-8", "replace"))))
    except csv.Error:
        raise FileError(f"'{path}' is not a table in CSV") from None


def finite_numbers(row: list[str], count: int, where: str) -> list[float]:
    """The numbers of a row, which must be so many."""
    if len(row) != count:
        raise FileError(f"{where}: there are {len(row)} values, but {count} columns")
    for cell in row:
        try:
            good = isfinite(float(cell))
        except ValueError:
            good = False
        if not good:
            raise FileError(f"{where}: '{cell.strip()}' is not a finite number")
    return [float(cell) for cell in row]


def _read_csv(path: Path) -> Motion:
    """A table with a line of names; its angles are in degrees."""
    rows = csv_rows(path)
    names = [name.strip() for name in rows[0]] if rows else []
    if len(names) == 1 and ";" in names[0]:
        raise FileError(f"'{path}' has semicolons between its cells; write commas, and 0.5 for 0,5")
    written = [(line, row) for line, row in enumerate(rows, 1) if row and line > 1]
    table = [finite_numbers(row, len(names), f"'{path}', line {line}") for line, row in written]
    return checked(path, names, np.array(table))


def _read_storage(path: Path) -> Motion:
    """OpenSim's table: a header up to `endheader`, a line of names, and rows.

    Angles are in degrees unless the header says `inDegrees=no`, as in OpenSim and in SIMM.
    """
    lines = read_bytes(path, TEXT).decode("utf-8", "replace").splitlines()
    ends = [k for k, line in enumerate(lines) if line.strip().lower() == "endheader"]
    if not ends:
        raise FileError(f"'{path}' has no line 'endheader', which ends the header of such a file")
    head = [line.replace(" ", "").lower() for line in lines[: ends[0]]]
    body = [(n, line) for n, line in enumerate(lines[ends[0] + 1 :], ends[0] + 2) if line.strip()]
    names = _cells(body[0][1]) if body else []
    table = [
        finite_numbers(_cells(line), len(names), f"'{path}', line {n}") for n, line in body[1:]
    ]
    return checked(path, names, np.array(table), degrees="indegrees=no" not in head)


def _cells(line: str) -> list[str]:
    """The cells of a line: divided by tabs if there are any, since names may have blanks."""
    divided = line.strip().split("\t") if "\t" in line.strip() else line.split()
    return [cell.strip() for cell in divided]


def _read_bvh(path: Path) -> Motion:
    from vastus.files.bvh import read_bvh

    return read_bvh(path)


def _read_usd(path: Path) -> Motion:
    from vastus.files.usd_motion import read_usd_motion

    return read_usd_motion(path)


def _csv_text(name: str, motion: Motion) -> str:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow([TIME, *motion.columns])
    table.writerows(_digits(motion))
    return text.getvalue()


def _storage_text(name: str, motion: Motion) -> str:
    rows = _digits(motion)
    head = [
        name, "version=1", f"nRows={len(rows)}", f"nColumns={1 + len(motion.columns)}",
        f"inDegrees={'yes' if motion.degrees else 'no'}", "endheader",
    ]  # fmt: skip
    body = ["\t".join(row) for row in [[TIME, *motion.columns], *rows]]
    return "\n".join([*head, *body]) + "\n"


def _digits(motion: Motion) -> list[list[str]]:
    table = np.column_stack([motion.times, *motion.columns.values()])
    return [[f"{value:.10g}" for value in row] for row in table.tolist()]


READERS: dict[str, Callable[[Path], Motion]] = {
    ".csv": _read_csv,
    ".mot": _read_storage,
    ".sto": _read_storage,
    ".bvh": _read_bvh,
    ".usda": _read_usd,
    ".usdc": _read_usd,
    ".usd": _read_usd,
}
WRITERS: dict[str, Callable[[str, Motion], str]] = {
    ".csv": _csv_text,
    ".sto": _storage_text,
    ".mot": _storage_text,
}
