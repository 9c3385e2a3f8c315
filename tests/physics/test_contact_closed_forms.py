"""Contact with bones against closed forms: pressing, indenting, weighing; and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from builders import WEIGHTLESS, box, carve, hinge, inputs_of, nodal_forces, pair, rollers
from vastus.contact.distance import DistanceContact
from vastus.contact.prepare import bone_contact, obstacles, pressure_of
from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh, together
from vastus.inputs import Inputs
from vastus.materials import NeoHookean
from vastus.materials.neo_hookean import lame
from vastus.measure.contact_outputs import ContactOutputs
from vastus.model import Model
from vastus.modelling.build import build
from vastus.numerics.types import Floats
from vastus.parts import Bone, Contact, ContactKind, Drive, Pin, Region, Tissue
from vastus.scene.read import scene_of
from vastus.scene.scene import Scene
from vastus.scene.schema import SceneError
from vastus.schedules import keyframes
from vastus.skeleton.affine import Affine
from vastus.skeleton.joints import Hinge, Slider
from vastus.solvers.newton import Newton
from vastus.solvers.problem import Configuration, Problem, Reduction
from vastus.state import State, rest
from vastus.timeloop import simulate

YOUNG, POISSON = 8e4, 0.3
DOWN = np.array([0.0, 0.0, -9.81])
PLATE = (0.04, 0.04, 0.02)  # [m], wider than what it touches: the field rounds its edges


def joined(tissue: TetMesh, *bones: TetMesh, drive: Drive, **fields: object) -> Model:
    """The passive region 'block' and the bones 'plate' and 'post', apart; a post is pinned."""
    meshes, named = (tissue, *bones), ("plate", "post")[: len(bones)]
    mesh = together(*meshes)
    drives = {"plate": drive, "post": Drive.PINNED}
    given: dict[str, object] = {
        "gravity": WEIGHTLESS,
        "bones": tuple(Bone(name, (name,), drives[name]) for name in named),
    }
    return Model(
        mesh,
        np.repeat(np.arange(len(meshes)), [m.n_tets for m in meshes]),
        (
            Region("block", Tissue.PASSIVE, (NeoHookean(YOUNG, POISSON),)),
            *(Region(name, Tissue.BONE, density=1900.0) for name in named),
        ),
        np.zeros((mesh.n_tets, 3)),
        **(given | fields),  # type: ignore[arg-type]
    )


def at(mesh: TetMesh, x: float, y: float, z: float) -> TetMesh:
    return TetMesh(mesh.X + np.array([x, y, z]), mesh.T)


def lowered(model: Model, depth: float) -> State:
    """The equilibrium with the plate scripted down by a depth [m]."""
    poses = Inputs.rest(model).poses.copy()
    poses[0, 2, 3] = -depth
    state, report = (
        Newton(tolerance=1e-10).prepare(model).step(rest(model), inputs_of(model, poses))
    )
    assert report.converged
    return state


def uniaxial(stretch: float, area: float) -> float:
    """The force [N] that shortens a neo-Hookean bar whose sides are free to this stretch."""
    mu, lam = lame(YOUNG, POISSON)

    def principal(one: float, volume: float) -> float:
        return mu * (one - 1 / one) + lam * np.log(volume) / one

    side = brentq(lambda s: principal(s, s * s * stretch), 0.5, 2.0, xtol=1e-15)
    return -area * principal(stretch, side * side * stretch)


@pytest.fixture(scope="module")
def plates() -> dict[float, tuple[float, float, float]]:
    """By gap: height of a block under a plate lowered by 0.5 mm, its spread, and the force."""
    found = {}
    for gap in (5e-4, 2e-4, 5e-5):
        tissue = box((4, 4, 2), (0.02, 0.02, 0.01))
        model = joined(
            tissue,
            at(box((2, 2, 1), PLATE), -0.01, -0.01, 0.01 + gap),
            drive=Drive.SCRIPTED,
            pins=rollers(tissue),
            contact=Contact(gap=gap, pressure=1e5),
        )
        state = lowered(model, gap + 5e-4)
        top = state.x[np.flatnonzero(tissue.X[:, 2] == tissue.X[:, 2].max()), 2]
        force = ContactOutputs(model).of(state)["block_plate_contact_N"]
        floor = np.flatnonzero(tissue.X[:, 2] == 0)
        assert nodal_forces(model, state)[floor, 2].sum() == pytest.approx(force, rel=1e-9)
        found[gap] = float(top.mean()), float(np.ptp(top)), force
    return found


def test_a_plate_presses_a_block_as_the_closed_form_says(
    plates: dict[float, tuple[float, float, float]],
) -> None:
    for height, spread, force in plates.values():
        assert spread < 1e-4 * (0.01 - height)
        assert force == pytest.approx(uniaxial(height / 0.01, 4e-4), rel=1e-5)


def test_what_the_gap_adds_to_the_plate_falls_with_it(
    plates: dict[float, tuple[float, float, float]],
) -> None:
    # The plate's own depth is 0.5 mm; the block is shorter by the part of the gap that is left.
    exact = uniaxial(0.95, 4e-4)
    errors = [plates[gap][2] / exact - 1 for gap in sorted(plates)]
    assert 0 < errors[0] < 0.1
    assert errors == sorted(errors)
    assert errors[0] < errors[-1] / 5


# A rigid sphere of radius R on a layer of height R that is bonded below.
R, DEPTH, NEAR = 0.1, 2.5e-3, 1e-4


def graded(cells: int, first: float) -> Floats:
    """Places from 0 to R with cells that grow from a first one by a constant ratio."""
    ratio = brentq(lambda q: first * (q**cells - 1) / (q - 1) - R, 1.0001, 3.0)
    places = np.concatenate([[0.0], np.cumsum(ratio ** np.arange(cells))])
    return np.asarray(R * places / places[-1])


def layer(cells: int, high: int, edge: float) -> TetMesh:
    """A quarter of the layer below z = 0, with small cells where the sphere's lowest point is."""
    mesh = box((cells, cells, high), (cells, cells, high))
    i, j, k = np.rint(mesh.X).astype(int).T
    x, z = graded(cells, edge), graded(high, edge)
    return TetMesh(np.column_stack([x[i], x[j], -z[high - k]]), mesh.T).oriented()


