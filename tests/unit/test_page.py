"""A page without browsers: who starts jobs, what is told again, and how it ends."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import pytest

pytest.importorskip("viser", reason="the pages need viser")

from vastus.app import page as pages
from vastus.app.page import Page
from visited import Visited

PATIENCE = 5.0  # [s]


class Thing:
    """Something in a page that tells of its changes."""

    value: int

    def __init__(self) -> None:
        self.happen = lambda _: None

    def on_update(self, told: object) -> None:
        """Whom to tell."""
        self.happen = told  # type: ignore[assignment]


def test_only_what_a_visitor_does_starts_a_job() -> None:
    done: list[str] = []
    rung = threading.Event()
    thing = Thing()
    with Page("test", port=0) as page:
        page.when(thing, lambda event: (done.append(event.client), rung.set()))
        thing.happen(SimpleNamespace(client=None))
        thing.happen(SimpleNamespace(client="visitor"))
        assert rung.wait(PATIENCE)
    assert done == ["visitor"]


def test_a_job_finds_the_value_that_the_visitor_left() -> None:
    """Although the program wrote another one before the job's turn came."""
    seen: list[int] = []
    rung = threading.Event()
    thing = Thing()
    thing.value = 1
    with Page("test", port=0) as page:
        page.when(thing, lambda _: (seen.append(thing.value), rung.set()))
        page.desk.post(lambda: time.sleep(0.2))
        thing.value = 5
        thing.happen(SimpleNamespace(client="visitor"))
        thing.value = 3
        assert rung.wait(PATIENCE)
    assert seen == [5]


def test_the_same_complaint_is_not_repeated_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(monotonic=lambda: clock.now, now=100.0)
    monkeypatch.setattr(pages, "time", clock)
    with Visited() as page:
        page.complain("no")
        page.complain("no")
        page.complain("other")
        page.complain("no")
        clock.now += pages.AGAIN
        page.complain("no")
    assert page.told == ["no", "other", "no", "no"]


def test_what_nobody_heard_is_told_to_the_next_visitor() -> None:
    heard: list[str] = []
    visitor = SimpleNamespace(add_notification=lambda title, body, **_: heard.append(body))
    with Page("test", port=0) as page:
        page.complain("no")
        page._greet(visitor)
        page._greet(visitor)
    assert heard == ["no"]


def test_jobs_at_the_end_are_done_once_and_the_server_stops_though_one_fails() -> None:
    page = Page("test", port=0)
    done: list[int] = []
    page.at_end(lambda: done.append(1))
    page.at_end(lambda: done.append(1 // 0))
    with pytest.raises(ZeroDivisionError):
        page.close()
    page.close()
    assert done == [1]
    page.wait()
    assert page.desk.waiting == 0


def test_waiting_ends_when_the_page_is_closed() -> None:
    page = Page("test", port=0)
    waiting = threading.Thread(target=page.wait, daemon=True)
    waiting.start()
    time.sleep(0.02)
    assert waiting.is_alive()
    page.close()
    waiting.join(PATIENCE)
    assert not waiting.is_alive()


def test_a_job_may_close_the_page() -> None:
    page = Page("test", port=0)
    page.desk.post(page.close)
    page._closed.wait(PATIENCE)
    assert page._closed.is_set()


def test_a_page_for_other_machines_needs_a_token() -> None:
    with Page("test", host="0.0.0.0", port=0, token="a" * 20) as page:
        assert page.url.endswith("/?token=" + 20 * "a")
