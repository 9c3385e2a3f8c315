"""A mended mesh and a scene that uses it, written together to a new folder."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vastus.errors import FileError
from vastus.geometry.tetmesh import TetMesh
from vastus.io.files import make_folder, reason, write_text
from vastus.io.meshes import REGION, write_mesh
from vastus.io.scene_yaml import scene_text
from vastus.io.yaml_file import parse
from vastus.scene.fibres import SHEET_SUFFIXES
from vastus.scene.scene import LabelledMesh

HEADER = "# Mended from '{}' by vastus check --fix.\n"
FILES = ("file", "activation_file")  # keys that name a file
SHEETS = "aponeurosis"  # a key that may


def require_new(folder: Path) -> None:
    """Refuse a folder that has something in it, so that nothing is ever replaced."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise FileError(f"'{folder}' exists already; name a new folder with -o")


def write_mended(folder: Path, scene: Path, base: LabelledMesh, *, metres: float) -> Path:
    """Write a mesh, and the scene that uses it, both or neither; returns the scene's path.

    The mesh is a VTU file in the author's units, whose length in `metres` is given. The scene is
    the author's with other keys for the mesh and its regions; comments are lost.
    """
    require_new(folder)
    data, _ = parse(scene.read_text(encoding="utf-8"), str(scene))
    name = f"{scene.stem}.vtu"
    told = _relabelled(moved(data, scene.parent, folder), name)
    mesh = TetMesh(base.mesh.X / metres, base.mesh.T)
    with whole_folder(folder) as part:
        write_mesh(part / name, mesh, cell_data=base.cells, point_data=base.points)
        write_text(part / scene.name, HEADER.format(scene.name) + scene_text(told))
    return folder / scene.name


def _relabelled(data: dict[str, Any], name: str) -> dict[str, Any]:
    """The data of a scene with the mended mesh, whose regions are counted from 1."""
    regions = {
        region: {"label": label, **{k: v for k, v in part.items() if k not in ("label", "set")}}
        for label, (region, part) in enumerate(data["regions"].items(), 1)
    }
    mesh = {"file": name, "labels": REGION, "units": data["mesh"]["units"]}
    return {**data, "mesh": mesh, "regions": regions}


def moved(data: Any, old: Path, new: Path, key: str = "") -> Any:
    """The data with the files that it names as seen from another folder."""
    if isinstance(data, dict):
        return {k: moved(v, old, new, k) for k, v in data.items()}
    if isinstance(data, str) and (
        key in FILES or (key == SHEETS and data.lower().endswith(SHEET_SUFFIXES))
    ):
        return os.path.relpath(old / data, new)
    return data


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A folder beside another, which it becomes if all goes well."""
    part = folder.with_name(f".{folder.name}-part")
    shutil.rmtree(part, ignore_errors=True)
    make_folder(part)
    try:
        yield part
        if folder.exists():
            folder.rmdir()
        part.rename(folder)
    except OSError as error:
        raise FileError(f"cannot write '{folder}': {reason(error)}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
