"""What a model says, as arrays and JSON values: what files hold and hashes cover."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from vastus.materials.along import Along
from vastus.materials.base import Law
from vastus.muscle import described
from vastus.skeleton.joints import Ball, Joint

if TYPE_CHECKING:
    from vastus.model import Model


def arrays(model: Model) -> dict[str, np.ndarray]:
    """The numbers of a model that belong to vertices and tets, by name."""
    found: dict[str, np.ndarray] = {
        "X": model.mesh.X,
        "T": model.mesh.T,
        "region": np.asarray(model.region, np.int64),
        "fibre": np.asarray(model.fibre, np.float64),
        "gravity": np.asarray(model.gravity, np.float64),
    }
    for name, array in {**model.directions, **model.quantities}.items():
        found[f"per_tet_{name}"] = np.asarray(array, np.float64)
    for i, bone in enumerate(model.bones):
        found[f"bone_{i}_attached"] = np.asarray(bone.attached, np.int64)
    for i, pin in enumerate(model.pins):
        found[f"pin_{i}_vertices"] = np.asarray(pin.vertices, np.int64)
    for i, load in enumerate(model.loads):
        found[f"load_{i}_vertices"] = np.asarray(load.vertices, np.int64)
        found[f"load_{i}_weights"] = np.asarray(load.weights, np.float64)
        found[f"load_{i}_force"] = np.asarray(load.force, np.float64)
    for i, cavity in enumerate(model.cavities):
        found[f"cavity_{i}_faces"] = np.asarray(cavity.faces, np.int64)
    for i, cable in enumerate(model.cables):
        found[f"cable_{i}_points"] = np.asarray(cable.points, np.int64)
        found[f"cable_{i}_weights"] = np.asarray(cable.weights, np.float64)
    for i, guide in enumerate(model.guides):
        found[f"guide_{i}_sections"] = np.asarray(guide.sections, np.int64)
    return found


def description(model: Model) -> dict[str, Any]:
    """All else that a model says, as JSON values.

    Results are resumed by a hash of it: what models learn to say later must be left out where it
    is as it always was.
    """
    return {
        "name": model.name,
        "volume": model.volume,
        "regions": [
            _plain(r, "laws") | {"laws": [_law(law) for law in r.laws]} for r in model.regions
        ],
        "muscles": [described(m) for m in model.muscles],
        "bones": [_plain(b, "attached") for b in model.bones],
        "joints": [
            _plain(j, "passive", "range") | _passive(j) | {"joint": j.kind} for j in model.joints
        ],
        "pins": [_plain(p, "vertices") for p in model.pins],
        "loads": [_plain(load, "vertices", "weights", "force") for load in model.loads],
        **{
            key: list(getattr(model, key))
            for key in ("directions", "quantities")
            if getattr(model, key)
        },
        **({"contact": _plain(model.contact)} if model.contact else {}),
        **({"floor": _plain(model.floor)} if model.floor else {}),
        **(
            {"guides": [_plain(g, "sections") | {"guide": g.kind} for g in model.guides]}
            if model.guides
            else {}
        ),
        **({"cavities": [_plain(c, "faces") for c in model.cavities]} if model.cavities else {}),
        **(
            {"cables": [_plain(c, "points", "weights") for c in model.cables]}
            if model.cables
            else {}
        ),
    }


def _law(law: Law) -> dict[str, Any]:
    if isinstance(law, Along):
        return _law(law.law) | {"along": law.direction}
    return _plain(law) | {"law": law.name}


def _passive(joint: Joint) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if joint.passive:
        found["passive"] = [_plain(each) for each in joint.passive]
    if isinstance(joint, Ball) and joint.range is not None:
        found["range"] = _plain(joint.range)
    return found


def _plain(item: Any, *without: str) -> dict[str, Any]:
    """The fields of a dataclass as JSON values; enums are strings already."""
    values = {f.name: getattr(item, f.name) for f in fields(item) if f.name not in without}
    return {
        k: v.tolist() if isinstance(v, (np.ndarray, np.generic)) else v for k, v in values.items()
    }
