"""Bones and joints: which parts move as one, who moves them, and where they move on each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from vastus.app.author.document import Document
from vastus.app.author.names import Data, Numbers, at, places, put, shorts
from vastus.app.author.renaming import Renaming, lost, new_name, pruned, rename_bone, tidy
from vastus.errors import ModelError
from vastus.parts import Drive, Tissue
from vastus.scene.body import RESISTANCE
from vastus.skeleton.joints import Joint

__all__ = ["rename_bone"]


def group_bones(document: Document, name: str, parts: Sequence[str]) -> Document:
    """Make one bone of several parts; joints and loads of each part's bone become those of it.

    Parts are taken out of the groups that they were in. A joint inside the group goes.
    """
    name, parts = tidy(name), list(dict.fromkeys(parts))
    for part in parts:
        _require_bone(document, part)
    if not parts:
        raise ModelError(f"bone '{name}' needs at least one part")
    if name in document.parts and name not in parts and document.parts[name].tissue is Tissue.BONE:
        raise ModelError(f"'{name}' is another bone's part; give the group a name of its own")
    single = {part: name for part in parts if document.names.bones.get(part) == (part,)}
    data = _without(document.data, parts, name)
    data = Renaming(bones=single).applied(data, document.names)
    data = pruned(put(data, ("bones", name, "regions"), parts))
    words = f"make one bone '{name}' of {', '.join(parts)}"
    return document.with_data(data, words + _lost_joints(document.data, data))


def ungroup(document: Document, bone: str) -> Document:
    """Make each part of a group a bone again, driven alike; its joints go to the first part."""
    parts = document.at("bones", bone, "regions")
    if not parts:
        raise ModelError(f"'{bone}' is no group of bones")
    drive = document.at("bones", bone, "drive")
    data: Data = put(document.data, ("bones", bone, "regions"), None)
    data = Renaming(bones={bone: parts[0]}).applied(data, document.names)
    for part in parts:
        data = put(data, ("bones", part, "drive"), drive)
    return document.with_data(pruned(data), f"take bone '{bone}' apart")


def set_drive(document: Document, bone: str, drive: Drive) -> Document:
    """Say who moves a bone; the key frames of one that is no longer scripted go."""
    document.require("bone", bone, document.names.bones)
    value = None if drive is Drive.FREE else drive.value
    data = put(document.data, ("bones", bone, "drive"), value)
    if drive is not Drive.SCRIPTED and at(data, ("inputs", "bones", bone)) is not None:
        data = put(data, ("inputs", "bones", bone), None)
    return document.with_data(data, f"set drive of '{bone}' to {drive.value}")


def _require_bone(document: Document, part: str) -> None:
    tissue = document.part(part).tissue
    if tissue is not Tissue.BONE:
        raise ModelError(f"'{part}' is {tissue.value}, and no part of a bone")


def _without(data: Data, parts: Sequence[str], but: str) -> Data:
    """The scene whose other groups have none of these parts; a group that is left empty goes."""
    for bone, said in (data.get("bones") or {}).items():
        if bone != but and said.get("regions"):
            left = [part for part in said["regions"] if part not in parts]
            path = ("bones", bone, "regions") if left else ("bones", bone)
            data = put(data, path, left or None)
    return data


def _lost_joints(before: Data, after: Data) -> str:
    """What is told of the joints that went; bones that became one did not."""
    return lost({"joints": before.get("joints") or {}}, after)


def add_joint(
    document: Document,
    name: str,
    kind: type[Joint],
    bones: tuple[str, str],
    *,
    centre: Numbers | None = None,
    axis: Numbers | None = None,
) -> Document:
    """Tie two bones at a centre [m]; without one, it is found from their shape."""
    name = new_name("joint", name, document.joints)
    said = {"kind": kind.kind, "bones": list(bones), **_placed(centre, axis)}
    return document.put(("joints", name), said, f"add joint '{name}'")


def remove_joint(document: Document, joint: str) -> Document:
    """Take a joint away."""
    _require(document, joint)
    return document.put(("joints", joint), None, f"remove joint '{joint}'")


def rename_joint(document: Document, joint: str, new: str) -> Document:
    """Call a joint otherwise."""
    _require(document, joint)
    if tidy(new) == joint:
        return document
    new = new_name("joint", new, document.joints)
    joints = {new if name == joint else name: said for name, said in document.at("joints").items()}
    return document.put(("joints",), joints, f"rename joint '{joint}' to '{new}'")


def set_joint_kind(
    document: Document, joint: str, kind: type[Joint], *, axis: Numbers | None = None
) -> Document:
    """Say what a joint leaves free; where it has a centre it needs axes, a found one none.

    How it resisted goes: another kind has other coordinates.
    """
    said = _require(document, joint)
    same = document.joints[joint].kind is kind
    kept = {*kind.placed_by(), "bones", *(RESISTANCE if same else ())}
    said = {key: value for key, value in said.items() if key in kept} | {"kind": kind.kind}
    if axis is not None and "centre" in said:
        axes = {"axis": axis, "second_axis": _across(axis)}
        said |= {key: shorts(value) for key, value in axes.items() if key in kind.placed_by()}
    return document.put(("joints", joint), said, f"make joint '{joint}' a {kind.kind}")


def _across(axis: Numbers) -> Numbers:
    """A direction at right angles to an axis."""
    away = np.eye(3)[int(np.argmin(np.abs(axis)))]
    return tuple(np.cross(axis, away).tolist())


def set_joint_bones(document: Document, joint: str, bones: tuple[str, str]) -> Document:
    """Say which bones a joint ties; the second moves relative to the first."""
    said = {**_require(document, joint), "bones": list(bones)}
    words = f"tie '{bones[0]}' and '{bones[1]}' by joint '{joint}'"
    return document.put(("joints", joint), said, words)


def place_joint(
    document: Document, joint: str, centre: Numbers, axis: Numbers | None = None
) -> Document:
    """Put a joint at a centre [m]; the axis of a hinge stays unless given."""
    said = {**_require(document, joint), **_placed(centre, axis)}
    return document.put(("joints", joint), said, f"place joint '{joint}'", f"place of {joint}")


def find_joint(document: Document, joint: str) -> Document:
    """Let the place of a joint be found from the shape of its bones."""
    said = _require(document, joint)
    kept = {key: value for key, value in said.items() if key not in ("centre", "axis")}
    return document.put(("joints", joint), kept, f"let the place of joint '{joint}' be found")


def _placed(centre: Numbers | None, axis: Numbers | None) -> dict[str, Any]:
    said = {} if centre is None else {"centre": places(centre)}
    return said if axis is None else {**said, "axis": shorts(axis)}


def _require(document: Document, joint: str) -> dict[str, Any]:
    document.require("joint", joint, document.joints)
    return dict(document.at("joints", joint))
