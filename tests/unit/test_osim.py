"""Lines of OpenSim models: as long as OpenSim says, and hinges seen from their motion."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limb import bone, moved
from vastus.errors import FileError, ModelError
from vastus.files.meshes import write_surface
from vastus.modelling.lines.line_model import bone_notes, model_of
from vastus.modelling.lines.loft import loft
from vastus.modelling.lines.osim import read_osim
from vastus.skeleton.joints import Ball, Hinge, Universal

opensim: Any = pytest.importorskip("opensim", reason="the extra 'osim' is absent")

DATA = Path(__file__).parents[3] / "shared" / "data"


def small_arm(path: Path) -> Any:
    """An arm of two bodies, a pin joint and a muscle around a cylinder; its model."""
    model = opensim.Model()
    model.setName("arm")
    zero, one = opensim.Vec3(0), opensim.Inertia(1, 1, 1, 0, 0, 0)
    upper, lower = (opensim.Body(name, 1.0, zero, one) for name in ("upper", "lower"))
    down = opensim.Vec3(0, -0.3, 0)
    weld = opensim.WeldJoint("base", model.getGround(), zero, zero, upper, zero, zero)
    pin = opensim.PinJoint("elbow", upper, down, zero, lower, zero, zero)
    for body, joint in ((upper, weld), (lower, pin)):
        model.addBody(body)
        model.addJoint(joint)
    pin.updCoordinate().setName("flexion")
    pin.updCoordinate().setRangeMin(0.0)
    pin.updCoordinate().setRangeMax(1.5)
    roller = opensim.WrapCylinder()
    roller.setName("roller")
    roller.set_radius(0.02)
    roller.set_length(0.1)
    roller.set_translation(down)
    upper.addWrapObject(roller)
    muscle = opensim.Thelen2003Muscle("extensor", 300.0, 0.12, 0.2, 0.0)
    muscle.addNewPathPoint("origin", upper, opensim.Vec3(-0.015, -0.02, 0.0))
    muscle.addNewPathPoint("end", lower, opensim.Vec3(-0.012, -0.06, 0.004))
    muscle.updGeometryPath().addPathWrap(roller)
    model.addForce(muscle)
    model.finalizeConnections()
    model.printToXML(str(path))
    return model


def lengths(model: Any, pose: dict[str, float]) -> list[float]:
    state = model.initSystem()
    for name, value in pose.items():
        model.getCoordinateSet().get(name).setValue(state, value)
    model.realizePosition(state)
    muscles = model.getMuscles()
    return [muscles.get(k).getLength(state) for k in range(muscles.getSize())]


@pytest.mark.parametrize("flexion", [0.0, 0.3, 0.5])
def test_a_line_is_as_long_as_opensim_says(tmp_path: Path, flexion: float) -> None:
    path = tmp_path / "arm.osim"
    model = small_arm(path)
    (muscle,) = read_osim(path, pose={"flexion": flexion}).muscles
    assert muscle.length == pytest.approx(lengths(model, {"flexion": flexion})[0], abs=1e-4)
    assert len(muscle.points) > 3
    assert (muscle.bones[0], muscle.bones[-1]) == ("upper", "lower")
    assert (muscle.force, muscle.fibre_length, muscle.tendon_length) == (300.0, 0.12, 0.2)


def test_a_pin_is_a_hinge_where_it_is(tmp_path: Path) -> None:
    small_arm(tmp_path / "arm.osim")
    joint = read_osim(tmp_path / "arm.osim").bone("lower").joint
    assert joint is not None
    assert (joint.name, joint.kind) == ("flexion", Hinge)
    np.testing.assert_allclose(joint.centre, [0, -0.3, 0], atol=1e-9)
    np.testing.assert_allclose(joint.axis, [0, 0, 1], atol=1e-9)


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    path = tmp_path / "arm.osim"
    small_arm(path)
    with pytest.raises(ModelError, match="no muscle 'bicep'; muscles: extensor"):
        read_osim(path, ["bicep"])
    with pytest.raises(ModelError, match="no joint 'knee'; joints: flexion"):
        read_osim(path, pose={"knee": 1.0})
    path.write_text("no model", encoding="utf-8")
    with pytest.raises(FileError, match="is not a model that OpenSim can read"):
        read_osim(path)


def test_lines_of_arm26_are_as_long_as_opensim_says() -> None:
    path = DATA / "opensim_arm26" / "arm26.osim"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    found = [muscle.length for muscle in read_osim(path).muscles]
    np.testing.assert_allclose(found, lengths(opensim.Model(str(path)), {}), atol=1e-4)


def test_a_range_is_about_the_pose(tmp_path: Path) -> None:
    small_arm(tmp_path / "arm.osim")
    joint = read_osim(tmp_path / "arm.osim", pose={"flexion": 0.4}).bone("lower").joint
    assert joint is not None
    np.testing.assert_allclose(joint.passive[0].range, [-0.4, 1.1], atol=1e-9)
    assert joint.notes == ()


SLOTS = {
    "rotation1": "0 0 1",
    "rotation2": "1 0 0",
    "rotation3": "0 1 0",
    "translation1": "1 0 0",
    "translation2": "0 1 0",
    "translation3": "0 0 1",
}


def custom_arm(path: Path, *names: str, shift: float = 0.0) -> None:
    """The small arm with an axis for each coordinate, and a shift [m/rad] with the first."""
    small_arm(path)
    moved = dict(zip(SLOTS, ((name, 1.0) for name in names), strict=False))
    moved |= {"translation1": (names[0], shift)} if shift else {}
    way = "".join(
        f'<TransformAxis name="{slot}"><coordinates>{name}</coordinates><axis>{axis}</axis>'
        f'<LinearFunction name="function"><coefficients>{slope} 0</coefficients></LinearFunction>'
        "</TransformAxis>"
        if name
        else f'<TransformAxis name="{slot}"><coordinates/><axis>{axis}</axis>'
        '<Constant name="function"><value>0</value></Constant></TransformAxis>'
        for slot, axis in SLOTS.items()
        for name, slope in [moved.get(slot, ("", 0.0))]
    )
    own = "".join(f'<Coordinate name="{n}"><range>0 1.5</range></Coordinate>' for n in names)
    text = path.read_text(encoding="utf-8").replace("PinJoint", "CustomJoint")
    listed = re.compile("<coordinates>.*?</coordinates>", re.DOTALL)
    text = listed.sub(f"<coordinates>{own}</coordinates>", text, count=1)
    added = f"<SpatialTransform>{way}</SpatialTransform></CustomJoint>"
    path.write_text(text.replace("</CustomJoint>", added), encoding="utf-8")


def test_a_joint_that_shifts_as_it_turns_is_the_hinge_at_its_present_axis(tmp_path: Path) -> None:
    """A turn about z and 0.02 m along x for each radian: the axis is 0.02 m off the joint."""
    custom_arm(tmp_path / "arm.osim", "flexion", shift=0.02)
    joint = read_osim(tmp_path / "arm.osim").bone("lower").joint
    assert joint is not None
    assert (joint.name, joint.kind) == ("flexion", Hinge)
    np.testing.assert_allclose(joint.centre, [0, -0.28, 0], atol=1e-5)
    np.testing.assert_allclose(joint.passive[0].range, [0.0, 1.5], atol=1e-5)
    (note,) = joint.notes
    assert note.startswith(
        "joint 'flexion' has no axis that stays; here it is the hinge at its present axis, up to "
    )


def test_two_turns_are_a_universal_joint_and_three_a_ball(tmp_path: Path) -> None:
    custom_arm(tmp_path / "arm.osim", "flexion", "twist")
    joint = read_osim(tmp_path / "arm.osim").bone("lower").joint
    assert joint is not None
    assert joint.kind is Universal
    np.testing.assert_allclose(joint.axis, [0, 0, 1], atol=1e-9)
    np.testing.assert_allclose([p.range for p in joint.passive], [[0.0, 1.5]] * 2, atol=1e-9)
    custom_arm(tmp_path / "arm.osim", "flexion", "twist", "yaw")
    ball = read_osim(tmp_path / "arm.osim").bone("lower").joint
    assert ball is not None
    assert ball.kind is Ball
    assert ball.notes[0].startswith("joint 'elbow' is a ball here, which has no range for each")


def test_a_coordinate_that_follows_another_is_part_of_its_joint(tmp_path: Path) -> None:
    path = tmp_path / "arm.osim"
    custom_arm(path, "flexion", "twist")
    tie = (
        '<ConstraintSet><objects><CoordinateCouplerConstraint name="tie">'
        "<coupled_coordinates_function><LinearFunction><coefficients>0.5 0</coefficients>"
        "</LinearFunction></coupled_coordinates_function>"
        "<independent_coordinate_names>flexion</independent_coordinate_names>"
        "<dependent_coordinate_name>twist</dependent_coordinate_name>"
        "</CoordinateCouplerConstraint></objects></ConstraintSet>"
    )
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("<BodySet", f"{tie}<BodySet", 1), encoding="utf-8")
    joint = read_osim(path).bone("lower").joint
    assert joint is not None
    assert (joint.name, joint.kind) == ("flexion", Hinge)
    np.testing.assert_allclose(joint.axis, np.array([1, 0, 2]) / np.sqrt(5), atol=1e-5)
    assert joint.passive[0].range[1] == pytest.approx(1.5 * np.sqrt(1.25), rel=1e-5)
    (note,) = joint.notes
    assert note.startswith(
        "joint 'flexion' moves with 'twist'; here it is the hinge at its present"
    )


def with_meshes(path: Path) -> None:
    """The small arm, its bodies with geometry in .vtp files that are yet to be written."""
    model = small_arm(path)
    for name in ("upper", "lower"):
        model.getBodySet().get(name).attachGeometry(opensim.Mesh(f"{name}.vtp"))
    model.finalizeConnections()
    model.printToXML(str(path))


def test_geometry_in_vtp_files_is_read_and_what_is_missing_is_named(tmp_path: Path) -> None:
    pytest.importorskip("vtkmodules", reason="VTP files are written by VTK")
    pytest.importorskip("igl", reason="libigl is not installed")
    path = tmp_path / "arm.osim"
    with_meshes(path)
    (tmp_path / "Geometry").mkdir()
    write_surface(tmp_path / "Geometry" / "upper.vtp", moved(bone(-0.29, 0.0, 0.015), 0.05, 0, 0))
    lines = read_osim(path)
    upper, lower = (lines.bone(name) for name in ("upper", "lower"))
    assert upper.surface is not None
    assert upper.surface.n_faces == bone(0, 1).n_faces
    assert (upper.missing, lower.surface, lower.missing) == ((), None, ("lower.vtp",))
    missing, empty = bone_notes(lines, model_of(lines, loft(lines)))
    assert missing.startswith("the geometry of lower is missing: lower.vtp; put")
    assert empty.startswith("without a shape, and so without tets, is lower")
