"""A contact sheet of the motion: six frames, evenly spread."""

from __future__ import annotations

from pathlib import Path

from vastus.export.formats import Watch
from vastus.pictures.animation import contact_sheet, stored_animation
from vastus.results.playback import Playback

HEIGHT = 560  # [px]
COUNT = 6


def write(playback: Playback, path: Path, watch: Watch, *, height: int = HEIGHT) -> None:
    """Draw six frames, or as many as there are, each `height` pixels high."""
    shown = stored_animation(playback).sample(COUNT)
    watch(len(shown.snapshots), len(shown.snapshots))
    contact_sheet(shown, path, height=height, count=COUNT)
