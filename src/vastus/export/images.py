"""The motion of a result as pictures: a movie in real time, or a contact sheet of six frames."""

from __future__ import annotations

from pathlib import Path

from vastus.export.formats import Watch
from vastus.pictures.animation import contact_sheet, movie, stored_animation
from vastus.results.playback import Playback

MOVIE_HEIGHT, SHEET_HEIGHT = 720, 560  # [px]
COUNT = 6  # frames of a sheet, evenly spread


class Movie:
    """A movie of all frames."""

    def write(
        self, playback: Playback, path: Path, watch: Watch, *, height: int = MOVIE_HEIGHT
    ) -> None:
        """Draw each frame, `height` pixels high."""
        movie(stored_animation(playback), path, height=height, watch=watch)


class Sheet:
    """A contact sheet of some frames."""

    def write(
        self, playback: Playback, path: Path, watch: Watch, *, height: int = SHEET_HEIGHT
    ) -> None:
        """Draw six frames, or as many as there are, each `height` pixels high."""
        shown = stored_animation(playback).sample(COUNT)
        watch(len(shown.snapshots), len(shown.snapshots))
        contact_sheet(shown, path, height=height, count=COUNT)


MP4, PNG = Movie(), Sheet()
