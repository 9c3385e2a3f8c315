"""Articulated bodies: skeletons on MuJoCo, moved by units that pull along paths.

Readers of files load on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from vastus.bodies.body import Arm, Body, Unit
from vastus.bodies.upper_body import juggler

if TYPE_CHECKING:
    from vastus.bodies.lee2018 import from_lee2018
    from vastus.bodies.read import read_body, read_units
    from vastus.bodies.upper import whole_upper_body

_HOMES = {
    "from_lee2018": "lee2018",
    "read_body": "read",
    "read_units": "read",
    "whole_upper_body": "upper",
}

__all__ = [
    "Arm",
    "Body",
    "Unit",
    "from_lee2018",
    "juggler",
    "read_body",
    "read_units",
    "whole_upper_body",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"vastus.bodies.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'vastus.bodies' has no attribute '{name}'")
