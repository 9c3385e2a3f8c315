"""Time in the page, by a clock that the test moves, and the moments that are kept at hand."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("viser", reason="the pages need viser")

from moments import StillPlayback
from vastus.app.look import ColourBy
from vastus.app.view import timeline as timelines
from vastus.app.view.timeline import CachedPlayback, Timeline
from vastus.errors import FileError
from vastus.model import Model
from vastus.results.playback import Snapshot
from visited import Visited

UNEVEN = np.array([0.0, 0.1, 0.5, 1.0])


class Clock:
    """What the timeline takes for the time [s]."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(timelines, "TICK", 3600.0)  # the test ticks itself
        monkeypatch.setattr(timelines, "time", SimpleNamespace(perf_counter=lambda: self.now))

    def to(self, time: float, timeline: Timeline) -> None:
        self.now = 100.0 + time
        timeline._advance()


@pytest.fixture
def page() -> Iterator[Visited]:
    with Visited() as made:
        yield made


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_frame_is_shown_with_its_time_and_number(page: Visited) -> None:
    shown: list[int] = []
    timeline = Timeline(page, UNEVEN, shown.append)
    for index in (0, 2, 99, -5):
        timeline.go(index)
    assert shown == [0, 2, 3, 0]
    timeline.go(2)
    assert timeline._clock.content == "0.500 s, frame 3 of 4"
    assert page.handle("Frame").value == 2


def test_uneven_times_are_kept_and_frames_that_are_late_are_left_out(
    page: Visited, clock: Clock
) -> None:
    shown: list[int] = []
    timeline = Timeline(page, UNEVEN, shown.append)
    page.do("Play")
    for time in (0.05, 0.11, 0.3, 0.49, 0.52, 1.0):
        clock.to(time, timeline)
    assert shown == [1, 2, 3]
    page.do("Play")
    timeline.go(0)
    page.do("Play")
    clock.now += 0.7
    timeline._advance()
    assert shown == [1, 2, 3, 0, 2]
    timeline.stop()


def test_it_begins_again_after_the_last_frame_was_seen(page: Visited, clock: Clock) -> None:
    timeline = Timeline(page, UNEVEN, lambda _: None)
    timeline.play()
    clock.to(1.3, timeline)
    assert timeline.index == 3
    clock.to(1.41, timeline)  # the last frame stays as long as others do
    assert timeline.index == 0
    clock.to(1.41 + 0.15, timeline)
    assert timeline.index == 1
    timeline.stop()


def test_without_loop_it_stops_at_the_end_and_plays_from_the_start(
    page: Visited, clock: Clock
) -> None:
    timeline = Timeline(page, UNEVEN, lambda _: None)
    timeline._loop.value = False
    page.do("Play")
    assert page.handle("Play").label == "Pause"
    clock.to(5.0, timeline)
    assert not timeline.playing
    assert timeline.index == 3
    page.do("Play")
    assert timeline.index == 0
    timeline.stop()


def test_speed_is_changed_from_the_present_frame_on(page: Visited, clock: Clock) -> None:
    timeline = Timeline(page, np.arange(11) / 10, lambda _: None)
    page.do("Play")
    clock.to(0.25, timeline)
    assert timeline.index == 2
    page.do("Speed", "4")
    clock.to(0.25 + 0.11, timeline)
    assert timeline.index == 6
    page.do("Speed", "1/4")
    clock.to(0.36 + 0.41, timeline)
    assert timeline.index == 7
    timeline.stop()


def test_scrubbing_stops_it(page: Visited, clock: Clock) -> None:
    timeline = Timeline(page, UNEVEN, lambda _: None)
    page.do("Play")
    page.do("Frame", 2)
    assert not timeline.playing
    assert timeline.index == 2
    clock.to(0.9, timeline)
    assert timeline.index == 2


def test_a_single_frame_cannot_be_played(page: Visited) -> None:
    timeline = Timeline(page, np.array([0.25]), lambda _: None)
    timeline.go(3)
    assert timeline.index == 0
    assert page.handle("Frame").disabled
    assert page.handle("Play").disabled
    assert timeline.fps == 10.0


def test_frames_at_one_time_have_some_rate(page: Visited) -> None:
    assert Timeline(page, np.zeros(3), lambda _: None).fps == 10.0
    assert Timeline(page, UNEVEN, lambda _: None).fps == pytest.approx(2.5)


