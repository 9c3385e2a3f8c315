"""The table as Apache Parquet, null where a quantity has no value."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import numpy as np

from vastus.errors import MissingExtra
from vastus.export.columns import columns
from vastus.export.formats import Watch
from vastus.export.regions import Copy
from vastus.files.foreign import existing, loaded, writing
from vastus.results.playback import Playback


def write(playback: Playback, path: Path, watch: Watch) -> None:
    """Write the table; its metadata say which version made it."""
    arrow, parquet = _arrow("pyarrow"), _arrow("pyarrow.parquet")
    found = columns(playback, watch)
    arrays = [arrow.array(column, from_pandas=True) for column in found.values()]
    table = arrow.Table.from_arrays(arrays, list(found))
    with writing(path) as part:
        parquet.write_table(table.replace_schema_metadata({"vastus": version("vastus")}), part)


def read(path: Path) -> Copy:
    """What such a file holds."""
    parquet = _arrow("pyarrow.parquet")
    raw = loaded(existing(path), parquet.read_table)
    pairs = zip(raw.column_names, raw.columns, strict=True)
    table = {name: column.to_numpy().astype(np.float64) for name, column in pairs}
    return Copy(table["time_s"], table=table)


def _arrow(module: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtra("pyarrow", "tables") from None
