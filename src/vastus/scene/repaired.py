"""A scene copied to another folder, with its repaired source in files beside it."""

from __future__ import annotations

import os
from functools import singledispatch
from pathlib import Path
from typing import Any

from vastus.errors import FileError
from vastus.files.identifiers import clean_names
from vastus.files.meshes import REGION, LabelledMesh, write_mesh, write_surface
from vastus.files.safe import make_folder, replacing_folder, write_text
from vastus.scene.body import TABLE
from vastus.scene.fibres import SHEET_SUFFIXES
from vastus.scene.rewrite import rewritten
from vastus.scene.scene import Shells, Source
from vastus.scene.yaml import parse

HEADER = "# Repaired from '{}' by vastus check --fix.\n"
FILES = ("file", "activation_file", "curves")  # keys that name a file
SHEETS = "aponeurosis"  # a key that may


def require_new(folder: Path) -> None:
    """Refuse a folder that has something in it, so that nothing is ever replaced."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise FileError(f"'{folder}' exists already; name a new folder with -o")


def write_repaired(folder: Path, path: Path, source: Source) -> Path:
    """Write a repaired source and the scene that uses it, all or nothing; the scene's new path.

    The source is in the units of its author's files, which the scene keeps saying.
    """
    text = path.read_text(encoding="utf-8-sig")
    data, _ = parse(text, str(path))
    make_folder(folder.parent)
    with replacing_folder(folder, require_new) as part:
        repaired = put(source, moved(data, path.parent, folder), part / path.stem)
        write_text(part / path.name, HEADER.format(path.name) + rewritten(text, repaired))
    return folder / path.name


@singledispatch
def put(source: Source, data: dict[str, Any], stem: Path) -> dict[str, Any]:
    """Write a source to files called after the `stem`; the data of a scene that names them."""
    raise TypeError(f"{source!r} has no files")


@put.register(LabelledMesh)
def _put_mesh(source: LabelledMesh, data: dict[str, Any], stem: Path) -> dict[str, Any]:
    """A VTU file, whose regions are counted from 1."""
    file = stem.with_suffix(".vtu")
    write_mesh(file, source.mesh, cell_data=source.cell_data, point_data=source.point_data)
    regions = {
        region: {"label": label, **{k: v for k, v in part.items() if k not in ("label", "set")}}
        for label, (region, part) in enumerate(data["regions"].items(), 1)
    }
    mesh = {"file": file.name, "labels": REGION, "units": data["mesh"]["units"]}
    return {**data, "mesh": mesh, "regions": regions}


@put.register(Shells)
def _put_surfaces(source: Shells, data: dict[str, Any], stem: Path) -> dict[str, Any]:
    """An OBJ file of each part."""
    files = {n: f"{c}.obj" for n, c in clean_names(source, ascii_only=False).items()}
    for name, shell in source.items():
        write_surface(stem.with_name(files[name]), shell)
    said = {key: value for key, value in data["surfaces"].items() if key != "folder"}
    parts = {str(name): {**part, "file": files[str(name)]} for name, part in said["parts"].items()}
    return {**data, "surfaces": {**said, "parts": parts}}


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
