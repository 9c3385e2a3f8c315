"""Named arrays in one `.npz` file."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np

from vastus.errors import FileError
from vastus.files.safe import reason, regular, replacing, unpacked

Arrays = dict[str, np.ndarray]

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def write_npz(path: str | Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays, numbers and texts by name, whole or not at all."""
    with replacing(path) as part, part.open("wb") as file:
        np.savez(file, **arrays)


def read_npz(path: str | Path) -> Arrays:
    """The arrays of a `.npz` file, or a `FileError` if it is missing, damaged or another kind."""
    path = regular(path)
    try:
        with zipfile.ZipFile(path) as archive:
            _require_bounded(path, archive)
            return {_name(entry): _array(archive, entry) for entry in archive.infolist()}
    except (FileError, MemoryError) as error:
        raise FileError(str(error) or f"'{path}' does not fit in memory") from None
    except OSError as error:
        raise FileError(f"cannot read '{path}': {reason(error)}") from None
    # Damaged archives make the library raise anything.
    except Exception:
        raise FileError(f"'{path}' is not a complete .npz file") from None


def _require_bounded(path: Path, archive: zipfile.ZipFile) -> None:
    """A small archive may unpack to more than any memory."""
    size = sum(entry.file_size for entry in archive.infolist())
    if not unpacked(size, path.stat().st_size):
        raise FileError(f"'{path}' would unpack to {size / 2**20:.0f} MiB, which is not read")


def _name(entry: zipfile.ZipInfo) -> str:
    return entry.filename.removesuffix(".npy")


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> np.ndarray:
    """One array, once its header is seen to announce just what is there, and no objects."""
    with archive.open(entry) as file:
        shape, dtype = _header(file)
        if dtype.hasobject or prod(shape) * dtype.itemsize != entry.file_size - file.tell():
            raise ValueError("another size, or objects")
    with archive.open(entry) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype]:
    shape, _, dtype = _HEADERS[np.lib.format.read_magic(file)](file)
    return shape, dtype