def cap(cells: int = 32, half: float = 0.05) -> TetMesh:
    """The lower part of the sphere, with a flat top, `NEAR` above z = 0."""
    mesh = box((cells, cells, 1), (2 * half, 2 * half, 1.0))
    x, y, z = (mesh.X - [half, half, 0.0]).T
    low = R - np.sqrt(R**2 - x**2 - y**2)
    return TetMesh(np.column_stack([x, y, NEAR + np.where(z < 0.5, low, 0.06)]), mesh.T).oriented()


def hertz(depth: float) -> float:
    """Hertz's force [N] with the factor of a bonded layer of finite height (Dimitriadis 2002)."""
    nu, chi = POISSON, np.sqrt(R * depth) / R
    a = -(1.2876 - 1.4678 * nu + 1.3442 * nu**2) / (1 - nu)
    b = (0.6387 - 1.0277 * nu + 1.5164 * nu**2) / (1 - nu)
    factor = 1 - 2 * a / np.pi * chi + (2 * a / np.pi * chi) ** 2
    factor -= 8 / np.pi**3 * (a**3 + 4 * np.pi**2 / 15 * b) * chi**3
    factor += 16 * a / np.pi**4 * (a**3 + 3 * np.pi**2 / 5 * b) * chi**4
    return float(4 / 3 * YOUNG / (1 - nu**2) * np.sqrt(R) * depth**1.5 * factor)


def indented(cells: int, high: int, across: int) -> float:
    """The error of the force with so many cells across the radius of contact.

    The depth is that of the layer's surface: what is left of the gap is not the layer's.
    """
    tissue = layer(cells, high, np.sqrt(R * DEPTH) / across)
    low = np.flatnonzero(tissue.X[:, 2] == tissue.X[:, 2].min())
    model = joined(
        tissue,
        cap(),
        drive=Drive.SCRIPTED,
        pins=(*rollers(tissue)[:2], Pin("bonded", low)),
        contact=Contact(gap=NEAR, pressure=3e4),
    )
    state = lowered(model, NEAR + DEPTH)
    (middle,) = np.flatnonzero((tissue.X == 0).all(axis=1))
    force = 4 * nodal_forces(model, state)[low, 2].sum()
    return float(force / hertz(-state.x[middle, 2]) - 1)


def test_a_sphere_indents_a_layer_as_hertz_says() -> None:
    coarse, fine = indented(8, 6, 3), indented(12, 9, 5)
    assert 0 < fine < 0.10
    assert fine < 0.7 * coarse


@pytest.mark.slow
def test_a_sphere_indents_a_fine_layer_as_hertz_says() -> None:
    assert 0 < indented(16, 12, 8) < 0.07


GAP = 2e-4


