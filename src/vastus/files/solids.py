"""Solids of B-splines and curves of fascicles in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import FileError, ModelError
from vastus.files.curve_file import read_columns
from vastus.files.foreign import by_suffix, existing
from vastus.files.meshes import MESH_FORMATS, read_raw
from vastus.files.npz import Arrays, read_npz, write_npz
from vastus.files.safe import write_text
from vastus.geometry.bspline.solid import BSplineSolid
from vastus.geometry.indices import components
from vastus.numerics.types import Floats, Ints

Curves = dict[str, list[Floats]]
KIND, VERSION = "b-spline solids", 1
TABLE = ".csv"
COLUMNS = ("curve", "x", "y", "z")
GROUP = "region"  # the column, or cell data, that says which curves make a solid


def save_solids(path: str | Path, solids: Mapping[str, BSplineSolid]) -> None:
    """Write solids by name to a `.npz` file; lengths in metres."""
    if Path(path).suffix.lower() != ".npz":
        raise FileError(f"solids are written to '.npz' files, not to '{path}'")
    arrays: dict[str, Any] = {"kind": KIND, "version": VERSION, "names": np.array(list(solids))}
    for i, solid in enumerate(solids.values()):
        arrays[f"control_{i}"] = solid.control
        arrays[f"degree_{i}"] = np.array(solid.degree)
        if solid.points is not None:
            arrays[f"points_{i}"] = solid.points
        arrays |= {f"knots_{i}_{axis}": t for axis, t in zip("uvw", solid.knots, strict=True)}
    write_npz(path, arrays)


def load_solids(path: str | Path) -> dict[str, BSplineSolid]:
    """The solids of a file by name, as `save_solids` writes them."""
    stored = read_npz(path)
    if str(stored.get("kind")) != KIND or "names" not in stored:
        raise FileError(f"'{path}' holds no solids: its 'kind' is not '{KIND}'")
    if str(stored.get("version")) != str(VERSION):
        raise FileError(
            f"'{path}' has version {stored.get('version')}; this vastus reads {VERSION}"
        )
    try:
        names = [str(name) for name in np.atleast_1d(stored["names"])]
        solids = {name: _solid(stored, i) for i, name in enumerate(names)}
    except KeyError as missing:
        raise FileError(f"'{path}' has no array {missing}") from None
    except (ModelError, ValueError, TypeError) as error:
        raise FileError(f"'{path}': {error}") from None
    if not solids or len(solids) < len(names):
        raise FileError(f"'{path}' must have at least one solid, and each name once")
    return solids


def _solid(stored: Arrays, i: int) -> BSplineSolid:
    u, v, w = (np.asarray(stored[f"knots_{i}_{axis}"], float) for axis in "uvw")
    a, b, c = (int(k) for k in stored[f"degree_{i}"])
    control, points = np.asarray(stored[f"control_{i}"], float), stored.get(f"points_{i}")
    if points is not None and (points.ndim != 2 or points.shape[1] != 3 or not len(points)):
        raise ModelError(f"'points_{i}' has the shape {points.shape}; it must be (n, 3)")
    return BSplineSolid(control, (u, v, w), (a, b, c), points)


def read_fascicles(path: str | Path) -> Curves:
    """The curves of a file, each (k, 3) in its units, by the solid that they belong to.

    A `.csv` file has the columns `curve`, `x`, `y` and `z`, in the order of the points, and may
    have `region`. A `.vtu` or `.msh` file has lines, and may have cell data `region`.
    """
    path = Path(path)
    readers = {TABLE: _from_table, ".vtu": _from_lines, ".msh": _from_lines}
    found = by_suffix(path, readers)(path)
    if not found:
        raise FileError(f"'{path}' has no curve")
    return found


def write_fascicles(path: str | Path, curves: Mapping[str, Sequence[Floats]]) -> None:
    """Write curves, each (k, 3), to a `.csv` file; their solids are counted from 0."""
    lines = [",".join((GROUP, *COLUMNS))]
    number = 0
    for group, own in enumerate(curves.values()):
        for curve in own:
            lines += [f"{group},{number},{x:.9g},{y:.9g},{z:.9g}" for x, y, z in curve]
            number += 1
    write_text(path, "\n".join(lines) + "\n")


def _from_table(path: Path) -> Curves:
    columns = read_columns(path)
    missing = [name for name in COLUMNS if name not in columns]
    if missing:
        raise FileError(f"'{path}' has no column '{missing[0]}'; it needs {', '.join(COLUMNS)}")
    points = np.column_stack([columns[axis] for axis in "xyz"])
    if not np.isfinite(points).all():
        raise FileError(f"'{path}' has places that are not finite numbers")
    curve = columns["curve"]
    group = columns.get(GROUP, np.zeros(len(curve)))
    out: Curves = {}
    for number in dict.fromkeys(curve.tolist()):
        mine = curve == number
        out.setdefault(f"{group[mine][0]:g}", []).append(points[mine])
    return out


def _from_lines(path: Path) -> Curves:
    raw = read_raw(path, MESH_FORMATS[existing(path).suffix.lower()].module)
    blocks = [(i, b.data) for i, b in enumerate(raw.cells) if b.type.startswith("line")]
    if not blocks:
        raise FileError(f"'{path}' has no lines; its curves must be cells of two points")
    links = np.concatenate([data[:, :2] for _, data in blocks]).astype(np.int64)
    given = raw.cell_data.get(GROUP)
    group = np.zeros(len(links)) if given is None else np.concatenate([given[i] for i, _ in blocks])
    piece = components(len(raw.points), links)[links[:, 0]]
    out: Curves = {}
    for number in dict.fromkeys(piece.tolist()):
        mine = piece == number
        order = _in_order(links[mine], path)
        out.setdefault(f"{float(group[mine][0]):g}", []).append(
            np.asarray(raw.points[order], float)
        )
    return out


def _in_order(links: Ints, path: Path) -> list[int]:
    """The points of an open line, from one end to the other."""
    beside: dict[int, list[int]] = {}
    for a, b in links.tolist():
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    ends = [point for point, others in beside.items() if len(others) == 1]
    if len(ends) != 2 or max(map(len, beside.values())) > 2:
        raise FileError(f"'{path}' has a curve that branches or is closed, at point {links[0, 0]}")
    order, before = [ends[0]], -1
    while len(order) < len(beside):
        here = order[-1]
        order.append(next(p for p in beside[here] if p != before))
        before = here
    return order
