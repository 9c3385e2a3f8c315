"""Mended surfaces and a scene that uses them, written together to a new folder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vastus.io.files import write_text
from vastus.io.mended import HEADER, moved, require_new, whole_folder
from vastus.io.meshes import write_surface
from vastus.io.scene_yaml import scene_text
from vastus.io.yaml_file import parse
from vastus.scene.scene import Shells


def write_fixed(folder: Path, scene: Path, shells: Shells) -> Path:
    """Write each surface as an OBJ file, and the scene that uses them, all or nothing.

    The surfaces are in the units of the author's files, which the scene keeps saying. The scene is
    the author's with other files; comments are lost. Returns its path.
    """
    require_new(folder)
    data, _ = parse(scene.read_text(encoding="utf-8"), str(scene))
    files = _files(shells)
    told = moved(data, scene.parent, folder)
    told["surfaces"] = _repointed(told["surfaces"], files)
    with whole_folder(folder) as part:
        for name, shell in shells.items():
            write_surface(part / files[name], shell)
        write_text(part / scene.name, HEADER.format(scene.name) + scene_text(told))
    return folder / scene.name


def _files(names: Iterable[str]) -> dict[str, str]:
    """A file for each part, called after it as far as files may be."""
    files: dict[str, str] = {}
    for number, name in enumerate(names):
        stem = re.sub(r"[^\w-]+", "_", name)
        taken = {file.lower() for file in files.values()}
        files[name] = (
            f"{stem}.obj" if f"{stem}.obj".lower() not in taken else f"{stem}_{number}.obj"
        )
    return files


def _repointed(said: dict[str, Any], files: dict[str, str]) -> dict[str, Any]:
    parts = {str(name): {**part, "file": files[str(name)]} for name, part in said["parts"].items()}
    return {**{key: value for key, value in said.items() if key != "folder"}, "parts": parts}
