"""A movie of the motion, in real time."""

from __future__ import annotations

from pathlib import Path

from vastus.export.pictures import watched_clip
from vastus.export.registry import Watch
from vastus.io.movie import movie
from vastus.io.tape import Tape

HEIGHT = 720  # [px]


def write(tape: Tape, path: Path, watch: Watch, *, height: int = HEIGHT) -> None:
    """Draw each frame, `height` pixels high."""
    movie(watched_clip(tape, watch), path, height=height)
