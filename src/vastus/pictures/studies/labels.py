"""What axes of a study are called: an output that has a name of its own, with its unit."""

from __future__ import annotations

from vastus.studies.folder import StudyFolder

# Units as the names of columns end in them, with those of rates and of stiffness.
UNITS = {
    "deg": "deg", "rad": "rad", "m": "m", "mm": "mm", "m2": "m²", "m3": "m³", "s": "s", "N": "N",
    "Nm": "N m", "Pa": "Pa", "J": "J", "W": "W", "kg": "kg",
}  # fmt: skip


def unit_of(column: str) -> str:
    """The unit that the name of a column ends in, empty if in none."""
    stem, _, last = column.rpartition("_")
    if last not in UNITS or not stem:
        return ""
    before, per, above = stem.rpartition("_per")
    unit = before.rpartition("_")[2] if per and not above else ""
    return f"{UNITS[unit]}/{UNITS[last]}" if unit in UNITS else UNITS[last]


def label(study: StudyFolder, name: str) -> str:
    """The name of a column, with the unit of what it is where the name does not tell."""
    unit = unit_of(study.columns.get(name, ""))
    return name if not unit or unit_of(name) else f"{name} [{unit}]"
