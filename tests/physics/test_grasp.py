"""Bodies that only contact holds: by their weight on soft ground, and in a hand by friction."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import vastus
from vastus.cli.demo import held_figures
from vastus.inputs import Inputs
from vastus.job import prepare
from vastus.measure.contact_outputs import loose_bones
from vastus.model import Model
from vastus.modelling.actuators import hollow
from vastus.modelling.gallery.digits import rubber
from vastus.modelling.gallery.gripper import RUBBER, SHEET, finger, finger_cells, middle
from vastus.modelling.gallery.labelled_body import grid, joined, solid_block
from vastus.modelling.gallery.members import MEMBERS
from vastus.parts import Bone, Contact, ContactKind, Drive
from vastus.scene.read import scene_of
from vastus.state import Frame, rest

SIDE, MASS = 0.02, 0.064  # [m] and [kg] of the brick
SLOPE = 0.25  # tangent of the angle of the ground


@cache
def brick(friction: float) -> Model:
    """A brick on soft ground that is aslant: gravity has a part along x."""
    wide, half = 0.05, 0.5 * SIDE
    ground = [
        grid((6, 4, 1), solid_block((0, 0, -z), (wide, 0.5 * wide, 0.005)), name)
        for z, name in ((0.005, "soft"), (0.0155, "below"))
    ]
    block = grid((2, 2, 2), solid_block((0, 0, half + 0.0008), (half, half, half)), "brick")
    bones = (Bone("base", ("below",), Drive.PINNED), Bone("brick", ("brick",)))
    body = joined("brick", [*ground, block], bones, [], materials=rubber(1e5),
                  densities={"brick": MASS / float(block.mesh.volumes.sum())})  # fmt: skip
    bottom = np.flatnonzero(np.isclose(body.mesh.X[:, 2], -0.01, atol=1e-4))
    down = 9.81 / np.hypot(1.0, SLOPE) * np.array([SLOPE, 0.0, -1.0])
    return body.with_(
        pins=(vastus.Pin("ground", bottom),),
        contact=Contact(muscles=ContactKind.NONE, gap=1e-3, friction=friction),
        gravity=down,
    )


def slid(friction: float, seconds: float) -> tuple[Frame, Model]:
    model = brick(friction)
    solver = vastus.Dynamic(step=0.02, viscosity=0.02, drag=2.0, tolerance=1e-7)
    inputs = vastus.keyframes(model, seconds=seconds, fps=5)
    return list(vastus.simulate(model, solver, inputs))[-1], model


def test_a_brick_on_a_slope_stays_where_friction_is_enough() -> None:
    frame, model = slid(2 * SLOPE, 0.6)
    found = frame.outputs
    held = np.array([found[f"brick_held_{axis}_N"] for axis in "xyz"])
    np.testing.assert_allclose(held, -MASS * model.gravity, atol=1e-2 * MASS * 9.81)
    assert found["brick_weight_N"] == pytest.approx(MASS * 9.81, rel=1e-6)
    assert found["brick_speed_m_s"] < 1e-3
    assert 0.4 < found["brick_friction_used"] <= 1.0


def test_a_brick_slides_where_friction_is_too_small() -> None:
    frame, model = slid(0.5 * SLOPE, 0.2)
    # All friction is used, and half of what draws the brick along is left.
    assert frame.outputs["brick_speed_m_s"] > 0.05
    along = float(model.gravity[0])
    assert frame.outputs["brick_held_x_N"] == pytest.approx(-0.5 * MASS * along, rel=0.1)


def test_what_falls_onto_soft_ground_is_stopped_in_few_iterations() -> None:
    """In the first step it would go on by twenty times the gap, deep into the ground."""
    model, speed = brick(0.5), np.array([0.0, 0.0, -1.0])
    stepper = vastus.Dynamic(step=0.02, viscosity=0.02, drag=2.0, tolerance=1e-7).prepare(model)
    still = rest(model)
    twists = np.where(np.arange(2)[:, None] == 1, [0.0, 0.0, 0.0, *speed], 0.0)
    v = np.where(model.bone_of_vertex[:, None] == 1, speed, 0.0)
    state = stepper.begin(replace(still, v=v, twists=twists))
    for number in range(1, 5):
        state, report = stepper.step(state, Inputs.rest(model, time=0.02 * number))
        assert report.converged
        assert report.iterations <= 12


def test_air_bends_a_finger_of_the_gripper_inward() -> None:
    """The tip goes towards the middle, more for more pressure, and the hollow grows."""
    piece = finger(90.0, finger_cells(1_500.0))
    laws = {"roots": RUBBER, "finger": RUBBER, "sheet": SHEET}
    regions = tuple(vastus.Region(n, vastus.Tissue.PASSIVE, (laws[n],)) for n in piece.regions)
    model = Model(
        piece.mesh, piece.region, regions, piece.fibre,
        pins=(vastus.Pin("root", np.unique(piece.mesh.T[piece.region == 0])),),
        cavities=(vastus.Cavity("air", hollow(piece.mesh, middle(90.0))),),
        volume=vastus.Volume.TET, gravity=np.zeros(3),
    )  # fmt: skip
    inputs = vastus.keyframes(model, pressures={"air": [(0, 0), (1, 1.5e4)]}, seconds=1, fps=2)
    found = list(vastus.simulate(model, vastus.Newton(), inputs))
    tip = int(model.mesh.X[:, 2].argmin())
    # It is at an angle of 90 degrees: inward is against y.
    inward = np.array([model.mesh.X[tip, 1] - frame.state.x[tip, 1] for frame in found])
    assert (np.diff(inward) > 1e-3).all()
    volumes = np.array([frame.outputs["air_volume_m3"] for frame in found])
    assert volumes[-1] > 1.3 * volumes[0]


def test_only_what_nothing_holds_is_loose() -> None:
    assert loose_bones(brick(0.5)) == [1]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "high"), [("hand", 0.06), ("gripper", 0.05)])
def test_a_robot_holds_its_ball_in_equilibrium_and_lets_it_go(name: str, high: float) -> None:
    # At its own size: with a quarter of the tets digits of the hand are too coarse to hold it.
    job = prepare(scene_of(MEMBERS[name].scene.encode(), Path(f"{name}.yaml")))
    frames = list(vastus.simulate(job.model, job.solver, job.inputs))
    table = {name: np.array([f.outputs[name] for f in frames]) for name in frames[0].outputs}
    table["time_s"] = np.array([frame.time for frame in frames])
    speed, missing, used = held_figures(job.model, table)
    assert (speed.good, missing.good, used.good) == (True, True, True)
    assert table["ball_lift_m"].max() > high
    # It lies in its cup again.
    assert abs(table["ball_lift_m"][-1]) < 5e-3
    assert table["ball_speed_m_s"][-1] < 1e-3
    assert table["inverted"].max() == 0
    assert table["penetration_m"].max() < 1e-3
