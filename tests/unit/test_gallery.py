"""The models of the gallery: what they are made of, and what is said of them."""

from __future__ import annotations

import inspect
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from vastus.cli import main
from vastus.cli.demo import OTHERS
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import FACES
from vastus.measure.overlap import penetrations
from vastus.model import Model
from vastus.modelling import gallery
from vastus.modelling.build import build
from vastus.modelling.gallery.biceps import DRAWING as BICEPS
from vastus.modelling.gallery.chest import DRAWING as CHEST
from vastus.modelling.gallery.drawn_body import Drawing, _part, size_for, surfaces_of
from vastus.modelling.gallery.labelled_body import (
    along,
    annulus,
    ball_piece,
    ellipsoid_piece,
    grid,
    star,
)
from vastus.modelling.gallery.leg import BONES
from vastus.modelling.gallery.leg import DRAWING as LEG
from vastus.modelling.gallery.members import MEMBERS, Member
from vastus.modelling.gallery.picker import AXLES, WHEEL
from vastus.modelling.gallery.skull import DRAWING as SKULL
from vastus.modelling.gallery.upper_arm import DRAWING as UPPER_ARM
from vastus.modelling.shapes.arm import REST_FLEXION, SHOULDER_CENTRE
from vastus.modelling.shapes.implicit import ball, join
from vastus.modelling.shapes.right_arm import ELBOW_AXIS, FOREARM
from vastus.modelling.sources import SHAPES
from vastus.modelling.surfaces.mesher import tets_needed
from vastus.numerics.rotation import exp_map
from vastus.numerics.types import Floats
from vastus.parts import ContactKind
from vastus.scene.read import scene_of
from vastus.scene.selection import ContactPart
from vastus.schedules import keyframes
from vastus.skeleton.joints import Hinge
from vastus.solvers.problem import Problem, Reduction
from vastus.state import rest

DRAWINGS = {drawing.name: drawing for drawing in (BICEPS, CHEST, LEG, SKULL, UPPER_ARM)}
SMALL = {
    "side_by_side": 2_000,
    "curved": 2_000,
    "wheel": 3_000,
    "elephant": 8_000,
    "gripper": 9_000,
    "hand": 6_000,
    "picker": 12_000,
    "swimmer": 8_000,
}
SCRAPE = 2e-4  # [m] that facets of two round joint surfaces may be in each other while they turn
DEEP = 1e-3  # [m] that a demo allows; elbows of coarser bones turn less far than this in scenes
CREATURES = ("wheel", "elephant", "gripper", "hand", "picker", "swimmer")


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
    assert "tets: 5000" in MEMBERS["curved"].sized(5000)
    assert MEMBERS["curved"].sized(None) == MEMBERS["curved"].scene
    # The comment of a scene may speak of a number of tets too.
    assert "tets: 5000}" in MEMBERS["fusiform"].sized(5000)


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
    assert set(drawing.muscles).issuperset((*drawing.heads, *drawing.fascia, *drawing.gaps))
    assert bones.issuperset(drawing.coarse)


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=list(DRAWINGS))
def test_a_drawing_has_the_bones_and_muscles_of_its_member(drawing: Drawing) -> None:
    size = MEMBERS[drawing.name].size
    muscles = {drawing.heads.get(name, name) for name in drawing.muscles}
    assert (len(drawing.bodies), len(muscles)) == (size.bones, size.muscles)


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=list(DRAWINGS))
def test_contact_keeps_muscles_of_drawings_apart(drawing: Drawing) -> None:
    contact = scene_of(MEMBERS[drawing.name].scene.encode(), Path("scene.yaml")).description.contact
    if isinstance(contact, ContactPart):
        assert contact.muscles in (None, ContactKind.BARRIER)
        # One that is found would be half of the smallest at rest, and cut every step short.
        assert contact.gap is not None
    else:
        assert contact is None


def test_fibres_may_begin_in_less_than_what_is_fixed() -> None:
    shell = Surface(np.zeros((3, 3)), np.array([[0, 1, 2]]))
    part = _part(UPPER_ARM, "brachialis", shell, 0.01)
    assert part.ends.caps == (0.6, 0.15)
    assert part.ends.fibre_caps == (0.2, 0.15)
    assert _part(UPPER_ARM, "triceps long", shell, 0.01).ends.fibre_caps is None


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


