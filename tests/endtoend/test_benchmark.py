"""`vastus bench` from the command line: interrupted, resumed, and what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vastus.bench.jobs import RECORDS
from vastus.bench.truth import FOLDER
from vastus.cli import main
from vastus.results.writer import Lock

SMALL = ("--cases", "fusiform", "--sizes", "1k", "--solvers", "newton,quasi-newton", "--no-peers")


@pytest.fixture(autouse=True)
def own_truths(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path_factory.mktemp("truths")))


def bench(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["bench", "-o", str(folder), *words])


def interrupted(folder: Path) -> tuple[int, str]:
    """Press Ctrl-C, which all processes hear, when a solver has been measured."""
    process = subprocess.Popen(
        [sys.executable, "-m", "vastus", "bench", "-o", str(folder), *SMALL, "--threads", "1"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + 120
    records = folder / RECORDS
    while process.poll() is None and time.monotonic() < until:
        if records.exists() and '"kind": "solver"' in records.read_text():
            break
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    return process.wait(timeout=60), process.communicate()[1]


@pytest.mark.slow
def test_a_benchmark_is_interrupted_resumed_and_finished(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    code, errors = interrupted(folder)
    assert code == 130, errors
    assert errors.splitlines()[-1].startswith("interrupted: 2 of 4 are measured")
    assert "Traceback" not in errors
    assert json.loads((folder / "bench.json").read_text())["finished"] is False

    done = bench(folder, *SMALL, "--threads", "1", "--resume")
    assert done.exit_code == 0, done.output
    assert "fusiform 1000 newton" not in done.stderr  # measured before
    assert "fusiform 1000 quasi-newton" in done.stderr
    figures = json.loads((folder / "bench.json").read_text())
    assert figures["finished"] is True
    assert {"processor", "cores", "packages"} <= set(figures["machine"])
    rows = {r["solver"]: r for r in figures["records"] if r["kind"] == "solver"}
    assert set(rows) == {"newton", "quasi-newton"}
    for row in rows.values():
        assert row["status"] == "done"
        assert row["error"] <= 1e-3
        assert 0 < row["reached"]["0.01"]["seconds"] <= row["reached"]["0.001"]["seconds"]
        assert row["reached"]["0.001"]["seconds"] <= row["seconds"]
        assert row["reached"]["0.001"]["iterations"] <= row["iterations"]
        assert row["peak"] > 50
    assert all(target["verdict"] == "not run" for target in figures["targets"])
    assert "| newton |" in (folder / "bench.md").read_text()
    assert {p.name for p in folder.glob("*.png")} == {"time.png", "memory.png", "error.png"}
    assert not (folder / "states").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--sizes", "many"], "--sizes: 'many' is not a number such as 2 or 12k"),
        (["--sizes", "10"], "cannot build a shape of 10 tets"),
        (["--solvers", "newtno"], "no solver 'newtno'; solvers: newton, quasi-newton"),
        (["--cases", "knee"], "no case 'knee'; cases: fusiform, elbow, animation, contrast"),
        (["--threads", "0"], "--threads: '0' is not a number"),
        (["--threads", "1,4096"], "cannot use 4096 threads; this machine has"),
        (["--limit", "nan"], "--limit: nan is not between 0 and 100000 seconds"),
        (["--limit", "inf"], "--limit: inf is not between 0 and 100000 seconds"),
        (["--limit", "-1"], "--limit: -1 is not between 0 and 100000 seconds"),
        (["--quick", "--full"], "--quick and --full exclude each other"),
        (["--resume", "--overwrite"], "--resume goes on and --overwrite replaces"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(
    tmp_path: Path, words: list[str], sentence: str
) -> None:
    done = bench(tmp_path / "out", *words)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_damaged_folder_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / RECORDS).write_text("[]\n")
    done = bench(tmp_path, *SMALL, "--resume")
    assert done.exit_code == 2, done.output
    assert f"'{tmp_path / RECORDS}' is damaged; give --overwrite" in done.stderr


def test_two_benchmarks_do_not_share_a_folder(tmp_path: Path) -> None:
    lock = Lock(tmp_path)
    done = bench(tmp_path, *SMALL)
    lock.release()
    assert done.exit_code == 2, done.output
    assert f"'{tmp_path}' is being written by process {os.getpid()}" in done.stderr
    assert not (tmp_path / RECORDS).exists()
