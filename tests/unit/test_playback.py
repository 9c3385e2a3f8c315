"""A playback gives the numbers that a result's files hold, and refuses files that are not whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vastus import shapes
from vastus.errors import FileError
from vastus.results.playback import FIELDS
from vastus.results.result import read_playback, read_result
from vastus.results.writer import ResultWriter
from vastus.state import Frame, Report, rest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model = shapes.bar(tets=1000)
    state = rest(model)
    with ResultWriter(tmp_path / "result", model) as writer:
        writer.add(Frame(0, state, Report(True, 1, 0.0, 1.0, 0.0)))
    return tmp_path / "result"


def test_a_moment_has_the_numbers_of_the_frame(folder: Path) -> None:
    playback, frame = read_playback(folder), read_result(folder).frame(0)
    moment = playback[0]
    assert np.array_equal(moment.x, frame.mesh.X)
    for name in FIELDS:
        assert np.array_equal(moment.fields[name], frame.cell_data[name])


def test_a_truncated_frame_is_one_sentence(folder: Path) -> None:
    file = folder / "frames" / "frame_0000.vtu"
    whole = file.read_bytes()
    for size in range(0, len(whole), len(whole) // 7):
        file.write_bytes(whole[:size])
        with pytest.raises(FileError, match="is cut off"):
            read_playback(folder)[0]


def test_an_array_that_is_not_whole_is_one_sentence(folder: Path) -> None:
    file = folder / "frames" / "frame_0000.vtu"
    head, *rest_of_it = file.read_bytes().split(b"</DataArray>")
    file.write_bytes(b"</DataArray>".join([head[:-40], *rest_of_it]))
    with pytest.raises(FileError, match="'Points' is not whole"):
        read_playback(folder)[0]


def test_a_frame_of_another_mesh_is_refused(folder: Path) -> None:
    other = shapes.bar(tets=2000)
    with ResultWriter(folder.parent / "other", other) as writer:
        writer.add(Frame(0, rest(other), Report(True, 1, 0.0, 1.0, 0.0)))
    stray = folder.parent / "other" / "frames" / "frame_0000.vtu"
    (folder / "frames" / "frame_0000.vtu").write_bytes(stray.read_bytes())
    with pytest.raises(FileError, match="Points"):
        read_playback(folder)[0]
