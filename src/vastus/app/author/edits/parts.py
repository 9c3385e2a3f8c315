"""Parts: which there are, what they are, and how they are meshed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vastus.app.author.document import Document
from vastus.app.author.importing import beside
from vastus.app.author.names import ENDS, PARTS, metres, names_of, put
from vastus.app.author.renaming import (
    lost,
    new_name,
    owners,
    pruned,
    rename_muscle,
    rename_part,
    tidy,
)
from vastus.app.author.roles import Role, role_of
from vastus.errors import ModelError
from vastus.parts import Tissue
from vastus.scene.schema import Unit

__all__ = ["rename_muscle", "rename_part"]

# What is said of muscles alone.
_OF_MUSCLES = (*ENDS, "origin_at", "insertion_at", "caps", "fibre_caps", "tendons", "gap")


def add_part(document: Document, file: str | Path, role: Role | None = None) -> Document:
    """Make a part of a surface file of the folder; its role is guessed from its name if left out.

    `file` is as seen from the folder.
    """
    role = role or role_of(Path(file).name, document.names)
    name = new_name("part", role.name, document.parts)
    said = {"file": beside(document, Path(file)).as_posix(), "tissue": role.tissue.value}
    if role.tissue is Tissue.TENDON:
        said["muscle"] = role.muscle or ""
    return document.put((*PARTS, name), said, f"add part '{name}'")


def add_parts(document: Document, files: Sequence[str | Path]) -> Document:
    """Make parts of several files in one step, tendons after the muscles that they belong to."""
    first = document
    roles = {file: role_of(Path(file).name, document.names) for file in files}
    for file in sorted(files, key=lambda file: roles[file].named_tendon):
        document = add_part(document, file)
    words = f"add {len(files)} parts" if len(files) != 1 else document.change.words
    return document.with_data(document.data, words) if files else first


def remove_part(document: Document, part: str) -> Document:
    """Take a part away, with all that refers to it; its file stays."""
    document.part(part)
    kept = {name: said for name, said in document.at(*PARTS).items() if name != part}
    return _pruned(document, kept, f"remove part '{part}'")


def set_tissue(
    document: Document, part: str, tissue: Tissue, *, muscle: str | None = None
) -> Document:
    """Say what is inside a part; a tendon belongs to a `muscle`, which may be left out if only one.

    What was said of it as a muscle or bone goes.
    """
    said = document.part(part)
    if tissue is Tissue.TENDON:
        muscle = muscle or said.muscle or _only_muscle(document, part)
    out = {**document.at(*PARTS, part), "tissue": tissue.value, "muscle": muscle or said.muscle}
    if tissue is not Tissue.MUSCLE:
        out = {key: value for key, value in out.items() if key not in _OF_MUSCLES}
    if tissue not in (Tissue.MUSCLE, Tissue.TENDON) or out["muscle"] is None:
        del out["muscle"]
    words = f"set tissue of '{part}' to {tissue.value}"
    return _pruned(document, {**document.at(*PARTS), part: out}, words)


def set_muscle(document: Document, part: str, muscle: str | None) -> Document:
    """Say which muscle a part of muscle or tendon belongs to; None is the muscle of its own name.

    What is said of a muscle follows its only part to a new name.
    """
    said, new = document.part(part), part if muscle is None else tidy(muscle)
    if said.tissue is Tissue.MUSCLE and new not in document.names.muscles:
        old = said.muscle or part
        if owners(document, old) == [part]:
            return rename_muscle(document, old, new)
    own = said.tissue is Tissue.MUSCLE and new == part
    parts = put(document.at(*PARTS), (part, "muscle"), None if own else new)
    return _pruned(document, parts, f"set muscle of '{part}' to '{new}'")


def set_part_units(document: Document, part: str, units: Unit | None) -> Document:
    """Say the unit of a part's file; None is that of all."""
    document.part(part)
    value = None if units is None else units.value
    words = f"set units of '{part}' to {value or 'those of all'}"
    return document.put((*PARTS, part, "units"), value, words)


def set_part_size(document: Document, part: str, size: float | None) -> Document:
    """Set the edge of a part's tets [m]; None is that of all."""
    document.part(part)
    value = None if size is None else metres(size)
    told = "that of all" if value is None else f"{1e3 * value:g} mm"
    words = f"set size of '{part}' to {told}"
    return document.put((*PARTS, part, "size"), value, words, f"size of {part}")


def _pruned(document: Document, parts: dict[str, object], words: str) -> Document:
    """The document with other parts, without what refers to none of them."""
    data = {**document.data, "surfaces": {**document.data["surfaces"], "parts": parts}}
    orphan = next(iter(_orphans(data)), None)
    if orphan is not None:
        raise ModelError(
            f"'{orphan}' is a tendon of muscle '{parts[orphan]['muscle']}', which would be gone; "  # type: ignore[index]
            "give it another muscle or tissue first, or remove it"
        )
    after = pruned(data)
    return document.with_data(after, words + lost(document.data, after))


def _orphans(data: dict[str, object]) -> list[str]:
    """The tendons without a muscle."""
    names = names_of(data)
    tendons = [name for name, tissue in names.parts.items() if tissue is Tissue.TENDON]
    parts = data["surfaces"]["parts"]  # type: ignore[index]
    return [name for name in tendons if parts[name]["muscle"] not in names.muscles]


def _only_muscle(document: Document, part: str) -> str:
    others = [name for name in document.names.muscles if name != part]
    if len(others) != 1:
        listed = ", ".join(others) or "none"
        raise ModelError(f"'{part}' as a tendon belongs to a muscle: say to which ({listed})")
    return others[0]
