"""Bones: which parts move as one, and who moves them."""

from __future__ import annotations

from collections.abc import Sequence

from vastus.app.author.document import Document
from vastus.app.author.pruning import lost, pruned
from vastus.app.author.renaming import Renaming, rename_bone, tidy
from vastus.app.author.trees import Data, at, put
from vastus.errors import ModelError
from vastus.model import Drive, Tissue

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
