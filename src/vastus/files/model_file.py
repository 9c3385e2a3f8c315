"""A model in one `.npz` file: its arrays, and one JSON text for everything else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from vastus import __version__
from vastus.errors import FileError, VastusError, known
from vastus.files.npz import Arrays, read_npz, write_npz
from vastus.files.safe import DAMAGED, brief
from vastus.geometry.tetmesh import TetMesh
from vastus.materials.base import Law, find_law
from vastus.model import Bone, Drive, Load, Model, Muscle, Pin, Region, Tissue, Volume
from vastus.skeleton.joints import JOINTS, Joint

FORMAT = 1


def save_model(path: str | Path, model: Model) -> None:
    """Write `model` to a `.npz` file, whole or not at all."""
    head = {"format": FORMAT, "vastus": __version__, "model": _description(model)}
    write_npz(path, {"json": json.dumps(head), **_arrays(model)})


def load_model(path: str | Path) -> Model:
    """Read a model that `save_model` wrote."""
    arrays = read_npz(path)
    try:
        head = json.loads(str(arrays["json"]))
        version = head["format"]
    except DAMAGED:
        raise FileError(f"'{path}' is not a model file of vastus") from None
    if version != FORMAT:
        raise FileError(f"'{path}' is a model of format {version}; this vastus reads {FORMAT}")
    try:
        return _named(_model(head["model"], arrays))
    except VastusError as error:
        raise FileError(f"'{path}': {error}") from None
    except DAMAGED as error:
        raise FileError(f"'{path}' is damaged: it lacks or garbles {brief(error)}") from None


def digest(model: Model) -> str:
    """A hash (64 hexadecimal digits) of all that the model says and its laws compute."""
    laws = [law.fingerprint() for region in model.regions for law in region.laws]
    text = json.dumps([_description(model), laws], sort_keys=True)
    sha = hashlib.sha256(text.encode())
    for name, array in sorted(_arrays(model).items()):
        sha.update(f"{name} {array.dtype.str} {array.shape}".encode())
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()


def _arrays(model: Model) -> Arrays:
    arrays: Arrays = {
        "X": model.mesh.X,
        "T": model.mesh.T,
        "region": np.asarray(model.region, np.int64),
        "fibre": np.asarray(model.fibre, np.float64),
        "gravity": np.asarray(model.gravity, np.float64),
    }
    for i, bone in enumerate(model.bones):
        arrays[f"bone_{i}_attached"] = np.asarray(bone.attached, np.int64)
    for i, pin in enumerate(model.pins):
        arrays[f"pin_{i}_vertices"] = np.asarray(pin.vertices, np.int64)
    for i, load in enumerate(model.loads):
        arrays[f"load_{i}_vertices"] = np.asarray(load.vertices, np.int64)
        arrays[f"load_{i}_weights"] = np.asarray(load.weights, np.float64)
        arrays[f"load_{i}_force"] = np.asarray(load.force, np.float64)
    return arrays


def _description(model: Model) -> dict[str, Any]:
    kinds = {kind: name for name, kind in JOINTS.items()}
    return {
        "name": model.name,
        "volume": model.volume,
        "regions": [
            _plain(r, "laws") | {"laws": [_plain(law) | {"law": law.name} for law in r.laws]}
            for r in model.regions
        ],
        "muscles": [_plain(m) for m in model.muscles],
        "bones": [_plain(b, "attached") for b in model.bones],
        "joints": [_plain(j) | {"joint": kinds[type(j)]} for j in model.joints],
        "pins": [_plain(p, "vertices") for p in model.pins],
        "loads": [_plain(load, "vertices", "weights", "force") for load in model.loads],
    }


def _plain(item: Any, *without: str) -> dict[str, Any]:
    """The fields of a dataclass as JSON values; enums are strings already."""
    values = {f.name: getattr(item, f.name) for f in fields(item) if f.name not in without}
    return {
        k: v.tolist() if isinstance(v, (np.ndarray, np.generic)) else v for k, v in values.items()
    }


def _model(text: Mapping[str, Any], arrays: Arrays) -> Model:
    return Model(
        mesh=TetMesh(arrays["X"], arrays["T"]),
        region=arrays["region"],
        regions=tuple(_region(r) for r in text["regions"]),
        fibre=arrays["fibre"],
        muscles=tuple(Muscle(**m) for m in text["muscles"]),
        bones=tuple(_bone(b, arrays[f"bone_{i}_attached"]) for i, b in enumerate(text["bones"])),
        joints=tuple(_joint(j) for j in text["joints"]),
        pins=tuple(_pin(p, arrays[f"pin_{i}_vertices"]) for i, p in enumerate(text["pins"])),
        loads=tuple(_load(i, load, arrays) for i, load in enumerate(text["loads"])),
        gravity=arrays["gravity"],
        name=text["name"],
        volume=text.get("volume", Volume.TET),
    )


def _named(model: Model) -> Model:
    """The model, if all that it names are words."""
    parts = (model.regions, model.muscles, model.bones, model.joints, model.pins, model.loads)
    for item in (model, *(item for part in parts for item in part)):
        if not isinstance(item.name, str):
            raise FileError(f"a name is {brief(item.name)}, which is not a text")
    return model


def _region(text: dict[str, Any]) -> Region:
    laws = tuple(_law(law) for law in text["laws"])
    return Region(**text | {"tissue": Tissue(text["tissue"]), "laws": laws})


def _law(text: dict[str, Any]) -> Law:
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in text.items() if k != "law"}
    return find_law(text["law"])(**values)


def _bone(text: dict[str, Any], attached: np.ndarray) -> Bone:
    return Bone(text["name"], tuple(text["regions"]), Drive(text["drive"]), attached)


def _joint(text: dict[str, Any]) -> Joint:
    kind = text["joint"]
    if kind not in JOINTS:
        raise known("joint", kind, JOINTS)
    numbers = {k: np.array(v) for k, v in text.items() if k not in ("name", "bones", "joint")}
    return JOINTS[kind](name=text["name"], bones=tuple(text["bones"]), **numbers)


def _pin(text: dict[str, Any], vertices: np.ndarray) -> Pin:
    return Pin(text["name"], vertices, tuple(text["axes"]), tuple(text["shift"]))


def _load(i: int, text: dict[str, Any], arrays: Arrays) -> Load:
    parts = (arrays[f"load_{i}_{part}"] for part in ("vertices", "weights", "force"))
    return Load(text["name"], *parts)
