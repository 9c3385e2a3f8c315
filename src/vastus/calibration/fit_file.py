"""A fit as a file: the scene, the parameters with their bounds, and measured columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, ValidationError

from vastus.calibration.target import Target
from vastus.errors import FileError, ModelError
from vastus.files.curve_file import read_columns
from vastus.files.safe import SCENE, read_bytes
from vastus.inputs import Schedule
from vastus.job import Job, prepare, require_sound
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.scene.read import first_error, read
from vastus.scene.schema import Number, Places, Positive, Section, Whole, Word
from vastus.scene.yaml import parse

Fraction = Annotated[Number, Field(gt=0, lt=1)]


class ParameterPart(Section):
    """Where a parameter starts, and between which values it is sought."""

    start: Number
    min: Number
    max: Number


class TargetPart(Section):
    """A column of a table that an output is to follow over the time of a scene.

    `error` is the standard deviation of a value, in the column's unit.
    """

    output: Word
    file: Path
    column: Word
    time: Word = "time_s"
    scene: Path | None = None
    error: Positive | None = None
    name: Word | None = None


class FitPart(Section):
    """All that a fit file may say."""

    vastus: Literal[1]
    scene: Path
    parameters: Annotated[dict[str, ParameterPart], Field(min_length=1)]
    targets: Annotated[tuple[TargetPart, ...], Field(min_length=1)]
    method: Literal["least_squares", "optuna"] = "least_squares"
    tolerance: Fraction = 1e-10
    evaluations: Annotated[Whole, Field(ge=1, le=10_000)] = 100


@dataclass(frozen=True, eq=False)
class AskedFit:
    """A fit that is ready to be made: all files are read, and the model is built."""

    model: Model
    parameters: Mapping[str, tuple[float, float, float]]
    targets: tuple[Target, ...]
    tolerance: float
    evaluations: int
    method: str = "least_squares"
    digest: str = ""  # of the scene
    findings: tuple[str, ...] = ()


def read_fit(path: str | Path) -> AskedFit:
    """The fit of a YAML file, its scenes built and its tables read."""
    path = Path(path)
    try:
        text = read_bytes(path, SCENE).decode()
    except UnicodeDecodeError:
        raise FileError(f"'{path}' is no text file") from None
    data, places = parse(text, str(path))
    part = _described(data, places)
    scenes = {part.scene: _prepared(path.parent, part.scene, places, ("scene",))}
    targets: list[Target] = []
    shared: dict[tuple[Path, bytes], Schedule] = {}
    model = scenes[part.scene].model
    for number, target in enumerate(part.targets):
        where = ("targets", number)
        other = target.scene or part.scene
        if other not in scenes:
            scenes[other] = _prepared(path.parent, other, places, (*where, "scene"))
        with places.blame(*where):
            _require_alike(scenes[other].model, model, other, part.scene)
            times, values = _columns(path.parent, target)
            inputs = _inputs(scenes[other].inputs, times, other)
            key = (other, times.tobytes())
            targets.append(
                Target(
                    target.output, shared.setdefault(key, inputs), values, target.error,
                    target.name or "",
                )
            )  # fmt: skip
    parameters = {name: (p.min, p.start, p.max) for name, p in part.parameters.items()}
    findings = tuple(str(f) for f in scenes[part.scene].findings)
    digest = scenes[part.scene].scene.digest
    return AskedFit(
        model,
        parameters,
        tuple(targets),
        part.tolerance,
        part.evaluations,
        part.method,
        digest,
        findings,
    )


def _described(data: Any, places: Places) -> FitPart:
    if not isinstance(data, Mapping):
        raise places.error((), "a fit is a mapping of keys to values; it starts with 'vastus: 1'")
    try:
        return FitPart.model_validate(data)
    except ValidationError as error:
        raise first_error(error.errors(), data, places) from None


def _prepared(folder: Path, scene: Path, places: Places, where: tuple[str | int, ...]) -> Job:
    """A scene, built; what is wrong in it is told from there, what names it from here."""
    with places.blame(*where):
        job = prepare(read(folder / scene))
        require_sound(job)
        return job


def _require_alike(model: Model, first: Model, name: Path, other: Path) -> None:
    """Refuse a further scene that is of another model: only its inputs may differ."""
    if model is not first and model.digest != first.digest:
        raise ModelError(
            f"'{name}' is another model than '{other}'; the scenes of a fit may differ in their "
            "inputs only"
        )


def _columns(folder: Path, target: TargetPart) -> tuple[Floats, Floats]:
    """Times [s] and values of a target's rows that have both, in the order of time."""
    table = read_columns(folder / target.file)
    for name in (target.time, target.column):
        if name not in table:
            raise ModelError(f"'{target.file}' has no column '{name}'; it has: {', '.join(table)}")
    times, values = table[target.time], table[target.column]
    given = np.isfinite(times) & np.isfinite(values)
    if not given.any():
        raise ModelError(f"'{target.file}' has no row with numbers in '{target.column}'")
    order = np.argsort(times[given], kind="stable")
    return times[given][order], values[given][order]


def _inputs(schedule: Schedule, times: Floats, scene: Path) -> Schedule:
    """What the scene is told at these times [s]."""
    first, last = schedule.times[0], schedule.times[-1]
    outside = times[(times < first - 1e-9) | (times > last + 1e-9)]
    if len(outside):
        raise ModelError(
            f"a value was measured at {outside[0]:g} s, but '{scene}' runs from {first:g} to "
            f"{last:g} s"
        )
    return Schedule([schedule.inputs(float(np.clip(t, first, last))) for t in times])
