"""Where a result came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vastus.io.html import facts

NAMES = {
    "vastus": "version of vastus",
    "python": "version of Python",
    "packages": "packages",
    "platform": "machine",
    "command": "command",
    "scene": "hash of the scene",
    "model": "hash of the model",
    "seed": "seed",
    "solver": "solver",
    "started": "started",
    "finished": "ended",
}


def origin_section(provenance: Mapping[str, Any]) -> str:
    """The record of a run in pairs of a name and a value."""
    pairs = [(title, provenance.get(name)) for name, title in NAMES.items()]
    return facts([(title, _told(value)) for title, value in pairs])


def _told(value: Any) -> str | None:
    if isinstance(value, Mapping):
        return ", ".join(_flat(value))
    return None if value in (None, "") else str(value)


def _flat(value: Mapping[str, Any]) -> Iterator[str]:
    """Settings within settings, one after the other; a `name` is that of the whole."""
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            yield f"{name} ({', '.join(_flat(inner))})"
        else:
            yield str(inner) if name == "name" else f"{name} {'–' if inner is None else inner}"
