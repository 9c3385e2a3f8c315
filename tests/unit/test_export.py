"""Names as formats allow them, and exports that are refused before anything is written."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bent_bar import hinged, oddly_named, write_bent
from vastus.cli.options import FrameChoice
from vastus.errors import FileError, ModelError, VastusError
from vastus.export.export import default_path, export
from vastus.export.folders import MANIFEST
from vastus.export.formats import FORMATS, format_of
from vastus.export.tables import columns
from vastus.model import Model
from vastus.results.result import read_playback
from vastus.results.writer import ResultWriter
from vastus.state import Frame, Report, rest


@pytest.fixture(scope="module")
def folder(bar_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bent(tmp_path_factory.mktemp("exporting") / "bent", hinged(bar_model), (0.0, 9.0))


def test_folders_keep_the_names_that_were_cleaned(bar_model: Model, tmp_path: Path) -> None:
    result = write_bent(tmp_path / "odd", oddly_named(hinged(bar_model)), (0.0,))
    export(result, tmp_path / "copy", to="obj")
    said = json.loads((tmp_path / "copy" / MANIFEST).read_text())
    regions = {region["called"]: region["name"] for region in said["regions"]}
    text = (tmp_path / "copy" / "frame_0000.obj").read_text()
    objects = [line[2:] for line in text.splitlines() if line.startswith("o ")]
    assert objects == list(regions) == ["a_b_c", "q_uo_script_te", "fibr", "region", "region_2"]
    assert regions["a_b_c"] == "a b/c"


def test_a_format_that_does_not_exist_is_answered_with_those_that_do() -> None:
    with pytest.raises(ModelError, match=r"no format 'fbx'; formats: usd, alembic, gltf, .*, png"):
        format_of("fbx")


def test_the_default_path_is_beside_the_result(tmp_path: Path) -> None:
    assert default_path(tmp_path / "arm", FORMATS["usd"]) == tmp_path / "arm.usdc"
    assert default_path(tmp_path / "arm" / ".", FORMATS["obj"]) == tmp_path / "arm-obj"


@pytest.mark.parametrize(
    ("to", "name", "says"),
    [
        ("csv", "out.txt", r"'.*out.txt' must end in .csv for --to csv"),
        ("usd", "out.glb", r"must end in .usdc or .usda or .usd for --to usd"),
        ("csv", "none/out.csv", "there is no folder"),
        ("csv", "folder.csv", "exists and is not a file"),
        ("obj", "file", "exists and is not a folder"),
        ("obj", "mine", "holds other files"),
        ("csv", "old.csv", "give --overwrite to replace it"),
    ],
)
def test_paths_that_are_wrong_are_refused(
    folder: Path, tmp_path: Path, to: str, name: str, says: str
) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "mine").mkdir()
    for file in ("file", "old.csv", "mine/letter.txt"):
        (tmp_path / file).write_text("precious")
    with pytest.raises(FileError, match=says):
        export(folder, tmp_path / name, to=to)
    assert (tmp_path / "mine" / "letter.txt").read_text() == "precious"


def test_a_folder_that_is_no_export_is_not_even_overwritten(folder: Path) -> None:
    with pytest.raises(FileError, match=r"has no export.json.* is not replaced"):
        export(folder, folder, to="obj", overwrite=True)
    assert len(read_playback(folder)) == 2


def test_an_export_replaces_an_older_one(folder: Path, tmp_path: Path) -> None:
    for to, name in (("obj", "copy"), ("csv", "copy.csv")):
        export(folder, tmp_path / name, to=to)
        export(folder, tmp_path / name, to=to, overwrite=True, frames=lambda count: [1])
    assert sorted(p.name for p in (tmp_path / "copy").iterdir()) == [MANIFEST, "frame_0000.obj"]
    assert len((tmp_path / "copy.csv").read_text().splitlines()) == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["copy", "copy.csv"]


def test_an_older_export_survives_one_that_cannot_take_its_place(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(folder, tmp_path / "copy", to="obj", frames=lambda count: [1])
    before = (tmp_path / "copy" / "frame_0000.obj").read_text()
    replace = os.replace

    def interrupted(source: str | Path, target: Path) -> None:
        if Path(source).name == "new":
            raise KeyboardInterrupt
        replace(source, target)

    monkeypatch.setattr("vastus.files.safe.os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        export(folder, tmp_path / "copy", to="ply", overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["copy"]
    assert (tmp_path / "copy" / "frame_0000.obj").read_text() == before


def test_a_height_is_for_pictures(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="--height is for pictures, and csv holds none"):
        export(folder, tmp_path / "a.csv", to="csv", height=100)


def test_pictures_have_the_height_that_was_asked_for(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyvista")
    image = pytest.importorskip("PIL.Image")
    export(folder, tmp_path / "sheet.png", to="png", height=64)
    strip, gaps = 64 // 32 * 2, 2 * 8
    with image.open(tmp_path / "sheet.png") as sheet:
        assert sheet.height == 64 + strip + gaps


def test_frames_are_chosen_by_slices() -> None:
    assert FrameChoice("1:8:3").among(10) == [1, 4, 7]
    assert FrameChoice(":").among(3) == [0, 1, 2]
    assert FrameChoice("8:").among(10) == [8, 9]
    with pytest.raises(ModelError, match=r"--frames '5:' names no frame, .* has 3 frames: 0 to 2"):
        FrameChoice("5:", "--frames", "result").among(3)
    for text in ("::0", "1:2:3:4", "a:b", "1:-1", "1:2,3"):
        with pytest.raises(VastusError, match="names no frames"):
            FrameChoice(text)


def test_frames_without_outputs_are_measured(bar_model: Model, tmp_path: Path) -> None:
    model = hinged(bar_model)
    with ResultWriter(tmp_path / "bare", model) as writer:
        writer.add(Frame(0, rest(model), Report(True, 1, 0.0, 1.0, 0.0)))
    table = columns(read_playback(tmp_path / "bare"), lambda *now: None)
    assert table["belly_length_m"] == pytest.approx([0.06], rel=0.02)
    assert table["belly_stretch_max"] == pytest.approx([1.0])
