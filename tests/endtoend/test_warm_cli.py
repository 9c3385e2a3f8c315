"""`vastus warm`: what it compiles is found by later commands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from vastus import warm
from vastus.cli import main
from vastus.errors import MissingExtra, VastusError

SCENE = """\
vastus: 1
model: {shape: elbow, tets: 1000}
inputs: {seconds: 0.1, fps: 10, activation: {biceps: 0.02}}
"""


def test_parts_are_listed_with_what_they_are_for() -> None:
    done = CliRunner().invoke(main, ["warm", "--list"])
    assert done.exit_code == 0
    lines = {line.split()[0]: line for line in done.stdout.splitlines()[1:]}
    assert list(lines) == list(warm.PARTS)
    for name, part in warm.PARTS.items():
        assert part.what in lines[name]
        assert ("with --all" in lines[name]) != part.usual
    assert set(warm.usual()) < set(warm.PARTS)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["equilibrium"], "no part 'equilibrium'; parts: imports, equilibria, "),
        (["flesh", "--all"], "--all compiles every part; give it or names of parts"),
    ],
)
def test_a_choice_that_cannot_be_is_one_sentence(words: list[str], says: str) -> None:
    done = CliRunner().invoke(main, ["warm", *words])
    assert done.exit_code == 2
    (line,) = done.stderr.splitlines()
    assert says in line


def test_a_part_is_compiled_and_told() -> None:
    done = CliRunner().invoke(main, ["warm", "projection", "projection", "--processes", "1"])
    assert done.exit_code == 0, done.output
    assert "1/1 projection: Newton's method where a tangent is not positive, " in done.stderr
    assert done.stdout.startswith("compiled in ")


@pytest.mark.parametrize("name", ["equilibria", "motion", "explicit", "emu"])
def test_the_work_of_a_part_can_be_done(name: str) -> None:
    warm.PARTS[name].work()


def test_byte_code_is_kept_where_the_environment_asks_for_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    warm.keep_byte_code([warm, sys, object()])
    (kept,) = tmp_path.rglob("*.pyc")
    assert kept.name.startswith("warm.")


def test_byte_code_that_cannot_be_kept_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "file"))
    warm.keep_byte_code([warm])
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


class Queue(list):  # type: ignore[type-arg]
    """What parts are waiting, or done."""

    def get(self) -> object:
        return self.pop(0)

    put = list.append


def test_a_part_whose_packages_are_absent_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise MissingExtra("mujoco", "skeleton")

    for name in ("found_family", "when_orphaned"):
        monkeypatch.setattr(warm, name, lambda *_: None)
    monkeypatch.setattr("vastus.numerics.jit.use_threads", lambda count: None)
    monkeypatch.setitem(warm.PARTS, "bodies", warm.Part("bodies", absent))
    done = Queue()
    warm._work(Queue(["bodies", None]), done)
    (told,) = done
    assert told.why_not == "this needs the package 'mujoco': pip install 'vastus[skeleton]'"


def test_a_process_that_dies_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm, "prepared", lambda work, *_, name: prepared_exit(name))
    with pytest.raises(VastusError, match="ended without a word"):
        list(warm.compiled(["projection"]))


def prepared_exit(name: str) -> object:
    """A process that ends at once, and badly."""
    from vastus.processes import prepared

    return prepared(os._exit, 1, name=name)


@pytest.mark.slow
def test_what_is_compiled_serves_a_run(tmp_path: Path) -> None:
    (tmp_path / "scene.yaml").write_text(SCENE)
    variables = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}

    def vastus(*words: str) -> set[Path]:
        """The files of compiled code after a command."""
        subprocess.run([sys.executable, "-m", "vastus", *words], env=variables, check=True)
        return set((tmp_path / "cache").rglob("*.nbc"))

    before = vastus("warm", "equilibria")
    assert len(before) > 10
    after = vastus(
        "run", str(tmp_path / "scene.yaml"), "-o", str(tmp_path / "out"), "--no-pictures"
    )
    assert after == before
