"""A contact sheet of the motion: six frames, evenly spread."""

from __future__ import annotations

from pathlib import Path

from vastus.export.formats import Watch
from vastus.pictures.shots import stored_clip
from vastus.pictures.stills import contact_sheet
from vastus.results.playback import Playback

HEIGHT = 560  # [px]
COUNT = 6


def write(playback: Playback, path: Path, watch: Watch, *, height: int = HEIGHT) -> None:
    """Draw six frames, or as many as there are, each `height` pixels high."""
    clip = stored_clip(playback.result).chosen(COUNT)
    watch(len(clip.shots), len(clip.shots))
    contact_sheet(clip, path, height=height, count=COUNT)
