"""The desk of a page: jobs in order, the newest of a key, and none that ends it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator

import pytest

from vastus.app.page import Desk
from vastus.errors import FileError

PATIENCE = 5.0  # [s]


class Busy:
    """A desk with a list of what was done, and of what went wrong."""

    def __init__(self) -> None:
        self.done: list[object] = []
        self.trouble: list[str] = []
        self.desk = Desk(self.trouble.append)
        self._going_on = threading.Event()

    def hold(self) -> None:
        """Let the desk be busy until it is let go."""
        begun = threading.Event()

        def wait() -> None:
            begun.set()
            self._going_on.wait(PATIENCE)

        self.desk.post(wait)
        assert begun.wait(PATIENCE)

    def free(self) -> None:
        """Let the desk go on."""
        self._going_on.set()

    def let_go(self) -> None:
        """Let the desk do all that waits."""
        self.free()
        finished = threading.Event()
        self.desk.post(finished.set)
        assert finished.wait(PATIENCE)

    def post(self, what: object, key: object = None) -> None:
        self.desk.post(lambda: self.done.append(what), key=key)


@pytest.fixture
def busy() -> Iterator[Busy]:
    made = Busy()
    yield made
    made.free()
    made.desk.close()


def test_jobs_are_done_in_order_on_one_thread(busy: Busy) -> None:
    busy.hold()
    for number in range(20):
        busy.post(number)
    busy.desk.post(lambda: busy.done.append(threading.current_thread().name))
    busy.let_go()
    assert busy.done == [*range(20), "desk"]


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
    busy.desk.post(fail)
    busy.post("after")
    busy.let_go()
    assert busy.trouble == ["the file 'x' is not there"]
    assert busy.done == ["after"]


def test_an_error_nobody_expected_is_told_and_noted(
    busy: Busy, caplog: pytest.LogCaptureFixture
) -> None:
    busy.hold()
    busy.desk.post(lambda: {}["wrong"])  # type: ignore[index]
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

    done, desk = threading.Event(), Desk(gone)
    desk.post(lambda: 1 / 0)  # type: ignore[arg-type, return-value]
    desk.post(done.set)
    assert done.wait(PATIENCE)
    desk.close()


def test_closing_waits_for_the_present_job_and_drops_the_others(busy: Busy) -> None:
    busy.hold()
    busy.post("never")
    closing = threading.Thread(target=busy.desk.close)
    closing.start()
    closing.join(0.05)
    assert closing.is_alive()
    busy.free()
    closing.join(PATIENCE)
    assert not closing.is_alive()
    assert busy.done == []


def test_a_job_may_close_its_own_desk() -> None:
    closed = threading.Event()
    desk = Desk(lambda _: None)

    def end() -> None:
        desk.close()
        closed.set()

    desk.post(end)
    assert closed.wait(PATIENCE)


def test_after_closing_nothing_is_done_nor_kept(busy: Busy) -> None:
    busy.desk.close()
    for number in range(100):
        busy.post(number)
    busy.desk.close()
    assert busy.done == []
    assert busy.desk.waiting == 0
