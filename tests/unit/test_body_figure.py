"""Bodies in pages, without a browser: what is drawn, told and asked."""

from __future__ import annotations

import time

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")
pytest.importorskip("viser", reason="the extra 'app' is absent")

from swinging_body import swinging_body, swinging_motion
from vastus.app.bodies import performance as performance_module
from vastus.app.bodies.body_figure import BodyFigure, busiest
from vastus.app.bodies.body_player import BodyPlayer
from vastus.app.bodies.live_body import LiveBody
from vastus.app.bodies.performance import Ask, Clock, Pattern, Performance, Pulled
from vastus.app.web_page import Page
from vastus.errors import VastusError


def test_a_part_is_put_where_it_is() -> None:
    motion = swinging_motion()
    with Page("swing", port=0) as page:
        figure = BodyFigure(page.server, swinging_body())
        figure.draw(motion.positions[-1], motion.activations[-1])
        data = motion.body.data(motion.positions[-1])
        for part in ("lower", "ball0"):
            assert np.allclose(figure._frames[part].position, data.body(part).xpos)
        sent = figure._muscles.glb_data
        figure.draw(motion.positions[0], motion.activations[0])
        assert figure._muscles.glb_data != sent


def test_a_player_shows_the_frame_that_is_asked_for() -> None:
    motion = swinging_motion(rows=101)
    with Page("swing", port=0) as page:
        player = BodyPlayer(page, motion)
        player.timeline.go(len(player.timeline) - 1)
        assert f"{motion.frames(30.0).activations[-1, 0]:4.2f}" in player._levels.content
        assert "flexor" in player._levels.content


def test_the_busiest_muscles_come_first() -> None:
    text = busiest(("a", "b", "c"), np.array([0.1, 0.9, 0.5]), count=2)
    assert [line.split()[-1] for line in text.splitlines()[1:-1]] == ["b", "c"]


def test_a_clock_is_not_faster_than_time() -> None:
    began, clock = time.perf_counter(), Clock()
    for _ in range(20):
        clock.wait(0.01)
    assert time.perf_counter() - began >= 20 * 0.01


@pytest.mark.parametrize(("work", "pace"), [(0.004, 1.0), (0.02, 0.5)])
def test_a_clock_tells_the_pace_on_a_machine_that_wakes_it_late(
    work: float, pace: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = LateMachine()
    monkeypatch.setattr(performance_module, "time", machine)
    clock, paces = Clock(), []
    for _ in range(40):
        machine.now += work
        paces.append(clock.wait(0.01))
    assert paces[10:] == pytest.approx([pace] * 30, rel=0.1)


class LateMachine:
    """A machine that wakes every second time half a step late."""

    def __init__(self) -> None:
        self.now, self._late = 0.0, 0.0

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds + self._late
        self._late = 0.005 - self._late


@pytest.fixture(scope="module")
def performance() -> Performance:
    return Performance(Pattern("3"))


@pytest.mark.slow  # some seconds of juggling
def test_pushes_and_pulls_move_a_hand_and_end(performance: Performance) -> None:
    performance.advance(0.1)
    told = performance.told()
    assert told.time == pytest.approx(0.1, abs=2e-3)
    hand = performance.body.model.body("r_hand").id
    applied = performance.show.plant.data.xfrc_applied
    performance.obey(Ask(push=("r_hand", (-40.0, 0.0, 0.0), 0.05), pushes=1))
    performance.advance(0.02)
    assert performance.show.plant.data.xfrc_applied[hand, 0] == -40.0
    performance.advance(0.06)
    assert not applied[hand].any()
    there = performance.show.plant.data.xpos[hand] + [0.0, 0.0, 0.1]
    performance.obey(Ask(pushes=1, pulled=Pulled("r_hand", np.zeros(3), there, 300.0)))
    performance.advance(0.02)
    assert performance.show.plant.data.xfrc_applied[hand, 2] > 5.0
    performance.obey(Ask(pushes=1))
    assert not performance.show.plant.data.xfrc_applied[hand].any()
    performance.advance(1.0)
    assert performance.told().drops == 0
    performance.obey(Ask(anew=1))
    assert performance.time == 0.0
    assert not performance.show.arms.rows


@pytest.mark.slow
def test_a_page_without_a_process_goes_on_by_itself() -> None:
    with Page("juggler", port=0) as page:
        live = LiveBody(page, Pattern("3"), worker=False)
        live.drag("start", "r_hand", np.zeros(3), np.ones(3))
        live.go_on(0.05)
        live.drag("end", "r_hand", np.zeros(3), np.ones(3))
        live.go_on(0.05)
        assert live.last is not None
        assert "0.1 s, 0 catches, 0 drops" in live._status.content


def test_no_siteswap_is_refused() -> None:
    with pytest.raises(VastusError, match="432"):
        Performance(Pattern("432"))
