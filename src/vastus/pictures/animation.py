"""A motion as pictures in their order: a contact sheet, or a movie as players expect it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

from vastus.errors import FileError, MissingExtra
from vastus.files.safe import replacing
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.pictures.picture import GAP, PAPER, captioned, save_image, shrunk
from vastus.pictures.renderer import Image, Renderer
from vastus.results.playback import Playback, Snapshots, snapshot_of
from vastus.results.result import read_playback
from vastus.state import Frame

AIMED = 64  # snapshots of a long motion that the camera is aimed by
PLAYED = 30.0  # pictures a second in a movie; many players falter below
HOLD = 0.7  # [s] that the last picture stays
COLUMNS, COUNT = 3, 6  # of a contact sheet
SHEET_HEIGHT, MOVIE_HEIGHT = 560, 720  # [px] of each picture
QUICKLY = ["-preset", "veryfast"]  # a tenth more bytes for half the time


@dataclass(frozen=True, eq=False)
class Animation:
    """A model and its snapshots, each with a line of text; `fps` is their real number a second."""

    model: Model
    snapshots: Snapshots
    captions: Sequence[str]
    fps: float = 10.0

    def __post_init__(self) -> None:
        if not len(self.snapshots):
            raise FileError("there is no finished frame to draw")

    def sample(self, count: int) -> Animation:
        """At most `count` of the snapshots, evenly spread, with the first and the last."""
        rows = self.spread(count)
        snapshots = tuple(self.snapshots[i] for i in rows)
        return Animation(self.model, snapshots, [self.captions[i] for i in rows], self.fps)

    def spread(self, count: int) -> list[int]:
        """The numbers of at most `count` snapshots, as in a sample."""
        last = len(self.snapshots) - 1
        return [int(i) for i in np.linspace(0, last, min(count, last + 1)).round()]

    def pictures(self, height: int) -> Iterator[tuple[Image, str]]:
        """Each picture, `height` pixels high, with its caption."""
        # The camera is aimed by a sample, since a long motion does not fit into memory.
        aimed = self.sample(AIMED).snapshots
        with Renderer(self.model, list(aimed), height, quick=True) as renderer:
            # A short motion is in memory already.
            drawn = aimed if len(aimed) == len(self.snapshots) else self.snapshots
            for snapshot, caption in zip(drawn, self.captions, strict=True):
                yield renderer.picture(snapshot), caption


def animation_of(model: Model, frames: Iterable[Frame]) -> Animation:
    """The animation of a model's frames."""
    kept = list(frames)
    texts = captions(model, [{"time_s": f.time, **f.outputs} for f in kept])
    snapshots = tuple(snapshot_of(f.state, index=f.index) for f in kept)
    return Animation(model, snapshots, texts, _fps(np.array([f.time for f in kept])))


def stored_animation(playback: Playback) -> Animation:
    """The animation of a result, whose snapshots are read when they are drawn."""
    bare = Playback(playback.result, ())
    table = playback.result.table
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return Animation(bare.model, bare, captions(bare.model, rows), _fps(bare.times))


def contact_sheet(
    source: Animation | str | Path,
    path: str | Path,
    *,
    columns: int = COLUMNS,
    count: int = COUNT,
    height: int = SHEET_HEIGHT,
) -> None:
    """Draw `count` evenly chosen frames of an animation or result folder to one PNG file.

    Each is `height` pixels high and says its time, activations and joint angles from rest.
    """
    chosen = _animation(source).sample(count)
    pictures = [captioned(picture, text) for picture, text in chosen.pictures(height)]
    save_image(tiled(pictures, min(columns, len(pictures))), path)


