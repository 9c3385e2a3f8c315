"""A scene's plain data as the YAML that a careful person would write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from vastus.io.files import write_text
from vastus.io.scene_order import in_order
from vastus.io.yaml_words import scalar

WIDTH = 100
_LONGEST_KEY = 1000  # YAML has 1024 for a key without a mark
_NAMED = ("materials", "regions", "muscles", "bones", "joints", "pins", "loads")
# Mappings with a line for each key, however short they are.
_OPEN: set[tuple[str, ...]] = {
    (),
    ("surfaces",),
    ("surfaces", "parts"),
    ("inputs",),
    ("inputs", "activation"),
    ("inputs", "bones"),
    *((name,) for name in _NAMED),
}


def write_scene(path: str | Path, data: Mapping[str, Any]) -> None:
    """Write a scene file whole or not at all."""
    write_text(path, scene_text(data))


def scene_text(data: Mapping[str, Any]) -> str:
    """The YAML of a scene, its sections in a fixed order; it reads back as equal data."""
    return "\n".join(_item(in_order(data), ())) + "\n"


def _block(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    """The lines of a mapping or list, an item each."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _entry(scalar(key), item, (*path, str(key)))
    else:
        for item in value:
            first, *rest = _item(item, (*path, "-"))
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)


def _entry(key: str, value: Any, path: tuple[str, ...]) -> Iterator[str]:
    head = f"{key}: "
    if _is_open(value, path, room=WIDTH - len(head) - 2 * (len(path) - 1)):
        yield f"{key}:"
        yield from (f"  {line}" for line in _block(value, path))
    else:
        yield head + _flow(value)


def _item(value: Any, path: tuple[str, ...]) -> list[str]:
    room = WIDTH - 2 * len(path)
    return list(_block(value, path)) if _is_open(value, path, room) else [_flow(value)]


def _is_open(value: Any, path: tuple[str, ...], room: int) -> bool:
    """Whether a value takes several lines."""
    if not isinstance(value, Mapping | list | tuple) or not value or _has_long_key(value):
        return False
    return path in _OPEN or _is_table(value) or len(_flow(value)) > room


def _is_table(value: Any) -> bool:
    """Whether there is a list of several mappings in it, which are easier read below each other."""
    if isinstance(value, Mapping):
        return any(_is_table(item) for item in value.values())
    if not isinstance(value, list | tuple):
        return False
    mappings = sum(isinstance(item, Mapping) for item in value)
    return mappings > 1 or any(_is_table(item) for item in value)


def _has_long_key(value: Any) -> bool:
    return isinstance(value, Mapping) and any(len(scalar(k)) > _LONGEST_KEY for k in value)


def _flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(_pair(scalar(key), item) for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return scalar(value)


def _pair(key: str, value: Any) -> str:
    mark = "? " if len(key) > _LONGEST_KEY else ""
    return f"{mark}{key}: {_flow(value)}"
