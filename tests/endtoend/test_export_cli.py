"""`vastus export` from the command line."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bent_bar import hinged, write_bent
from vastus.cli import main
from vastus.export.formats import FORMATS
from vastus.model import Model
from vastus.results.frame_rows import read_table


@pytest.fixture(scope="module")
def folder(bar_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    result = tmp_path_factory.mktemp("export") / "bent"
    return write_bent(result, hinged(bar_model), (0.0, 3.0, 9.0, 12.0))


def vastus(*words: object) -> tuple[int, str, str]:
    """The exit code, the output and the errors of a command."""
    told = CliRunner().invoke(main, [str(word) for word in words])
    return told.exit_code, told.stdout, told.stderr


def test_a_result_becomes_a_table_beside_it(folder: Path) -> None:
    code, out, err = vastus("export", folder, "--to", "csv", "--frames", "2:")
    path = folder.parent / "bent.csv"
    assert (code, out, err) == (0, f"wrote {path}\n", "")
    table = read_table(path)
    assert table["time_s"].tolist() == pytest.approx([0.2, 0.3])
    assert table["belly_knee_arm_m"] == pytest.approx([-0.06, -0.06], rel=0.1)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], f"--to is missing: give a format; formats: {', '.join(FORMATS)}"),
        (["--to", "fbx"], "no format 'fbx'; formats: usd, alembic, gltf"),
        (["--to", "csv", "-o", "a.txt"], "must end in .csv"),
        (["--to", "npz", "--frames", "9"], "--frames names frame 9, but the result has 4 frames"),
        (["--to", "csv", "--frames", "x"], "--frames 'x' names no frames; give all, last"),
        (["--to", "csv", "--height", "99"], "--height is for pictures"),
    ],
)
def test_what_is_wrong_is_one_sentence(folder: Path, words: list[str], says: str) -> None:
    code, _, err = vastus("export", folder, *words)
    assert code == 2
    assert says in err
    assert len(err.splitlines()) == 1


def test_what_is_no_result_is_one_sentence(tmp_path: Path) -> None:
    code, _, err = vastus("export", tmp_path, "--to", "csv")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "is not a result folder" in err


def test_a_missing_package_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = vastus("export", folder, "--to", "parquet", "-o", tmp_path / "a.parquet")
    assert code == 2
    assert "pip install 'vastus[tables]'" in err
    assert list(tmp_path.iterdir()) == []


def test_the_help_lists_every_format() -> None:
    _, out, _ = vastus("export", "--help")
    for name in FORMATS:
        assert f"\n  {name} " in out


def test_an_interrupt_leaves_nothing_and_exits_with_130(folder: Path, tmp_path: Path) -> None:
    """Interrupted while it writes: a pause is put before the second frame."""
    script = (
        "import sys, time\n"
        "from vastus.cli import console, main\n"
        "def pause(self, done, total):\n"
        "    print('begun', flush=True)\n"
        "    time.sleep(60)\n"
        "console.ExportProgress.watch = pause\n"
        "main()\n"
    )
    words = ["export", str(folder), "--to", "obj", "-o", str(tmp_path / "copy")]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    assert list(tmp_path.iterdir()) != []
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, "error: interrupted\n")
    assert list(tmp_path.iterdir()) == []
