"""The models of the gallery: what they are made of, and what is said of them."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from vastus.cli import main
from vastus.cli.demo import OTHERS, sized
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.modelling import gallery
from vastus.modelling.gallery.biceps import DRAWING as BICEPS
from vastus.modelling.gallery.chest import DRAWING as CHEST
from vastus.modelling.gallery.drawn_body import Drawing, size_for, surfaces_of
from vastus.modelling.gallery.leg import BONES
from vastus.modelling.gallery.leg import DRAWING as LEG
from vastus.modelling.gallery.members import MEMBERS, Member
from vastus.modelling.gallery.skull import DRAWING as SKULL
from vastus.modelling.gallery.upper_arm import DRAWING as UPPER_ARM
from vastus.modelling.sources import SHAPES
from vastus.modelling.surfaces.mesher import tets_needed
from vastus.scene.read import scene_of

SMALL = {"side_by_side": 2_000, "curved": 2_000}
DRAWINGS = {drawing.name: drawing for drawing in (BICEPS, CHEST, LEG, SKULL, UPPER_ARM)}


@pytest.mark.parametrize("member", MEMBERS.values(), ids=list(MEMBERS))
def test_every_member_has_a_shape_and_a_scene_of_its_name(member: Member) -> None:
    scene = scene_of(member.scene.encode(), Path(f"{member.name}.yaml"))
    assert member.name in SHAPES
    assert scene.name == member.name
    assert f"tets: {member.size.tets}" in member.scene
    assert member.scene.startswith("# ")


@pytest.mark.parametrize("member", MEMBERS.values(), ids=list(MEMBERS))
def test_a_shape_has_the_tets_of_its_member_unless_told(member: Member) -> None:
    if member.name in vars(gallery):
        assert inspect.signature(SHAPES[member.name]).parameters["tets"].default == member.size.tets


@pytest.mark.parametrize(("name", "tets"), SMALL.items())
def test_small_members_have_about_the_tets_that_are_asked_for(name: str, tets: int) -> None:
    model = SHAPES[name](tets=tets)
    assert 0.6 * tets < model.mesh.n_tets < 1.6 * tets
    assert (len(model.bones), len(model.muscles)) == (
        MEMBERS[name].size.bones,
        MEMBERS[name].size.muscles,
    )


def test_the_list_names_all_demos() -> None:
    done = CliRunner().invoke(main, ["demo", "--list"])
    assert done.exit_code == 0
    assert all(name in done.stdout for name in (*OTHERS, *MEMBERS))


def test_a_misspelt_demo_is_one_sentence() -> None:
    done = CliRunner().invoke(main, ["demo", "elephnt"])
    assert done.exit_code == 2
    assert "no demo 'elephnt'" in done.stderr


def test_a_scene_takes_another_number_of_tets() -> None:
    assert "tets: 5000" in sized(MEMBERS["curved"].scene, 5000)
    assert sized(MEMBERS["curved"].scene, None) == MEMBERS["curved"].scene


def test_an_unknown_option_of_a_shape_is_one_sentence() -> None:
    with pytest.raises(ModelError, match=r"curved: .*wieght"):
        gallery.curved(wieght=3.0)  # type: ignore[call-arg]


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=list(DRAWINGS))
def test_a_drawing_names_only_what_it_has(drawing: Drawing) -> None:
    bones = {bone for body in drawing.bodies.values() for bone in body}
    for muscle in drawing.muscles.values():
        assert bones.issuperset((*muscle.origins, *muscle.insertions))
        assert bones.issuperset(seam.bone for seam in muscle.seams)
    for joint in drawing.joints:
        assert set(drawing.bodies).issuperset(joint.bones)
    assert set(drawing.bodies).issuperset((*drawing.pinned, *drawing.masses))
    assert set(drawing.muscles).issuperset((*drawing.heads, *drawing.fascia))
    assert bones.issuperset(drawing.coarse)


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=list(DRAWINGS))
def test_a_drawing_has_the_bones_and_muscles_of_its_member(drawing: Drawing) -> None:
    size = MEMBERS[drawing.name].size
    muscles = {drawing.heads.get(name, name) for name in drawing.muscles}
    assert (len(drawing.bodies), len(muscles)) == (size.bones, size.muscles)


def test_the_edge_of_tets_gives_their_number() -> None:
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) / 10
    shells = {"skull": Surface(corners, np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]))}
    size = size_for(SKULL, shells, 5_000)
    found = tets_needed(shells["skull"], SKULL.coarse["skull"] * size)
    assert SKULL.share * float(found) == pytest.approx(5_000, rel=1e-6)


def test_surfaces_of_a_drawing_are_closed_and_muscles_give_way_to_bones() -> None:
    bones = {name: BONES[name] for name in ("tibia", "fibula")}
    found = surfaces_of(bones, {}, cell=6.0)
    for surface in found.values():
        assert surface.volume > 1e-5
        assert np.ptp(surface.X[:, 2]) == pytest.approx(0.37, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "tets"), [(name, MEMBERS[name].size.tets) for name in DRAWINGS])
def test_drawn_members_have_about_the_tets_that_are_asked_for(name: str, tets: int) -> None:
    model = SHAPES[name]()
    size = MEMBERS[name].size
    assert abs(model.mesh.n_tets - tets) < 0.25 * tets
    assert (len(model.bones), len(model.muscles)) == (size.bones, size.muscles)
    assert (model.mesh.volumes > 0).all()
    for body, mass in DRAWINGS[name].masses.items():
        tets_of = model.tets_of(DRAWINGS[name].bodies[body])
        density = np.array([region.density for region in model.regions])[model.region[tets_of]]
        assert float(density @ model.mesh.volumes[tets_of]) == pytest.approx(mass, rel=1e-6)
