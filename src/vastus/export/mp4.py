"""A movie of the motion, in real time."""

from __future__ import annotations

from pathlib import Path

from vastus.export.formats import Watch
from vastus.export.pictures import watched_clip
from vastus.pictures.movie import movie
from vastus.results.playback import Playback

HEIGHT = 720  # [px]


def write(playback: Playback, path: Path, watch: Watch, *, height: int = HEIGHT) -> None:
    """Draw each frame, `height` pixels high."""
    movie(watched_clip(playback, watch), path, height=height)
