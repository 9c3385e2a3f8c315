"""`vastus activations --target`: what muscles must do for outputs to be as wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
import numpy as np

from vastus.cli.console import BuildProgress, ProgressBar, note
from vastus.errors import FileError, ModelError

if TYPE_CHECKING:
    from vastus.control.activations.wanted import FoundActivations, Wanted
    from vastus.files.motion_files import Motion
    from vastus.inputs import Inputs, Schedule
    from vastus.model import Model
    from vastus.numerics.types import Floats


@dataclass(frozen=True)
class Asked:
    """What the options ask for: values by output or a table of them, and places of markers."""

    values: Sequence[tuple[str, str]]
    table: Path | None
    markers: Sequence[tuple[str, str]]
    muscles: tuple[str, ...]
    least: float | None

    def check(self) -> None:
        """Refuse what cannot be asked of any model."""
        if self.table is not None and self.values:
            raise ModelError("give either --target or --targets, a table of them over time")
        for option, given in (("--target", self.values), ("--marker", self.markers)):
            names = [name for name, _ in given]
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise ModelError(f"{option} {twice} is given twice; leave one out")
        if self.table is not None:
            self.read()
        elif not self.values:
            name = self.markers[0][0]
            raise ModelError(
                f"where the marker '{name}' is to be is not said; give --target {name}_x_m=VALUE, "
                f"{name}_y_m or {name}_z_m, or --targets"
            )

    def wanted(self, model: Model, end: float) -> Wanted:
        """The values over time; those without a table are for the end of the scene."""
        from vastus.control.activations.wanted import Wanted

        markers = {name: _vertex(model, name, text) for name, text in self.markers}
        if self.table is None:
            given = {name: np.array([_number(name, text)]) for name, text in self.values}
            return Wanted(np.array([end]), given, markers)
        motion = self.read()
        return Wanted(motion.times, motion.columns, markers)

    def read(self) -> Motion:
        """The table of values over time."""
        from vastus.files.motion_files import read_table

        assert self.table is not None
        motion = read_table(self.table)
        if not motion.columns:
            raise FileError(f"'{self.table}' has no column beside the time; name outputs in it")
        return motion


def found_for(path: Path, asked: Asked) -> FoundActivations:
    """The activations for a scene or a saved model."""
    from vastus.control.activations.wanted import activations_for

    asked.check()  # before anything is built
    model, schedule = _prepared(path)
    wanted = asked.wanted(model, 1.0 if schedule is None else schedule.times[-1])
    inputs = _inputs(model, schedule, wanted.times, path)
    outputs = ", ".join(wanted.values)
    moments = f"{len(wanted.times)} moments" if asked.table else f"{wanted.times[0]:g} s"
    note(f"{model.mesh.n_tets} tets, {outputs} at {moments}")
    with ProgressBar(len(wanted.times)) as bar:
        return activations_for(
            model, wanted, inputs,
            muscles=asked.muscles or None, least=asked.least or 0.0,
            watch=lambda n, of: bar.tell(f"moment {n} of {of}", completed=n, total=of),
        )  # fmt: skip


def print_found(found: FoundActivations) -> None:
    """Print each output with what it is missed by, and each muscle's activations."""
    wanted = found.wanted
    many = len(wanted.times) > 1
    click.echo(f"{'output':<28}{'wanted':>14}{'had':>14}{'missed by':>12}")
    for k, (name, values) in enumerate(wanted.values.items()):
        missed = found.missed[:, k]
        at = int(np.argmax(np.abs(missed)))
        when = f"  at {wanted.times[at]:g} s" if many else ""
        had = values[at] + missed[at]
        click.echo(f"{name:<28}{values[at]:>14.6g}{had:>14.6g}{missed[at]:>12.3g}{when}")
    click.echo(f"{'muscle':<28}" + (f"{'mean':>14}{'largest':>14}" if many else f"{'level':>14}"))
    for muscle, a in zip(found.muscles, found.activations.T, strict=True):
        click.echo(f"{muscle:<28}{a.mean():>14.6f}" + (f"{a.max():>14.6f}" if many else ""))
    counts = [one.equilibria for one in found.found]
    click.echo(f"{sum(counts)} equilibria" + f", at most {max(counts)} for one moment" * many)
    for time, one in zip(wanted.times, found.found, strict=True):
        if not one.converged:
            note(f"warning: at {time:g} s {one.sentence}")


def _prepared(path: Path) -> tuple[Model, Schedule | None]:
    """The model of a scene or file, and what the scene is told."""
    from vastus.files.model_file import load_model
    from vastus.job import prepare, require_sound
    from vastus.scene.read import read

    if path.suffix == ".npz":
        return load_model(path), None
    if path.suffix not in (".yaml", ".yml"):
        raise FileError(f"targets are for a scene (.yaml) or a saved model (.npz), not '{path}'")
    scene = read(path)
    with BuildProgress() as progress:
        job = prepare(scene, watch=progress.watch)
    require_sound(job)
    return job.model, job.inputs


def _inputs(model: Model, schedule: Schedule | None, times: Floats, path: Path) -> list[Inputs]:
    """What else acts at these times."""
    from vastus.inputs import Inputs

    if schedule is None:
        return [Inputs.rest(model, float(time)) for time in times]
    first, last = schedule.times[0], schedule.times[-1]
    outside = [time for time in times if not first - 1e-9 <= time <= last + 1e-9]
    if outside:
        raise ModelError(
            f"something is wanted at {outside[0]:g} s, but '{path}' runs from {first:g} to "
            f"{last:g} s"
        )
    return [schedule.inputs(float(np.clip(time, first, last))) for time in times]


def _vertex(model: Model, name: str, text: str) -> int:
    """The vertex of a marker at `x,y,z`."""
    from vastus.control.activations.wanted import nearest_vertex

    point = [_number(f"--marker {name}", word) for word in text.split(",")]
    if len(point) != 3:
        raise ModelError(f"--marker {name}={text} is no point; give x,y,z in metres at rest")
    vertex, far = nearest_vertex(model, point)
    note(f"marker '{name}' is vertex {vertex}, {1e3 * far:.3g} mm from there at rest")
    return vertex


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value):
        raise ModelError(f"{name}: '{text}' is not a number")
    return value
