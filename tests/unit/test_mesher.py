"""What the mesher tells while it works."""

from __future__ import annotations

import pytest

from vastus.modelling.surfaces import mesher
from vastus.modelling.surfaces.mesher import MesherProgress

LINES = """
stage = 2
[2026-01-01 12:00:00.000] [float-tetwild] [info] #t = 4485
//////////////// pass 0 ////////////////
#t = 5838
//////////////// pass 1 ////////////////
#t = 4085
""".splitlines()


def told(seconds: float, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    clock = iter(range(1000))
    monkeypatch.setattr(mesher.time, "monotonic", lambda: seconds * next(clock))
    texts: list[str] = []
    progress = MesherProgress(30_000, texts.append)
    for line in LINES:
        progress.read(line)
    return texts


def test_the_mesher_tells_its_pass_its_tets_and_the_time_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = told(1.0, monkeypatch)
    assert texts[0] == "fitting the surfaces, about 30,000 tets wanted"
    assert texts[1] == "pass 1 of at most 20"
    assert texts[2].startswith("pass 1 of at most 20, 5,838 of about 30,000 tets")
    assert texts[-1].startswith("pass 2 of at most 20, 4,085 of about 30,000 tets, about ")
    assert texts[-1].endswith(" s left")


def test_long_times_left_are_told_in_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(60.0, monkeypatch)[-1].endswith(" min left")


def test_other_lines_tell_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    progress = MesherProgress(100, texts.append)
    before = list(texts)
    for line in ("", "success = 281(7345)", "max_energy = 3.2e+11"):
        progress.read(line)
    assert texts == before