def movie(
    source: Animation | str | Path,
    path: str | Path,
    *,
    fps: float | None = None,
    height: int = MOVIE_HEIGHT,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Draw all frames of an animation or result folder to an MP4 file, `fps` of them a second.

    The default is real time. `watch` is told how many frames are drawn, of how many.
    """
    shown = _animation(source)
    encode(path, _watched(shown, height, watch), fps or shown.fps)


def sheet_and_movie(source: Animation | str | Path, sheet: str | Path, film: str | Path) -> None:
    """Draw a contact sheet and a movie as those above do, each frame once for both."""
    shown = _animation(source)
    kept: list[Image] = []

    def pictures() -> Iterator[Image]:
        chosen = set(shown.spread(COUNT))
        for number, (picture, text) in enumerate(shown.pictures(MOVIE_HEIGHT)):
            if number in chosen:
                width = round(picture.shape[1] * SHEET_HEIGHT / MOVIE_HEIGHT)
                kept.append(captioned(shrunk(picture, (width, SHEET_HEIGHT)), text))
            yield captioned(picture, text)

    encode(film, pictures(), shown.fps)
    save_image(tiled(kept, min(COLUMNS, len(kept))), sheet)


def encode(path: str | Path, pictures: Iterator[Image], fps: float) -> None:
    """Write pictures to an MP4 file (H.264), `fps` of them a second, whole or not at all."""
    ffmpeg = _ffmpeg()
    with replacing(path) as part:
        _encode(ffmpeg, part, _played(pictures, fps))


def captions(model: Model, rows: Sequence[Mapping[str, float]]) -> list[str]:
    """Time, activation of up to three muscles (those ever active) and up to two joints' places.

    Where there are no muscles, pressures of up to three cavities. Angles and shifts are those from
    rest, so that none is read as an anatomical one.
    """
    levels = {m.name: f"{m.name}_activation" for m in model.muscles}
    active = {k: v for k, v in levels.items() if any(row.get(v, 0.0) > 0 for row in rows)}
    muscles = list((active or levels).items())[:3]
    return [
        ",  ".join(
            [f"{row['time_s']:.2f} s"]
            + [f"{name} {row[key]:.2f}" for name, key in muscles if key in row]
            + ([] if muscles else _pressures(model, row))
            + _moved(model, row)
        )
        for row in rows
    ]


def _pressures(model: Model, row: Mapping[str, float]) -> list[str]:
    """The pressures of up to three cavities, told once if they are the same."""
    keys = {c.name: f"{c.name}_pressure_Pa" for c in model.cavities[:3]}
    found = {name: f"{row[key] / 1000:.3g} kPa" for name, key in keys.items() if key in row}
    if len(found) > 1 and len(set(found.values())) == 1:
        return [f"each {next(iter(found.values()))}"]
    return [f"{name} {text}" for name, text in found.items()]


def _moved(model: Model, row: Mapping[str, float]) -> list[str]:
    """How far up to two joints are turned, or slid."""
    texts = []
    for name in (joint.name for joint in model.joints[:2]):
        for key, scale, unit in (
            (f"{name}_shift_m", 1000.0, " mm"),
            (f"{name}_angle_deg", 1.0, "°"),
        ):
            if key in row:
                whole = round(scale * row[key])
                texts.append(f"{name} {whole:{'+' if whole else ''}d}{unit}")
                break
    return [f"{', '.join(texts)} from rest"] if texts else []


def _animation(source: Animation | str | Path) -> Animation:
    return source if isinstance(source, Animation) else stored_animation(read_playback(source))


def _fps(times: Floats) -> float:
    step = np.median(np.diff(times)) if len(times) > 1 else 0.0
    return float(np.clip(1.0 / step, 1.0, 60.0)) if step > 0 else 10.0


def _watched(shown: Animation, height: int, watch: Callable[[int, int], None]) -> Iterator[Image]:
    for number, (picture, text) in enumerate(shown.pictures(height), 1):
        yield captioned(picture, text)
        watch(number, len(shown.snapshots))


def tiled(pictures: list[Image], columns: int) -> Image:
    """Pictures of one size in rows, on one sheet."""
    rows = -(-len(pictures) // columns)
    height, width = (side + GAP for side in pictures[0].shape[:2])
    sheet = np.full((rows * height + GAP, columns * width + GAP, 3), PAPER, np.uint8)
    for i, picture in enumerate(pictures):
        cell = sheet[GAP + height * (i // columns) :, GAP + width * (i % columns) :]
        cell[: height - GAP, : width - GAP] = picture
    return sheet


def _played(pictures: Iterator[Image], fps: float) -> Iterator[Image]:
    """Each picture as often as it is shown at the movie's own rate."""
    for number, picture in enumerate(pictures):
        first, last = (round(k * PLAYED / fps) for k in (number, number + 1))
        yield from [_even(picture)] * max(last - first, 1)
    yield from [_even(picture)] * round(HOLD * PLAYED)


def _even(picture: Image) -> Image:
    height, width = (side // 2 * 2 for side in picture.shape[:2])
    return np.ascontiguousarray(picture[:height, :width])


def _encode(ffmpeg: ModuleType, path: Path, pictures: Iterator[Image]) -> None:
    first = next(pictures)
    size = (first.shape[1], first.shape[0])
    options = {"fps": PLAYED, "codec": "libx264", "quality": 8, "macro_block_size": 2}
    writer = ffmpeg.write_frames(
        str(path), size, **options, output_params=QUICKLY, ffmpeg_log_level="error"
    )
    writer.send(None)
    try:
        writer.send(first)
        for picture in pictures:
            writer.send(picture)
    except OSError as error:
        raise FileError(f"cannot encode '{path}': {str(error).splitlines()[0]}") from None
    finally:
        writer.close()


def _ffmpeg() -> ModuleType:
    try:
        return import_module("imageio_ffmpeg")
    except ImportError:
        raise MissingExtra("imageio-ffmpeg", "viz") from None
