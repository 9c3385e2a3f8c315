"""Where parts come from: a model, a scene, a result, the upper body, or a folder of surfaces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from vastus.energies.flesh.mixture import Tissue
from vastus.errors import FileError, ModelError, known
from vastus.files.meshes import read_surface
from vastus.files.model_file import load_model
from vastus.files.safe import read_text
from vastus.flesh.build import FleshSettings
from vastus.flesh.motion import Motion, motion_of
from vastus.flesh.parts import BonePart, FleshParts, MusclePart, parts_of
from vastus.flesh.skin import SkinGroup, SkinSettings
from vastus.flesh.upper_body import (
    UPPER_BODY_SKIN,
    exercise_motion,
    is_upper_body,
    upper_body_parts,
)
from vastus.geometry.surface import Surface
from vastus.job import prepare
from vastus.results.result import MODEL, PROVENANCE, read_result
from vastus.scene.read import read

UNITS = {"m": 1.0, "cm": 1e-2, "mm": 1e-3}
BONES, MUSCLES, BODIES = "bones", "muscles", "bodies.yaml"


def read_parts(
    path: Path, *, units: str = "m", skin: Path | None = None
) -> tuple[FleshParts, Motion | None]:
    """The parts of a scene, a saved model, a result or a folder of surfaces, and its motion.

    A folder that `vastus upper-body` wrote has those of the upper body, the name `upper-body` too.
    A folder of surfaces has `bones/`, maybe `muscles/`, and maybe `bodies.yaml` with the bones that
    each body carries. `units` are those of surfaces, and of the skin.
    """
    cover = None if skin is None else _scaled(read_surface(skin), units)
    if is_upper_body(path):
        parts = upper_body_parts(skin=cover)
        return parts, exercise_motion(path) if path.is_dir() else None
    if path.is_dir() and (path / BONES).is_dir():
        return _folder(path, units, cover), None
    if path.is_dir() and (path / PROVENANCE).is_file():
        result = read_result(path)
        motion = motion_of(result) if len(result.times) else None
        return parts_of(result.model, skin=cover), motion
    if not path.exists():
        raise FileError(
            f"there is no '{path}'; flesh is put around a scene, a saved model, a result, what "
            f"'vastus upper-body' wrote, a folder of surfaces, or 'upper-body'"
        )
    if path.is_dir() and not (path / MODEL).is_file():
        raise FileError(
            f"'{path}' is neither a result nor a folder of surfaces: it has no {PROVENANCE}, and "
            f"no folder '{BONES}'"
        )
    if path.is_dir() or path.suffix == ".npz":
        return parts_of(load_model(path / MODEL if path.is_dir() else path), skin=cover), None
    return parts_of(prepare(read(path)).model, skin=cover), None


def _scaled(surface: Surface, units: str) -> Surface:
    return Surface(surface.X * UNITS[units], surface.faces)


def _folder(path: Path, units: str, skin: Surface | None) -> FleshParts:
    """The surfaces of a folder, named by their files."""
    body = _bodies(path / BODIES)
    bones = []
    for file in _files(path / BONES):
        bones.append(BonePart(file.stem, _scaled(read_surface(file), units), body.get(file.stem)))
    if not bones:
        raise FileError(f"there is no surface in '{path / BONES}'")
    stray = next((name for name in body if name not in {bone.name for bone in bones}), None)
    if stray is not None:
        raise known("bone", stray, [bone.name for bone in bones])
    muscles = [
        MusclePart(file.stem, _scaled(read_surface(file), units)) for file in _files(path / MUSCLES)
    ]
    return FleshParts(bones, muscles, skin=skin, name=path.name)


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if p.is_file() and not p.name.startswith("."))


def _bodies(path: Path) -> dict[str, str]:
    """The body that carries each bone, from a file of bodies and their bones."""
    if not path.is_file():
        return {}
    table = _yaml(path)
    bad = next((k for k, v in table.items() if not isinstance(v, list)), None)
    if bad is not None:
        raise FileError(f"'{path}': body '{bad}' must have a list of bones")
    return {str(bone): str(body) for body, bones in table.items() for bone in bones}


def usual_skin(path: Path) -> SkinSettings:
    """How a source is covered unless settings say otherwise."""
    return UPPER_BODY_SKIN if is_upper_body(path) else SkinSettings()


def read_settings(
    path: Path | None, usual: SkinSettings | None = None, **given: Any
) -> FleshSettings:
    """Settings of a YAML file, if there is one; those `given` that are not None come before them.

    What the file does not say of the skin is as in `usual`. Its keys are the fields of
    `FleshSettings`; `skin` and `tissue` are tables of theirs, `tissue` may be `paper`, and `groups`
    of the skin is a list of tables with names, closing and offset.
    """
    table = {} if path is None else _yaml(path)
    table |= {name: value for name, value in given.items() if value is not None}
    skin, tissue = table.pop("skin", {}), table.pop("tissue", {})
    try:
        groups = tuple(
            SkinGroup(**{**group, "names": tuple(np.atleast_1d(group.get("names", "*")).tolist())})
            for group in skin.pop("groups", ())
        )
        if groups:
            skin["groups"] = groups
        if "gravity" in table:
            table["gravity"] = tuple(float(v) for v in table["gravity"])
        return FleshSettings(
            **table, skin=replace(usual or SkinSettings(), **skin), tissue=_tissue(tissue)
        )
    except (TypeError, AttributeError, ValueError) as error:
        where = f"'{path}'" if path else "the settings of flesh"
        raise ModelError(f"{where}: {_sentence(error)}") from None


def _tissue(given: Any) -> Tissue:
    """The tissue of a table of its fields, or of the paper."""
    if given == "paper":
        return Tissue.paper()
    if not isinstance(given, dict):
        raise ValueError(f"tissue is '{given}'; it must be a table of figures, or 'paper'")
    return Tissue(**given)


def _sentence(error: Exception) -> str:
    text = str(error).split("__init__() ")[-1]
    return text.replace("got an unexpected keyword argument", "there is no key")


def _yaml(path: Path) -> dict[str, Any]:
    import yaml

    try:
        table = yaml.safe_load(read_text(path))
    except yaml.YAMLError:
        raise FileError(f"'{path}' is not YAML") from None
    if not isinstance(table, dict):
        raise FileError(f"'{path}' must hold keys and values")
    return table
