"""What searches through trees of boxes share."""

from __future__ import annotations

from typing import NamedTuple

from vastus.numerics.types import Floats, Ints

CHUNKS = 64  # of what is searched for, shared out among the threads
FAN = 4  # children of a node
DEEP = 256  # nodes that wait to be looked at


class Tree(NamedTuple):
    """Boxes in groups of four of groups of four; node i has the children 4i+1 .. 4i+4."""

    lower: Floats  # (nodes, dim)
    upper: Floats  # (nodes, dim)
    items: Ints  # (leaves,) the box at each leaf
