"""Where a result came from: versions, model, solver, command, and how the run ended."""

from __future__ import annotations

import json
import platform
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path, PureWindowsPath
from typing import Any

from vastus import __version__
from vastus.errors import FileError
from vastus.files.safe import read_text, write_text

PACKAGES = ("numpy", "scipy", "numba")


class Status(StrEnum):
    """How far a run came; one that was killed stays `running`."""

    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True)
class Provenance:
    """What the caller knows about a run: the solver (a dataclass), the scene's hash, the seed.

    `warmed` says that the reported seconds have no compiling in them.
    """

    solver: object = None
    scene: str = ""
    seed: int | None = None
    warmed: bool = False


class Record:
    """The contents of `provenance.json`, written when a run begins and when it ends."""

    def __init__(self, path: Path, contents: dict[str, Any]) -> None:
        self._path, self.contents = path, contents

    @classmethod
    def begin(cls, path: Path, provenance: Provenance, model: str) -> Record:
        """The record of a run of the model with this digest, which starts now."""
        contents = {
            "vastus": __version__,
            "python": platform.python_version(),
            "packages": {name: version(name) for name in PACKAGES},
            "platform": platform.platform(),
            "command": command(sys.argv),
            "scene": provenance.scene,
            "model": model,
            "seed": provenance.seed,
            "solver": described(provenance.solver),
            "started": now(),
            "finished": None,
        }
        return cls(path, contents)

    @classmethod
    def read(cls, path: Path) -> Record:
        """The record in a file."""
        text = read_text(path)
        try:
            contents = json.loads(text)
        except (ValueError, RecursionError):
            raise FileError(f"'{path}' is not complete JSON") from None
        if not isinstance(contents, dict):
            raise FileError(f"'{path}' is not the record of a run")
        return cls(path, contents)

    def mark(self, status: Status, sentence: str = "") -> None:
        """Note how the run stands, and write the file."""
        ended = None if status is Status.RUNNING else now()
        self.contents |= {"status": status.value, "sentence": sentence, "finished": ended}
        write_text(self._path, json.dumps(self.contents, indent=1) + "\n")


def described(value: object) -> Any:
    """A setting as JSON: a dataclass is its name and fields."""
    if is_dataclass(value) and not isinstance(value, type):
        inner = {f.name: described(getattr(value, f.name)) for f in fields(value)}
        return {"name": type(value).__name__, **inner}
    if isinstance(value, Mapping):
        return {str(key): described(v) for key, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [described(v) for v in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


def command(words: Sequence[str]) -> str:
    """What was called, without the folders of this machine.

    The words after the name are kept only if it is `vastus`: those of others may be secret.
    """
    program = Path(words[0])
    name = program.parent.name if program.name == "__main__.py" else program.name
    if name.removesuffix(".exe") != "vastus":
        return name
    return shlex.join(["vastus", *(_local(word) for word in words[1:])])


def _local(word: str) -> str:
    """An argument, with an absolute path cut to its last part."""
    option, equals, value = word.rpartition("=")
    for kind in (Path(value), PureWindowsPath(value)):
        if kind.is_absolute():
            return f"{option}{equals}{kind.name}"
    return word


def now() -> str:
    """The present time, UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")
