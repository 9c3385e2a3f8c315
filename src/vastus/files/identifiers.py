"""Names as files and other programs allow them: plain characters, not empty, and each once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from itertools import count

LONGEST = 48  # Blender cuts names after 63 bytes, which would make some equal


def unlike(word: str, taken: Collection[str], form: str = "{} ({})") -> str:
    """The word, numbered in this form if it is among those that are taken."""
    numbered = (form.format(word, number) for number in count(2))
    return word if word not in taken else next(w for w in numbered if w not in taken)


def clean_names(
    names: Iterable[str], *, empty: str = "region", ascii_only: bool = True
) -> dict[str, str]:
    """For each name one of letters, digits, `_` and `-`, no two the same in any case."""
    flags = re.ASCII if ascii_only else re.UNICODE
    return _distinct(
        names, lambda name: re.sub(r"[^\w-]+", "_", name, flags=flags).strip("_") or empty
    )


def identifiers(names: Iterable[str], *, taken: Iterable[str] = ()) -> dict[str, str]:
    """An identifier of ASCII for each name, different from the others and `taken` in any case."""
    return _distinct(names, _identifier, taken)


def readable(name: str) -> str:
    """The name itself, with what UTF-8 or C strings cannot hold replaced."""
    return name.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def _identifier(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", name)[:LONGEST].strip("_") or "unnamed"
    return f"_{plain}" if plain[0].isdigit() else plain


def _distinct(
    names: Iterable[str], plain: Callable[[str], str], taken: Iterable[str] = ()
) -> dict[str, str]:
    used, found = {name.lower() for name in taken}, {}
    for name in names:
        word = plain(name)
        # Compared in lower case; the number is what may have to be added.
        found[name] = word + unlike(word.lower(), used, "{}_{}")[len(word.lower()) :]
        used.add(found[name].lower())
    return found
