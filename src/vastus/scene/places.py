"""Where in the scene file something was written, so that an error can say it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from vastus.errors import ModelError, VastusError

Path = tuple[str | int, ...]
_QUOTED = re.compile(r"(?:(\w+) )?'([^']+)'")
_PARTS = ("surfaces", "parts")
_SECTIONS: tuple[Path, ...] = (
    *((name,) for name in ("regions", "muscles", "bones", "joints", "pins", "loads", "mesh")),
    _PARTS,
)


class SceneError(ModelError):
    """An error in a scene, with the file, line and key it comes from."""


@dataclass(frozen=True)
class Places:
    """The name of a scene file and the line of each of its keys; empty for a scene from Python."""

    file: str = ""
    lines: Mapping[Path, int] = field(default_factory=dict)

    def error(self, path: Path, sentence: str) -> SceneError:
        """The sentence, led by where it comes from."""
        line = self._line(path)
        where = ", ".join(w for w in (self.file, f"line {line}" if line else "") if w)
        keys = ".".join(str(key) for key in path)
        parts = [f"{where} ({keys})" if where and keys else where or keys, sentence]
        return SceneError(": ".join(part for part in parts if part))

    def located(self, sentence: str) -> str:
        """The sentence, led by where that which it names was written."""
        return str(self.error(self._subject((), sentence), sentence))

    @contextmanager
    def blame(self, *path: str | int) -> Iterator[None]:
        """Say of any error inside that it comes from this key, or from one below that it names."""
        try:
            yield
        except SceneError:
            raise
        except VastusError as error:
            raise self.error(self._subject(path, str(error)), str(error)) from error

    def _line(self, path: Path) -> int | None:
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path) if path else None

    def _subject(self, path: Path, sentence: str) -> Path:
        """The key that a sentence such as "bone 'ulna' ..." speaks of, if it was written."""
        for kind, name in _QUOTED.findall(sentence):
            below = [path] * bool(path) + [s for s in _SECTIONS if s[: len(path)] == path]
            for section in sorted(below, key=lambda s: not _called(s, kind)):
                if (*section, name) in self.lines:
                    return (*section, name)
        return path


def _called(section: Path, kind: str) -> bool:
    """Whether things of this kind stand in a section: bones, where a bone is spoken of."""
    return str(section[-1]).startswith(kind)
