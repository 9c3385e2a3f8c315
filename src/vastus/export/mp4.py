"""A movie of the motion, in real time."""

from __future__ import annotations

from pathlib import Path

from vastus.export.formats import Watch
from vastus.pictures.animation import movie, stored_animation
from vastus.results.playback import Playback

HEIGHT = 720  # [px]


def write(playback: Playback, path: Path, watch: Watch, *, height: int = HEIGHT) -> None:
    """Draw each frame, `height` pixels high."""
    movie(stored_animation(playback), path, height=height, watch=watch)
