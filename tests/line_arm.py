"""The small MJCF arm of the examples, which several tests share."""

from __future__ import annotations

from pathlib import Path

MJCF = (Path(__file__).parents[1] / "examples" / "little_arm.xml").read_text(encoding="utf-8")


def write_arm(folder: Path, text: str = MJCF) -> Path:
    """The file of the arm."""
    path = folder / "little_arm.xml"
    path.write_text(text, encoding="utf-8")
    return path
