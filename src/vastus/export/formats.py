"""The formats that results are exported to; `vastus export --to` takes their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pkgutil import resolve_name
from typing import Any

from vastus.errors import known
from vastus.measure.fields import VELOCITY
from vastus.results.playback import FIELDS

Watch = Callable[[int, int], None]  # how many frames are done, and of how many

SINGLE = 1e-6  # what single precision loses of a number, relative to the largest


class Holds(StrEnum):
    """What a file says about a result."""

    SHAPES = "shapes"
    TABLE = "table"
    PICTURES = "pictures"


@dataclass(frozen=True)
class Format:
    """One format.

    Its module, or an object in one that is named after a colon, has `write(playback: Playback,
    path: Path, watch: Watch) -> None`, and, unless it holds pictures, `read(path: Path) -> Copy`.
    """

    name: str  # what --to takes
    suffix: str  # of the file; empty for a folder
    sentence: str
    module: str
    holds: Holds = Holds.SHAPES
    fields: tuple[str, ...] = ()  # of the tets, that it is made of; of shapes, all are read back
    precision: float = SINGLE  # of coordinates and fields, relative to the largest
    others: tuple[str, ...] = ()  # suffixes that the path may have as well
    point_fields: tuple[str, ...] = ()  # of the vertices, that it holds where a result has them
    body: str = ""  # the module that writes the motion of an articulated body, if it can
    layers: str = ""  # the module that writes exercises of the upper body and flesh, if it can

    def load(self) -> Any:
        """What writes and reads it, imported only now: it may need packages that are not there."""
        return resolve_name(self.module)


def _table(name: str, suffix: str, sentence: str, module: str) -> Format:
    said = f"{sentence}: angles, lengths, forces, moments, arms, stretches, one row a frame"
    return Format(name, suffix, said, module, Holds.TABLE, ("fibre_stretch",), 0.0)


def _pictures(name: str, suffix: str, sentence: str, module: str) -> Format:
    return Format(name, suffix, sentence, module, Holds.PICTURES)


_LISTED = (
    Format(
        "usd",
        ".usdc",
        "USD, one animated mesh a region with activation and strain, as Blender opens it",
        "vastus.export.usd",
        fields=FIELDS,
        others=(".usda", ".usd"),
        body="vastus.export.bodies.usd",
        layers="vastus.export.bodies.layers_usd",
        point_fields=(VELOCITY,),
    ),
    Format(
        "alembic",
        ".abc",
        "Alembic, one animated mesh a region, for film and game tools",
        "vastus.export.alembic",
        fields=FIELDS,
        point_fields=(VELOCITY,),
    ),
    Format(
        "gltf",
        ".glb",
        "glTF, one animated mesh a region in one binary file, as browsers show it",
        "vastus.export.gltf",
        body="vastus.export.bodies.gltf",
    ),
    Format(
        "vtu",
        "",
        "folder of VTU files, all tets with all fields, and a PVD file, for ParaView and PyVista",
        "vastus.export.vtu",
        fields=FIELDS,
        precision=0.0,
        point_fields=(VELOCITY,),
    ),
    Format(
        "obj",
        "",
        "folder of Wavefront OBJ files, one a frame, one object a region",
        "vastus.export.obj",
        precision=1e-8,
    ),
    Format(
        "ply",
        "",
        "folder of binary PLY files, one a frame, fields as properties of vertices",
        "vastus.export.ply",
        fields=FIELDS,
        point_fields=(VELOCITY,),
    ),
    _table("csv", ".csv", "table as CSV", "vastus.export.tables:CSV"),
    _table("npz", ".npz", "table as NumPy arrays", "vastus.export.tables:NPZ"),
    _table("parquet", ".parquet", "table as Apache Parquet", "vastus.export.tables:PARQUET"),
    Format("mp4", ".mp4", "movie", "vastus.export.images:MP4", Holds.PICTURES),
    Format(
        "png", ".png", "contact sheet of six frames", "vastus.export.images:PNG", Holds.PICTURES
    ),
)

FORMATS: dict[str, Format] = {form.name: form for form in _LISTED}


def format_of(name: str) -> Format:
    """The format called `name`, or an error that lists what exists."""
    if name not in FORMATS:
        raise known("format", name, FORMATS)
    return FORMATS[name]
