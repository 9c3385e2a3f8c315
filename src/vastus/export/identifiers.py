"""Names as other programs take them: letters of ASCII, digits and underscores, each once."""

from __future__ import annotations

import re
from collections.abc import Iterable

LONGEST = 48  # Blender cuts names after 63 bytes, which would make some equal


def identifiers(names: Iterable[str], *, taken: Iterable[str] = ()) -> dict[str, str]:
    """An identifier for each name, different from the others and `taken`, whatever their case."""
    used = {name.lower() for name in taken}
    found = {}
    for name in names:
        found[name] = _free(_plain(name), used)
        used.add(found[name].lower())
    return found


def readable(name: str) -> str:
    """The name itself, with what UTF-8 or C strings cannot hold replaced."""
    return name.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def _plain(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", name)[:LONGEST].strip("_") or "unnamed"
    return f"_{plain}" if plain[0].isdigit() else plain


def _free(plain: str, used: set[str]) -> str:
    if plain.lower() not in used:
        return plain
    number = 2
    while f"{plain}_{number}".lower() in used:
        number += 1
    return f"{plain}_{number}"
