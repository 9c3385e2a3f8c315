"""A scene written over its author's text, word for word but for what changed.

Comments and layout are no data, so a change is cut into the text at the marks of the YAML reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import yaml

from vastus.errors import FileError
from vastus.scene.write import (
    WIDTH,
    block_lines,
    flow,
    in_order,
    is_long,
    is_open,
    item_lines,
    placed,
    scalar,
    scene_text,
)
from vastus.scene.yaml import below, parse, tree

INDENT = 2  # spaces before what is written below a key


def rewritten(text: str, data: Mapping[str, Any]) -> str:
    """The text of a scene with other data: what stays the same is not touched.

    Where that cannot be done, as with aliases, the scene is written whole, without comments.
    """
    whole = scene_text(data)
    try:
        new = _Layout(text).with_data(in_order(data))
        return new if scene_text(parse(new, "")[0]) == whole else whole
    except (FileError, _NotInPlace):
        return whole


class _NotInPlace(Exception):
    """A change that cannot be cut into the text."""


@dataclass(frozen=True)
class _Cut:
    """Characters of a text, and what comes in their place."""

    start: int
    end: int
    words: str


@dataclass(frozen=True)
class _Entry:
    """A key and its value, or an item of a list, and where it stands in the text."""

    start: int
    end: int
    value: yaml.Node
    key: yaml.Node | None


@dataclass(frozen=True)
class _Plan:
    """What becomes of the entries of a mapping or list."""

    before: list[tuple[Any, Any]]  # keys and values; items of a list have their text as key
    after: list[tuple[Any, Any]]
    kept: dict[int, int]  # where an entry will stand
    added: list[tuple[int, list[int]]]  # before which entry, and which of those after


def _plan(old: Any, new: Any, path: tuple[str, ...]) -> _Plan:
    if isinstance(new, Mapping):
        before, after = list(old.items()), [(key, new[key]) for key in placed(old, new, path)]
    else:
        before, after = ([(flow(item), item) for item in items] for items in (old, new))
        if len(old) == len(new):
            return _Plan(before, after, {i: i for i in range(len(old))}, [])
    kept: dict[int, int] = {}
    added: list[tuple[int, list[int]]] = []
    mine, theirs = [key for key, _ in before], [key for key, _ in after]
    for tag, i, stop, j, end in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        pairs = list(zip(range(i, stop), range(j, end), strict=False))
        same = tag == "equal" or all(_alike(before[a][1], after[b][1]) for a, b in pairs)
        if stop - i == end - j and same:
            kept |= pairs
        elif end > j:
            added.append((i, list(range(j, end))))
    return _Plan(before, after, kept, added)


def _alike(old: Any, new: Any) -> bool:
    """Whether a value is the other under another name, or with other numbers."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return old.keys() == new.keys()
    return flow(old) == flow(new)


