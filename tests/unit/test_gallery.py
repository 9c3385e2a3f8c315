"""The models of the gallery: what they are made of, and what is said of them."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from click.testing import CliRunner

from vastus.cli import main
from vastus.cli.demo import OTHERS, sized
from vastus.errors import ModelError
from vastus.modelling import gallery
from vastus.modelling.gallery.members import MEMBERS, Member
from vastus.modelling.sources import SHAPES
from vastus.scene.read import scene_of

SMALL = {"side_by_side": 2_000, "curved": 2_000}


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
