"""The procedural models."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components

from vastus.cache import Store
from vastus.errors import ModelError
from vastus.geometry.queries import locate
from vastus.geometry.surface import Surface
from vastus.materials import ActiveFibre, StableNeoHookean
from vastus.model import Model
from vastus.modelling import shapes
from vastus.modelling.build import built
from vastus.modelling.fibres.laplace import ill_directed
from vastus.modelling.shapes import Materials, bar, bipennate, elbow, fusiform, torus
from vastus.numerics.types import Ints
from vastus.parts import Drive, Tissue
from vastus.scene.read import scene_of
from vastus.skeleton.joints import Hinge

Shape = Callable[..., Model]
SHAPES = [bar, fusiform, bipennate, elbow]
# The least dihedral angle [deg] of soft tets; bones are rigid, and may have worse ones.
COARSE = {bar: 35, fusiform: 12, bipennate: 3, elbow: 6}
FINE = {bar: 35, fusiform: 18, bipennate: 11, elbow: 6}


@pytest.fixture(scope="module")
def arm() -> Model:
    return elbow(12_000)


def tets_of_tissue(model: Model, tissue: Tissue) -> Ints:
    return np.flatnonzero(model.is_tissue(tissue))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("tets", [2_000, 5_000, 12_000, 50_000])
def test_a_shape_has_about_the_requested_tets_and_none_is_bad(shape: Shape, tets: int) -> None:
    model = shape(tets)
    assert model.mesh.n_tets == pytest.approx(tets, rel=0.15)
    assert model.mesh.volumes.min() > 0
    assert len(model.mesh.unused) == 0
    angles = model.mesh.quality().min_dihedral
    assert angles[model.soft].min() > (COARSE if tets < 10_000 else FINE)[shape]
    assert angles.min() > 2


@pytest.mark.parametrize("shape", SHAPES)
def test_too_few_tets_are_refused(shape: Shape) -> None:
    with pytest.raises(ModelError, match="cannot build a shape of 7 tets"):
        shape(7)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_muscle_and_tendon_tet_has_a_unit_fibre(shape: Shape) -> None:
    model = shape(3_000)
    length = np.linalg.norm(model.fibre[model.soft], axis=1)
    assert length == pytest.approx(np.ones(len(model.soft)))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_materials_can_be_replaced(shape: Shape) -> None:
    soft = StableNeoHookean(young=1e4, poisson=0.4)
    muscle, tendon = (soft, ActiveFibre()), (soft,)
    chosen = Materials(muscle, tendon, strength=1e5, aponeurosis=tendon)
    model = shape(2_000, materials=chosen)
    assert {m.strength for m in model.muscles} == {1e5}
    assert all(r.laws[0] is soft for r in model.regions if r.tissue is not Tissue.BONE)


def test_the_bar_is_a_box_with_fibres_along_x_clamped_at_its_start() -> None:
    model = bar(2_000, length=0.3, width=0.05)
    assert model.mesh.volumes.sum() == pytest.approx(0.3 * 0.05**2)
    assert (model.fibre == [1, 0, 0]).all()
    held = model.pins[0].vertices
    assert (model.mesh.X[held, 0] == 0).all()
    assert len(held) == (model.mesh.X[:, 0] == 0).sum()


def test_a_passive_bar_has_no_muscle_and_no_active_law() -> None:
    model = bar(2_000, active=False)
    assert model.muscles == ()
    assert not any(law.active for law in model.regions[0].laws)


def test_the_fusiform_muscle_hangs_between_a_pinned_and_a_free_bone() -> None:
    model = fusiform(5_000)
    assert [b.drive for b in model.bones] == [Drive.PINNED, Drive.FREE]
    heights = [model.mesh.centroids[model.tets_of([b.name]), 2].mean() for b in model.bones]
    assert heights[0] > heights[1]
    assert model.mesh.components.max() == 0


def test_fusiform_fibres_follow_the_axis_from_the_upper_to_the_lower_bone() -> None:
    model = fusiform(12_000)
    belly = model.tets_of(["belly"])
    down = -model.fibre[belly, 2]
    assert down.min() > np.cos(np.radians(30))
    assert (down * model.mesh.volumes[belly]).sum() / model.mesh.volumes[belly].sum() > 0.98
    # They spread with the belly: on the upper half they run outwards, on the lower half inwards.
    x, z = model.mesh.centroids[belly][:, 0], model.mesh.centroids[belly][:, 2] - 0.075
    assert (model.fibre[belly, 0] * x * z).sum() > 0


@pytest.mark.parametrize("tets", [2_000, 12_000])
@pytest.mark.parametrize("pennation", [5.0, 15.0, 25.0, 35.0, 45.0])
def test_the_mean_pennation_is_the_one_asked_for(pennation: float, tets: int) -> None:
    model = bipennate(tets, pennation=pennation)
    belly = model.tets_of(["belly"])
    angle = np.degrees(np.arccos(-model.fibre[belly, 2]))
    mean = np.average(angle, weights=model.mesh.volumes[belly])
    assert mean == pytest.approx(pennation, abs=0.1)


@pytest.mark.parametrize("pennation", [15.0, 25.0])
def test_bipennate_fibres_run_inwards_at_the_pennation_angle(pennation: float) -> None:
    model = bipennate(12_000, pennation=pennation)
    belly = model.tets_of(["belly"])
    fibre, weight = model.fibre[belly], model.mesh.volumes[belly]
    angle = np.degrees(np.arccos(-fibre[:, 2]))
    middle = abs(model.mesh.centroids[belly, 2] - 0.075) < 0.03
    assert np.average(angle[middle], weights=weight[middle]) == pytest.approx(pennation, abs=5)
    inwards = -fibre[:, 0] * model.mesh.centroids[belly, 0] > 0
    assert weight[inwards & middle].sum() > 0.9 * weight[middle].sum()


def test_the_bipennate_muscle_has_room_below_its_sheets_for_the_cord_to_move_up() -> None:
    """Where the room is less than twice the way of the cord, muscle is folded into a collar."""
    model = bipennate(12_000)
    sheets = model.tets_of(["upper tendon"])
    lowest = model.mesh.X[model.mesh.T[sheets], 2].min()
    assert lowest > 0.23 * 0.15


def test_an_impossible_pennation_is_refused() -> None:
    with pytest.raises(ModelError, match="pennation is 80"):
        bipennate(pennation=80.0)


def test_the_elbow_has_the_proportions_of_an_adult(arm: Model) -> None:
    X, T = arm.mesh.X, arm.mesh.T
    extent = {r.name: np.ptp(X[T[arm.tets_of([r.name])].ravel()], axis=0) for r in arm.regions}
    assert 0.30 < extent["humerus"][2] < 0.34
    assert 0.24 < np.linalg.norm(extent["ulna"][1:]) < 0.30
    assert 0.14 < extent["biceps"][2] < 0.20
    assert 0.03 < extent["biceps"][0] < 0.055
    volume = {r.name: arm.mesh.volumes[arm.tets_of([r.name])].sum() for r in arm.regions}
    assert 1.4e-4 < volume["biceps"] < 3.7e-4
    assert volume["triceps"] > volume["biceps"]


def test_the_forearm_weighs_what_it_is_told(arm: Model) -> None:
    for model, mass in ((arm, 1.5), (elbow(2_000, forearm_mass=2.0), 2.0)):
        density = np.array([r.density for r in model.regions])[model.region]
        tets = model.tets_of(["ulna", "radius", "hand"])
        assert (density * model.mesh.volumes)[tets].sum() == pytest.approx(mass)


def test_the_hinge_lies_within_the_condyles_along_the_body(arm: Model) -> None:
    hinge = arm.joints[0]
    assert isinstance(hinge, Hinge)
    humerus, _ = arm.mesh.submesh(arm.tets_of(["humerus"]))
    on_axis = hinge.centre + np.outer([-0.02, 0.0, 0.02], hinge.direction)
    assert (locate(humerus, on_axis).tets >= 0).all()
    assert hinge.direction == pytest.approx([1, 0, 0])


@pytest.mark.parametrize("tets", [2_000, 12_000])
def test_no_piece_of_a_bone_is_detached_from_the_rest(tets: int) -> None:
    model = elbow(tets)
    for bone in model.bones:
        mesh, _ = model.mesh.submesh(model.tets_of(bone.regions))
        pieces = [
            mesh.submesh(np.flatnonzero(mesh.components == k))[0] for k in set(mesh.components)
        ]
        meet = np.array([[(locate(a, b.X).tets >= 0).any() for a in pieces] for b in pieces])
        assert connected_components(meet, directed=False)[0] == 1, bone.name


def test_muscles_are_fixed_to_bones_at_both_ends(arm: Model) -> None:
    for muscle in range(2):
        own = np.unique(arm.mesh.T[arm.muscle_of_tet == muscle])
        holders = {arm.bones[b].name for b in arm.bone_of_vertex[own] if b >= 0}
        assert holders == {"humerus", "scapula", "forearm"}
    for bone in arm.bones:
        solid, _ = arm.mesh.submesh(tets_of_tissue(arm, Tissue.BONE))
        sunk = locate(solid, arm.mesh.X[bone.attached]).tets >= 0
        assert sunk.any(), bone.name


def test_muscles_overlap_neither_bones_nor_each_other(arm: Model) -> None:
    held = arm.bone_of_vertex[arm.mesh.T] >= 0
    bones = arm.mesh.submesh(tets_of_tissue(arm, Tissue.BONE))[0]
    for muscle in range(2):
        loose = np.flatnonzero((arm.muscle_of_tet == muscle) & ~held.any(axis=1))
        other = arm.mesh.submesh(np.flatnonzero(arm.muscle_of_tet == 1 - muscle))[0]
        for obstacle in (bones, other):
            assert not (locate(obstacle, arm.mesh.centroids[loose]).tets >= 0).any()


def test_fibres_of_the_arm_run_down_its_muscles(arm: Model) -> None:
    for name in ("biceps", "triceps"):
        tets = arm.tets_of([name])
        assert (arm.fibre[tets, 2] < -0.7).all()
        assert ill_directed(arm.mesh, tets, arm.fibre[tets]) == 0


def test_the_biceps_passes_in_front_of_the_axis_and_the_triceps_behind(arm: Model) -> None:
    near = np.abs(arm.mesh.centroids[:, 2] - 0.02) < 0.01
    y = arm.mesh.centroids[:, 1]
    assert y[near & (arm.muscle_of_tet == 0)].min() > 0.025
    assert y[near & (arm.muscle_of_tet == 1)].max() < -0.015


@pytest.mark.parametrize(
    ("shape", "option"), [("bar", "width"), ("fusiform", "length"), ("bipennate", "radius")]
)
@pytest.mark.parametrize("value", [0.0, -0.02, float("nan")])
def test_a_shape_of_no_size_is_refused(shape: str, option: str, value: float) -> None:
    with pytest.raises(ModelError, match=f"{shape}: {option} is .*above 0"):
        getattr(shapes, shape)(**{option: value})


EVERY = [*SHAPES, shapes.arm]


@pytest.mark.parametrize("shape", EVERY)
@pytest.mark.parametrize("value", ["many", None, [2_000], True, 2j])
def test_a_first_argument_that_is_no_number_is_refused(shape: Shape, value: object) -> None:
    name = shape.__name__
    size = "size" if name == "arm" else "tets"
    with pytest.raises(ModelError) as refused:
        shape(value)
    assert str(refused.value) == f"{name}: {size} is {value!r}; it must be a number"


@pytest.mark.parametrize("shape", EVERY)
def test_an_unknown_option_is_refused_with_those_that_exist(shape: Shape) -> None:
    with pytest.raises(ModelError, match=rf"^{shape.__name__}: no option 'tetss'; options: "):
        shape(tetss=2_000)


@pytest.mark.parametrize("shape", EVERY)
def test_two_arguments_without_a_name_are_refused(shape: Shape) -> None:
    with pytest.raises(ModelError, match="all options but the first need their names: "):
        shape(2_000, 0.1)


@pytest.mark.parametrize("shape", SHAPES)
def test_materials_that_are_none_are_refused(shape: Shape) -> None:
    with pytest.raises(ModelError, match="materials is 5; it must be Materials"):
        shape(2_000, materials=5)


def test_active_is_true_or_false() -> None:
    with pytest.raises(ModelError, match="bar: active is 'yes'; it must be True or False"):
        bar(active="yes")  # type: ignore[arg-type]


@pytest.mark.parametrize("shape", [elbow, shapes.arm])
@pytest.mark.parametrize("mass", [0.0, -1.5, float("inf")])
def test_a_forearm_of_no_mass_is_refused(shape: Shape, mass: float) -> None:
    with pytest.raises(ModelError, match=r"forearm_mass is .*it must be finite and above 0"):
        shape(forearm_mass=mass)


@pytest.mark.parametrize("tets", [-1, float("nan"), float("inf"), 10**9])
def test_a_number_of_tets_that_no_shape_has_is_refused(tets: float) -> None:
    for shape in SHAPES:
        with pytest.raises(ModelError, match=r"cannot build a shape of .* tets; ask for 1000 to"):
            shape(tets)


def test_numbers_of_numpy_are_numbers() -> None:
    assert bar(np.int64(2_000), length=np.float32(0.2)).mesh.n_tets > 1_000


@pytest.mark.parametrize("keeps", [True, False])
def test_the_arm_of_a_scene_is_kept_and_told_like_any_other_build(
    keeps: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The attribute of the package is the function of the same name.
    module = import_module("vastus.modelling.shapes.arm")
    made = bar(2_000)
    monkeypatch.setattr(module, "arm_surfaces", _no_surfaces)
    monkeypatch.setattr(module, "body_of", lambda *_: SimpleNamespace(model=made))
    monkeypatch.setattr(module, "_weighed", lambda model, _: model.regions)
    monkeypatch.setattr(module, "BODIES", {"humerus": (), "forearm": ()})
    told: list[str] = []
    scene = scene_of(b"{vastus: 1, model: {shape: arm}}", tmp_path / "scene.yaml")
    built(scene, store=Store(tmp_path / "kept") if keeps else None, watch=told.append)
    assert told == ["surfaces", "surfaces: ulna, 1 of 1"]
    assert (tmp_path / "kept").exists() == keeps


def _no_surfaces(*, watch: Callable[[str], None]) -> dict[str, Surface]:
    watch("ulna, 1 of 1")
    return {}


def test_a_torus_is_one_closed_ring() -> None:
    """Its volume is 2 pi^2 R r^2, its surface closed with a hole, and as many tets as asked for."""
    model = torus(8_000, radius=0.05, thickness=0.03, height=0.1, tilt=30.0)
    assert model.mesh.n_tets == pytest.approx(8_000, rel=0.2)
    right = 2 * np.pi**2 * 0.05 * 0.015**2
    assert model.mesh.volumes.sum() == pytest.approx(right, rel=0.06)
    faces = model.mesh.boundary
    edges = np.unique(np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
    assert len(np.unique(faces)) - len(edges) + len(faces) == 0
    assert model.mesh.X.mean(axis=0) == pytest.approx([0.0, 0.0, 0.1], abs=1e-9)
    with pytest.raises(ModelError, match="has no hole"):
        torus(thickness=0.1)
