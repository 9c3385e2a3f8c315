"""Files that other libraries read and write: their prints and failures become one sentence."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from vastus.errors import FileError, ModelError, VastusError
from vastus.files.safe import reason, regular, replacing
from vastus.numerics.types import Floats

Entry = TypeVar("Entry")
Built = TypeVar("Built")


def by_suffix(path: Path, table: Mapping[str, Entry]) -> Entry:
    """The entry of the table for the suffix of `path`, or an error that lists the suffixes."""
    suffix = path.suffix.lower()
    if suffix not in table:
        given = f"the suffix '{path.suffix}'" if suffix else "no suffix"
        raise FileError(f"'{path}' has {given}; supported are {', '.join(table)}")
    return table[suffix]


def existing(path: Path) -> Path:
    """The path, if there is a file that may be read."""
    return regular(path)


@contextmanager
def _quiet() -> Iterator[io.StringIO]:
    """Collect what a library prints; a number that numpy cannot read becomes an error."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message="string or file could not be read")
        yield said


def loaded(path: Path, read: Callable[[str], Any]) -> Any:
    """What `read` makes of the file; libraries raise anything when it is damaged."""
    try:
        with _quiet() as said:
            raw = read(str(path))
    except OSError as error:
        raise FileError(f"cannot read '{path}': {reason(error)}") from None
    except VastusError:
        raise
    except Exception as error:
        raise FileError(_damaged(path)) from error
    if "not closed by" in " ".join(said.getvalue().split()):
        raise FileError(_damaged(path))
    return raw


def _damaged(path: Path) -> str:
    return f"'{path}' is truncated or not a {path.suffix.lower()} file"


def built(path: Path, kind: Callable[[Any, Any], Built], X: Floats, rows: np.ndarray) -> Built:
    """`kind(X, rows)`, its refusal naming the file."""
    try:
        return kind(X, rows)
    except ModelError as error:
        raise FileError(f"'{path}' cannot be used: {error}") from None


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """A path to write to in silence, which becomes `path`; any failure is one sentence."""
    with replacing(path) as part:
        try:
            with _quiet():
                yield part
        except (OSError, VastusError):
            raise
        except Exception as error:
            raise FileError(f"cannot write '{path}': {error}") from error
