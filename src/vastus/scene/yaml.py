"""YAML with the line of every key, numbers such as 3e5, and no key written twice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

import yaml

from vastus.errors import FileError
from vastus.files.safe import DAMAGED, brief
from vastus.scene.schema import Path, Places

MOST_NODES = 50_000  # keys and values, each alias as often as it stands
TOO_MANY = f"it stands for more than {MOST_NODES} keys and values"


class _Loader(yaml.SafeLoader):
    """Plain data only; words and numbers as in YAML 1.2, so that `3e5` is one and `no` is not."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}
    nodes = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """A node of the tree, unless there are too many."""
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise ValueError(TOO_MANY)
        return super().compose_node(parent, index)


_WORDS = {
    "null": r"^(?:~|null|Null|NULL|)$",
    "bool": r"^(?:true|True|TRUE|false|False|FALSE)$",
    "int": r"^[-+]?[0-9]+$",
    "float": r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
    r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
    "merge": r"^<<$",
}
for _name, _pattern in _WORDS.items():
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_name}", re.compile(_pattern), None)
_Loader.add_constructor(
    "tag:yaml.org,2002:int", lambda loader, node: int(loader.construct_scalar(node))
)
_Loader.add_constructor(
    "tag:yaml.org,2002:float",
    lambda loader, node: float(re.sub(r"\.(?=[inIN])", "", str(loader.construct_scalar(node)))),
)


def is_word(text: str) -> bool:
    """Whether this, written without quotes, is a word rather than a number, truth or nothing."""
    return not any(re.match(pattern, text) for pattern in _WORDS.values())


def parse(text: str, file: str) -> tuple[Any, Places]:
    """The data of a YAML text and the line of each of its keys; `file` is for the errors."""
    node, data = tree(text, file)
    return data, Places(file, {} if node is None else _lines(node, (), file))


def tree(text: str, file: str) -> tuple[yaml.Node | None, Any]:
    """A YAML text as nodes, with the marks of where they stand, and as plain data."""
    try:
        return _loaded(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f", line {mark.line + 1}"
        raise FileError(f"{file}{line}: not valid YAML: {_flat(error.problem)}") from None
    except RecursionError:
        raise FileError(f"{file}: not valid YAML: it is nested too deeply") from None
    except (yaml.YAMLError, *DAMAGED) as error:
        raise FileError(f"{file}: not valid YAML: {brief(_flat(str(error)))}") from None


def _loaded(text: str) -> tuple[yaml.Node | None, Any]:
    """The one document of a text, as a tree with marks and as plain data."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        _require_finite(node)
        return node, None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _require_finite(root: yaml.Node | None) -> None:
    """Aliases make a short text stand for a long one: count the nodes as if all were written."""
    sizes: dict[int, int] = {}

    def size(node: yaml.Node) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = MOST_NODES  # while it is counted, so that one in itself is too many
            sizes[id(node)] = 1 + sum(size(child) for child in below(node))
        return sizes[id(node)]

    if root is not None and size(root) > MOST_NODES:
        raise ValueError(TOO_MANY)


def below(node: yaml.Node) -> Iterator[yaml.Node]:
    """The keys, values and items of a node."""
    if isinstance(node, yaml.MappingNode):
        return (child for pair in node.value for child in pair)
    return iter(node.value if isinstance(node, yaml.SequenceNode) else ())


def _lines(node: yaml.Node, path: Path, file: str) -> dict[Path, int]:
    """The line of each key and list item at or below a node."""
    lines: dict[Path, int] = {}
    for key, mark, value in _children(node, file):
        lines[(*path, key)] = mark.line + 1
        lines |= _lines(value, (*path, key), file)
    return lines


def _children(node: yaml.Node, file: str) -> list[tuple[str | int, Any, yaml.Node]]:
    if isinstance(node, yaml.SequenceNode):
        return [(index, item.start_mark, item) for index, item in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return []
    seen: dict[str, int] = {}
    for key, _ in node.value:
        line = key.start_mark.line + 1
        if key.value in seen:
            said = f"key '{key.value}' stands on line {seen[key.value]} already"
            raise FileError(f"{file}, line {line}: {said}")
        seen[str(key.value)] = line
    return [(str(key.value), key.start_mark, value) for key, value in node.value]


def _flat(text: str | None) -> str:
    words = (text or "unreadable").replace("'<stream end>'", "the end of the file")
    return " ".join(words.split())
