"""Published curves in text files: columns of numbers, with or without a line of names.

Cells are divided by commas, semicolons, tabs or blanks. `FILE:X:Y` names two columns, by name or
by number from 1; else the first is x and each other one a curve.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vastus.errors import FileError, known
from vastus.files.safe import read_text
from vastus.numerics.types import Floats


@dataclass(frozen=True, eq=False)
class PublishedCurve:
    """Values y (k,) over x (k,), and what they are called."""

    name: str
    x: Floats
    y: Floats


def read_curves(given: str) -> list[PublishedCurve]:
    """The curves that `FILE` or `FILE:X:Y` names."""
    path, chosen = _parts(given)
    columns = read_columns(path)
    if chosen:
        x, y = (_column(columns, word, path) for word in chosen)
        return [_curve(path, y, columns[x], columns[y], alone=False)]
    first, *others = columns
    if not others:
        raise FileError(f"'{path}' has one column; a curve needs two")
    return [_curve(path, y, columns[first], columns[y], alone=len(others) == 1) for y in others]


def _parts(given: str) -> tuple[Path, tuple[str, str] | None]:
    """A path, and the two columns that follow it; a drive letter is part of the path."""
    path, *words = given.rsplit(":", 2) if given.count(":") >= 2 else [given]
    return (Path(given), None) if not words else (Path(path), (words[0], words[1]))


def read_columns(path: Path) -> dict[str, Floats]:
    """The columns (rows,) of a text file by name, or by number from 1 where they have none."""
    lines = [(n, line.strip()) for n, line in enumerate(read_text(path).splitlines(), 1)]
    lines = [(n, line) for n, line in lines if line and not line.startswith("#")]
    rows = [_cells(line) for _, line in lines]
    named = bool(rows) and not all(_is_number(cell) for cell in rows[0])
    names = rows.pop(0) if named else [str(k + 1) for k in range(len(rows[0]) if rows else 0)]
    for (number, _), row in zip(lines[named:], rows, strict=True):
        wrong = next((cell for cell in row if not _is_number(cell)), None)
        if wrong is not None:
            raise FileError(f"'{path}', line {number}: '{wrong}' is not a number")
        if len(row) != len(names):
            raise FileError(
                f"'{path}', line {number}: there are {len(row)} values, but {len(names)} columns"
            )
    values = np.array([[float(cell or "nan") for cell in row] for row in rows])
    return dict(zip(names, values.reshape(len(rows), len(names)).T, strict=True))


def _cells(line: str) -> list[str]:
    divided = re.split(r"\s*[,;\t]\s*", line) if re.search(r"[,;\t]", line) else line.split()
    return [cell.strip('"') for cell in divided]


def _is_number(cell: str) -> bool:
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


def _column(columns: dict[str, Floats], word: str, path: Path) -> str:
    names = list(columns)
    if word in columns:
        return word
    if word.isdigit() and 0 < int(word) <= len(names):
        return names[int(word) - 1]
    raise known(f"column of '{path.name}'", word, names)


def _curve(path: Path, name: str, x: Floats, y: Floats, *, alone: bool) -> PublishedCurve:
    shown = np.isfinite(x) & np.isfinite(y)
    label = path.stem if alone or name.isdigit() else f"{path.stem}: {name}"
    return PublishedCurve(label, x[shown], y[shown])
