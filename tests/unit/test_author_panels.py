"""The panels of the authoring page, moved by a visitor who is the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("viser", reason="the pages need viser")

from limb import SCENE, bone, limb, write_limb
from vastus.app.author.editor import Editor
from vastus.app.author.edits import muscles
from vastus.app.author.open import open_editor
from vastus.errors import VastusError
from vastus.modelling.tissues import BONE_DENSITY
from vastus.scene.fibres import End
from vastus.scene.schema import Unit
from vastus.skeleton.joints import Weld
from visited import Visited


@pytest.fixture
def page() -> Iterator[Visited]:
    with Visited() as made:
        yield made


@pytest.fixture
def editor(page: Visited, tmp_path: Path) -> Editor:
    write_limb(tmp_path, limb())
    return open_editor(page, tmp_path)


def test_a_refused_name_leaves_the_part_selected(page: Visited, editor: Editor) -> None:
    editor.select("flexor")
    with pytest.raises(VastusError, match="upper"):
        page.do("Name", "upper")
    assert editor.selected == "flexor"
    assert page.handle("Name").value == "flexor"
    page.do("Name", "biceps")
    assert editor.selected == "biceps"
    assert "biceps" in editor.document.parts


def test_an_angle_changes_nothing_else_of_the_fibres(page: Visited, editor: Editor) -> None:
    editor.select("flexor")
    editor.edit(lambda d: muscles.fibres_between(d, "flexor", ["upper"], ["lower"]))
    editor.edit(lambda d: muscles.set_pennation(d, "flexor", 10, "lower", End.ORIGIN))
    page.do("Pennation [deg]", 20.0)
    said = editor.document.at("muscles", "flexor", "fibres")
    assert said["pennation"] == {"angle": 20, "aponeurosis": "lower", "end": "origin"}
    assert (said["from"], said["to"]) == ("upper", "lower")


def test_a_surface_that_cannot_be_used_is_told_every_time(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "flexor.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    for _ in range(2):
        editor.refresh()
        assert "flexor" in editor.files.unreadable


def test_what_is_hidden_is_not_clicked_on(editor: Editor) -> None:
    middle = editor.files.surfaces["upper"].X.mean(axis=0)
    ray = middle + np.array([0.0, -1.0, 0.0]), np.array([0.0, 1.0, 0.0])
    assert editor.display.touched(*ray) is not None
    editor.display.hide(True)
    assert editor.display.touched(*ray) is None


def test_another_way_up_is_written_as_gravity(page: Visited, editor: Editor) -> None:
    page.do("Up is", "y")
    assert editor.document.description.gravity == (0.0, -9.81, 0.0)
    assert page.handle("Up is").value == "y"
    page.do("Up is", "z")
    assert editor.document.description.gravity is None


def test_every_step_can_be_undone(page: Visited, editor: Editor) -> None:
    first = editor.document
    page.do("Tissue", "passive")
    page.do("Up is", "y")
    assert editor.document != first
    while editor.history.past:
        editor.undo()
    assert editor.document == first


def test_the_scene_has_a_name_and_a_time(page: Visited, editor: Editor) -> None:
    page.do("Name of the scene", " my  limb ")
    page.do("Seconds", 2.5)
    page.do("Frames a second", 24.0)
    assert editor.document.name == "my limb"
    inputs = editor.document.description.inputs
    assert (inputs.seconds, inputs.fps) == (2.5, 24)
    editor.undo()
    assert page.handle("Frames a second").value == 10
    with pytest.raises(VastusError, match="no step"):
        page.do("Frames a second", 0.001)
    assert page.handle("Frames a second").value == 10


def test_a_part_has_its_own_units_size_and_density(page: Visited, editor: Editor) -> None:
    editor.select("upper")
    assert page.handle("Density [kg/m³]").value == BONE_DENSITY
    page.do("Units of its file", "mm")
    page.do("Edge of its tets [mm]", 4.0)
    page.do("Density [kg/m³]", 1500.0)
    part = editor.document.parts["upper"]
    assert (part.units, part.size) == (Unit.MM, 0.004)
    assert editor.document.description.regions["upper"].density == 1500
    page.do("Units of its file", "as all files")
    page.do("Edge of its tets [mm]", 0.0)
    page.do("Density [kg/m³]", BONE_DENSITY)
    part = editor.document.parts["upper"]
    assert (part.units, part.size) == (None, None)
    assert "upper" not in editor.document.description.regions


def test_no_level_is_beyond_the_largest_activation(page: Visited, editor: Editor) -> None:
    editor.select("flexor")
    page.do("Largest activation", 0.6)
    assert editor.document.description.muscles["flexor"].limit == 0.6
    assert page.handle("Activation at the end").max == 0.6
    page.do("Activation at the end", 0.5)
    with pytest.raises(VastusError, match=r"not between 0 and 0\.4"):
        page.do("Largest activation", 0.4)
    assert page.handle("Largest activation").value == 0.6
    page.do("Largest activation", 1.0)
    assert editor.document.at("muscles", "flexor", "limit") is None


def test_each_proposed_joint_is_accepted_or_refused_by_itself(
    page: Visited, tmp_path: Path
) -> None:
    text = SCENE.partition("joints:")[0].replace(
        "muscle}", "muscle}\n    third: {file: third.obj, tissue: bone}"
    )
    touching = {"lower": bone(0.0, 0.1495), "third": bone(-0.13, -0.0005)}
    write_limb(tmp_path, limb() | touching, text)
    editor = open_editor(page, tmp_path)
    page.do("Propose joints")
    page.do("Refuse lower to third")
    page.do("Accept upper to lower as a weld")
    assert list(editor.document.joints) == ["upper to lower"]
    joint = editor.document.joints["upper to lower"]
    assert (joint.kind, joint.centre is not None) == (Weld, True)
    page.do("Propose joints")  # what was refused is offered again when asked for
    page.do("Accept lower to third as a weld")
    assert len(editor.document.joints) == 2
    page.do("Propose joints")
    assert "No two bones" in page.told[-1]
