"""Where a result came from: versions, model, solver, and how each frame was solved."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Any

from vastus import __version__
from vastus.errors import FileError
from vastus.io.files import reason, write_text
from vastus.motion import Report

PACKAGES = ("numpy", "scipy", "numba")


class Status(StrEnum):
    """How far a run came; one that was killed stays `running`."""

    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True)
class Provenance:
    """What the caller knows about a run: the solver (a dataclass), the scene's hash, the seed."""

    solver: object = None
    scene: str = ""
    seed: int | None = None


class Record:
    """The contents of `provenance.json`, rewritten whole whenever something happens."""

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
            "command": Path(sys.argv[0]).name,
            "scene": provenance.scene,
            "model": model,
            "seed": provenance.seed,
            "solver": described(provenance.solver),
            "started": now(),
            "finished": None,
            "frames": [],
        }
        return cls(path, contents)

    @classmethod
    def read(cls, path: Path) -> Record:
        """The record in a file."""
        try:
            return cls(path, dict(json.loads(path.read_text(encoding="utf-8"))))
        except OSError as error:
            raise FileError(f"cannot read '{path}': {reason(error)}") from None
        except (ValueError, TypeError):
            raise FileError(f"'{path}' is not complete JSON") from None

    def keep(self, count: int) -> None:
        """Forget all but the first frames; the run goes on."""
        self.contents["frames"] = self.contents["frames"][:count]
        self.mark(Status.RUNNING)

    def add(self, report: Report) -> None:
        """Note how one more frame was solved."""
        self.contents["frames"].append(asdict(report))
        self.mark(Status.RUNNING)

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


def now() -> str:
    """The present time, UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")
