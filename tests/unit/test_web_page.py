"""A page without browsers: who starts jobs, how they are done, what is told and chosen."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

pytest.importorskip("viser", reason="the pages need viser")

from moments import HOSTILE
from patience import patience
from vastus.app import web_page as pages
from vastus.app.web_page import NOTHING, Choice, JobQueue, Page
from vastus.errors import FileError
from visited import Visited

PATIENCE = 5.0  # [s] on a quiet machine


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
        assert rung.wait(patience(PATIENCE))
    assert done == ["visitor"]


def test_a_job_finds_the_value_that_the_visitor_left() -> None:
    """Although the program wrote another one before the job's turn came."""
    seen: list[int] = []
    rung = threading.Event()
    thing = Thing()
    thing.value = 1
    with Page("test", port=0) as page:
        page.when(thing, lambda _: (seen.append(thing.value), rung.set()))
        page.jobs.post(lambda: time.sleep(0.2))
        thing.value = 5
        thing.happen(SimpleNamespace(client="visitor"))
        thing.value = 3
        assert rung.wait(patience(PATIENCE))
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
    assert page.jobs.waiting == 0


def test_waiting_ends_when_the_page_is_closed() -> None:
    page = Page("test", port=0)
    waiting = threading.Thread(target=page.wait, daemon=True)
    waiting.start()
    time.sleep(0.02)
    assert waiting.is_alive()
    page.close()
    waiting.join(patience(PATIENCE))
    assert not waiting.is_alive()


def test_a_job_may_close_the_page() -> None:
    page = Page("test", port=0)
    page.jobs.post(page.close)
    page._closed.wait(patience(PATIENCE))
    assert page._closed.is_set()


def test_a_page_for_other_machines_needs_a_token() -> None:
    with Page("test", host="0.0.0.0", port=0, token="a" * 20) as page:
        assert page.url.endswith("/?token=" + 20 * "a")


class Busy:
    """A queue with a list of what was done, and of what went wrong."""

    def __init__(self) -> None:
        self.done: list[object] = []
        self.trouble: list[str] = []
        self.jobs = JobQueue(self.trouble.append)
        self._going_on = threading.Event()

    def hold(self) -> None:
        """Let the queue be busy until it is let go."""
        begun = threading.Event()

        def wait() -> None:
            begun.set()
            self._going_on.wait(patience(PATIENCE))

        self.jobs.post(wait)
        assert begun.wait(patience(PATIENCE))

    def free(self) -> None:
        """Let the queue go on."""
        self._going_on.set()

    def let_go(self) -> None:
        """Let the queue do all that waits."""
        self.free()
        finished = threading.Event()
        self.jobs.post(finished.set)
        assert finished.wait(patience(PATIENCE))

    def post(self, what: object, key: object = None) -> None:
        self.jobs.post(lambda: self.done.append(what), key=key)


@pytest.fixture
def busy() -> Iterator[Busy]:
    made = Busy()
    yield made
    made.free()
    made.jobs.close()


def test_jobs_are_done_in_order_on_one_thread(busy: Busy) -> None:
    busy.hold()
    for number in range(20):
        busy.post(number)
    busy.jobs.post(lambda: busy.done.append(threading.current_thread().name))
    busy.let_go()
    assert busy.done == [*range(20), "page"]


def test_of_one_key_the_newest_is_done_at_the_place_of_the_first(busy: Busy) -> None:
    busy.hold()
    for number in range(5):
        busy.post(("scrub", number), key="scrub")
        busy.post(("paint", number), key="paint")
    busy.post("last")
    busy.let_go()
    assert busy.done == [("scrub", 4), ("paint", 4), "last"]


def test_jobs_without_a_key_never_replace_each_other(busy: Busy) -> None:
    busy.hold()
    busy.post(1)
    busy.post(1)
    busy.let_go()
    assert busy.done == [1, 1]


