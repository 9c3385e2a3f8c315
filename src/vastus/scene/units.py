"""The units that coordinates of files may have."""

from __future__ import annotations

from enum import StrEnum


class Unit(StrEnum):
    """The unit of a file's coordinates."""

    M = "m"
    CM = "cm"
    MM = "mm"

    @property
    def metres(self) -> float:
        """The unit in metres."""
        return {"m": 1.0, "cm": 0.01, "mm": 0.001}[self.value]
