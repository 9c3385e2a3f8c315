"""A build in a process of its own: what it tells, and what it leaves behind when it is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from limb import SCENE, limb, write_limb
from patience import Deadline, patience, until
from vastus.app.author.building import BuildEvent, Building, Failed, Step

PATIENCE = 60.0  # [s] on a quiet machine
BAR = """\
vastus: 1
model: {shape: bar, tets: 1000, length: 0.1, width: 0.02}
inputs: {seconds: 0.1, activation: {bar: 0.1}}
"""
pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="children are looked for in /proc"
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No step is found in the cache, so the mesher runs."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def told_by(building: Building, wanted: Callable[[BuildEvent], bool]) -> list[BuildEvent]:
    """What a build tells until something is told, that included."""
    told: list[BuildEvent] = []
    deadline = Deadline(PATIENCE)
    while not any(map(wanted, told)):
        assert not deadline.over, f"only this was told: {told}"
        told += building.events()
        time.sleep(0.01)
    return told


def over(news: BuildEvent) -> bool:
    return not isinstance(news, Step)


def children(pid: int) -> set[int]:
    """The processes that a process has started, and those that they have."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found |= {child} | children(child)
    return found


def ended(pids: set[int]) -> bool:
    """Whether all of these processes come to their end soon."""
    return until(lambda: not any(map(_alive, pids)), 5.0)


def _alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    try:
        return ") Z" not in stat.read_text()
    except OSError:
        return False


def test_a_scene_that_fails_tells_its_sentence(tmp_path: Path) -> None:
    building = Building(tmp_path / "none.yaml")
    (failed,) = told_by(building, over)
    assert isinstance(failed, Failed)
    assert "there is no file" in failed.sentence
    assert building.over
    assert building.events() == []
    building.cancel()


def test_a_killed_build_is_told(tmp_path: Path) -> None:
    (tmp_path / "scene.yaml").write_text(BAR)
    building = Building(tmp_path / "scene.yaml")
    os.kill(building.pid, signal.SIGKILL)
    (failed,) = told_by(building, over)
    assert failed == Failed("the build ended unexpectedly (SIGKILL)")
    building.cancel()


def test_cancelling_ends_the_build_and_its_mesher_at_once(tmp_path: Path) -> None:
    scene = write_limb(tmp_path / "limb", limb(), SCENE.replace("size: 0.02", "size: 0.003"))
    building = Building(scene)
    pid = building.pid
    deadline = Deadline(PATIENCE)
    while not (mesher := children(pid)):  # before it has loaded anything
        assert not deadline.over
        building.events()
        time.sleep(0.005)
    building.cancel()
    assert ended({pid, *mesher})
    assert building.over
    assert building.events() == []
    building.cancel()


PAGE = """
    import os, signal, sys, time
    from pathlib import Path
    from vastus.app.author.building import Building

    if __name__ == "__main__":
        building = Building(Path(sys.argv[1]))
        print(building.pid, flush=True)
        {end}
"""


def started(tmp_path: Path, end: str) -> tuple[subprocess.Popen[str], int]:
    """A page that builds, in a group of its own, and the build."""
    scene = write_limb(tmp_path / "limb", limb(), SCENE.replace("size: 0.02", "size: 0.003"))
    script = tmp_path / "page.py"
    script.write_text(textwrap.dedent(PAGE).format(end=end))
    page = subprocess.Popen(
        [sys.executable, script, scene],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert page.stdout is not None
    return page, int(page.stdout.readline())


@pytest.mark.slow
def test_a_page_that_is_killed_leaves_no_build(tmp_path: Path) -> None:
    page, pid = started(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    page.communicate(timeout=patience(PATIENCE))
    assert ended({pid})


def test_ctrl_c_ends_the_build_without_a_word(tmp_path: Path) -> None:
    page, pid = started(tmp_path, "time.sleep(60)")
    time.sleep(0.3)
    os.killpg(page.pid, signal.SIGINT)  # as a terminal does: to all at once
    _, said = page.communicate(timeout=patience(PATIENCE))
    assert ended({pid})
    assert said.count("Traceback") == 1  # of the script, which has no command line around it
    assert said.count("KeyboardInterrupt") == 1
