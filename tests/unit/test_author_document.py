"""Documents: every edit makes another that is valid, and refuses nonsense with a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from authored import SCENE, mentions, write_limb
from vastus.app.author.document import Document, empty
from vastus.app.author.edits import materials, muscles, parts, settings
from vastus.app.author.edits import muscles as ends
from vastus.app.author.edits import skeleton as bones
from vastus.app.author.edits import skeleton as joints
from vastus.app.author.edits.materials import preset_of, presets, quantities
from vastus.app.author.roles import Confidence, Role
from vastus.errors import VastusError
from vastus.materials.library import MuscleTissue
from vastus.modelling.tissues import usual_laws
from vastus.parts import Drive, Tissue
from vastus.scene.fibres import End
from vastus.scene.schema import Unit
from vastus.scene.surfaces import Neighbours
from vastus.scene.write import scene_text
from vastus.scene.yaml import parse
from vastus.skeleton.joints import Ball, Hinge, Weld

FOLDER = Path("limb")


@pytest.fixture(scope="module")
def limb() -> Document:
    return Document(FOLDER, parse(SCENE, "scene.yaml")[0])


def refused(edit: Callable[..., Document], *given: Any, **named: Any) -> str:
    with pytest.raises(VastusError) as error:
        edit(*given, **named)
    return str(error.value)


def test_an_empty_document_is_the_beginning_of_a_scene() -> None:
    document = empty(FOLDER)
    assert document.name == "limb"
    assert not document.ready
    assert not document.names.bones
    assert scene_text(document.data).endswith("surfaces:\n  parts: {}\n")


def test_what_is_not_a_scene_of_surfaces_is_refused() -> None:
    data = {"vastus": 1, "model": {"shape": "elbow"}}
    assert "only scenes of surfaces are authored" in refused(Document, FOLDER, data)
    assert "vastus" in refused(Document, FOLDER, {"surfaces": {"parts": {}}})
    assert "no bone 'nobody'" in refused(
        Document, FOLDER, {**empty(FOLDER).data, "bones": {"nobody": {}}}
    )


def test_a_first_part_and_the_last_one_come_and_go() -> None:
    added = parts.add_part(empty(FOLDER), "right_humerus.obj")
    assert added.parts["right humerus"].tissue is Tissue.BONE
    assert added.file("right humerus") == FOLDER / "right_humerus.obj"
    assert added.change.words == "add part 'right humerus'"
    assert parts.remove_part(added, "right humerus") == empty(FOLDER)


def test_several_files_become_parts_in_one_step_with_tendons_last() -> None:
    files = ["biceps_tendon.obj", "biceps.obj", "triceps.obj", "biceps (1).obj", "ulna.stl"]
    added = parts.add_parts(empty(FOLDER), ["tendon_of_triceps.ply", *files])
    assert {name: (part.tissue.value, part.muscle) for name, part in added.parts.items()} == {
        "biceps": ("muscle", None),
        "triceps": ("muscle", None),
        "biceps 2": ("muscle", None),
        "ulna": ("bone", None),
        "tendon of triceps": ("tendon", "triceps"),
        "biceps tendon 2": ("passive", None),  # of one biceps or the other
    }
    assert added.change.words == "add 6 parts"


def test_a_role_that_the_author_chose_is_taken() -> None:
    role = Role("my muscle", Tissue.MUSCLE, Confidence.NAMED, "")
    assert list(parts.add_part(empty(FOLDER), "ulna.obj", role).parts) == ["my muscle"]


@pytest.mark.parametrize("file", ["../ulna.obj", "/etc/ulna.obj", "a/../../ulna.obj"])
def test_a_part_outside_the_folder_is_refused(file: str) -> None:
    assert "outside the folder" in refused(parts.add_part, empty(FOLDER), file)


def test_files_are_written_as_seen_from_the_folder_of_the_surfaces() -> None:
    data = {"vastus": 1, "surfaces": {"folder": "meshes", "parts": {}}}
    document = parts.add_part(Document(FOLDER, data), "meshes/ulna.obj")
    assert document.at("surfaces", "parts", "ulna", "file") == "ulna.obj"
    document = parts.add_part(document, "radius.obj")
    assert document.at("surfaces", "parts", "radius", "file") == "../radius.obj"
    data = {"vastus": 1, "surfaces": {"folder": "/data/meshes", "parts": {}}}
    document = parts.add_part(Document(Path("/work/limb"), data), "ulna.obj")
    assert document.at("surfaces", "parts", "ulna", "file") == "../../work/limb/ulna.obj"


@pytest.mark.parametrize("part", ["humerus", "ulna", "radius", "biceps", "sinew", "triceps", "fat"])
def test_every_reference_follows_a_rename(limb: Document, part: str) -> None:
    before = limb.data
    after = parts.rename_part(limb, part, "new one").data
    assert mentions(after, "new one") == mentions(before, part)
    assert mentions(after, part) == 0
    assert mentions(after, "new one tendon") == mentions(before, f"{part} tendon")
    assert parts.rename_part(Document(FOLDER, after), "new one", part) == limb
    assert list(after["surfaces"]["parts"]).index("new one") == list(
        before["surfaces"]["parts"]
    ).index(part)


def test_a_muscle_of_several_parts_keeps_its_name_when_one_of_them_is_renamed(
    limb: Document,
) -> None:
    shared = parts.set_muscle(limb, "triceps", "biceps")
    assert "triceps" not in shared.description.muscles
    renamed = parts.rename_part(shared, "biceps", "long head")
    assert renamed.names.muscles == ("biceps",)
    assert renamed.parts["long head"].muscle == "biceps"
    assert renamed.description.muscles["biceps"].strength == 2e5


def test_what_is_said_of_a_muscle_follows_its_only_part(limb: Document) -> None:
    named = parts.set_muscle(limb, "biceps", "flexor")
    assert named.description.muscles["flexor"].strength == 2e5
    assert named.parts["sinew"].muscle == "flexor"
    assert parts.set_muscle(named, "biceps", None) == limb
    assert parts.rename_muscle(limb, "biceps", "flexor") == named


def test_a_group_and_a_joint_can_be_renamed(limb: Document) -> None:
    after = bones.rename_bone(limb, "forearm", "lower arm").data
    assert mentions(after, "lower arm") == mentions(limb.data, "forearm")
    assert mentions(after, "forearm") == 0
    assert bones.rename_bone(limb, "humerus", "upper") == parts.rename_part(
        limb, "humerus", "upper"
    )
    assert list(joints.rename_joint(limb, "elbow", "hinge").joints) == ["hinge"]


@pytest.mark.parametrize(
    ("edit", "given", "sentence"),
    [
        (parts.rename_part, ("humerus", "ulna"), "there is a part 'ulna' already"),
        (parts.rename_part, ("humerus", " "), "at least one letter"),
        (parts.rename_part, ("humerus", "x" * 999), "999 letters"),
        (parts.rename_part, ("fat", "biceps tendon"), "thin ends"),
        (parts.rename_part, ("humerus", "forearm"), "forearm"),
        (parts.rename_part, ("nobody", "x"), "no part 'nobody'"),
        (parts.rename_muscle, ("biceps", "triceps"), "already"),
        (parts.remove_part, ("biceps",), "'sinew' is a tendon of muscle 'biceps'"),
        (parts.set_tissue, ("biceps", Tissue.BONE), "'sinew' is a tendon of muscle 'biceps'"),
        (parts.set_tissue, ("fat", Tissue.TENDON), "say to which (biceps, triceps)"),
        (parts.set_muscle, ("fat", "biceps"), "passive belongs to no muscle"),
        (parts.set_part_size, ("fat", -1.0), "greater than 0"),
        (parts.set_part_size, ("fat", float("nan")), "nan"),
        (ends.set_end, ("biceps", End.ORIGIN, ["biceps"]), "cannot be attached to itself"),
        (ends.set_end, ("biceps", End.ORIGIN, ["humeru"]), "did you mean 'humerus'"),
        (ends.set_end, ("fat", End.ORIGIN, ["ulna"]), "is for muscles"),
        (ends.set_tendons, ("biceps", (0.1, 1.5)), "less than or equal to 1"),
        (ends.set_tendons, ("biceps", (0.6, 0.6)), "leave no muscle"),
        (bones.group_bones, ("arm", ["fat"]), "'fat' is passive"),
        (bones.group_bones, ("arm", []), "at least one part"),
        (bones.group_bones, ("humerus", ["ulna"]), "a name of its own"),
        (bones.ungroup, ("humerus",), "no group"),
        (bones.set_drive, ("ulna", Drive.PINNED), "no bone 'ulna'"),
        (joints.add_joint, ("elbow", Ball, ("humerus", "forearm")), "already"),
        (joints.add_joint, ("x", Ball, ("humerus", "humerus")), "ties two bones"),
        (joints.add_joint, ("x", Weld, ("humerus", "forearm")), "centre of a weld"),
        (joints.place_joint, ("elbow", (0, 0, 0)), "axis"),
        (joints.place_joint, ("elbow", (0, 0, 0), (0, 0, 0)), "must not be zero"),
        (joints.remove_joint, ("knee",), "no joint 'knee'"),
        (muscles.set_activation, ("triceps", 0.7), "not between 0 and 0.5"),
        (muscles.set_activation, ("triceps", [(0, 0.1)]), "at least two increasing times"),
        (muscles.set_activation, ("fat", 1), "no muscle 'fat'"),
        (muscles.set_strength, ("biceps", 0.0), "greater than 0"),
        (muscles.fibres_between, ("biceps", ["nobody"], ["ulna"]), "unknown bone or region"),
        (muscles.fibres_along, ("biceps", (0, 0, 0)), "must not be zero"),
        (muscles.set_pennation, ("triceps", 20, "ulna"), "give fibres either"),
        (materials.set_material, ("bone", [MuscleTissue()]), "bones are rigid"),
        (materials.set_material, ("ulna", [MuscleTissue()]), "bones are rigid"),
        (materials.set_material, ("nobody", None), "no region 'nobody'"),
        (materials.set_number, ("fat", 0, "young", 1e4), "no parameter 'young'"),
        (materials.set_number, ("fat", 1, "c1", 1e4), "number 2 was meant"),
        (materials.set_number, ("fat", 0, "c1", -1), "above 0"),
        (settings.set_up, ((0, 0, 0),), "not all zero"),
        (settings.set_seconds, (0.0,), "greater than 0"),
        (settings.set_name, ("",), "at least one letter"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(
    limb: Document, edit: Callable[..., Document], given: tuple[Any, ...], sentence: str
) -> None:
    assert sentence in refused(edit, limb, *given)


def test_what_refers_to_a_part_goes_with_it(limb: Document) -> None:
    after = parts.remove_part(limb, "fat")
    assert mentions(after.data, "fat") == 0
    assert after.description.muscles["biceps"].fibres is not None
    assert after.change.words == "remove part 'fat', and with it pin 'held'"
    after = parts.remove_part(limb, "humerus")
    assert after.at("muscles", "biceps") == {"strength": 2e5}
    assert after.change.words == "remove part 'humerus', and with it bone 'humerus', joint 'elbow'"
    after = parts.remove_part(parts.remove_part(limb, "sinew"), "biceps")
    assert mentions(after.data, "biceps") == 0
    assert after.names.muscles == ("triceps",)
    after = parts.remove_part(parts.remove_part(limb, "ulna"), "radius")
    assert mentions(after.data, "forearm") == 0
    assert after.parts["biceps"].insertion is None


def test_a_tissue_takes_along_only_what_it_can_have(limb: Document) -> None:
    bony = parts.set_tissue(limb, "triceps", Tissue.BONE)
    assert bony.at("surfaces", "parts", "triceps") == {"file": "triceps.obj", "tissue": "bone"}
    assert "triceps" not in bony.description.inputs.activation
    assert bony.change.words == "set tissue of 'triceps' to bone, and with it muscle 'triceps'"
    soft = parts.set_tissue(limb, "humerus", Tissue.PASSIVE)
    assert not soft.joints
    assert soft.parts["biceps"].origin == ("humerus",)
    tendon = parts.set_tissue(limb, "triceps", Tissue.TENDON, muscle="biceps")
    assert tendon.parts["triceps"].muscle == "biceps"
    assert parts.set_tissue(limb, "sinew", Tissue.PASSIVE).parts["sinew"].muscle is None


def test_ends_are_named_or_proposed(limb: Document) -> None:
    named = ends.set_end(limb, "triceps", End.ORIGIN, ["humerus", "fat", "fat"])
    assert named.parts["triceps"].origin == ("humerus", "fat")
    assert ends.set_end(limb, "biceps", End.INSERTION, None).parts["biceps"].insertion is None
    assert ends.set_tendons(limb, "biceps", (0.1, 0.25)).parts["biceps"].tendons == (0.1, 0.25)


def test_spots_are_painted_in_place_of_a_cap_and_erased(limb: Document) -> None:
    one = ends.add_spot(limb, "triceps", End.ORIGIN, (0.0123456789, 0, 0), 0.01)
    assert ends.spots(one, "triceps", End.ORIGIN) == [ends.Spot((0.012346, 0.0, 0.0), 0.01)]
    assert one.at("surfaces", "parts", "triceps", "caps") == [None, 0.1]
    assert ends.add_spot(one, "triceps", End.ORIGIN, (0.0123, 0, 0), 0.005) is one
    two = ends.add_spot(one, "triceps", End.ORIGIN, (0.03, 0, 0), 0.01)
    assert len(ends.spots(two, "triceps", End.ORIGIN)) == 2
    wide = ends.add_spot(two, "triceps", End.ORIGIN, (0.02, 0, 0), 0.1)
    assert len(ends.spots(wide, "triceps", End.ORIGIN)) == 1
    assert ends.erase_spots(two, "triceps", End.ORIGIN, (1, 0, 0), 0.1) is two
    left = ends.erase_spots(two, "triceps", End.ORIGIN, (0.035, 0, 0), 0.001)
    assert ends.spots(left, "triceps", End.ORIGIN) == ends.spots(one, "triceps", End.ORIGIN)
    both = ends.add_spot(one, "triceps", End.INSERTION, (0, 0, 0), 0.01)
    assert both.at("surfaces", "parts", "triceps", "caps") is None
    assert not ends.spots(ends.clear_spots(both, "triceps", End.ORIGIN), "triceps", End.ORIGIN)


def test_bones_are_grouped_and_taken_apart(limb: Document) -> None:
    apart = bones.ungroup(limb, "forearm")
    assert set(apart.names.bones) == {"humerus", "ulna", "radius"}
    assert apart.joints["elbow"].bones == ("humerus", "radius")
    assert apart.description.loads["weight"].bone == "radius"
    whole = bones.group_bones(apart, "forearm", ["ulna", "radius"])
    assert whole.joints["elbow"].bones == ("humerus", "forearm")
    assert whole.names.bones["forearm"] == ("ulna", "radius")
    all_one = bones.group_bones(whole, "arm", ["humerus", "ulna", "radius"])
    assert set(all_one.names.bones) == {"arm"}
    assert all_one.description.bones["arm"].drive is Drive.PINNED
    assert all_one.change.words.endswith("and with it joint 'elbow'")
    fewer = bones.group_bones(whole, "forearm", ["ulna"])
    assert fewer.names.bones == {
        "forearm": ("ulna",),
        "humerus": ("humerus",),
        "radius": ("radius",),
    }


def test_who_moves_a_bone(limb: Document) -> None:
    assert bones.set_drive(limb, "humerus", Drive.FREE).at("bones", "humerus") is None
    pinned = bones.set_drive(limb, "forearm", Drive.PINNED)
    assert pinned.at("inputs", "bones") is None
    assert bones.set_drive(limb, "forearm", Drive.SCRIPTED).at("inputs", "bones") is not None


def test_joints_are_placed_or_found(limb: Document) -> None:
    placed = joints.place_joint(limb, "elbow", np.array([0.1, 0.2, 1 / 3]), np.array([1, 0, 0]))
    assert placed.joints["elbow"].centre == (0.1, 0.2, 0.333333)
    assert joints.find_joint(placed, "elbow") == limb
    ball = joints.set_joint_kind(placed, "elbow", Ball)
    assert ball.joints["elbow"].axis is None
    assert joints.set_joint_kind(ball, "elbow", Hinge, axis=(0, 1, 0)).ready
    turned = joints.set_joint_bones(limb, "elbow", ("forearm", "humerus"))
    assert turned.joints["elbow"].bones == ("forearm", "humerus")
    assert not joints.remove_joint(limb, "elbow").joints
    weld = joints.add_joint(limb, "w", Weld, ("humerus", "forearm"), centre=(0, 0, 0))
    assert weld.joints["w"].kind is Weld


def test_fibres_strength_and_activation(limb: Document) -> None:
    along = muscles.fibres_along(limb, "biceps", (0, 0, 2))
    assert along.at("muscles", "biceps", "fibres", "direction") == [0, 0, 2]
    assert along.at("muscles", "biceps", "fibres", "pennation", "angle") == 20
    assert (
        muscles.no_pennation(along, "biceps").at("muscles", "biceps", "fibres", "pennation") is None
    )
    between = muscles.fibres_between(limb, "triceps", ["humerus"], ["ulna", "fat"])
    assert between.at("muscles", "triceps", "fibres") == {"from": "humerus", "to": ["ulna", "fat"]}
    turned = muscles.set_pennation(between, "triceps", 15, "fat", End.ORIGIN)
    assert turned.description.muscles["triceps"].fibres.pennation.end is End.ORIGIN  # type: ignore[union-attr]
    assert muscles.usual_fibres(between, "triceps") == limb
    assert (
        muscles.set_strength(limb, "biceps", 123456.789).at("muscles", "biceps", "strength")
        == 123457
    )
    assert muscles.set_limit(limb, "triceps", None).description.muscles.get("triceps") is None
    assert muscles.set_activation(limb, "biceps", 1).at("inputs", "activation", "biceps") == 1
    keyed = muscles.set_activation(limb, "biceps", [(0, 0), (1, 1)])
    assert keyed.at("inputs", "activation", "biceps") == [[0, 0], [1, 1]]
    assert muscles.set_activation(limb, "biceps", None).at("inputs", "activation", "biceps") is None


def test_materials_are_presets_or_numbers(limb: Document) -> None:
    for tissue in (Tissue.MUSCLE, Tissue.TENDON, Tissue.PASSIVE):
        for preset in presets(tissue):
            made = materials.set_material(limb, tissue.value, preset.laws)
            assert materials.laws_of(made, tissue.value) == preset.laws
            assert preset_of(materials.laws_of(made, tissue.value), tissue) == preset
            assert all(q.sentence for q in quantities(preset.laws))
    assert presets(Tissue.BONE) == ()
    usual = materials.set_material(limb, "muscle", usual_laws(Tissue.MUSCLE))
    assert usual.at("materials", "muscle") is None
    stiff = materials.set_number(limb, "triceps", 0, "young", 2e5)
    assert materials.laws_of(stiff, "triceps")[0].young == 2e5  # type: ignore[attr-defined]
    assert materials.laws_of(stiff, "biceps")[0].young == 9e4  # type: ignore[attr-defined]
    assert {q.unit for q in quantities(materials.laws_of(limb, "sinew"))} == {"Pa", ""}
    assert materials.set_material(stiff, "triceps", None).at("materials", "triceps") is None
    dense = materials.set_density(limb, "humerus", 1800)
    assert dense.description.regions["humerus"].density == 1800


def test_the_scene_as_a_whole(limb: Document) -> None:
    assert settings.set_units(limb, None).surfaces.units is None
    assert settings.set_size(limb, 0.0041234567).surfaces.size == 0.004123
    assert settings.set_neighbours(limb, Neighbours.SEPARATE).surfaces.neighbours == "separate"
    assert settings.set_up(limb, (0, 2, 0)).description.gravity == (0, -9.81, 0)
    assert settings.set_up(settings.set_up(limb, (0, 2, 0)), (0, 0, 1)) == limb
    assert settings.set_gravity(limb, (0, 0, 0)).description.gravity == (0, 0, 0)
    assert settings.set_name(limb, " my  limb ").name == "my limb"
    assert settings.set_fps(settings.set_seconds(limb, 3), 24).description.inputs.fps == 24
    assert parts.set_part_units(limb, "fat", Unit.CM).parts["fat"].units is Unit.CM
    assert parts.set_part_size(limb, "fat", 0.01).parts["fat"].size == 0.01


def test_sections_that_no_edit_touches_are_kept(limb: Document) -> None:
    after = parts.rename_part(settings.set_size(limb, 0.01), "biceps", "flexor")
    for section in ("solver", "pins"):
        assert after.data[section] == limb.data[section]


def test_edits_leave_the_document_as_it_was(limb: Document) -> None:
    before = scene_text(limb.data)
    parts.rename_part(limb, "biceps", "flexor")
    parts.remove_part(limb, "fat")
    bones.group_bones(limb, "arm", ["humerus", "ulna"])
    assert scene_text(limb.data) == before


def test_a_part_of_a_folder_is_where_its_file_is(tmp_path: Path) -> None:
    document = Document(write_limb(tmp_path), parse(SCENE, "")[0])
    assert document.file("ulna").is_file()
