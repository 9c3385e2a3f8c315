"""USD: an animated mesh a region, fields as primvars, and a skeleton of the bones."""

from __future__ import annotations

from vastus.export.usd.layer import read, write

__all__ = ["read", "write"]
