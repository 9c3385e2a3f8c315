"""Line muscles become volumes: lines as MuJoCo measures them, sizes as wanted, nothing folded."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from line_arm import MJCF, write_arm
from vastus.errors import FileError, MissingExtra, ModelError
from vastus.geometry.signed_distance import Obstacle
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.materials.fibres.curves import Rowed
from vastus.materials.fibres.tendon_fibre import TendonFibre
from vastus.measure.architecture import architecture, architectures
from vastus.model import Model
from vastus.modelling.lines.line_files import licence_of, located, read_lines
from vastus.modelling.lines.line_model import bone_tets, model_of
from vastus.modelling.lines.lines import LineMuscle, Lines, usable
from vastus.modelling.lines.loft import Loft, loft, overlaps
from vastus.modelling.lines.mjcf import active_rows, around, read_mjcf
from vastus.modelling.lines.stations import fibres
from vastus.modelling.lines.strand import STRESS, reached, size_of, unkinked
from vastus.parts import Drive, Tissue
from vastus.skeleton.joints import Hinge

mujoco = pytest.importorskip("mujoco", reason="lines are read with MuJoCo")
pytest.importorskip("igl", reason="distances to bones need libigl")

SIDE = np.array([0.0, 1.0, 0.0])
DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_arm(tmp_path_factory.mktemp("arm"))


@pytest.fixture(scope="module")
def lines(file: Path) -> Lines:
    return read_mjcf(file)


@pytest.fixture(scope="module")
def lofts(lines: Lines) -> list[Loft]:
    return loft(lines)


@pytest.fixture(scope="module")
def model(lines: Lines, lofts: list[Loft]) -> Model:
    return model_of(lines, lofts, free=["elbow"])


def box(size: float, centre: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Surface:
    trimesh = pytest.importorskip("trimesh")
    raw = trimesh.creation.box(extents=[size] * 3)
    return Surface(raw.vertices + np.array(centre), raw.faces)


@pytest.mark.parametrize("elbow", [0.0, 0.6, 1.4])
def test_a_line_is_as_long_as_mujoco_says(file: Path, elbow: float) -> None:
    m = mujoco.MjModel.from_xml_path(str(file))
    d = mujoco.MjData(m)
    d.qpos[:] = elbow
    mujoco.mj_forward(m, d)
    lines = read_mjcf(file, pose={"elbow": elbow})
    lengths = [muscle.length for muscle in lines.muscles]
    np.testing.assert_allclose(lengths, d.ten_length, atol=1e-5)
    # The test is of arcs too: the flexor leaves its sphere only when the elbow is bent.
    arcs = [len(muscle.points) > 6 for muscle in lines.muscles]
    assert arcs == [elbow == 0, True]


def test_a_line_knows_the_bones_that_it_lies_on(lines: Lines) -> None:
    for muscle in lines.muscles:
        assert muscle.bones[0] == "upper"
        assert muscle.bones[-1] == "lower"


def test_a_helix_climbs_evenly_around_its_axis() -> None:
    start, end = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.3])
    arc = around(np.zeros(3), np.array([0.0, 0.0, 1.0]), np.array([1.0, -2.0, 0.0]), start, end)
    np.testing.assert_allclose(np.hypot(arc[:, 0], arc[:, 1]), 1.0)
    length = np.linalg.norm(np.diff(arc, axis=0), axis=1).sum()
    assert length == pytest.approx(np.hypot(np.pi / 2, 0.3), rel=1e-4)
    np.testing.assert_allclose(arc[[0, -1]], [start, end], atol=1e-12)


def test_an_arc_turns_the_way_the_line_arrives_even_if_that_is_longer() -> None:
    start, end = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    arc = around(np.zeros(3), None, np.array([1.0, 2.0, 0.0]), start, end)
    length = np.linalg.norm(np.diff(arc, axis=0), axis=1).sum()
    assert length == pytest.approx(1.5 * np.pi, rel=1e-4)


def test_a_hinge_between_bodies_is_found(lines: Lines) -> None:
    joint = lines.bone("lower").joint
    assert joint is not None
    assert (joint.name, joint.kind) == ("elbow", Hinge)
    np.testing.assert_allclose(joint.centre, [0.0, 0.0, 0.7], atol=1e-12)
    np.testing.assert_allclose(joint.axis, [0.0, -1.0, 0.0], atol=1e-12)


def test_what_muscles_wrap_around_is_no_bone(lines: Lines) -> None:
    surface = lines.bone("upper").surface
    assert surface is not None
    # A capsule of radius 1 cm and length 28 cm plus its caps, a little less for its facets.
    exact = np.pi * 0.01**2 * 0.28 + 4 / 3 * np.pi * 0.01**3
    assert 0.95 * exact < surface.volume < exact


def test_hill_lengths_come_from_the_length_range(lines: Lines) -> None:
    flexor = lines.muscles[0]
    # 0.5 to 1.5 fibre lengths over 0.30 to 0.42 m.
    assert flexor.fibre_length == pytest.approx(0.12)
    assert flexor.tendon_length == pytest.approx(0.30 - 0.5 * 0.12)
    assert flexor.notes == ()


@pytest.mark.parametrize(("shortest", "longest"), [(0.5, 1.6), (0.0, 2.0)])
def test_the_active_curve_is_that_of_mujoco(shortest: float, longest: float) -> None:
    import mujoco

    curve = Rowed(active_rows(shortest, longest))
    # Range of lengths, force, scale, ends of the curve, speed, passive force, eccentric force.
    numbers = np.array([0.75, 1.05, 1.0, 1.0, shortest, longest, 1.5, 1.3, 1.2])
    for length in np.linspace(0.45, 1.7, 26):
        actual = 1.0 + length - 0.75  # of a range of lengths from 1 to 1.3
        gain = mujoco.mju_muscleGain(actual, 0.0, np.array([1.0, 1.3]), 1.0, numbers)
        assert abs(curve.force(length) + gain) < 1e-3


def test_lengths_that_a_line_has_no_room_for_are_limited_and_told() -> None:
    hill = usable(0.4, -0.06, 0.3)
    assert (hill.fibre_length, hill.tendon_length) == (pytest.approx(0.285), 0)
    assert [note.split(",")[0] for note in hill.notes] == [
        "the fibre length is 400.0 mm",
        "the tendon length is -60.0 mm",
    ]


def test_lengths_that_fit_are_left_alone() -> None:
    assert usable(0.1, 0.2, 0.3).notes == ()


def test_a_belly_has_the_volume_of_its_force_and_fibres(lines: Lines, lofts: list[Loft]) -> None:
    for muscle, item in zip(lines.muscles, lofts, strict=True):
        wanted = muscle.force / STRESS * min(muscle.fibre_length, 0.85 * muscle.length)
        assert size_of(muscle).volume == pytest.approx(wanted)
        assert item.volume == pytest.approx(wanted, rel=0.01)


def test_no_tet_is_inverted_and_solids_are_closed(lofts: list[Loft]) -> None:
    for item in lofts:
        mesh = TetMesh(item.solid.X, item.solid.T)
        assert mesh.volumes.min() > 0
        assert mesh.quality().min_dihedral.min() > 1


def test_fibres_run_along_the_line(lofts: list[Loft]) -> None:
    for item in lofts:
        mesh = TetMesh(item.solid.X, item.solid.T)
        middle = item.stations.centre
        nearest = np.argmin(np.linalg.norm(mesh.centroids[:, None] - middle, axis=2), axis=1)
        tangent = np.gradient(middle, axis=0)[nearest]
        tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
        d = fibres(item.solid)
        np.testing.assert_allclose(np.linalg.norm(d, axis=1), 1)
        along = (d * tangent).sum(axis=1)
        assert along.min() > 0
        assert np.average(along, weights=mesh.volumes) > 0.95


def test_muscles_hardly_overlap(lofts: list[Loft]) -> None:
    for item in lofts:
        assert item.overlap.bones < 1e-3
        assert item.overlap.muscles < 1e-2


def test_lines_through_each_other_are_moved_apart(lines: Lines) -> None:
    flexor = lines.muscles[0]
    twin = replace(flexor, name="twin", points=flexor.points + 1e-4)
    told: list[str] = []
    both = loft(replace(lines, muscles=(flexor, twin)), told.append)
    assert told[:2] == ["lines make room for each other", "growing 2 muscles"]
    assert "cutting 2 muscles back, round 1 of at most 8" in told
    assert max(item.overlap.muscles for item in both) < 1e-2
    assert [item.volume for item in both] == pytest.approx([both[0].stations.volume] * 2, rel=0.01)


def test_a_muscle_without_room_says_so_and_is_not_folded(lines: Lines) -> None:
    flexor = lines.muscles[0]
    crowd = tuple(
        replace(flexor, name=f"twin {k}", points=flexor.points + 1e-3 * k * SIDE, force=3e3)
        for k in range(4)
    )
    made = loft(replace(lines, muscles=crowd))
    assert min(TetMesh(item.solid.X, item.solid.T).volumes.min() for item in made) > 0
    for item in made:
        short = item.volume < 0.99 * item.stations.volume
        assert any("leave room for" in note for note in item.notes) == short
    assert any(item.notes for item in made)


def test_a_kink_is_rounded_and_the_ends_stay() -> None:
    s = np.linspace(0.0, 0.1, 106)
    kinked = np.column_stack([s, 3 * np.abs(s - 0.05), 0 * s])  # 3 mm from point to point
    smooth = unkinked(kinked)
    np.testing.assert_allclose(smooth[[0, -1]], kinked[[0, -1]], atol=1e-9)
    way = smooth[2:] - smooth[:-2]
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    turn = np.degrees(np.arccos(np.clip((way[2:] * way[:-2]).sum(axis=1), -1, 1)))
    assert turn.max() < 60
    straight = np.column_stack([s, 0 * s, 0 * s])
    assert unkinked(straight) is straight


def test_an_overlap_is_the_share_inside(lofts: list[Loft]) -> None:
    solid = lofts[0].solid
    whole, none = box(10.0), box(0.01, (5.0, 0.0, 0.0))
    assert overlaps([solid], Obstacle(whole))[0].bones == pytest.approx(1)
    assert overlaps([solid], Obstacle(none))[0].bones == 0
    assert overlaps([solid, solid], Obstacle(none))[0].muscles == pytest.approx(1, abs=0.02)
    # Half of space: the tets below a level, by sampling, are those below it by their middles.
    level = float(np.median(solid.X[:, 2]))
    half = box(10.0, (0.0, 0.0, level - 5.0))
    mesh = TetMesh(solid.X, solid.T)
    below = mesh.volumes[mesh.centroids[:, 2] < level].sum() / mesh.volumes.sum()
    assert overlaps([solid], Obstacle(half))[0].bones == pytest.approx(below, abs=0.02)


def test_the_model_has_bellies_tendons_and_bones(model: Model) -> None:
    tissues = {region.name: region.tissue for region in model.regions}
    assert tissues["flexor"] is Tissue.MUSCLE
    assert tissues["flexor tendon"] is Tissue.TENDON
    assert tissues["lower"] is Tissue.BONE
    assert [(b.name, b.drive) for b in model.bones] == [
        ("upper", Drive.PINNED),
        ("lower", Drive.FREE),
    ]
    (joint,) = model.joints
    assert isinstance(joint, Hinge)
    assert joint.bones == ("upper", "lower")


def test_ends_follow_the_bones_of_the_line(model: Model, lofts: list[Loft]) -> None:
    upper, lower = (model.bones[k].attached for k in range(2))
    for item in lofts:
        for end, attached in ((0, upper), (-1, lower)):
            near = np.linalg.norm(model.mesh.X[attached] - item.stations.centre[end], axis=1)
            assert near.min() < 1e-3
    # Free joint: a tendon to the lower arm is not held where it passes the upper.
    # It is held along a line across it that is nearly parallel to the hinge.
    assert len(lower) == 2 * 5
    for ribbon in lower.reshape(2, 5):
        across = model.mesh.X[ribbon] - model.mesh.X[ribbon].mean(axis=0)
        width = np.linalg.norm(across, axis=1).max()
        assert np.abs(across @ SIDE).max() > 0.9 * width > 1e-3


def test_a_tendon_is_held_where_nothing_moves(lines: Lines, lofts: list[Loft]) -> None:
    held = model_of(lines, lofts)
    assert {bone.drive for bone in held.bones} == {Drive.PINNED}
    assert held.joints == ()
    free = model_of(lines, lofts, free=["elbow"])
    assert len(held.bones[0].attached) > len(free.bones[0].attached)


def test_muscles_have_the_force_and_the_relative_fibre_length_of_their_lines(
    model: Model, lofts: list[Loft]
) -> None:
    for index, (found, item) in enumerate(zip(architectures(model), lofts, strict=True)):
        line = item.muscle
        assert found.force == pytest.approx(line.force)
        relative = (line.length - line.tendon_length) / line.fibre_length
        taut = 1.0 - max(0.0, reached(item.stations.centre)[-1] - line.length) / item.fibre_length
        assert taut / model.optimal[index] == pytest.approx(np.clip(relative, 0.5, 1.6))


def test_a_tendon_has_the_strain_of_its_line_at_the_greatest_force(
    model: Model, lofts: list[Loft]
) -> None:
    for item in lofts:
        line = item.muscle
        region = next(r for r in model.regions if r.name == f"{line.name} tendon")
        fibres = next(law for law in region.laws if isinstance(law, TendonFibre))
        stretched, P = np.diag([1.0 + line.strain, 1.0, 1.0]), np.zeros((3, 3))
        axis, numbers = np.array([1.0, 0.0, 0.0]), np.array(fibres.parameters())
        fibres.point.stress(stretched, axis, 0.0, numbers, P)
        slabs = TetMesh(item.solid.X, item.solid.T).volumes.reshape(
            len(item.stations.centre) - 1, -1
        )
        lengths = np.diff(reached(item.stations.centre))
        tendon = item.solid.segment.reshape(len(slabs), -1)[:, 0] != 1
        area = (slabs.sum(axis=1) / lengths)[tendon]
        assert area.min() <= line.force / P[0, 0] <= area.max()


def test_a_relative_length_that_is_changed_is_told(lines: Lines, lofts: list[Loft]) -> None:
    line = lofts[0].muscle
    taut = replace(line, tendon_length=line.length - 0.3 * line.fibre_length)
    assert taut.relative == 0.5
    (told,) = taut.relative_notes
    assert told == (
        "in this pose its fibres have 0.3 of their optimal length, if the tendon has its slack "
        "length; taken as 0.5"
    )
    assert told in replace(lofts[0], muscle=taut).notes
    long = replace(line, tendon_length=line.length - 1.7 * line.fibre_length)
    assert long.relative_notes[0].endswith("taken as 1.6")
    fits = replace(line, tendon_length=line.length - 1.6 * line.fibre_length + 1e-9)
    assert fits.relative_notes == ()


def test_the_stress_of_a_muscle_is_that_of_lines_by_the_ratio_of_fibre_lengths(
    model: Model, lofts: list[Loft]
) -> None:
    """F = strength V/L and V = (F/0.5 MPa) L0, so that strength = 0.5 MPa L/L0."""
    for index, item in enumerate(lofts):
        found = architecture(model, index)
        ratio = found.optimal_length / item.muscle.fibre_length
        muscle = found.volume / item.stations.volume  # its thin ends are tendon
        assert found.strength * muscle == pytest.approx(STRESS * ratio, rel=1e-6)
        optimal = item.optimal_length
        assert optimal == pytest.approx(found.optimal_length, rel=0.05)
        said = any("its fibres run along the whole belly" in note for note in item.notes)
        assert said == (not 1 / 1.2 < optimal / item.muscle.fibre_length < 1.2)
    short = replace(lofts[0].muscle, fibre_length=0.3 * lofts[0].muscle.fibre_length)
    notes = replace(lofts[0], muscle=short).notes
    assert any("times that of the file's muscle" in note for note in notes)


def test_all_muscles_are_taken_by_a_word(file: Path) -> None:
    assert len(read_mjcf(file, ("all",)).muscles) == len(read_mjcf(file).muscles) == 2


def test_a_bone_is_filled_even_if_its_surface_is_open() -> None:
    closed = box(0.1)
    for surface in (closed, Surface(closed.X, closed.faces[:-1])):
        mesh = bone_tets(surface)
        assert mesh is not None
        assert mesh.volumes.min() > 0
        assert mesh.volumes.sum() == pytest.approx(1e-3, rel=0.05)


def test_a_flat_bone_has_no_tets() -> None:
    flat = Surface(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]]))
    assert bone_tets(flat) is None


def test_distances_are_negative_inside() -> None:
    distance, outward = Obstacle(box(2.0)).signed(np.array([[0.0, 0, 0.9], [0, 0, 1.5]]))
    np.testing.assert_allclose(distance, [-0.1, 0.5])
    np.testing.assert_allclose(outward, [[0, 0, 1], [0, 0, 1]], atol=1e-12)


def test_coupled_joints_follow(tmp_path: Path) -> None:
    wrist = (
        '<body name="hand" pos="0 0 -0.25"><joint name="wrist" axis="0 1 0"/>'
        '<geom type="sphere" size="0.02"/></body>'
    )
    text = MJCF.replace('<site name="front end"', wrist + '<site name="front end"')
    tie = '<equality><joint joint1="wrist" joint2="elbow" polycoef="0.1 0.5 0 0 0"/></equality>'
    path = write_arm(tmp_path, text.replace("<tendon>", tie + "<tendon>"))
    straight, bent = (read_mjcf(path, pose={"elbow": angle}) for angle in (0.0, 1.0))
    # What hangs on the last bone belongs to it; the sphere is 0.25 m down the lower arm.
    for lines, angle in ((straight, 0.0), (bent, 1.0)):
        surface = lines.bone("lower").surface
        assert surface is not None
        centre = surface.X[-162:].mean(axis=0)
        place = np.array([np.sin(angle), 0.0, -np.cos(angle)]) * 0.25 + [0, 0, 0.7]
        np.testing.assert_allclose(centre, place, atol=1e-6)


def test_an_unknown_muscle_is_named_with_those_there_are(file: Path) -> None:
    with pytest.raises(ModelError, match="no muscle 'bicep'; muscles: flexor, extensor"):
        read_mjcf(file, ["bicep"])


def test_an_unknown_joint_is_named_with_those_there_are(
    file: Path, lines: Lines, lofts: list[Loft]
) -> None:
    with pytest.raises(ModelError, match="no joint 'knee'; joints: elbow"):
        read_mjcf(file, pose={"knee": 1.0})
    with pytest.raises(ModelError, match="no joint 'knee'; joints: elbow"):
        model_of(lines, lofts, free=["knee"])


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FileError, match=r"there is no file 'nowhere\.xml'"):
        read_lines(Path("nowhere.xml"))


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.xml"
    path.write_text("<html/>", encoding="utf-8")
    with pytest.raises(FileError, match="is not an MJCF model that MuJoCo can read"):
        read_lines(path)
    with pytest.raises(FileError, match=r"supported are \.xml, \.osim"):
        read_lines(tmp_path / "arm.urdf")


def test_a_model_without_muscles_is_refused(tmp_path: Path) -> None:
    path = write_arm(tmp_path, "<mujoco><worldbody/></mujoco>")
    with pytest.raises(FileError, match="has no muscle"):
        read_mjcf(path)


def test_a_muscle_without_force_is_refused(lines: Lines) -> None:
    weak: LineMuscle = replace(lines.muscles[0], force=0.0)
    with pytest.raises(ModelError, match="'flexor' has a greatest force of 0 N, not above 0"):
        loft(replace(lines, muscles=(weak,)))


@pytest.mark.parametrize(
    ("package", "extra", "source"),
    [("mujoco", "skeleton", "little_arm.xml"), ("opensim", "osim", "little_arm.osim")],
)
def test_an_absent_reader_names_its_extra(
    monkeypatch: pytest.MonkeyPatch, package: str, extra: str, source: str
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=rf"'{package}'.*vastus\[{extra}\]"):
        read_lines(Path(source))


def test_a_bare_name_is_a_model_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "musclemimic_models", None)
    with pytest.raises(MissingExtra, match=r"vastus\[bodies\]"):
        located("bimanual")
    assert located("some/arm.xml") == Path("some/arm.xml")


def test_the_package_of_bodies_has_its_licence_told() -> None:
    text = licence_of(Path("/x/musclemimic_models/model/arm/arm.xml"))
    assert text is not None
    assert "non-commercial" in text
    assert licence_of(Path("/x/arm.xml")) is None


@pytest.mark.parametrize("number", [1, 2, 3])
def test_lines_of_arm26_are_as_long_as_mujoco_says(number: int) -> None:
    path = DATA / "mjcf_arm26" / f"arm26_cvt{number}.xml"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    lines = read_mjcf(path)
    assert len(lines.muscles) == 6
    np.testing.assert_allclose([x.length for x in lines.muscles], d.ten_length, atol=1e-4)


def test_lines_of_the_package_are_as_long_as_mujoco_says() -> None:
    package = pytest.importorskip("musclemimic_models", reason="the extra 'bodies' is absent")
    path = Path(package.get_xml_path("bimanual"))
    names = ["BIClong", "BRA", "TRIlong", "DELT1", "ECRL", "FCR"]
    lines = read_mjcf(path, names)
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    exact = [d.ten_length[m.actuator_trnid[m.actuator(n).id, 0]] for n in names]
    np.testing.assert_allclose([x.length for x in lines.muscles], exact, atol=1e-4)
