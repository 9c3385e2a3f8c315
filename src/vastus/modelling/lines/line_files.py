"""Files of line muscles: which reader takes which, and the models of an installed package."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from vastus.errors import FileError, MissingExtra
from vastus.files.foreign import by_suffix
from vastus.files.safe import write_text
from vastus.modelling.lines.lines import Lines
from vastus.modelling.lines.loft import Loft
from vastus.modelling.lines.mjcf import mjcf_lengths, read_mjcf
from vastus.modelling.lines.osim import osim_lengths, read_osim
from vastus.numerics.types import Floats

PACKAGE = "musclemimic_models"
LICENCE = (
    "licence: the models of musclemimic_models are under Apache-2.0, but its NOTICE says that the "
    "arm derives from MoBL-ARMS, released solely for non-commercial purposes; read it before use"
)
READERS: dict[str, Callable[..., Lines]] = {".xml": read_mjcf, ".osim": read_osim}
LENGTHS: dict[str, Callable[..., Floats]] = {".xml": mjcf_lengths, ".osim": osim_lengths}


def read_lines(
    path: Path, muscles: Sequence[str] = (), *, pose: Mapping[str, float] | None = None
) -> Lines:
    """The named muscles of an MJCF (.xml) or OpenSim (.osim) file, or all, with their bones."""
    return by_suffix(path, READERS)(path, muscles, pose=pose)


def line_lengths(
    path: Path, muscles: Sequence[str], poses: Sequence[Mapping[str, float]]
) -> Floats:
    """(poses, muscles) how long [m] the lines of a file are in poses [rad or m]."""
    return by_suffix(path, LENGTHS)(path, muscles, poses)


def located(source: str | Path) -> Path:
    """The file: the source itself, or the model of that name in the package of bodies."""
    path = Path(source)
    if path.suffix or path.exists() or path.name != str(source):
        return path
    try:
        import musclemimic_models as package
    except ImportError:
        raise MissingExtra(PACKAGE, "bodies") from None
    if path.name not in package.REGISTRY:
        models = ", ".join(package.REGISTRY)
        raise FileError(f"no file and no model '{source}'; models of {PACKAGE}: {models}")
    return Path(package.get_xml_path(path.name))


def licence_of(path: Path) -> str | None:
    """What a user must know before using a file, if it is of the package of bodies."""
    return LICENCE if PACKAGE in path.resolve().parts else None


def write_lofts(path: Path, lofts: Sequence[Loft]) -> None:
    """A table of the muscles as CSV: what was wanted, what was made, and what was put right."""
    text = io.StringIO()
    rows = [_row(loft) for loft in lofts]
    table = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    write_text(path, text.getvalue())


def _row(loft: Loft) -> dict[str, object]:
    muscle = loft.muscle
    return {
        "muscle": muscle.name,
        "line_m": round(muscle.length, 6),
        "force_N": round(muscle.force, 3),
        "fibre_length_m": round(muscle.fibre_length, 6),
        "tendon_length_m": round(muscle.tendon_length, 6),
        "wanted_volume_m3": f"{loft.stations.volume:.6e}",
        "volume_m3": f"{loft.volume:.6e}",
        "tets": len(loft.solid.T),
        "inside_bones": f"{loft.overlap.bones:.2e}",
        "inside_muscles": f"{loft.overlap.muscles:.2e}",
        "notes": "; ".join(loft.notes),
    }