def test_an_error_is_one_sentence_and_the_next_job_is_done(busy: Busy) -> None:
    def fail() -> None:
        raise FileError("the file 'x' is not there")

    busy.hold()
    busy.jobs.post(fail)
    busy.post("after")
    busy.let_go()
    assert busy.trouble == ["the file 'x' is not there"]
    assert busy.done == ["after"]


def test_an_error_nobody_expected_is_told_and_noted(
    busy: Busy, caplog: pytest.LogCaptureFixture
) -> None:
    busy.hold()
    busy.jobs.post(lambda: {}["wrong"])  # type: ignore[index]
    busy.post("after")
    with caplog.at_level(logging.ERROR, "vastus.app"):
        busy.let_go()
    assert busy.trouble == ["this failed unexpectedly (KeyError: 'wrong')"]
    assert busy.done == ["after"]
    assert "a job of the page failed" in caplog.text


def test_telling_of_trouble_may_fail_too() -> None:
    """A visitor may leave while it is told something."""

    def gone(_: str) -> None:
        raise ConnectionError("the visitor has left")

    done, queue = threading.Event(), JobQueue(gone)
    queue.post(lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    queue.post(done.set)
    assert done.wait(patience(PATIENCE))
    queue.close()


def test_closing_waits_for_the_present_job_and_drops_the_others(busy: Busy) -> None:
    busy.hold()
    busy.post("never")
    closing = threading.Thread(target=busy.jobs.close)
    closing.start()
    closing.join(0.05)
    assert closing.is_alive()
    busy.free()
    closing.join(patience(PATIENCE))
    assert not closing.is_alive()
    assert busy.done == []


def test_a_job_may_close_its_own_desk() -> None:
    closed = threading.Event()
    queue = JobQueue(lambda _: None)

    def end() -> None:
        queue.close()
        closed.set()

    queue.post(end)
    assert closed.wait(patience(PATIENCE))


def test_after_closing_nothing_is_done_nor_kept(busy: Busy) -> None:
    busy.jobs.close()
    for number in range(100):
        busy.post(number)
    busy.jobs.close()
    assert busy.done == []
    assert busy.jobs.waiting == 0


@pytest.fixture
def visited() -> Iterator[Visited]:
    with Visited() as made:
        yield made


@pytest.fixture
def chosen() -> list[object]:
    return []


@pytest.fixture
def choice(visited: Visited, chosen: list[object]) -> Choice[object]:
    return Choice[object](visited, "What", chosen.append)


def test_a_thing_is_chosen_not_its_name(
    visited: Visited, choice: Choice[object], chosen: list[object]
) -> None:
    choice.offer([("one", 1), ("two", 2), ("none of them", None)], 1)
    assert visited.handle("What").value == "one"
    visited.do("What", "two")
    visited.do("What", "none of them")
    assert chosen == [2, None]


def test_names_that_look_the_same_stay_apart(
    visited: Visited, choice: Choice[object], chosen: list[object]
) -> None:
    names = ["a", "a\u200b", "a (2)", " a", NOTHING, "", "\x00", HOSTILE, "x" * 500, "x" * 501]
    choice.offer([(name, index) for index, name in enumerate(names)], None)
    options = visited.handle("What").options
    assert len(set(options)) == len(options) == len(names) + 1
    for option in options[1:]:
        visited.do("What", option)
    assert chosen == list(range(len(names)))


def test_nothing_is_chosen_until_something_is(
    visited: Visited, choice: Choice[object], chosen: list[object]
) -> None:
    choice.offer([("one", 1)], 7)
    handle = visited.handle("What")
    assert (handle.options, handle.value) == ((NOTHING, "one"), NOTHING)
    visited.do("What", NOTHING)
    assert chosen == []
    choice.offer([("one", 1)], 1)
    assert handle.options == ("one",)


def test_a_list_without_items_cannot_be_opened(visited: Visited, choice: Choice[object]) -> None:
    assert visited.handle("What").disabled
    choice.offer([("one", 1)], 1)
    assert not visited.handle("What").disabled
    choice.offer([], None)
    assert visited.handle("What").disabled
    choice.visible = False
    assert not choice.visible
