"""A contact sheet of the motion: six frames, evenly spread."""

from __future__ import annotations

from pathlib import Path

from vastus.export.pictures import watched_clip
from vastus.export.registry import Watch
from vastus.io.pictures import contact_sheet
from vastus.io.tape import Tape

HEIGHT = 560  # [px]
COUNT = 6


def write(tape: Tape, path: Path, watch: Watch, *, height: int = HEIGHT) -> None:
    """Draw six frames, or as many as there are, each `height` pixels high."""
    clip = watched_clip(tape, lambda done, total: None).chosen(COUNT)
    contact_sheet(clip, path, height=height, count=COUNT)
    watch(len(clip.shots), len(clip.shots))
