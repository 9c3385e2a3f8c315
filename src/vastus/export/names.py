"""Names of regions as formats allow them: clean, not empty, and each once."""

from __future__ import annotations

import re
from collections.abc import Iterable

_OTHER = re.compile(r"[^A-Za-z0-9_-]+")


def clean_names(names: Iterable[str], empty: str = "region") -> dict[str, str]:
    """For each name one of ASCII letters, digits, `_` and `-`, no two the same in any case."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = _OTHER.sub("_", name).strip("_") or empty
        found[name] = _free(plain, taken)
        taken.add(found[name].lower())
    return found


def _free(plain: str, taken: set[str]) -> str:
    number, free = 1, plain
    while free.lower() in taken:
        number += 1
        free = f"{plain}_{number}"
    return free
