"""What a study has found so far: a line for each variant, then a table, and where it came from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vastus.errors import FileError
from vastus.files.safe import make_folder, reason, require_own, write_text
from vastus.results.frame_rows import line
from vastus.studies.designs import Row
from vastus.studies.tasks import Outcome, Status

RECORDS, TABLE, PROVENANCE, STUDY = "records.jsonl", "table.csv", "provenance.json", "study.yaml"
FIRST = "variant"  # the column with the number of the row in the design


class Records:
    """The outcomes in a folder by key; each new one is on disk before it is known here.

    Of several parts of a study, each has a file of its own, and all of them are read.
    """

    def __init__(self, folder: Path, part: str = "") -> None:
        self.folder = folder
        name = f"records_{part.replace('/', '_of_')}.jsonl" if part else RECORDS
        self.path = folder / name
        self.known: dict[str, Outcome] = {}
        for path in sorted(folder.glob("records*.jsonl")):
            self.known |= read_records(path)

    def add(self, outcome: Outcome) -> None:
        """Append an outcome, whole or, if the machine fails, as a last line that is not counted."""
        make_folder(self.folder)
        require_own(self.path)
        text = json.dumps(asdict(outcome)) + "\n"
        try:
            with self.path.open("ab+") as file:
                if file.tell() and not ends(file):
                    file.write(b"\n")  # a line that was cut off stays for itself
                file.write(text.encode())
                file.flush()
        except OSError as error:
            raise FileError(f"cannot write '{self.path}': {reason(error)}") from None
        self.known[outcome.key] = outcome

    def of(self, keys: Iterable[str]) -> list[Outcome | None]:
        """The outcomes of some variants, None for each that has none yet."""
        return [self.known.get(key) for key in keys]


def ends(file: Any) -> bool:
    """Whether a file ends with a line."""
    file.seek(-1, os.SEEK_END)
    whole = file.read(1) == b"\n"
    file.seek(0, os.SEEK_END)
    return bool(whole)


def read_records(path: Path) -> dict[str, Outcome]:
    """The outcomes in a file by key, the last of each; lines that were cut off are left out."""
    found = {}
    try:
        lines = path.read_bytes().decode("utf-8", "replace").split("\n")
    except OSError as error:
        raise FileError(f"cannot read '{path}': {reason(error)}") from None
    for text in lines:
        try:
            said = json.loads(text)
            found[said["key"]] = Outcome(**said | {"status": Status(said["status"])})
        except (ValueError, KeyError, TypeError):
            continue
    return found


def columns_of(outcomes: Sequence[Outcome | None]) -> list[str]:
    """The names of all numbers that some variants gave, in their order."""
    done = [one for one in outcomes if one is not None and one.status is Status.DONE]
    return list(dict.fromkeys(name for one in done for name in one.outputs))


def table_text(rows: Sequence[Row], outcomes: Sequence[Outcome | None]) -> str:
    """The table of all variants that are done, as CSV: values, outputs, iterations.

    It has the same bytes whoever computed it; times are in the records.
    """
    names, outputs = list(rows[0]) if rows else [], columns_of(outcomes)
    head = [FIRST, *names, *outputs, "iterations"]
    lines = [line(head)]
    for number, (row, one) in enumerate(zip(rows, outcomes, strict=True)):
        if one is not None and one.status is Status.DONE:
            numbers = [one.outputs.get(name, float("nan")) for name in outputs]
            lines.append(line([number, *map(_cell, row.values()), *numbers, one.iterations]))
    return "".join(lines)


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value


def write_table(folder: Path, rows: Sequence[Row], outcomes: Sequence[Outcome | None]) -> Path:
    """Write the table of a study, and as Parquet too where the extra for tables is installed."""
    write_text(folder / TABLE, table_text(rows, outcomes))
    _write_parquet(folder)
    return folder / TABLE


def _write_parquet(folder: Path) -> None:
    from importlib.util import find_spec

    if find_spec("pyarrow") is None:
        return
    from importlib import import_module

    read, write = import_module("pyarrow.csv"), import_module("pyarrow.parquet")
    write.write_table(read.read_csv(folder / TABLE), folder / "table.parquet")


def counts(outcomes: Sequence[Outcome | None]) -> dict[Status, int]:
    """How many variants ended in which way."""
    ended = [one.status for one in outcomes if one is not None]
    return {status: ended.count(status) for status in Status}


def sentences(outcomes: Sequence[Outcome | None]) -> Mapping[str, list[Outcome]]:
    """The variants that are not done, by their sentence."""
    found: dict[str, list[Outcome]] = {}
    for one in outcomes:
        if one is not None and one.status is not Status.DONE:
            found.setdefault(one.sentence, []).append(one)
    return found
