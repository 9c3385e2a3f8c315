"""Material laws, one per file, and the means to write one's own.

Names are loaded on first use, so that `vastus.materials.base` alone does not load the compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vastus.materials.library import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if name.startswith("_") and name != "__all__":
        raise AttributeError(name)
    library = import_module("vastus.materials.library")
    if name not in (*library.__all__, "__all__"):
        raise AttributeError(f"vastus.materials has no '{name}'")
    return getattr(library, name)


def __dir__() -> list[str]:
    return list(import_module("vastus.materials.library").__all__)
