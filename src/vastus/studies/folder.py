"""A study read back from its folder: its rows, what became of them, and the design."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from vastus.errors import FileError
from vastus.files.safe import DAMAGED, read_text
from vastus.numerics.types import Floats
from vastus.scene.schema import unknown
from vastus.studies.designs import Row
from vastus.studies.parameters import is_number
from vastus.studies.records import PROVENANCE, RECORDS, Records, columns_of
from vastus.studies.study import is_done
from vastus.studies.tasks import Outcome


@dataclass(frozen=True, eq=False)
class StudyFolder:
    """What a folder holds of a study, finished or not."""

    path: Path
    subject: str
    parameters: tuple[str, ...]
    design: str
    rows: tuple[Row, ...]
    outcomes: tuple[Outcome | None, ...]
    provenance: dict[str, Any]
    columns: Mapping[str, str] = field(default_factory=dict)  # of the frames' table, by output

    @property
    def outputs(self) -> list[str]:
        """The names of what is known of each variant."""
        return columns_of(self.outcomes)

    @property
    def done(self) -> list[int]:
        """The rows that have a result."""
        return [k for k, outcome in enumerate(self.outcomes) if is_done(outcome)]

    @property
    def numeric(self) -> list[str]:
        """The parameters that are numbers, and are not the same everywhere."""
        return [
            name
            for name in self.parameters
            if all(is_number(row[name]) for row in self.rows)
            and len({row[name] for row in self.rows}) > 1
        ]

    def column(self, name: str) -> list[Any]:
        """The values of a parameter or an output in the rows that are done."""
        if name in self.parameters:
            return [self.rows[k][name] for k in self.done]
        if name not in self.outputs:
            names = [*self.parameters, *self.outputs]
            raise FileError(f"'{self.path}': {unknown('column', name, names)}")
        found = [self.outcomes[k] for k in self.done]
        return [o.outputs.get(name, float("nan")) for o in found if o is not None]

    def numbers(self, name: str) -> Floats:
        """The numbers of a column in the rows that are done."""
        values = self.column(name)
        if not all(map(is_number, values)):
            raise FileError(f"'{self.path}': column '{name}' holds words, not numbers")
        return np.array(values, float)


def read_folder(path: str | Path) -> StudyFolder:
    """The study in a folder."""
    path = Path(path)
    if not (path / PROVENANCE).is_file() or not any(path.glob("records*.jsonl")):
        raise FileError(f"'{path}' holds no study: it has no {PROVENANCE} and {RECORDS}")
    try:
        contents = json.loads(read_text(path / PROVENANCE))
        said = contents["study"]
        outcomes = Records(path).of(said["keys"])
        return StudyFolder(
            path,
            str(said["subject"]),
            tuple(said["parameters"]),
            str(said["design"]["kind"]),
            tuple(said["rows"]),
            tuple(outcomes),
            contents,
            dict(said.get("columns", {})),
        )
    except DAMAGED as error:
        raise FileError(f"'{path / PROVENANCE}' is not the record of a study") from error
