"""What juggling looks like: a sheet, a movie, and curves of balls, activations and torques."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import numpy as np

from vastus.bodies.body import Body
from vastus.control.muscle_kinds import Muscles
from vastus.files.safe import replacing
from vastus.juggling.result import Record, Result
from vastus.numerics.types import Floats, Ints
from vastus.pictures.animation import encode, tiled
from vastus.pictures.body_pictures import BodyRenderer
from vastus.pictures.picture import captioned, save_image
from vastus.pictures.renderer import Image, load_pyvista

FPS = 30.0  # pictures a second
FLOOR = 0.3  # [m] below, a ball waits until it is thrown in, and is not looked at
_SHOWN = 8  # units whose activations are drawn


def juggling_sheet(
    body: Body, result: Result, path: Path, *, count: int = 6, muscles: Muscles | None = None
) -> None:
    """Draw `count` pictures of a second in the middle to one PNG file."""
    record = _record(result)
    middle = 0.5 * record.times[-1]
    rows = np.searchsorted(record.times, np.linspace(middle, middle + 1.0, count))
    rows = np.minimum(rows, len(record.times) - 1)
    pictures = list(_pictures(body, record, rows, 560, muscles))
    save_image(tiled(pictures, 3), path)


def juggling_movie(
    body: Body,
    result: Result,
    path: Path,
    *,
    height: int = 720,
    muscles: Muscles | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Draw all of it to an MP4 file, in real time; bellies of `muscles` in their shapes."""
    record = _record(result)
    rows = np.searchsorted(record.times, np.arange(0.0, record.times[-1], 1.0 / FPS))

    def drawn() -> Iterator[Image]:
        for number, picture in enumerate(_pictures(body, record, rows, height, muscles), 1):
            yield picture
            watch(number, len(rows))

    encode(path, drawn(), FPS)


def juggling_plot(body: Body, result: Result, path: Path) -> None:
    """Draw heights of balls, activations of the busiest units and missing torques over time."""
    load_pyvista()
    record = _record(result)
    busiest = np.argsort(-(record.activations**2).mean(axis=0))[:_SHOWN]
    heights = np.where(record.balls[..., 2] > FLOOR, record.balls[..., 2], np.nan).T
    panels = (
        ("height of balls [m]", {f"ball {k + 1}": z for k, z in enumerate(heights)}),
        ("activation", {body.names[k]: record.activations[:, k] for k in busiest}),
        ("missing torque [N m]", {"largest": np.abs(record.missing).max(axis=1)}),
    )
    figure = import_module("matplotlib.figure").Figure((9.0, 7.5), dpi=130)
    for number, (label, curves) in enumerate(panels, 1):
        axes = figure.add_subplot(len(panels), 1, number)
        for name, values in curves.items():
            axes.plot(record.times, values, label=name, linewidth=1.0)
        axes.set(ylabel=label, xlabel="time [s]" if number == len(panels) else "")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.tight_layout()
    with replacing(path) as part:
        figure.savefig(part)


def _record(result: Result) -> Record:
    assert result.record is not None, "juggling that was not run has nothing to draw"
    return result.record


def _pictures(
    body: Body, record: Record, rows: Ints, height: int, muscles: Muscles | None
) -> Iterator[Image]:
    points: Floats = record.balls.reshape(-1, 3)
    high = points[points[:, 2] > FLOOR]
    with BodyRenderer(body, record.positions, height, points=high, muscles=muscles) as renderer:
        for row in rows:
            picture = renderer.picture(
                record.positions[row], record.activations[row], record.speeds[row]
            )
            yield captioned(picture, f"{record.times[row]:.2f} s")
