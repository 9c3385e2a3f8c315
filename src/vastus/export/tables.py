"""The table of a result as CSV, NumPy arrays or Parquet, with columns that take time to find.

To the columns of `table.csv` come the smallest and largest fibre stretch of each muscle. Columns
that a table of an older version lacks are found again from its frames.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import numpy as np

from vastus.errors import FileError, MissingExtra, ModelError
from vastus.export.formats import Watch
from vastus.export.regions import Copy
from vastus.files.foreign import existing, loaded, writing
from vastus.files.npz import read_npz, write_npz
from vastus.files.safe import write_text
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Tissue
from vastus.results.frame_rows import line
from vastus.results.playback import Playback, Snapshot
from vastus.state import State

Row = dict[str, float]
Table = dict[str, Floats]  # (frames,) each; nan where a quantity has no value
Value = TypeVar("Value")


@dataclass(frozen=True)
class TableFile:
    """A kind of file that holds a table: one row a frame, all digits kept."""

    save: Callable[[Path, Table], None]
    load: Callable[[Path], Table]

    def write(self, playback: Playback, path: Path, watch: Watch) -> None:
        """Write all columns of a result."""
        self.save(path, columns(playback, watch))

    def read(self, path: Path) -> Copy:
        """What such a file holds."""
        table = self.load(path)
        if "time_s" not in table:
            raise FileError(f"the table '{path}' has no column 'time_s'")
        return Copy(table["time_s"], table=table)


def columns(playback: Playback, watch: Watch) -> Table:
    """The columns (frames,) by name; nan where a quantity has no value."""
    if not len(playback):
        return {}
    outputs, table = Outputs(playback.model), playback.result.table
    rows: list[Row] = []
    before, lacking = None, False
    for moment in playback:
        row = {name: float(column[moment.index]) for name, column in table.items()}
        state = State.still(moment.time, moment.x, moment.poses, moment.activation)
        found = outputs.of(state, before) if lacking or not rows else {}
        lacking = lacking or any(name not in row for name in found)
        whole = row | {name: value for name, value in found.items() if name not in row}
        rows.append(_joined(whole, _stretches(playback.model, moment)))
        watch(moment.index + 1, len(playback))
        before = state
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _stretches(model: Model, moment: Snapshot) -> Row:
    out = {}
    for index, muscle in enumerate(model.muscles):
        own = (model.muscle_of_tet == index) & model.is_tissue(Tissue.MUSCLE)
        values = moment.fields["fibre_stretch"][own]
        out[f"{muscle.name}_stretch_min"] = float(values.min())
        out[f"{muscle.name}_stretch_max"] = float(values.max())
    return out


def _joined(one: dict[str, Value], two: dict[str, Value]) -> dict[str, Value]:
    """Both, unless names of muscles and joints are such that two columns would be called alike."""
    both = sorted(one.keys() & two.keys())
    if both:
        raise ModelError(f"two columns would be called '{both[0]}'; rename a muscle or a joint")
    return one | two


def _save_csv(path: Path, table: Table) -> None:
    """In UTF-8, empty where a quantity has no value."""
    rows = zip(*(column.tolist() for column in table.values()), strict=True)
    cells = [["" if value != value else value for value in row] for row in rows]
    write_text(path, line(list(table)) + "".join(line(row) for row in cells))


def _load_csv(path: Path) -> Table:
    with existing(path).open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file)) or [[]]
    try:
        values = np.array([[float(cell or "nan") for cell in row] for row in rows])
        return dict(zip(head, values.reshape(len(rows), len(head)).T, strict=True))
    except ValueError:
        raise FileError(f"the table '{path}' is damaged") from None


def _save_parquet(path: Path, table: Table) -> None:
    """With null where a quantity has no value; the metadata say which version made it."""
    arrow, parquet = _arrow("pyarrow"), _arrow("pyarrow.parquet")
    arrays = [arrow.array(column, from_pandas=True) for column in table.values()]
    made = arrow.Table.from_arrays(arrays, list(table))
    with writing(path) as part:
        parquet.write_table(made.replace_schema_metadata({"vastus": version("vastus")}), part)


def _load_parquet(path: Path) -> Table:
    raw = loaded(existing(path), _arrow("pyarrow.parquet").read_table)
    pairs = zip(raw.column_names, raw.columns, strict=True)
    return {name: column.to_numpy().astype(np.float64) for name, column in pairs}


def _arrow(module: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra("pyarrow", "tables") from None


CSV = TableFile(_save_csv, _load_csv)
NPZ = TableFile(write_npz, read_npz)
PARQUET = TableFile(_save_parquet, _load_parquet)
