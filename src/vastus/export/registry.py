"""The formats that results are exported to; `vastus export --to` takes their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from vastus.errors import known
from vastus.io.tape import FIELDS

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

    Its module has `write(tape: Tape, path: Path, watch: Watch) -> None`, and, unless it holds
    pictures, `read(path: Path) -> Copy`.
    """

    name: str  # what --to takes
    suffix: str  # of the file; empty for a folder
    sentence: str
    module: str
    holds: Holds = Holds.SHAPES
    fields: tuple[str, ...] = ()  # of the tets, that `read` gives back
    precision: float = SINGLE  # of coordinates and fields, relative to the largest
    others: tuple[str, ...] = ()  # suffixes that the path may have as well


_LISTED = (
    Format(
        "usd",
        ".usdc",
        "USD, one animated mesh a region with activation and strain, as Blender opens it",
        "vastus.export.usd",
        fields=FIELDS,
        others=(".usda", ".usd"),
    ),
    Format(
        "alembic",
        ".abc",
        "Alembic, one animated mesh a region, for film and game tools",
        "vastus.export.alembic",
    ),
)

FORMATS: dict[str, Format] = {form.name: form for form in _LISTED}


def format_of(name: str) -> Format:
    """The format called `name`, or an error that lists what exists."""
    if name not in FORMATS:
        raise known("format", name, FORMATS)
    return FORMATS[name]
