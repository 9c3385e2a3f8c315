"""What juggling looks like: a sheet, a movie, and curves of balls, activations and torques."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from vastus.bodies.body import Body
from vastus.control.muscle_kinds import Muscles
from vastus.juggling.result import Record, Result
from vastus.numerics.types import Floats, Ints
from vastus.pictures.animation import encode, tiled
from vastus.pictures.bodies.body_pictures import BodyRenderer
from vastus.pictures.picture import captioned, save_image
from vastus.pictures.renderer import Image
from vastus.pictures.table_curves import Panel, draw_panels

FPS = 30.0  # pictures a second
FLOOR = 0.3  # [m] below, a ball waits until it is thrown in, and is not looked at
_SHOWN = 8  # units whose activations are drawn


def juggling_sheet(
    body: Body, result: Result, path: Path, *, count: int = 6, muscles: Muscles | None = None
) -> None:
    """Draw `count` pictures of a second after the middle, or of the last one, to one PNG file."""
    record = _record(result)
    rows = sheet_rows(record.times, count)
    pictures = list(_pictures(body, record, rows, 560, muscles))
    save_image(tiled(pictures, 3), path)


def sheet_rows(times: Floats, count: int) -> Ints:
    """(count,) of times (k,) [s], evenly over a second from the middle on, or what there is."""
    end = float(times[-1])
    first = max(0.0, min(0.5 * end, end - 1.0))
    rows = np.searchsorted(times, np.linspace(first, min(first + 1.0, end), count))
    return np.asarray(np.minimum(rows, len(times) - 1))


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
    record = _record(result)
    busiest = np.argsort(-(record.activations**2).mean(axis=0))[:_SHOWN]
    heights = np.where(record.balls[..., 2] > FLOOR, record.balls[..., 2], np.nan).T
    panels = (
        Panel("height of balls [m]", {f"ball {k + 1}": z for k, z in enumerate(heights)}),
        Panel("activation", {body.names[k]: record.activations[:, k] for k in busiest}),
        Panel("missing torque [N m]", {"largest": np.abs(record.missing).max(axis=1)}, span=1.0),
    )
    draw_panels(record.times, panels, path)


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
