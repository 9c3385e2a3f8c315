"""What a referee found, with its settings, in one JSON file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from pydantic import TypeAdapter

from vastus.errors import FileError
from vastus.io.files import write_text
from vastus.io.limits import DAMAGED, read_text
from vastus.io.provenance import described
from vastus.referee import Verdict


def write_verdicts(path: Path, referee: object, verdicts: Sequence[Verdict]) -> None:
    """Write the verdicts of a referee (a dataclass), whole or not at all."""
    contents = {"referee": described(referee), "verdicts": [asdict(v) for v in verdicts]}
    write_text(path, json.dumps(contents, indent=1) + "\n")


def read_verdicts(path: Path, referee: object = None) -> tuple[Verdict, ...]:
    """The verdicts in a file, if there is one; only those of `referee` if that is given."""
    if not path.exists():
        return ()
    try:
        contents = json.loads(read_text(path))
        if referee is not None and contents["referee"] != described(referee):
            return ()
        return TypeAdapter(tuple[Verdict, ...]).validate_python(contents["verdicts"])
    except DAMAGED:
        raise FileError(f"the verdicts '{path}' are damaged") from None
