"""A scene's plain data as the YAML that a careful person would write, keys in a fixed order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from math import inf, isnan
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from vastus.errors import ModelError
from vastus.files.safe import write_text
from vastus.scene.actuators import CablePart, CavityPart
from vastus.scene.body import BonePart, JointPart, MeshFile, ModelPart, MusclePart, RegionPart
from vastus.scene.drive import JointFile, Output, PoseKey, SolverPart, Timeline
from vastus.scene.fibres import Fibres, Pennation
from vastus.scene.scene import Description
from vastus.scene.schema import Section
from vastus.scene.selection import LoadPart, PinPart
from vastus.scene.surfaces import SurfacePart, Surfaces
from vastus.scene.yaml import is_word

_ANY = "*"
# Which section stands where; a star is a name or a place in a list.
_SECTIONS: dict[tuple[str, ...], type[Section]] = {
    (): Description,
    ("model",): ModelPart,
    ("mesh",): MeshFile,
    ("surfaces",): Surfaces,
    ("surfaces", "parts", _ANY): SurfacePart,
    ("regions", _ANY): RegionPart,
    ("muscles", _ANY): MusclePart,
    ("muscles", _ANY, "fibres"): Fibres,
    ("muscles", _ANY, "fibres", "pennation"): Pennation,
    ("bones", _ANY): BonePart,
    ("joints", _ANY): JointPart,
    ("pins", _ANY): PinPart,
    ("loads", _ANY): LoadPart,
    ("cavities", _ANY): CavityPart,
    ("cables", _ANY): CablePart,
    ("inputs",): Timeline,
    ("inputs", "bones", _ANY, _ANY): PoseKey,
    ("inputs", "joints", _ANY): JointFile,
    ("solver",): SolverPart,
    ("output",): Output,
}


def in_order(value: Any, path: tuple[str, ...] = ()) -> Any:
    """The same data with the keys of every section in order."""
    if isinstance(value, Mapping):
        keys = sorted(value, key=_rank(path)) if _section(path) else value
        return {key: in_order(value[key], (*path, str(key))) for key in keys}
    if isinstance(value, list | tuple):
        return [in_order(item, (*path, _ANY)) for item in value]
    return value


def placed(keys: Iterable[Any], wanted: Iterable[Any], path: tuple[str, ...]) -> list[Any]:
    """The wanted keys at a path, those of a section as the author has them: a new one is put
    after the last that comes before it in the schema."""
    wanted = list(wanted)
    if not _section(path):
        return wanted
    rank = _rank(path)
    order = [key for key in keys if key in wanted]
    for key in sorted((key for key in wanted if key not in order), key=rank):
        before = [place for place, other in enumerate(order, 1) if rank(other) <= rank(key)]
        order.insert(max(before, default=0), key)
    return order


def _rank(path: tuple[str, ...]) -> Any:
    section = _section(path)
    words = section.words() if section else []
    return lambda key: words.index(key) if key in words else len(words)


def _section(path: tuple[str, ...]) -> type[Section] | None:
    for pattern, section in _SECTIONS.items():
        if len(pattern) == len(path) and all(
            p in (_ANY, key) for p, key in zip(pattern, path, strict=True)
        ):
            return section
    return None


# Letters, digits and a few signs that mean nothing to YAML, also between brackets.
_PLAIN = re.compile(r"(?:(?:\.{1,2})?/)*\w(?:[\w ./()+'-]*[\w./()+'-])?")
# What the reader refuses, takes for the end of a line or drops, and what nobody sees.
_UNSEEN = re.compile(
    "[^\x20-\x7e\xa1-\xac\xae-\u1fff\u2010-\u2027\u2030-\u205f\u2070-\u2fff\u3001-\ud7ff"
    "\ue000-\ufdff\ufe10-\ufefe\uff00-\uffef\U00010000-\U0010ffff]"
)
_EXACT = 2.0**53  # above it, the digits of a float are not those of a whole number
_SHORTER = 2  # characters that an exponent must save


def scalar(value: Any) -> str:
    """A name, number, truth or nothing."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return str(value) if _is_plain(value) else _quoted(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return number(value)
    raise ModelError(f"a scene cannot hold {value!r}: only names, numbers, lists and mappings")


def number(value: float) -> str:
    """The shortest digits that read back as the same number: 0.0012, 3e5, 1."""
    if isnan(value):
        return ".nan"
    if abs(value) == inf:
        return ".inf" if value > 0 else "-.inf"
    if value == 0:
        return "0"
    digits = np.format_float_positional(value, trim="-")
    power = np.format_float_scientific(value, trim="-", exp_digits=1).replace("e+", "e")
    inexact = abs(value) > _EXACT and "." not in digits
    return power if inexact or len(power) <= len(digits) - _SHORTER else digits


def _is_plain(word: str) -> bool:
    """Whether YAML reads a word as this word, by its older rules as well."""
    if not _PLAIN.fullmatch(word) or _UNSEEN.search(word) or not is_word(word):
        return False
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers.get(word[0], ())
    return not any(pattern.match(word) for _, pattern in resolvers)


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_UNSEEN.sub(_escape, escaped)}"'


def _escape(match: re.Match[str]) -> str:
    sign, code = match[0], ord(match[0])
    named = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
    wide = f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return named.get(sign, wide)


WIDTH = 100
_LONGEST_KEY = 1000  # YAML has 1024 for a key without a mark
_NAMED = (
    "materials", "regions", "muscles", "bones", "joints", "pins", "loads", "cavities", "cables"
)  # fmt: skip
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
    return "\n".join(item_lines(in_order(data), ())) + "\n"


def block_lines(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    """The lines of a mapping or list, an item each."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _entry(scalar(key), item, (*path, str(key)))
    else:
        for item in value:
            first, *rest = item_lines(item, (*path, "-"))
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)


def _entry(key: str, value: Any, path: tuple[str, ...]) -> Iterator[str]:
    head = f"{key}: "
    if is_open(value, path, room=WIDTH - len(head) - 2 * (len(path) - 1)):
        yield f"{key}:"
        yield from (f"  {line}" for line in block_lines(value, path))
    else:
        yield head + flow(value)


def item_lines(value: Any, path: tuple[str, ...]) -> list[str]:
    """The lines of a value that starts on a line of its own, or after a dash."""
    room = WIDTH - 2 * len(path)
    return list(block_lines(value, path)) if is_open(value, path, room) else [flow(value)]


def is_open(value: Any, path: tuple[str, ...], room: int) -> bool:
    """Whether a value takes several lines, if there is room for so many characters on one."""
    if not isinstance(value, Mapping | list | tuple) or not value or _has_long_key(value):
        return False
    return path in _OPEN or is_long(value, room)


def is_long(value: Any, room: int) -> bool:
    """Whether a value is hard to read on one line, or does not fit."""
    return _is_table(value) or len(flow(value)) > room


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


def flow(value: Any) -> str:
    """A value on one line, in brackets."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(_pair(scalar(key), item) for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return scalar(value)


def _pair(key: str, value: Any) -> str:
    mark = "? " if len(key) > _LONGEST_KEY else ""
    return f"{mark}{key}: {flow(value)}"
