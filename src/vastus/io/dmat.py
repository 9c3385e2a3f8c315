"""Matrices in libigl's DMAT files, as text or binary."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from vastus.errors import FileError
from vastus.io.limits import read_bytes
from vastus.numerics.types import Floats

BINARY = (0, 0)  # a first line that no matrix has: a second one with the size follows
LIMIT = 64  # bytes that a line with a size may have


def read_dmat(path: Path) -> Floats:
    """The matrix (rows, columns) of a DMAT file; a line says columns and rows, which go down."""
    contents = read_bytes(path)
    try:
        return _matrix(contents)
    except (ValueError, OverflowError):
        raise FileError(f"'{path}' is truncated or not a .dmat file") from None


def _matrix(contents: bytes) -> Floats:
    size, rest = _size(contents)
    if size == BINARY:
        (columns, rows), rest = _size(rest)
        values = np.frombuffer(rest, "<f8", count=rows * columns)
    else:
        columns, rows = size
        values = np.array(rest.split(), dtype=np.float64)
    return values.reshape(columns, rows).T


def _size(contents: bytes) -> tuple[tuple[int, int], bytes]:
    """Columns and rows from the first line, and what follows it."""
    line, _, rest = contents.partition(b"\n")
    columns, rows = (int(word) for word in line[:LIMIT].split())
    if columns < 0 or rows < 0:
        raise ValueError("a size below zero")
    return (columns, rows), rest
