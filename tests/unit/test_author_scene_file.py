"""Scene files: opened, saved whole, never over another's work, never outside the folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from authored import SCENE, write_limb
from vastus.app.author.document import Document, empty
from vastus.app.author.edits import parts, settings
from vastus.app.author.scene_file import ORIGINAL, ChangedOnDisk, opened, save
from vastus.app.history import History
from vastus.errors import FileError, VastusError
from vastus.scene.read import read


def refused(folder: Path, text: str) -> str:
    (folder / "scene.yaml").write_text(text)
    with pytest.raises(VastusError) as error:
        opened(folder)
    return str(error.value)


def test_a_folder_without_a_scene_opens_empty_and_is_left_alone(tmp_path: Path) -> None:
    document, kept = opened(tmp_path)
    assert document == empty(tmp_path)
    assert document.name == tmp_path.name
    assert kept.digest is None
    assert not list(tmp_path.iterdir())


def test_a_saved_document_opens_as_it_was(tmp_path: Path) -> None:
    document, kept = opened(tmp_path)
    document = parts.add_parts(document, ["ulna.obj", "biceps.obj"])
    kept = save(document, kept)
    assert opened(tmp_path) == (document, kept)
    kept = save(empty(tmp_path), kept)
    assert opened(tmp_path)[0] == empty(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["scene.yaml"]


def test_a_saved_scene_can_be_read_as_any_other(tmp_path: Path) -> None:
    document, kept = opened(write_limb(tmp_path))
    save(parts.rename_part(document, "biceps", "no: {x}"), kept)
    assert "no: {x}" in read(tmp_path / "scene.yaml").description.surfaces.parts  # type: ignore[union-attr]


def test_what_a_person_wrote_is_kept_beside(tmp_path: Path) -> None:
    document, kept = opened(write_limb(tmp_path))
    assert save(document, kept) is kept
    assert (tmp_path / "scene.yaml").read_text() == SCENE
    kept = save(settings.set_size(document, 0.01), kept)
    kept = save(settings.set_size(document, 0.02), kept)
    assert (tmp_path / ORIGINAL).read_text() == SCENE
    assert len(list(tmp_path.glob("*.orig*"))) == 1
    kept = save(document, kept)
    assert opened(tmp_path)[0] == document
    other = SCENE.replace("passive}\n", "passive}  # soft\n")
    (tmp_path / "scene.yaml").write_text(other)
    document, kept = opened(tmp_path)
    kept = save(settings.set_size(document, 0.01), kept)
    assert len(list(tmp_path.glob("*.orig*"))) == 1  # there is nothing in it that is not here
    kept = save(document, kept)
    save(parts.remove_part(document, "fat"), kept)
    assert (tmp_path / ORIGINAL).read_text() == SCENE
    assert (tmp_path / f"{ORIGINAL}2").read_text() == other


def test_a_file_that_somebody_else_changed_is_not_replaced(tmp_path: Path) -> None:
    document, kept = opened(write_limb(tmp_path))
    other = SCENE.replace("limb", "leg")
    (tmp_path / "scene.yaml").write_text(other)
    mine = settings.set_size(document, 0.01)
    with pytest.raises(ChangedOnDisk, match="was changed by somebody else"):
        save(mine, kept)
    assert (tmp_path / "scene.yaml").read_text() == other
    theirs, kept = opened(tmp_path)
    history = History(mine).done(theirs)
    save(history.undone().now, kept)
    assert opened(tmp_path)[0] == mine


@pytest.mark.parametrize("there", [True, False])
def test_a_file_that_came_or_went_since_is_noticed(tmp_path: Path, there: bool) -> None:
    if not there:
        write_limb(tmp_path)
    document, kept = opened(tmp_path)
    path = tmp_path / "scene.yaml"
    path.write_text(SCENE) if there else path.unlink()
    with pytest.raises(ChangedOnDisk):
        save(settings.set_size(document, 0.01), kept)


def test_a_link_to_elsewhere_is_replaced_rather_than_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(SCENE)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "scene.yaml").symlink_to(outside)
    document, kept = opened(folder)
    save(settings.set_size(document, 0.01), kept)
    assert outside.read_text() == SCENE
    assert not (folder / "scene.yaml").is_symlink()


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write anywhere")
def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    document, kept = opened(tmp_path)
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="cannot write"):
        save(settings.set_size(document, 0.01), kept)
    tmp_path.chmod(0o700)


def test_a_write_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document, kept = opened(write_limb(tmp_path))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("vastus.files.safe.os.replace", full)
    with pytest.raises(FileError, match="no space left"):
        save(settings.set_size(document, 0.01), kept)
    assert (tmp_path / "scene.yaml").read_text() == SCENE
    assert not list(tmp_path.glob(".*"))


def test_scenes_of_other_kinds_and_wrong_ones_are_refused_with_their_line(tmp_path: Path) -> None:
    sentence = refused(tmp_path, "vastus: 1\nmodel: {shape: elbow}\n")
    assert "line 2" in sentence
    assert "only scenes of surfaces are authored" in sentence
    assert "line 7 (surfaces.parts.humerus.tissue)" in refused(
        tmp_path, SCENE.replace("tissue: bone", "tissue: wood", 1)
    )
    assert "not valid YAML" in refused(tmp_path, "{")
    assert "empty" in refused(tmp_path, "")
    assert "mapping" in refused(tmp_path, "- a")
    assert "no bone 'nobody'" in refused(tmp_path, SCENE.replace("[humerus, f", "[nobody, f"))
    (tmp_path / "scene.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="UTF-8"):
        opened(tmp_path)
    with pytest.raises(FileError, match="there is no folder"):
        opened(tmp_path / "nowhere")
    (tmp_path / "scene.yaml").unlink()
    (tmp_path / "scene.yaml").mkdir()
    with pytest.raises(FileError, match="is a folder, not a file"):
        opened(tmp_path)


def test_files_outside_the_folder_stay_as_a_person_wrote_them(tmp_path: Path) -> None:
    text = SCENE.replace("file: fat.obj", "file: ../fat.obj").replace("ulna.obj", "/data/ulna.obj")
    document, kept = opened(write_limb(tmp_path, text))
    document = settings.set_size(document, 0.01)
    save(document, kept)
    again = opened(tmp_path)[0]
    assert again.file("ulna") == Path("/data/ulna.obj")
    assert again == document
    assert isinstance(again, Document)


COMMENTED = """\
# My limb.
vastus: 1

name: "limb"          # quoted
surfaces:
    units: mm
    parts:
        humerus: { file: humerus.obj, tissue: bone }   # the upper one

        # The muscle.
        biceps: {file: biceps.obj, tissue: muscle, origin: [humerus]}
inputs:
    activation: {biceps: 1e-1}
"""


def test_a_step_keeps_the_comments_and_the_layout_of_a_person(tmp_path: Path) -> None:
    (tmp_path / "scene.yaml").write_text(COMMENTED)
    document, kept = opened(tmp_path)
    sized = settings.set_size(document, 0.01)
    kept = save(sized, kept)
    text = COMMENTED.replace("units: mm\n", "units: mm\n    size: 0.01\n")
    assert (tmp_path / "scene.yaml").read_text() == text
    kept = save(parts.rename_part(sized, "biceps", "flexor"), kept)
    renamed = text.replace(" biceps: {", " flexor: {").replace("{biceps:", "{flexor:")
    assert (tmp_path / "scene.yaml").read_text() == renamed
    kept = save(document, kept)
    assert (tmp_path / "scene.yaml").read_text() == COMMENTED
    assert opened(tmp_path) == (document, kept)