def test_a_frame_that_cannot_be_shown_is_passed_over(page: Visited, clock: Clock) -> None:
    shown: list[int] = []

    def show(index: int) -> None:
        if index == 1:
            raise FileError("frame 1 is damaged")
        shown.append(index)

    timeline = Timeline(page, UNEVEN, show)
    timeline.play()
    with pytest.raises(FileError, match="damaged"):
        clock.to(0.11, timeline)
    clock.to(0.12, timeline)
    clock.to(0.6, timeline)
    assert shown == [2]
    timeline.stop()


def test_no_thread_outlives_the_page() -> None:
    with Visited() as page:
        timeline = Timeline(page, UNEVEN, lambda _: None)
        timeline.play()
    ticking = [thread for thread in threading.enumerate() if "_tick" in thread.name]
    for thread in ticking:
        thread.join(2.0)
    assert not timeline.playing
    assert not any(thread.is_alive() for thread in ticking)


class Damaged(StillPlayback):
    """A playback some of whose moments cannot be read."""

    def __init__(self, model: Model, count: int, *damaged: int) -> None:
        super().__init__(model, np.arange(count))
        self._damaged = damaged

    def __getitem__(self, index: int, /) -> Snapshot:
        if index in self._damaged:
            raise FileError(f"frame {index} is cut off")
        return super().__getitem__(index)


def test_it_begins_with_the_first_frame_that_is_whole(bar_model: Model) -> None:
    assert CachedPlayback(Damaged(bar_model, 5)).first == 0
    assert CachedPlayback(Damaged(bar_model, 5, 0, 1)).first == 2


def test_a_moment_is_read_once(bar_model: Model) -> None:
    cached = CachedPlayback(playback := StillPlayback(bar_model, np.arange(4)))
    for index in (0, 3, 0, 3, 0):
        assert cached[index].index == index
    assert playback.read == [0, 3]


def test_no_more_is_kept_than_there_is_room_for(
    bar_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = CachedPlayback(playback := StillPlayback(bar_model, np.arange(100)))
    size = timelines._size(cached[0])
    monkeypatch.setattr(timelines, "ROOM", 10.5 * size)
    for index in range(100):
        cached[index]
    assert len(cached._kept) == 10
    playback.read.clear()
    for index in range(90, 100):
        cached[index]
    assert playback.read == []


def test_what_was_seen_last_is_kept_longest(
    bar_model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = CachedPlayback(playback := StillPlayback(bar_model, np.arange(3)))
    monkeypatch.setattr(timelines, "ROOM", 2.5 * timelines._size(cached[0]))
    for index in (1, 0, 2, 0):
        cached[index]
    assert playback.read == [0, 1, 2]


def test_one_moment_is_always_kept(bar_model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timelines, "ROOM", 1.0)
    cached = CachedPlayback(playback := StillPlayback(bar_model, np.arange(2)))
    assert cached[1] is cached[1]
    assert playback.read == [1]


@pytest.mark.parametrize(
    ("time", "index"), [(-1.0, 0), (0.0, 0), (0.06, 1), (0.4, 2), (9.0, 3), (1.0, 3)]
)
def test_the_nearest_frame_in_time(bar_model: Model, time: float, index: int) -> None:
    assert (
        CachedPlayback(StillPlayback(bar_model, np.array([0.0, 0.1, 0.5, 1.0]))).nearest(time)
        == index
    )


@pytest.mark.parametrize("frames", [1, 2, 30])
def test_limits_are_found_from_few_moments(bar_model: Model, frames: int) -> None:
    cached = CachedPlayback(playback := StillPlayback(bar_model, np.arange(frames)))
    limits = cached.limits
    assert len(set(playback.read)) == min(frames, timelines.JUDGED)
    assert set(limits) == {ColourBy.ACTIVATION, ColourBy.STRETCH, ColourBy.STRESS, ColourBy.VOLUME}
    assert all(low < high for low, high in limits.values())


def test_limits_are_found_from_those_moments_that_can_be_read(bar_model: Model) -> None:
    whole = CachedPlayback(StillPlayback(bar_model, np.arange(3))).limits
    assert CachedPlayback(Damaged(bar_model, 3, 1)).limits == whole
    with pytest.raises(FileError, match="frame 0 is cut off"):
        _ = CachedPlayback(Damaged(bar_model, 3, 0, 1, 2)).limits


def test_a_motion_is_judged_by_its_ends_and_its_middle(bar_model: Model) -> None:
    playback = StillPlayback(bar_model, np.arange(9))
    points = CachedPlayback(playback).places()
    assert playback.read == [0, 4, 8]
    surface = np.unique(bar_model.mesh.boundary)
    assert len(points) == 3 * len(surface)
    single = CachedPlayback(StillPlayback(bar_model, np.zeros(1))).places()
    assert len(np.unique(single, axis=0)) == len(surface)
