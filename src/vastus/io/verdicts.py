"""What a referee found, with its settings, in one JSON file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vastus.errors import FileError
from vastus.io.files import write_text
from vastus.io.provenance import described
from vastus.referee import Distance, Verdict


def write_verdicts(path: Path, referee: object, verdicts: Sequence[Verdict]) -> None:
    """Write the verdicts of a referee (a dataclass), whole or not at all."""
    contents = {"referee": described(referee), "verdicts": [asdict(v) for v in verdicts]}
    write_text(path, json.dumps(contents, indent=1) + "\n")


def read_verdicts(path: Path, referee: object = None) -> tuple[Verdict, ...]:
    """The verdicts in a file, if there is one; only those of `referee` if that is given."""
    try:
        contents = json.loads(path.read_text(encoding="utf-8"))
        if referee is not None and contents["referee"] != described(referee):
            return ()
        return tuple(_verdict(**each) for each in contents["verdicts"])
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError):
        raise FileError(f"the verdicts '{path}' are damaged") from None


def _verdict(distance: dict[str, Any] | None, **rest: Any) -> Verdict:
    return Verdict(**rest, distance=Distance(**distance) if distance else None)
