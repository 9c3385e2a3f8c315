"""Joints: which bones move on each other, how, and about what place."""

from __future__ import annotations

from typing import Any

from vastus.app.author.document import Document
from vastus.app.author.renaming import new_name, tidy
from vastus.app.author.trees import Numbers, places, shorts
from vastus.scene.anatomy import JointKind


def add_joint(
    document: Document,
    name: str,
    kind: JointKind,
    bones: tuple[str, str],
    *,
    centre: Numbers | None = None,
    axis: Numbers | None = None,
) -> Document:
    """Tie two bones at a centre [m]; without one, it is found from their shape."""
    name = new_name("joint", name, document.joints)
    said = {"kind": kind.value, "bones": list(bones), **_placed(centre, axis)}
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
    document: Document, joint: str, kind: JointKind, *, axis: Numbers | None = None
) -> Document:
    """Say what a joint leaves free; a hinge that has a centre needs an axis, a found one none."""
    said = {**_require(document, joint), "kind": kind.value}
    if kind is not JointKind.HINGE:
        said.pop("axis", None)
    elif axis is not None and "centre" in said:
        said["axis"] = shorts(axis)
    return document.put(("joints", joint), said, f"make joint '{joint}' a {kind.value}")


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
