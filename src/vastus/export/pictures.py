"""What the movie and the contact sheet show, with a count of what is drawn."""

from __future__ import annotations

from collections.abc import Iterator

from vastus.export.formats import Watch
from vastus.pictures.shots import Clip, Shot, Shots, stored_clip
from vastus.results.playback import Playback


class Watched:
    """Shots that tell when they are passed one after the other."""

    def __init__(self, shots: Shots, watch: Watch) -> None:
        self._shots, self._watch = shots, watch

    def __len__(self) -> int:
        return len(self._shots)

    def __getitem__(self, index: int, /) -> Shot:
        return self._shots[index]

    def __iter__(self) -> Iterator[Shot]:
        for number, shot in enumerate(self._shots):
            yield shot
            self._watch(number + 1, len(self))


def watched_clip(playback: Playback, watch: Watch) -> Clip:
    """The clip of a playback."""
    clip = stored_clip(playback.result)
    return Clip(clip.model, Watched(clip.shots, watch), clip.fps)
