"""The folder of a build: the model, a scene that runs it, and what was decided."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vastus import __version__
from vastus.checks import Finding
from vastus.errors import FileError
from vastus.files.identifiers import clean_names
from vastus.files.meshes import write_mesh
from vastus.files.model_file import save_model
from vastus.files.safe import write_text
from vastus.files.solids import save_solids
from vastus.model import Model
from vastus.modelling.fibres.authored_solids import SolidReport
from vastus.modelling.surfaces.record import Record
from vastus.results.result import PROVENANCE
from vastus.scene import Scene
from vastus.scene.repaired import moved
from vastus.scene.write import write_scene

MODEL, SCENE, REPORT, MESH = "model.npz", "scene.yaml", "build.json", "model.vtu"
PICTURES = ("model.png", "[1-7]_*.png")
SOLIDS = "solids_{}.npz"  # of a muscle
# What a scene says besides the model, which is built.
_DRIVING = {"inputs", "solver", "output", "seed"}


def require_apart(folder: Path, scene: Path) -> None:
    """Refuse a folder in which a build would replace its own scene, or the model of a result."""
    if (folder / SCENE).resolve() == scene.resolve():
        raise FileError(f"'{scene}' would be replaced by the build; give another folder")
    if (folder / PROVENANCE).exists():
        raise FileError(f"'{folder}' holds the result of a run; give another folder")


def write_solids(folder: Path, reports: Sequence[SolidReport]) -> list[Path]:
    """Write the solids of each muscle to a file of its own; the paths of the files."""
    files = clean_names([report.muscle for report in reports], ascii_only=False)
    paths = [folder / SOLIDS.format(files[report.muscle]) for report in reports]
    for path, report in zip(paths, reports, strict=True):
        save_solids(path, {name: one.solid for name, one in report.solids.items()})
    return paths


def write_build(
    folder: Path, scene: Scene, model: Model, findings: list[Finding], record: Record | None
) -> list[Path]:
    """Write what was built, and remove pictures and solids of a former build; the files' paths."""
    for pattern in (*PICTURES, SOLIDS.format("*")):
        for old in folder.glob(pattern):
            old.unlink()
    save_model(folder / MODEL, model)
    write_scene(folder / SCENE, _scene(scene, folder))
    cells = {"region": model.region, "fibre": model.fibre, "tissue": model.tissue}
    write_mesh(folder / MESH, model.mesh, cell_data=cells)
    report = {
        "vastus": __version__,
        "scene": scene.digest,
        "model": model.digest,
        "findings": [_told(finding) for finding in findings],
        "build": asdict(record) if record else None,
    }
    write_text(folder / REPORT, json.dumps(report, indent=1) + "\n")
    return [folder / name for name in (MODEL, SCENE, MESH, REPORT)]


def _told(finding: Finding) -> dict[str, Any]:
    """A finding for readers; one that is written has refused nothing."""
    return {key: value for key, value in asdict(finding).items() if key != "refusal"}


def _scene(scene: Scene, folder: Path) -> dict[str, Any]:
    """A scene that runs the built model as the author's scene would."""
    said: dict[str, Any] = scene.description.model_dump(
        mode="json", by_alias=True, exclude_unset=True, include=_DRIVING
    )
    said = moved(said, Path(scene.places.file).parent, folder)
    return {"vastus": 1, "name": scene.name, "model": {"file": MODEL}, **said}
