"""A body as an MJCF file, with a table of its units that `read_body` takes beside it."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

from vastus.bodies.body import Body
from vastus.bodies.read import COLUMNS
from vastus.files.safe import write_text


def write_body(body: Body, path: Path, units: Path) -> None:
    """Write the skeleton and the paths of a body, and its units by the names of their tendons.

    Meshes are not copied: the file names them by the way from its folder to theirs. The home pose
    is no part of it.
    """
    spec = body.spec.copy()
    home = Path(spec.modelfiledir or ".")
    for assets, inside in ((spec.meshes, spec.meshdir), (spec.textures, spec.texturedir)):
        for asset in assets:
            if asset.file:
                way = os.path.relpath(home / inside / asset.file, path.parent)
                asset.file = Path(way).as_posix()
    spec.meshdir = spec.texturedir = ""
    spec.modelfiledir = str(path.parent.resolve())
    write_text(path, spec.to_xml())
    rows = io.StringIO()
    table = csv.writer(rows, lineterminator="\n")
    table.writerow(COLUMNS)
    for k, unit in enumerate(body.units):
        name = body.model.tendon(k).name
        table.writerow([name, unit.force, unit.optimal, unit.slack, unit.area, unit.speed])
    write_text(units, rows.getvalue())
