"""What goes with something that is taken away, and how that is told."""

from __future__ import annotations

from vastus.app.author.names import Kind, names_of, revised
from vastus.app.author.trees import Data

_TOLD = ("bones", "joints", "pins", "loads", "muscles")


def pruned(data: Data) -> Data:
    """The scene without what refers to names that are no longer there."""
    names = names_of(data)

    def kept(kind: Kind, name: str) -> str | None:
        return name if names.has(kind, name) else None

    return revised(data, kept)


def lost(before: Data, after: Data) -> str:
    """What a scene no longer says, as the end of a sentence: ", and with it joint 'elbow'"."""
    gone = [
        f"{section[:-1]} '{name}'"
        for section in _TOLD
        for name in before.get(section) or ()
        if name not in (after.get(section) or ())
    ]
    return f", and with it {', '.join(gone)}" if gone else ""
