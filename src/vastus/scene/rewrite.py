"""A mended mesh and a scene that uses it, written together to a new folder.

Mended surfaces and a scene that uses them, written together to a new folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from vastus.errors import FileError
from vastus.files.meshes import REGION, write_mesh, write_surface
from vastus.files.names import clean_names
from vastus.files.safe import make_folder, replacing_folder, write_text
from vastus.geometry.tetmesh import TetMesh
from vastus.scene.body import TABLE
from vastus.scene.fibres import SHEET_SUFFIXES
from vastus.scene.scene import LabelledMesh, Shells
from vastus.scene.write import scene_text
from vastus.scene.yaml import parse

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
    data, _ = parse(scene.read_text(encoding="utf-8"), str(scene))
    name = f"{scene.stem}.vtu"
    told = _relabelled(moved(data, scene.parent, folder), name)
    mesh = TetMesh(base.mesh.X / metres, base.mesh.T)
    make_folder(folder.parent)
    with replacing_folder(folder, require_new) as part:
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
        tables = (TABLE,) if "law" in data else ()  # suffixes of files that any key may name
        return {k: moved(v, old, new, FILES[0] if _ends(v, tables) else k) for k, v in data.items()}
    if isinstance(data, str) and (key in FILES or (key == SHEETS and _ends(data, SHEET_SUFFIXES))):
        return os.path.relpath(old / data, new)
    return [moved(item, old, new) for item in data] if isinstance(data, list) else data


def _ends(value: Any, suffixes: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value.lower().endswith(suffixes)


def write_fixed(folder: Path, scene: Path, shells: Shells) -> Path:
    """Write each surface as an OBJ file, and the scene that uses them, all or nothing.

    The surfaces are in the units of the author's files, which the scene keeps saying. The scene is
    the author's with other files; comments are lost. Returns its path.
    """
    data, _ = parse(scene.read_text(encoding="utf-8"), str(scene))
    files = {n: f"{c}.obj" for n, c in clean_names(shells, ascii_only=False).items()}
    told = moved(data, scene.parent, folder)
    told["surfaces"] = _repointed(told["surfaces"], files)
    make_folder(folder.parent)
    with replacing_folder(folder, require_new) as part:
        for name, shell in shells.items():
            write_surface(part / files[name], shell)
        write_text(part / scene.name, HEADER.format(scene.name) + scene_text(told))
    return folder / scene.name


def _repointed(said: dict[str, Any], files: dict[str, str]) -> dict[str, Any]:
    parts = {str(name): {**part, "file": files[str(name)]} for name, part in said["parts"].items()}
    return {**{key: value for key, value in said.items() if key != "folder"}, "parts": parts}