class _Layout:
    """The text of a scene, and where to cut it to change what it says."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"

    def with_data(self, new: Any) -> str:
        """The text changed to say this."""
        root, old = tree(self.text, "")
        if not (isinstance(root, yaml.MappingNode) and old and new):
            raise _NotInPlace
        _require_no_alias(root)
        plan = _plan(old, new, ())
        out, place = [], 0
        for cut in sorted(self._inside(root, plan, ()), key=lambda cut: (cut.start, cut.end)):
            if cut.start < place:
                raise _NotInPlace
            out += [self.text[place : cut.start], cut.words]
            place = cut.end
        return "".join([*out, self.text[place:]])

    def _inside(self, node: yaml.Node, plan: _Plan, path: tuple[str, ...]) -> Iterator[_Cut]:
        """The cuts in the entries of a mapping or list."""
        entries = self._entries(node)
        if not plan.kept or len(entries) != len(plan.before):  # some are merged from elsewhere
            raise _NotInPlace
        for i, entry in enumerate(entries):
            if i in plan.kept:
                (name, old), (key, new) = plan.before[i], plan.after[plan.kept[i]]
                below = (*path, "-" if entry.key is None else str(key))
                yield from self._value(entry, old, new, below, flowing=node.flow_style)
                if entry.key is not None and name != key:
                    yield _Cut(_start(entry.key), self._end(entry.key), scalar(key))
            else:
                yield self._without(entries, i, plan, flowing=node.flow_style)
        for place, several in plan.added:
            yield self._added(node, place, [plan.after[j] for j in several], plan, path)

    def _value(
        self, entry: _Entry, old: Any, new: Any, path: tuple[str, ...], *, flowing: bool
    ) -> Iterator[_Cut]:
        """The cuts that turn the value of an entry into another."""
        node = entry.value
        if flow(old) == flow(new):
            return
        if _same_kind(node, old, new) and (flowing or not self._outgrows(node, old, new)):
            plan = _plan(old, new, path)
            if plan.kept:
                yield from self._inside(node, plan, path)
                return
        yield self._replaced(entry, new, path, flowing=flowing)

    def _outgrows(self, node: yaml.Node, old: Any, new: Any) -> bool:
        """Whether a value that stood on one line, without a comment inside, should not any more."""
        words = self.text[_start(node) : self._end(node)]
        room = WIDTH - node.start_mark.column
        on_a_line = node.flow_style and not any(sign in words for sign in "\n#")
        return on_a_line and is_long(new, room) and not is_long(old, room)

    def _replaced(self, entry: _Entry, new: Any, path: tuple[str, ...], *, flowing: bool) -> _Cut:
        node, key = entry.value, entry.key
        start, end = _start(node), self._end(node)
        column = node.start_mark.column
        if not flowing and (key is None or node.start_mark.line > key.end_mark.line):
            # A list may stand right below its key, other values may not.
            more = INDENT if key is not None and column == key.start_mark.column else 0
            return _Cut(start, end, " " * more + self._lines(item_lines(new, path), column + more))
        if key is None or flowing or not is_open(new, path, WIDTH - column):
            space = " " if start == end and self.text[start - 1] == ":" else ""
            return _Cut(start, end, space + flow(new))
        while self.text[start - 1] == " ":
            start -= 1
        below = key.start_mark.column + INDENT
        pad = self.newline + " " * below
        return _Cut(start, end, pad + self._lines(block_lines(new, path), below))

    def _without(self, entries: list[_Entry], i: int, plan: _Plan, *, flowing: bool) -> _Cut:
        """An entry taken away, with its line if it has one of its own."""
        start, end = entries[i].start, entries[i].end
        if flowing and max(plan.kept) < i:
            return _Cut(entries[i - 1].end, end, "")
        line = self._line(start)
        if flowing or self.text[line:start].strip():  # among others, or after a dash
            if i + 1 == len(entries):
                raise _NotInPlace
            return _Cut(start, entries[i + 1].start, "")
        if line == 0:
            return _Cut(0, self._line_end(end) + len(self.newline), "")
        return _Cut(line - len(self.newline), self._line_end(end), "")

    def _added(
        self,
        node: yaml.Node,
        place: int,
        new: list[tuple[Any, Any]],
        plan: _Plan,
        path: tuple[str, ...],
    ) -> _Cut:
        """New entries, after the last one before their place that stays, or before the first."""
        entries = self._entries(node)
        if node.flow_style:
            gap, words = ", ", [flow({k: v})[1:-1] if entries[0].key else k for k, v in new]
        else:
            head = self.text[self._line(entries[0].start) : entries[0].start]
            gap = self.newline + " " * len(head.lstrip("\ufeff"))
            words = list(block_lines(dict(new) if entries[0].key else [v for _, v in new], path))
        before = max((i for i in plan.kept if i < place), default=None)
        if before is None:
            at = entries[min(plan.kept)].start
            return _Cut(at, at, "".join(word + gap for word in words))
        at = entries[before].end if node.flow_style else self._line_end(entries[before].end)
        return _Cut(at, at, "".join(gap + word for word in words))

    def _entries(self, node: yaml.Node) -> list[_Entry]:
        if isinstance(node, yaml.MappingNode):
            return [
                _Entry(_start(key), max(self._end(key), self._end(value)), value, key)
                for key, value in node.value
            ]
        starts = [_start(item) for item in node.value]
        if not node.flow_style:
            starts = [self.text.rindex("-", 0, start) for start in starts]
        ends = [self._end(item) for item in node.value]
        return [_Entry(*spot, None) for spot in zip(starts, ends, node.value, strict=True)]

    def _end(self, node: yaml.Node) -> int:
        """Where a node ends, without the comments and empty lines that follow a block."""
        if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
            last = node.value[-1]
            below = last if isinstance(last, tuple) else (last,)
            return max(self._end(child) for child in below)
        end = int(node.end_mark.index)
        return max(_start(node), len(self.text[:end].rstrip())) if _is_block(node) else end

    def _line(self, place: int) -> int:
        return self.text.rfind("\n", 0, place) + 1

    def _line_end(self, place: int) -> int:
        end = self.text.find(self.newline, place)
        return len(self.text) if end < 0 else end

    def _lines(self, lines: Iterable[str], column: int) -> str:
        return (self.newline + " " * column).join(lines)


def _start(node: yaml.Node) -> int:
    return int(node.start_mark.index)


def _is_block(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")


def _same_kind(node: yaml.Node, old: Any, new: Any) -> bool:
    """Whether entries of one value can become those of the other."""
    if not isinstance(node, yaml.CollectionNode) or not old or not new:
        return False
    return isinstance(old, Mapping) == isinstance(new, Mapping) and isinstance(new, Mapping | list)


def _require_no_alias(root: yaml.Node) -> None:
    """Refuse a tree in which a node stands at two places."""
    seen: set[int] = set()
    todo = [root]
    while todo:
        node = todo.pop()
        if id(node) in seen:
            raise _NotInPlace
        seen.add(id(node))
        todo += below(node)