@pytest.mark.slow
def test_the_pectoralis_ends_evenly_along_the_breastbone() -> None:
    """A tooth of a frayed edge is a tet that lies on the bone and is bare on two sides."""
    model = gallery.chest()
    skin = {tuple(face) for face in np.sort(model.mesh.boundary, axis=1).tolist()}
    cage = np.unique(model.mesh.T[model.tets_of(("cage",))])
    T = model.mesh.T[model.tets_of(("pectoralis", "pectoralis tendon"))]
    bare = [[tuple(f) in skin for f in faces] for faces in np.sort(T[:, FACES], axis=2).tolist()]
    teeth = (np.sum(bare, axis=1) >= 2) & (np.isin(T, cage).sum(axis=1) >= 2)
    assert teeth.sum() < 10  # a gap of 3 mm leaves twice as many


@pytest.mark.slow
@pytest.mark.parametrize("name", CREATURES)
def test_creatures_have_the_tets_of_their_scene_within_a_quarter(name: str) -> None:
    model = SHAPES[name]()
    assert abs(model.mesh.n_tets / MEMBERS[name].size.tets - 1) < 0.25
    assert (model.mesh.volumes > 0).all()
    assert model.mesh.quality().min_dihedral[model.soft].min() > 2


@pytest.mark.parametrize("name", CREATURES)
def test_fibres_of_creatures_are_unit_vectors_in_their_muscles_alone(name: str) -> None:
    model = SHAPES[name](tets=SMALL[name])
    size = np.linalg.norm(model.fibre, axis=1)
    np.testing.assert_allclose(size[model.contractile], 1.0, rtol=1e-9)
    assert not size[~model.contractile].any()


@pytest.mark.parametrize("name", CREATURES)
def test_bones_of_creatures_are_apart_and_share_no_vertices(name: str) -> None:
    """A vertex of two bones would lock them, and bones in each other cannot be told apart."""
    model = SHAPES[name](tets=SMALL[name])
    owners = [np.unique(model.mesh.T[model.tets_of(bone.regions)]) for bone in model.bones]
    assert len(np.unique(np.concatenate(owners))) == sum(len(own) for own in owners)


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in DRAWINGS else n for n in MEMBERS],
)
def test_bones_do_not_lie_in_each_other_at_rest(name: str) -> None:
    model = SHAPES[name](tets=SMALL.get(name, 6_000))
    assert bony_pairs(model, model.mesh.X) == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "bound"), [("biceps", SCRAPE), ("chest", DEEP), ("upper_arm", DEEP)]
)
def test_the_forearm_turns_clear_of_the_humerus(name: str, bound: float) -> None:
    """From the straight arm to farther than any scene bends it."""
    model = SHAPES[name]()
    own = np.unique(model.mesh.T[model.tets_of(FOREARM)])
    for angle in np.radians([0.0, 20.0, 40.0, 60.0, 80.0, 100.0, 115.0]) - REST_FLEXION:
        X = model.mesh.X.copy()
        X[own] = X[own] @ exp_map(angle * ELBOW_AXIS).T
        assert bony_pairs(model, X).get(("humerus", "forearm"), 0.0) < bound


@pytest.mark.slow
@pytest.mark.parametrize("axis", [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)])
def test_the_upper_arm_of_the_biceps_swings_clear_of_its_socket(axis: tuple[int, ...]) -> None:
    """Each way as far as its scene lifts it."""
    model = gallery.biceps()
    own = np.unique(model.mesh.T[model.tets_of(("humerus", *FOREARM))])
    for angle in np.radians([5.0, 10.0, 15.0]):
        X, R = model.mesh.X.copy(), exp_map(angle * np.array(axis))
        X[own] = (X[own] - SHOULDER_CENTRE) @ R.T + SHOULDER_CENTRE
        assert bony_pairs(model, X).get(("scapula", "humerus"), 0.0) < SCRAPE


def test_the_jaw_of_the_elephant_opens_clear_of_its_skull() -> None:
    model = gallery.elephant(tets=8_000)
    (mouth,) = model.joints
    assert isinstance(mouth, Hinge)
    own = np.unique(model.mesh.T[model.tets_of(("jaw",))])
    for angle in np.radians([5.0, 10.0, 20.0, 30.0]):
        X, R = model.mesh.X.copy(), exp_map(angle * mouth.axis)
        X[own] = (X[own] - mouth.centre) @ R.T + mouth.centre
        assert bony_pairs(model, X) == {}


@pytest.mark.slow
def test_the_femur_of_the_leg_swings_clear_of_its_socket() -> None:
    """To where the hamstrings draw it in the scene, and a quarter farther."""
    model = gallery.leg()
    own = np.unique(model.mesh.T[model.tets_of(("femur",))])
    hip = next(joint for joint in model.joints if joint.name == "hip")
    for share in (0.0, 0.5, 1.0, 1.25):
        X, R = model.mesh.X.copy(), exp_map(share * np.array([-0.20, 0.15, 0.09]))
        X[own] = (X[own] - hip.centre) @ R.T + hip.centre
        found = bony_pairs(model, X)
        assert ("pelvis", "femur") not in found