def test_a_block_on_a_bone_is_held_by_its_weight() -> None:
    tissue = box((3, 3, 3), (0.02, 0.02, 0.02))
    model = joined(
        tissue,
        at(box((2, 2, 1), PLATE), -0.01, -0.01, -0.02 - GAP),
        drive=Drive.PINNED,
        pins=rollers(tissue)[:2],
        gravity=DOWN,
        contact=Contact(gap=GAP, pressure=1e4),
    )
    start = rest(model)
    x = start.x - np.where(model.bone_of_vertex[:, None] < 0, [0.0, 0.0, GAP / 2], 0.0)
    stepper = Newton(tolerance=1e-10).prepare(model)
    state, _ = stepper.step(replace(start, x=x), inputs_of(model))
    found = ContactOutputs(model).of(state)
    weight = 1060.0 * 0.02**3 * 9.81
    assert found["block_plate_contact_N"] == pytest.approx(weight, rel=1e-6)
    assert found["block_plate_contact_m2"] == pytest.approx(4e-4)
    assert 0 < found["block_plate_contact_distance_m"] < GAP


def test_a_free_bone_is_carried_by_the_tissue_below_it() -> None:
    """The bone's balance has the contact's reaction in it, the tissue's its action."""
    tissue = box((3, 3, 2), (0.02, 0.02, 0.01))
    model = joined(
        tissue,
        at(box((2, 2, 1), PLATE), -0.01, -0.01, 0.01 + GAP),
        at(box((1, 1, 1), (0.01, 0.01, 0.01)), 0.05, 0.05, 0.0),
        drive=Drive.FREE,
        pins=rollers(tissue),
        joints=(Slider("rail", ("post", "plate"), np.array([0.01, 0.01, 0.0]), -DOWN),),
        gravity=DOWN,
        contact=Contact(gap=GAP, pressure=1e4),
    )
    start, bone = rest(model), model.bone("plate")
    poses = start.poses.copy()
    poses[bone, 2, 3] -= GAP / 2
    x = start.x - np.where(model.bone_of_vertex[:, None] == bone, [0.0, 0.0, GAP / 2], 0.0)
    stepper = Newton(tolerance=1e-10).prepare(model)
    state, _ = stepper.step(replace(start, x=x, poses=poses), inputs_of(model))
    weight = 1900.0 * np.prod(PLATE) * 9.81
    found = ContactOutputs(model).of(state)
    assert found["block_plate_contact_N"] == pytest.approx(weight, rel=1e-6)
    floor = np.flatnonzero(tissue.X[:, 2] == 0)
    own = 1060.0 * 0.02**2 * 0.01 * 9.81
    assert nodal_forces(model, state)[floor, 2].sum() == pytest.approx(weight + own, rel=1e-6)


def heap(**fields: object) -> Model:
    """Muscles 'm' and 'n' above bone A and beside the free bone B, nothing of them glued."""
    mesh = box((9, 2, 5), (0.18, 0.04, 0.05))
    x, _, z = mesh.centroids.T
    labels = np.full(mesh.n_tets, "", dtype="<U1")
    labels[z < 0.02] = np.where(x < 0.12, "A", "B")[z < 0.02]
    labels[(x > 0.08) & (x < 0.12) & (z < 0.02)] = ""
    labels[z > 0.03] = np.where(x < 0.08, "m", "n")[z > 0.03]
    labels[(x > 0.08) & (x < 0.10) & (z > 0.03)] = ""
    return carve(mesh, labels, **fields)


def test_energy_of_contact_is_never_negative() -> None:
    model = heap(contact=Contact(gap=5e-3, pressure=1e4))
    problem = Problem(model, Reduction())
    (energy,) = (e for e in problem.energies if isinstance(e, DistanceContact))
    rng = np.random.default_rng(11)
    q, touched = problem.driven(rest(model), Inputs.rest(model)), 0
    for _ in range(300):
        turn, _ = np.linalg.qr(np.eye(3) + 0.2 * rng.standard_normal((3, 3)))
        poses = q.poses.copy()
        poses[1, :, :3] = turn * np.sign(np.diag(turn))
        poses[1, :, 3] += 0.02 * rng.standard_normal(3)
        x = q.x + 0.01 * rng.standard_normal(3) + 3e-3 * rng.standard_normal(q.x.shape)
        placed: Configuration = problem.configure(x, poses)
        value = energy.value(placed)
        assert value >= 0
        touched += value > 0
    assert touched > 200


def test_pairs_that_are_excluded_are_left_alone() -> None:
    model = heap(contact=Contact(gap=5e-3, pressure=1e4, exclude=(("m", "A"), ("B", "n"))))
    bodies = [o.faces.body for o in obstacles(model)]  # of bones A, B; muscles m, n are 0, 1
    assert [np.unique(body).tolist() for body in bodies] == [[1], [0]]
    x = model.mesh.X - np.where(model.bone_of_vertex[:, None] < 0, [0.04, 0.0, 0.014], 0.0)
    found = ContactOutputs(model).of(replace(rest(model), x=x))
    assert found["n_A_contact_N"] > 0
    assert "m_A_contact_N" not in found
    assert "n_B_contact_N" not in found


