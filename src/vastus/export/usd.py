"""USD: an animated mesh a region, fields as primvars, and a skeleton of the bones."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from vastus.errors import FileError, MissingExtra
from vastus.export.clock import clock
from vastus.export.copy import Copy
from vastus.export.registry import Watch
from vastus.export.usd_read import read_stage
from vastus.export.usd_regions import Regions
from vastus.export.usd_stage import new_stage
from vastus.io.files import replacing
from vastus.io.tape import Tape

SUFFIXES = (".usdc", ".usda", ".usd")
HELD = 50  # frames in memory, before they are saved


def write(tape: Tape, path: Path, watch: Watch) -> None:
    """Write a result as USD; the suffix tells whether it is binary or text (`.usda`)."""
    _require_usd()
    from pxr import Tf

    if path.suffix.lower() not in SUFFIXES:
        raise FileError(f"'{path}' must end in one of {', '.join(SUFFIXES)} to be USD")
    try:
        with replacing(path) as part:
            _fill(tape, part, watch)
    except Tf.ErrorException as error:
        said = error.args[0].commentary  # the first of many that follow from it
        raise FileError(f"cannot write '{path}': {said.lower()}") from None


def read(path: Path) -> Copy:
    """What a USD file of a result says."""
    _require_usd()
    return read_stage(path)


def _fill(tape: Tape, path: Path, watch: Watch) -> None:
    ticks = clock(tape.times)
    stage = new_stage(path, tape, ticks)
    regions = Regions(stage, tape, ticks)
    for moment in tape:
        regions.add(moment, ticks.codes[moment.index])
        if moment.index % HELD == HELD - 1:
            stage.Save()
        watch(moment.index + 1, len(tape))
    stage.Save()


def _require_usd() -> None:
    if find_spec("pxr") is None:
        raise MissingExtra("usd-core", "usd")
