"""The moments at hand: read once, the last ones kept, and the limits of their colours."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("viser", reason="the pages need viser")

from moments import FakeTape
from vastus.app.look import Paint
from vastus.app.view import timeline as reels
from vastus.app.view.timeline import Reel
from vastus.errors import FileError
from vastus.model import Model
from vastus.results.playback import Moment


class Damaged(FakeTape):
    """A playback some of whose moments cannot be read."""

    def __init__(self, model: Model, count: int, *damaged: int) -> None:
        super().__init__(model, np.arange(count))
        self._damaged = damaged

    def __getitem__(self, index: int, /) -> Moment:
        if index in self._damaged:
            raise FileError(f"frame {index} is cut off")
        return super().__getitem__(index)


def test_it_begins_with_the_first_frame_that_is_whole(bar_model: Model) -> None:
    assert Reel(Damaged(bar_model, 5)).first == 0
    assert Reel(Damaged(bar_model, 5, 0, 1)).first == 2


def test_a_moment_is_read_once(bar_model: Model) -> None:
    reel = Reel(playback := FakeTape(bar_model, np.arange(4)))
    for index in (0, 3, 0, 3, 0):
        assert reel[index].index == index
    assert playback.read == [0, 3]


def test_no_more_is_kept_than_there_is_room_for(
    bar_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    reel = Reel(playback := FakeTape(bar_model, np.arange(100)))
    size = reels._size(reel[0])
    monkeypatch.setattr(reels, "ROOM", 10.5 * size)
    for index in range(100):
        reel[index]
    assert len(reel._kept) == 10
    playback.read.clear()
    for index in range(90, 100):
        reel[index]
    assert playback.read == []


def test_what_was_seen_last_is_kept_longest(
    bar_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    reel = Reel(playback := FakeTape(bar_model, np.arange(3)))
    monkeypatch.setattr(reels, "ROOM", 2.5 * reels._size(reel[0]))
    for index in (1, 0, 2, 0):
        reel[index]
    assert playback.read == [0, 1, 2]


def test_one_moment_is_always_kept(bar_model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reels, "ROOM", 1.0)
    reel = Reel(playback := FakeTape(bar_model, np.arange(2)))
    assert reel[1] is reel[1]
    assert playback.read == [1]


@pytest.mark.parametrize(
    ("time", "index"), [(-1.0, 0), (0.0, 0), (0.06, 1), (0.4, 2), (9.0, 3), (1.0, 3)]
)
def test_the_nearest_frame_in_time(bar_model: Model, time: float, index: int) -> None:
    assert Reel(FakeTape(bar_model, np.array([0.0, 0.1, 0.5, 1.0]))).nearest(time) == index


@pytest.mark.parametrize("frames", [1, 2, 30])
def test_limits_are_found_from_few_moments(bar_model: Model, frames: int) -> None:
    reel = Reel(playback := FakeTape(bar_model, np.arange(frames)))
    limits = reel.limits
    assert len(set(playback.read)) == min(frames, reels.JUDGED)
    assert set(limits) == {Paint.ACTIVATION, Paint.STRETCH, Paint.STRESS, Paint.VOLUME}
    assert all(low < high for low, high in limits.values())


def test_limits_are_found_from_those_moments_that_can_be_read(bar_model: Model) -> None:
    whole = Reel(FakeTape(bar_model, np.arange(3))).limits
    assert Reel(Damaged(bar_model, 3, 1)).limits == whole
    with pytest.raises(FileError, match="frame 0 is cut off"):
        _ = Reel(Damaged(bar_model, 3, 0, 1, 2)).limits
