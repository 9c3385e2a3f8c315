"""Named arrays in one `.npz` file."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import FileError
from vastus.io.files import reason, replacing

Arrays = dict[str, np.ndarray]


def write_npz(path: str | Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays, numbers and texts by name, whole or not at all."""
    with replacing(path) as part, part.open("wb") as file:
        np.savez(file, **arrays)


def read_npz(path: str | Path) -> Arrays:
    """The arrays of a `.npz` file, or a `FileError` if it is missing, truncated or another kind."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
    except FileNotFoundError:
        raise FileError(f"there is no file '{path}'") from None
    # An object that is not an archive has no `__enter__`, which is a TypeError.
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, TypeError, KeyError):
        raise FileError(f"'{path}' is not a complete .npz file") from None
    except OSError as error:
        raise FileError(f"cannot read '{path}': {reason(error)}") from None