SCENE = "vastus: 1\nname: arm\nmodel: {shape: elbow, tets: 1500}\ncontact: "


def scene(contact: str) -> Scene:
    return scene_of(f"{SCENE}{contact}\n".encode(), Path("scene.yaml"))


@pytest.mark.parametrize("name", ["bicep", "femur"])
def test_a_body_that_is_not_there_cannot_be_excluded(name: str) -> None:
    with pytest.raises(SceneError) as caught:
        build(scene(f"{{exclude: [[{name}, humerus]]}}"))
    said = str(caught.value)
    assert "contact" in said
    assert f"'{name}'" in said
    assert "biceps" in said
    assert "\n" not in said.strip()


@pytest.mark.parametrize("key", ["gap", "pressure"])
@pytest.mark.parametrize("value", [0.0, -1e-3])
def test_a_gap_or_pressure_that_is_not_above_zero_is_refused(key: str, value: float) -> None:
    with pytest.raises(ModelError, match=f"contact has a {key} of {value}.*above 0"):
        Contact(**{key: value})
    with pytest.raises(SceneError, match=f"contact.{key}"):
        scene(f"{{{key}: {value}}}")


def test_contact_with_affine_bones_is_refused() -> None:
    model = pair(hinge(), contact=Contact())
    affine = Newton(reduction=Reduction(bones=Affine()))
    with pytest.raises(ModelError, match="contact needs rigid bones") as caught:
        affine.prepare(model)
    assert "\n" not in str(caught.value)


def test_bones_alone_have_no_contact() -> None:
    mesh = box((4, 2, 2), (0.2, 0.1, 0.1))
    labels = np.where(mesh.centroids[:, 0] < 0.05, "A", "")
    model = carve(mesh, labels, contact=Contact())
    assert bone_contact(model) is None
    assert ContactOutputs(model).of(rest(model)) == {}


def test_a_model_of_tendons_alone_has_a_pressure_of_its_own() -> None:
    plain = joined(
        box((2, 2, 2), (0.02, 0.02, 0.02)),
        at(box((1, 1, 1), PLATE), 0.0, 0.0, 0.03),
        drive=Drive.PINNED,
        contact=Contact(),
    )
    block, plate = plain.regions
    tendon = plain.with_(regions=(replace(block, tissue=Tissue.TENDON), plate))
    shear = lame(YOUNG, POISSON)[0]
    assert pressure_of(plain) == pytest.approx(30 * shear)
    assert pressure_of(tendon) == pytest.approx(30 * shear)


def test_two_bodies_without_contact_cannot_be_excluded() -> None:
    with pytest.raises(ModelError, match="'biceps' and 'triceps' cannot be excluded: there is no"):
        build(scene("{muscles: none, exclude: [[biceps, triceps]]}"))
    with pytest.raises(ModelError, match="'humerus' and 'forearm' cannot be excluded"):
        build(scene("{exclude: [[humerus, forearm]]}"))
    excluded = build(scene("{muscles: barrier, exclude: [[biceps, triceps]]}")).contact
    assert excluded is not None
    assert excluded.excludes("triceps", "biceps")


def test_soft_bodies_have_no_distance() -> None:
    with pytest.raises(ModelError, match="'muscles' is 'barrier' or 'none'"):
        Contact(muscles=ContactKind.DISTANCE)
    with pytest.raises(ModelError, match=r"friction of -0\.1"):
        Contact(friction=-0.1)


@pytest.mark.parametrize("kind", [ContactKind.DISTANCE, ContactKind.BARRIER])
def test_the_moment_of_contact_holds_a_driven_joint(kind: ContactKind) -> None:
    """A lever pressed on a block of tissue: the joint's reaction is the moment of its pushes."""
    tissue = box((4, 4, 2), (0.02, 0.02, 0.01))
    model = joined(
        tissue,
        at(box((2, 2, 1), PLATE), -0.01, -0.01, 0.0103),
        at(box((1, 1, 1), (0.01, 0.01, 0.01)), 0.05, 0.0, 0.0),
        drive=Drive.FREE,
        joints=(Hinge("lever", ("post", "plate"), np.array([0.05, 0.01, 0.02]), np.eye(3)[1]),),
        pins=(Pin("floor", np.flatnonzero(tissue.X[:, 2] == 0)),),
        contact=Contact(bones=kind, gap=2e-4, pressure=1e5),
    )
    turned = keyframes(model, joints={"lever": [(0, 0.0), (1, -1.5)]}, seconds=1, fps=2)
    row = list(simulate(model, Newton(tolerance=1e-10), turned))[-1].outputs
    assert abs(row["lever_contact_moment_Nm"]) > 1e-3
    assert row["lever_reaction_Nm"] == pytest.approx(-row["lever_contact_moment_Nm"], rel=1e-6)