def test_the_wheels_of_the_picker_turn_as_far_as_its_trolley_goes() -> None:
    """What hangs on the trolley moves along, and the ring of rails, wheels and trolley closes."""
    model = gallery.picker(tets=SMALL["picker"])
    keys = keyframes(model, joints={"roll": [(0, 0), (1, 0.1)]}, seconds=1, fps=1)
    poses = Problem(model, Reduction()).driven(rest(model), keys[-1]).poses
    shifts = {name: poses[model.bone(name)][:, 3] for name in ("trolley", "palm", "apple")}
    np.testing.assert_allclose(shifts["trolley"], [0.1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(shifts["palm"], [0.1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(shifts["apple"], 0.0, atol=1e-12)
    for name in AXLES:
        turn = exp_map(np.array([0.0, 0.1 / WHEEL, 0.0]))
        np.testing.assert_allclose(poses[model.bone(name), :, :3], turn, atol=1e-9)


def bony_pairs(model: Model, x: Floats) -> dict[tuple[str, str], float]:
    """How deep [m] bones lie in each other."""
    found = penetrations(model, x)
    return {(p.one, p.other): p.depth for p in found if model.bony(p.one) and model.bony(p.other)}


def test_a_straight_grid_is_a_box_with_fibres_along_it() -> None:
    line = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.2, 0.0, 0.0]])
    bar = grid((8, 2, 2), along(line, np.full((3, 2), 0.01), (0.0, 1.0, 0.0), 400.0), "bar")
    assert bar.mesh.volumes.sum() == pytest.approx(0.2 * 0.02 * 0.02, rel=0.01)
    np.testing.assert_allclose(bar.fibre, np.tile([1.0, 0.0, 0.0], (bar.mesh.n_tets, 1)), atol=1e-6)


def test_a_closed_grid_is_a_ring_without_a_seam() -> None:
    place = annulus(0.03, lambda angle: np.full_like(angle, 0.05), 0.02)
    ring = grid((64, 2, 2), place, "ring", closed=True)
    assert ring.mesh.volumes.sum() == pytest.approx(np.pi * (0.05**2 - 0.03**2) * 0.02, rel=0.01)
    assert Surface(ring.mesh.X, ring.mesh.boundary).closed


def test_a_grid_that_folds_over_is_refused() -> None:
    with pytest.raises(ModelError, match="'bar' folds over in 84 tets"):
        grid((8, 2, 2), lambda U: U * [1.0, 1.0, 0.0] + U[:, [2]] * (U[:, [0]] - 0.5), "bar")


def test_a_ball_of_a_core_and_shells_is_closed_and_well_shaped() -> None:
    round_ = ellipsoid_piece((0.0, 0.0, 0.1), (0.03, 0.03, 0.03), 0.004, "ball")
    assert round_.mesh.volumes.sum() == pytest.approx(4 / 3 * np.pi * 0.03**3, rel=0.04)
    assert Surface(round_.mesh.X, round_.mesh.boundary).closed
    assert round_.mesh.quality().min_dihedral.min() > 15


def test_a_star_ends_where_its_field_is_zero() -> None:
    field = join(ball((0.0, 0.0, 0.0), 0.05), ball((0.04, 0.0, 0.0), 0.03), blend=0.02)
    solid = ball_piece(6, star(field, (0.01, 0.0, 0.0), 0.1), "solid")
    skin = solid.mesh.X[np.unique(solid.mesh.boundary)]
    np.testing.assert_allclose(field(skin), 0.0, atol=1e-6)
    assert (solid.mesh.volumes > 0).all()


@pytest.mark.parametrize(
    ("solver", "friction", "soft"),
    [("dynamic", 0.9, "none"), ("newton", 0.9, "none"), ("explicit", 0.9, "none")],
)
def test_a_shape_keeps_its_contact_unless_a_scene_says_otherwise(
    solver: str, friction: float, soft: str
) -> None:
    text = f"vastus: 1\nname: h\nmodel: {{shape: hand, tets: 3000}}\nsolver: {{kind: {solver}}}\n"
    found = build(scene_of(text.encode(), Path("h.yaml"))).contact
    assert found is not None
    assert (found.friction, found.muscles) == (friction, soft)
    other = build(scene_of((text + "contact: {friction: 0.2}\n").encode(), Path("h.yaml"))).contact
    assert other is not None
    assert other.friction == 0.2


def test_a_contact_that_a_solver_cannot_have_is_not_kept() -> None:
    text = "vastus: 1\nname: w\nmodel: {shape: wheel, tets: 3000}\nsolver: {kind: explicit}\n"
    found = build(scene_of(text.encode(), Path("w.yaml"))).contact
    assert found is not None
    assert found.muscles == "none"
