"""Laws from the user's own Python files; only the command line names them, never a scene."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from vastus.errors import FileError, VastusError


def load_laws(files: Sequence[Path]) -> None:
    """Run the files, which registers their laws."""
    for file in files:
        if not file.is_file():
            raise FileError(f"there is no file '{file}'")
        try:
            _load(file)
        except VastusError:
            raise
        except Exception as error:
            raise FileError(f"cannot load laws from '{file}': {_brief(error)}") from error


def _load(file: Path) -> None:
    name = f"vastus_laws_{file.stem}"
    spec = spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise FileError(f"'{file}' is not a Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
