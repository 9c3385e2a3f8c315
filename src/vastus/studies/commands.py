"""Variants of a command of vastus whose words hold the values: upper-body curl --mass {mass}.

Each is run by itself, in a process of its own and a folder that is removed afterwards; what counts
is the table that it writes.
"""

from __future__ import annotations

import hashlib
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vastus.errors import ModelError, SolveError, known
from vastus.files.curve_file import read_columns
from vastus.files.safe import read_bytes
from vastus.studies.designs import Row
from vastus.studies.outputs import TIME, AnyOutput, Output
from vastus.studies.parameters import Parameter
from vastus.studies.tasks import Measured, Task

HOLE = re.compile(r"\{(\w+)\}")
FOLDER = "folder"  # the hole for what the command writes; after -o at the end unless it is named
TABLES = (  # of a run, an experiment, and what moves bodies
    "table.csv", "curve.csv", "tracking.csv", "motion.csv", "juggling.csv", "moments.csv"
)  # fmt: skip
TIMES = ("time", "t", "seconds")  # what commands call the time, beside `time_s`


@dataclass(frozen=True)
class CommandTask(Task):
    """A command with its words, called in a folder."""

    words: tuple[str, ...]
    at: Path
    values: Row
    files: str

    @property
    def identity(self) -> Any:
        """Its words, and a hash of the files among them."""
        return [list(self.words), self.files]

    @property
    def group(self) -> str:
        """All of one command."""
        return ""

    def run(self, outputs: tuple[AnyOutput, ...]) -> Measured:
        """Call the command and read its table."""
        with tempfile.TemporaryDirectory(prefix="vastus-study-") as made:
            folder = Path(made) / "out"
            words = [word.replace(f"{{{FOLDER}}}", str(folder)) for word in self.words]
            if words == list(self.words):
                words += ["-o", str(folder)]
            done = subprocess.run(
                [sys.executable, "-m", "vastus", *words],
                cwd=self.at,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise SolveError(_last(done.stderr) or f"exit code {done.returncode}")
            table = _table(Path(made))
        plain = [one for one in outputs if isinstance(one, Output)]
        if len(plain) < len(outputs):
            raise ModelError("outputs of a command are columns of its table, not functions")
        return Measured({one.name: one.of(table) for one in plain})


class CommandSubject:
    """A command that a study varies; a hole {name} in it takes the value of that parameter."""

    columns: Sequence[str] = ()  # only the command knows
    span: tuple[float, float] | None = None

    def __init__(self, text: str, parameters: Sequence[Parameter], at: Path) -> None:
        self._words, self._at = shlex.split(text), at
        self.name = self._words[0] if self._words else "command"
        holes = {name for word in self._words for name in HOLE.findall(word)} - {FOLDER}
        names = [one.name for one in parameters]
        for name in holes:
            if name not in names:
                raise known("parameter", name, names)
        for one in parameters:
            if one.name not in holes:
                raise ModelError(
                    f"parameter '{one.name}' has no place in the command; write {{{one.name}}} "
                    "where its value goes"
                )
            if one.times:
                raise ModelError(f"parameter '{one.name}': a command has no values to multiply")

    @property
    def runs_code(self) -> bool:
        """Whether it may run Python files."""
        return "--laws" in " ".join(self._words)

    def task(self, values: Row) -> CommandTask:
        """The command with these values."""
        told = {name: str(value) for name, value in values.items()}
        words = [HOLE.sub(lambda hole: told.get(hole[1], hole[0]), word) for word in self._words]
        sha = hashlib.sha256()
        for word in words:
            if (self._at / word).is_file():
                sha.update(read_bytes(self._at / word))
        return CommandTask(tuple(words), self._at, values, sha.hexdigest())


def _last(text: str) -> str:
    """The last line of what a command has said, without its lead."""
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].removeprefix("error: ") if lines else ""


def _table(folder: Path) -> dict[str, Any]:
    """The table that a command has written, with its times as `time_s`."""
    found = [path for path in folder.rglob("*.csv") if path.name in TABLES]
    if found:  # the one of the whole, not those of its parts
        path = min(found, key=lambda path: (len(path.parts), TABLES.index(path.name), path))
        table = read_columns(path)
        called = next((time for time in TIMES if time in table), None)
        return table if TIME in table or called is None else {TIME: table[called], **table}
    written = next((path for path in sorted(folder.glob("out*")) if path.is_file()), None)
    if written is not None:
        return read_columns(written)
    raise SolveError(f"the command has written none of {', '.join(TABLES)}")
