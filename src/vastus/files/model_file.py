"""A model in one `.npz` file: its arrays, and one JSON text for everything else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from vastus import __version__
from vastus.actuators import Cable, Cavity
from vastus.description import arrays, description
from vastus.errors import FileError, VastusError, known
from vastus.files.npz import Arrays, read_npz, write_npz
from vastus.files.safe import DAMAGED, brief
from vastus.geometry.tetmesh import TetMesh
from vastus.materials.along import Along
from vastus.materials.base import Law, find_law
from vastus.model import Model
from vastus.muscle import muscle_of
from vastus.parts import (
    Bone,
    Contact,
    ContactKind,
    Drive,
    Floor,
    Load,
    Pin,
    Region,
    Tissue,
    Volume,
)
from vastus.skeleton.ball_range import BallRange
from vastus.skeleton.guides import GUIDES, Guide
from vastus.skeleton.joints import JOINTS, Joint
from vastus.skeleton.passive import Passive
from vastus.validate import KINDS

FORMAT = 1


def save_model(path: str | Path, model: Model) -> None:
    """Write `model` to a `.npz` file, whole or not at all.

    Energies of a model's own are code, which a file cannot hold: such a model is refused.
    """
    if model.energies:
        kinds = ", ".join(sorted({type(energy).__name__ for energy in model.energies}))
        raise FileError(
            f"a file cannot hold the energies of model '{model.name}' ({kinds}); save "
            "model.with_(energies=()) and add them again when it is loaded"
        )
    head = {"format": FORMAT, "vastus": __version__, "model": description(model)}
    write_npz(path, {"json": json.dumps(head), **arrays(model)})


def load_model(path: str | Path) -> Model:
    """Read a model that `save_model` wrote."""
    stored = read_npz(path)
    try:
        head = json.loads(str(stored["json"]))
        version = head["format"]
    except DAMAGED:
        raise FileError(f"'{path}' is not a model file of vastus") from None
    if version != FORMAT:
        raise FileError(f"'{path}' is a model of format {version}; this vastus reads {FORMAT}")
    try:
        return _named(_model(head["model"], stored))
    except VastusError as error:
        raise FileError(f"'{path}': {error}") from None
    except DAMAGED as error:
        raise FileError(f"'{path}' is damaged: it lacks or garbles {brief(error)}") from None


def _model(text: Mapping[str, Any], stored: Arrays) -> Model:
    return Model(
        mesh=TetMesh(stored["X"], stored["T"]),
        region=stored["region"],
        regions=tuple(_region(r) for r in text["regions"]),
        fibre=stored["fibre"],
        muscles=tuple(muscle_of(m) for m in text["muscles"]),
        bones=tuple(_bone(b, stored[f"bone_{i}_attached"]) for i, b in enumerate(text["bones"])),
        joints=tuple(_joint(j) for j in text["joints"]),
        pins=tuple(_pin(p, stored[f"pin_{i}_vertices"]) for i, p in enumerate(text["pins"])),
        loads=tuple(_load(i, load, stored) for i, load in enumerate(text["loads"])),
        gravity=stored["gravity"],
        name=text["name"],
        volume=text.get("volume", Volume.TET),
        directions={name: stored[f"per_tet_{name}"] for name in text.get("directions", ())},
        contact=_contact(text["contact"]) if "contact" in text else None,
        floor=Floor(**_tuples(text["floor"])) if "floor" in text else None,
        quantities={name: stored[f"per_tet_{name}"] for name in text.get("quantities", ())},
        guides=tuple(
            _guide(g, stored[f"guide_{i}_sections"]) for i, g in enumerate(text.get("guides", ()))
        ),
        cavities=tuple(
            Cavity(faces=stored[f"cavity_{i}_faces"], **c)
            for i, c in enumerate(text.get("cavities", ()))
        ),
        cables=tuple(
            Cable(points=stored[f"cable_{i}_points"], weights=stored[f"cable_{i}_weights"], **c)
            for i, c in enumerate(text.get("cables", ()))
        ),
    )


def _named(model: Model) -> Model:
    """The model, if all that it names are words."""
    parts = [getattr(model, kind) for kind in KINDS]
    for item in (model, *(item for part in parts for item in part)):
        if not isinstance(item.name, str):
            raise FileError(f"a name is {brief(item.name)}, which is not a text")
    return model


def _region(text: dict[str, Any]) -> Region:
    laws = tuple(_law(law) for law in text["laws"])
    return Region(**text | {"tissue": Tissue(text["tissue"]), "laws": laws})


def _law(text: dict[str, Any]) -> Law:
    named = ("law", "along")
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in text.items() if k not in named}
    law = find_law(text["law"])(**values)
    return Along(law, text["along"]) if "along" in text else law


def _bone(text: dict[str, Any], attached: np.ndarray) -> Bone:
    return Bone(text["name"], tuple(text["regions"]), Drive(text["drive"]), attached)


def _joint(text: dict[str, Any]) -> Joint:
    kind = text["joint"]
    if kind not in JOINTS:
        raise known("joint", kind, JOINTS)
    numbers = {k: np.array(text[k]) for k in JOINTS[kind].placed_by()}
    passive = tuple(Passive(**_tuples(p)) for p in text.get("passive", ()))
    ends: dict[str, Any] = {"range": BallRange(**_tuples(text["range"]))} if "range" in text else {}
    return JOINTS[kind](
        name=text["name"], bones=tuple(text["bones"]), **numbers, **ends, passive=passive
    )


def _guide(text: dict[str, Any], sections: np.ndarray) -> Guide:
    kind = text["guide"]
    if kind not in GUIDES:
        raise known("guide", kind, GUIDES)
    values: dict[str, Any] = {k: v for k, v in text.items() if k != "guide"}
    arrays_of = {k: np.array(v) for k, v in values.items() if isinstance(v, list)}
    return GUIDES[kind](**values | arrays_of, sections=sections)


def _contact(text: dict[str, Any]) -> Contact:
    pairs = tuple((str(one), str(other)) for one, other in text["exclude"])
    kinds = {key: ContactKind(text.get(key, "none")) for key in ("bones", "muscles")}
    return Contact(**text | kinds | {"exclude": pairs})


def _tuples(text: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(v) if isinstance(v, list) else v for key, v in text.items()}


def _pin(text: dict[str, Any], vertices: np.ndarray) -> Pin:
    return Pin(text["name"], vertices, tuple(text["axes"]), tuple(text["shift"]))


def _load(i: int, text: dict[str, Any], stored: Arrays) -> Load:
    parts = (stored[f"load_{i}_{part}"] for part in ("vertices", "weights", "force"))
    return Load(text["name"], *parts)
