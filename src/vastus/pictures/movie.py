"""A movie of a motion: H.264 in an MP4 file, as players and browsers expect."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np

from vastus.errors import FileError, MissingExtra
from vastus.files.safe import replacing
from vastus.pictures.shots import HELD, Clip, read_clip
from vastus.pictures.stage import Image, Stage
from vastus.pictures.stills import captioned

PLAYED = 30.0  # pictures a second in the file; many players falter below
HOLD = 0.7  # [s] that the last picture stays


def movie(
    source: Clip | str | Path, path: str | Path, *, fps: float | None = None, height: int = 720
) -> None:
    """Draw all shots of a clip or result folder to an MP4 file, `fps` of them a second.

    The default is real time.
    """
    clip = source if isinstance(source, Clip) else read_clip(source)
    encode(path, _drawn(clip, height), fps or clip.fps)


def encode(path: str | Path, pictures: Iterator[Image], fps: float) -> None:
    """Write pictures to an MP4 file, `fps` of them a second, whole or not at all."""
    ffmpeg = _ffmpeg()
    with replacing(path) as part:
        _encode(ffmpeg, part, _played(pictures, fps))


def _drawn(clip: Clip, height: int) -> Iterator[Image]:
    # Enough to aim by, and no more of a long motion in memory.
    with Stage(clip.chosen(HELD), height) as stage:
        for shot in clip.shots:
            yield captioned(stage.picture(shot), shot.caption)


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
    writer = ffmpeg.write_frames(str(path), size, **options, ffmpeg_log_level="error")
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
