"""Files of numbers of tets that a scene names for its directions and quantities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.files.curve_file import read_columns
from vastus.files.foreign import by_suffix, existing
from vastus.files.meshes import MESH_FORMATS, read_mesh
from vastus.files.npz import read_npz
from vastus.numerics.types import Floats
from vastus.scene.directions import DirectionPart, QuantityPart
from vastus.scene.scene import Description
from vastus.scene.schema import Path as Keys
from vastus.scene.schema import Places, unknown


def files_of_tets(said: Description) -> list[tuple[Keys, Path]]:
    """The files that a scene names for numbers of tets, each with the key that names it."""
    return [((*keys, "file"), part.file) for keys, part in _parts(said) if part.file is not None]


def read_tet_arrays(said: Description, folder: Path, places: Places) -> dict[Keys, Floats]:
    """The vectors (m, 3) or numbers (m,) of each direction or quantity that has a file."""
    found: dict[Keys, Floats] = {}
    for keys, part in _parts(said):
        if part.file is not None:
            with places.blame(*keys, "file"):
                shape = (3,) if isinstance(part, DirectionPart) else ()
                found[keys] = _array(folder / part.file, part.data, shape)
    return found


def fitting(arrays: Mapping[str, np.ndarray], shape: tuple[int, ...]) -> dict[str, np.ndarray]:
    """The arrays with a vector, or with a number, in each row."""
    numbers = {name: values for name, values in arrays.items() if values.dtype.kind in "biuf"}
    return {name: values for name, values in numbers.items() if values.shape[1:] == shape}


def _parts(said: Description) -> list[tuple[Keys, DirectionPart | QuantityPart]]:
    return [
        *((("directions", name), part) for name, part in said.directions.items()),
        *((("quantities", name), part) for name, part in said.quantities.items()),
    ]


def _array(path: Path, name: str | None, shape: tuple[int, ...]) -> Floats:
    """The array of a file by its name, or the only one that fits."""
    arrays = by_suffix(existing(path), READERS)(path)
    known = {k: v for k, v in fitting(arrays, shape).items() if np.ndim(v) == 1 + len(shape)}
    what = "vectors" if shape else "numbers"
    if name is None and len(known) != 1:
        raise FileError(f"'{path}' has {len(known)} arrays of {what}; name one by 'data'")
    if name is not None and name not in known:
        raise FileError(f"'{path}': {unknown(what, name, list(known))}")
    values = np.asarray(known[name if name is not None else next(iter(known))], float)
    if not np.isfinite(values).all():
        raise FileError(f"'{path}' has {what} that are not finite")
    return values


def _table(path: Path) -> dict[str, np.ndarray]:
    """The columns of a text file, and those called a_x, a_y and a_z, or all three, as vectors."""
    columns: dict[str, np.ndarray] = dict(read_columns(path))
    ends = [name.removesuffix("_x") for name in columns if name.endswith("_x")]
    for name in ends:
        three = [columns.get(f"{name}_{axis}") for axis in "xyz"]
        if all(column is not None for column in three):
            columns[name] = np.column_stack(three)  # type: ignore[arg-type]
    if len(columns) == 3 and not ends:
        columns["vectors"] = np.column_stack(list(columns.values()))
    return columns


def _cells(path: Path) -> dict[str, np.ndarray]:
    return dict(read_mesh(path).cell_data)


READERS: dict[str, Callable[[Path], dict[str, np.ndarray]]] = {
    ".npz": lambda path: dict(read_npz(path)),
    ".csv": _table,
    ".txt": _table,
    **dict.fromkeys(MESH_FORMATS, _cells),
}
