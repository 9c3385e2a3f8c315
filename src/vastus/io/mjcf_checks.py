"""What an MJCF file asks MuJoCo to open and to repeat, before MuJoCo does it."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from pathlib import Path
from xml.etree import ElementTree

from vastus.errors import FileError
from vastus.io.limits import TEXT, read_bytes, regular

MOST_COPIES = 10_000
_MULTIPLY = ("replicate", "composite", "flexcomp")
_FOLDERS = ("assetdir", "meshdir", "texturedir")


def require_mjcf(path: Path) -> None:
    """Raise a `FileError` if a file that it names is not regular, or it repeats without end."""
    elements = list(_elements(path, set()))
    folders = {path.parent, *(path.parent / e.get(f, "") for e in elements for f in _FOLDERS)}
    for element in elements:
        for key, name in element.items():
            if key.startswith("file"):
                _require_regular([folder / name for folder in folders])
    copies = prod(_copies(path, e) for e in elements if e.tag in _MULTIPLY)
    if copies > MOST_COPIES:
        raise FileError(f"'{path}' asks for {copies} copies of a part; {MOST_COPIES} can be")


def _elements(path: Path, seen: set[Path]) -> Iterator[ElementTree.Element]:
    """The elements of a file and of those that it includes."""
    seen.add(path)
    for element in _root(path).iter():
        yield element
        included = path.parent / element.get("file", "")
        if element.tag == "include" and included.exists() and included not in seen:
            yield from _elements(included, seen)


def _root(path: Path) -> ElementTree.Element:
    contents = read_bytes(path, TEXT)
    if b"<!DOCTYPE" in contents or b"<!ENTITY" in contents or b"\0" in contents[:4]:
        raise FileError(f"'{path}' declares entities or a document type, which is not read")
    try:
        return ElementTree.fromstring(contents)
    except ElementTree.ParseError as error:
        raise FileError(f"'{path}' is not an MJCF model that can be read: {error}") from None


def _require_regular(places: list[Path]) -> None:
    for place in places:
        if place.exists() and not place.is_dir():
            regular(place)


def _copies(path: Path, element: ElementTree.Element) -> int:
    try:
        return max(1, prod(int(word) for word in element.get("count", "1").split()))
    except ValueError:
        raise FileError(f"'{path}' has a count that is not a whole number") from None
