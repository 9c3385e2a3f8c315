"""Flesh around a limb: built, balanced, moved, written and solved in frames."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import trimesh

from vastus.energies.flesh.block_matrix import BlockMatrix
from vastus.energies.flesh.mixture import Mixture, Shares
from vastus.errors import FileError, ModelError, SolveError
from vastus.flesh import (
    BonePart,
    Flesh,
    FleshParts,
    FleshSettings,
    FleshSolver,
    Motion,
    MusclePart,
    SkinGroup,
    SkinSettings,
    Tissue,
    build_flesh,
    load_flesh,
    save_flesh,
    solve_frames,
)
from vastus.flesh.fibres import fibres_along
from vastus.flesh.frames import frame_path, read_frame
from vastus.flesh.motion import motion_of, read_motion, write_motion
from vastus.flesh.skin import given_skin
from vastus.flesh.sources import read_settings
from vastus.geometry.lattice.level_set import sampled
from vastus.geometry.surface import Surface
from vastus.numerics.rotation import exp_map, unit
from vastus.numerics.types import Floats
from vastus.solvers.flesh.balance import Balance

SETTINGS = FleshSettings(
    spacing=0.008,
    levels=1,
    skin=SkinSettings(cell=0.004, groups=(SkinGroup(closing=0.01, offset=0.004),)),
)


def capsule(start: Floats, end: Floats, radius: float, cell: float = 0.003) -> Surface:
    a, axis = np.asarray(start, float), np.subtract(end, start)

    def field(X: Floats) -> Floats:
        t = np.clip((X - a) @ axis / (axis @ axis), 0.0, 1.0)
        return np.linalg.norm(X - a - t[:, None] * axis, axis=1) - radius

    ends = np.stack([a, np.asarray(end, float)])
    pad = radius + 3 * cell
    return sampled(field, ends.min(axis=0) - pad, ends.max(axis=0) + pad, cell).surface()


def limb() -> FleshParts:
    """Two bones that meet at the origin, and a muscle beside them that crosses the joint."""
    upper = capsule([0, 0, 0.008], [0, 0, 0.09], 0.007)
    lower = capsule([0, 0, -0.008], [0, 0, -0.09], 0.007)
    belly = capsule([0, 0.018, 0.07], [0, 0.018, -0.03], 0.009)
    return FleshParts([BonePart("upper", upper), BonePart("lower", lower)],
                      [MusclePart("belly", belly)])  # fmt: skip


@pytest.fixture(scope="module")
def flesh() -> Flesh:
    return build_flesh(limb(), SETTINGS)


def bent(degrees: float) -> Floats:
    return np.hstack([exp_map(np.array([np.radians(degrees), 0, 0])), np.zeros((3, 1))])


def test_a_muscle_fills_as_much_as_its_surface_encloses(flesh: Flesh) -> None:
    assert flesh.volume_of("belly") == pytest.approx(limb().muscles[0].surface.volume, rel=0.01)


def test_fibres_of_a_shape_run_from_end_to_end() -> None:
    fibres = fibres_along(capsule([0, 0, 0], [0, 0, 0.1], 0.01))
    assert np.median(np.abs(fibres.directions[:, 2])) > 0.98


def test_the_reduced_gradient_and_stiffness_are_derivatives(flesh: Flesh) -> None:
    solver, rng = FleshSolver(flesh), np.random.default_rng(0)
    y = flesh.rest + 1e-4 * rng.normal(size=flesh.rest.shape)
    poses = solver.start.poses.copy()
    poses[1] = bent(5.0)
    balance = Balance(solver.problem, np.array([0.6]), solver.targets(poses))
    d = rng.normal(size=y.shape)
    d /= np.linalg.norm(d)
    g, h = balance.gradient(y), 1e-5
    slope = (balance.value(y + h * d) - balance.value(y - h * d)) / (2 * h)
    assert slope == pytest.approx(g @ d.ravel(), rel=1e-6)
    H = solver.problem.mixture.tangent(solver.problem.elements.deformation(y), np.array([0.6]))
    springs = solver.problem.springs.stiffness_in(*solver.problem.elements.pattern)
    K = BlockMatrix(solver.problem.elements, H, springs)
    change = (balance.gradient(y + 1e-7 * d) - balance.gradient(y - 1e-7 * d)) / 2e-7
    assert np.abs(K.times(d.ravel()) - change).max() < 1e-5 * np.abs(change).max()


def test_the_reduced_stiffness_at_rest_is_symmetric_and_definite(flesh: Flesh) -> None:
    from scipy.sparse import bsr_array

    elements = FleshSolver(flesh).problem.elements
    mixture = FleshSolver(flesh).problem.mixture
    springs = FleshSolver(flesh).problem.springs.stiffness_in(*elements.pattern)
    H = mixture.tangent(elements.deformation(flesh.rest), np.zeros(1))
    K = BlockMatrix(elements, H, springs)
    dense = bsr_array((K.blocks, K.column, K.row)).toarray()
    assert np.abs(dense - dense.T).max() < 1e-9 * np.abs(dense).max()
    assert np.linalg.eigvalsh(dense)[0] > 0


def test_flesh_at_rest_stays_at_rest(flesh: Flesh) -> None:
    solver = FleshSolver(flesh)
    frame = solver.frame({})
    assert frame.report is not None
    assert frame.report.newton == 0
    assert solver.skin(frame) == pytest.approx(flesh.skin.surface.X, abs=1e-12)


def test_flesh_follows_its_bones_without_inverted_tets(flesh: Flesh) -> None:
    solver = FleshSolver(flesh)
    frame = solver.frame({"lower": bent(30.0)})
    report = frame.report
    assert report is not None
    assert report.converged
    assert report.inverted == 0
    assert report.stretch < 5e-4
    assert abs(report.volume - 1) < 0.05
    # What is far from the joint has turned with the bone.
    X = flesh.skin.surface.X
    end = X[:, 2] < -0.08
    off = solver.skin(frame)[end] - X[end] @ bent(30.0)[:, :3].T
    assert np.linalg.norm(off, axis=1).max() < 3e-3


def test_all_bones_moved_together_move_flesh_as_one(flesh: Flesh) -> None:
    solver, pose = FleshSolver(flesh, tolerance=1e-6), bent(40.0)
    frame = solver.frame({"upper": pose, "lower": pose})
    assert np.abs(solver.skin(frame) - flesh.skin.surface.X @ pose[:, :3].T).max() < 1e-6


def test_an_active_muscle_makes_the_skin_bulge(flesh: Flesh) -> None:
    solver = FleshSolver(flesh)
    rest, active = solver.frame({}), solver.frame({}, {"belly": 1.0})
    over = (flesh.skin.surface.X[:, 1] > 0.02) & (np.abs(flesh.skin.surface.X[:, 2] - 0.02) < 0.02)
    outward = (solver.skin(active) - solver.skin(rest))[over, 1]
    assert outward.max() > 1e-3
    assert active.report is not None
    assert active.report.converged
    assert active.report.inverted == 0


def test_a_turn_of_a_fold_is_made_in_steps_without_inverted_tets(flesh: Flesh) -> None:
    report = FleshSolver(flesh).frame({"lower": bent(70.0)}).report
    assert report is not None
    assert report.converged
    assert report.inverted == 0
    assert abs(report.volume - 1) < 0.05


def test_skin_follows_several_tets_and_keeps_linear_motions(flesh: Flesh) -> None:
    solver, A = FleshSolver(flesh), np.eye(3) + 0.3 * np.random.default_rng(0).normal(size=(3, 3))
    bare = flesh.skin.places.matrix(flesh.mesh.T, flesh.P)
    moved = replace(solver.start, y=flesh.rest @ A.T)
    assert solver.skin(moved) == pytest.approx(flesh.skin.surface.X @ A.T, abs=1e-12)
    # In a fold it has smaller steps than if each vertex followed one tet.
    frame = solver.frame({"lower": bent(60.0)})
    wide = flesh.skin.blended(flesh.mesh, flesh.P, 0.01)
    steps = [kinks(flesh.skin.surface, E @ frame.y) for E in (bare, wide)]
    assert steps[1] < 0.7 * steps[0]


def kinks(surface: Surface, x: Floats) -> float:
    """[rad] how much the angles between neighbouring faces change, root mean square."""
    rest = trimesh.Trimesh(surface.X, surface.faces, process=False)
    moved = trimesh.Trimesh(x, surface.faces, process=False)
    change = np.subtract(*(angles(mesh, rest) for mesh in (moved, rest)))
    return float(np.sqrt((change**2).mean()))


def angles(mesh: trimesh.Trimesh, rest: trimesh.Trimesh) -> Floats:
    """[rad] between the normals of faces that are neighbours at rest, signed."""
    one, two = mesh.face_normals[rest.face_adjacency].swapaxes(0, 1)
    edges = unit(np.diff(mesh.vertices[rest.face_adjacency_edges], axis=1)[:, 0])
    return np.arctan2((np.cross(one, two) * edges).sum(axis=1), (one * two).sum(axis=1))


def test_skin_of_a_frame_is_where_a_closer_balance_has_it(flesh: Flesh) -> None:
    usual, close = FleshSolver(flesh), FleshSolver(flesh, tolerance=1e-7)
    poses, active = {"lower": bent(90.0)}, {"belly": 0.4}
    frame = usual.frame(poses, active)
    off = usual.skin(frame) - close.skin(close.frame(poses, active, start=frame))
    assert np.linalg.norm(off, axis=1).max() < 1e-5


def test_a_frame_that_does_not_move_on_is_refused(
    flesh: Flesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Balance, "direction", lambda self, y, g: 0 * g)
    with pytest.raises(SolveError, match=r"no step decreased .* after 0 iterations, and .* N are"):
        FleshSolver(flesh).frame({}, {"belly": 0.5})


def test_a_frame_that_does_not_move_on_is_solved_in_smaller_steps(
    flesh: Flesh, monkeypatch: pytest.MonkeyPatch
) -> None:
    solver, whole = FleshSolver(flesh, tolerance=1e-6), Balance.direction
    # At more than this, fibres fold a tet or not, and there are two equilibria 2 micrometres apart.
    alone = solver.frame({}, {"belly": 0.3})

    def direction(self: Balance, y: Floats, g: Floats) -> Floats:
        far = np.array_equal(y, flesh.rest) and self._activation[0] > 0.2
        return 0 * g if far else whole(self, y, g)

    monkeypatch.setattr(Balance, "direction", direction)
    stepped = solver.frame({}, {"belly": 0.3})
    assert stepped.report is not None
    assert stepped.report.converged
    assert stepped.report.steps == 2
    assert solver.skin(stepped) == pytest.approx(solver.skin(alone), abs=1e-6)


def test_flesh_resists_swelling_the_more_the_larger_it_is() -> None:
    mixture = Mixture(Tissue(), Shares.none(), 40)
    J = np.linspace(0.3, 8.0, 40)
    P = mixture.stress(np.cbrt(J)[:, None, None] * np.eye(3), np.zeros(0))
    pressure = P[:, 0, 0] / np.cbrt(J) ** 2
    assert (np.diff(pressure) > 0).all()


def test_tissue_is_that_of_the_paper_by_name(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("tissue: paper\n")
    assert read_settings(file).tissue == Tissue(mu10=2e4, mu01=6e4, stress=3e5, optimal=1.4)
    file.write_text("tissue: soft\n")
    with pytest.raises(ModelError, match="tissue is 'soft'; it must be a table"):
        read_settings(file)


def hand() -> FleshParts:
    """Two fingers 1 mm apart on a palm, in a skin of their own."""
    ends = {
        "left": ([0.0, 0, 0.008], [0.0, 0, 0.035]),
        "right": ([0.017, 0, 0.008], [0.017, 0, 0.035]),
        "palm": ([0.0, 0, -0.004], [0.017, 0, -0.004]),
    }

    def field(X: Floats) -> Floats:
        gaps = []
        for start, end in ends.values():
            a, axis = np.array(start), np.subtract(end, start)
            t = np.clip((X - a) @ axis / (axis @ axis), 0.0, 1.0)
            gaps.append(np.linalg.norm(X - a - t[:, None] * axis, axis=1) - 0.008)
        return np.min(gaps, axis=0)

    low, high = np.array([-0.012, -0.012, -0.016]), np.array([0.029, 0.012, 0.047])
    skin = sampled(field, low, high, 0.0006).surface()
    bones = [BonePart(name, capsule(a, b, 0.004, 0.0015)) for name, (a, b) in ends.items()]
    return FleshParts(bones, skin=skin)


def assert_bones_hold_their_own_fingers(flesh: Flesh) -> None:
    """Tets that a bone holds share no node with those of the other finger, beyond the palm."""
    nodes = []
    for name in ("left", "right"):
        mine = flesh.sample_body == flesh.bodies.index(name)
        tips = mine & (flesh.samples[:, 2] > 0.02)
        assert tips.any()
        nodes.append(set(flesh.mesh.T[flesh.sample_places.tets[tips]].ravel()))
    assert not nodes[0] & nodes[1]


def test_moving_one_finger_leaves_the_other() -> None:
    cover = SkinSettings(cell=0.0006, smoothing=0.3, dilation=0.0)
    settings = FleshSettings(spacing=0.007, levels=0, skin=cover)
    flesh = build_flesh(hand(), settings)
    assert flesh.facts["copied_tets"] > 0
    assert_bones_hold_their_own_fingers(flesh)
    shift = np.hstack([np.eye(3), [[0.0], [0.004], [0.0]]])
    solver = FleshSolver(flesh)
    X = flesh.skin.surface.X
    moved = np.linalg.norm(solver.skin(solver.frame({"left": shift})) - X, axis=1)
    tips = [(X[:, 2] > 0.02) & side for side in (X[:, 0] < 0.0085, X[:, 0] > 0.0085)]
    assert moved[tips[0]].min() > 3.5e-3
    assert moved[tips[1]].max() < 0.2e-3


def test_a_skin_that_does_not_enclose_a_bone_is_told_by_name() -> None:
    parts = limb()
    short = capsule([0, 0.005, 0.03], [0, 0.005, 0.09], 0.03)
    with pytest.raises(ModelError, match="does not enclose bone 'lower'"):
        build_flesh(FleshParts(parts.bones, parts.muscles, skin=short), SETTINGS)


def test_holes_of_a_given_skin_are_closed() -> None:
    whole = capsule([0, 0, -0.1], [0, 0, 0.1], 0.03, 0.006)
    middle = whole.X[whole.faces].mean(axis=1) - [0, 0.03, 0]
    holed = whole.keeping(np.linalg.norm(middle, axis=1) > 0.012)
    assert not holed.closed
    settings = SkinSettings(cell=0.005)
    kept, closed = given_skin(whole, settings).volume, given_skin(holed, settings).volume
    assert closed == pytest.approx(kept, rel=0.02)


def test_flesh_without_bones_or_with_two_of_a_name_is_refused() -> None:
    with pytest.raises(ModelError, match="needs a bone"):
        FleshParts([])
    bone = limb().bones[0]
    with pytest.raises(ModelError, match="two of the bones are called 'upper'"):
        FleshParts([bone, bone])


def test_an_unknown_body_or_muscle_is_named(flesh: Flesh) -> None:
    solver = FleshSolver(flesh)
    with pytest.raises(ModelError, match="no body 'elbow'"):
        solver.frame({"elbow": bent(1.0)})
    with pytest.raises(ModelError, match="no muscle 'bicep'"):
        solver.frame({}, {"bicep": 1.0})


def test_saved_flesh_is_the_same(flesh: Flesh, tmp_path: Path) -> None:
    save_flesh(tmp_path / "flesh.npz", flesh)
    read = load_flesh(tmp_path / "flesh.npz")
    assert str(read) == str(flesh)
    assert read.settings == flesh.settings
    one, two = (FleshSolver(f).frame({"lower": bent(4.0)}).y for f in (flesh, read))
    assert np.array_equal(one, two)


def motion(count: int) -> Motion:
    poses = np.stack([bent(4.0 * k)[None] for k in range(count)])
    return Motion(np.arange(count) / 30, ("lower",), poses, ("belly",), np.full((count, 1), 0.2))


def test_frames_are_resumed_with_the_same_bits(flesh: Flesh, tmp_path: Path) -> None:
    contents = []
    for name in ("whole", "killed"):
        folder = tmp_path / name
        folder.mkdir()
        save_flesh(folder / "flesh.npz", flesh)
        paths = solve_frames(folder, motion(4), chain=2)
        if name == "killed":
            for index in (1, 2):
                frame_path(folder, index).unlink()
            paths = solve_frames(folder, motion(4), chain=2)
        contents.append([path.read_bytes() for path in paths])
    assert contents[0] == contents[1]
    assert read_frame(paths[-1]).report.converged  # type: ignore[union-attr]


def test_another_motion_replaces_the_frames(flesh: Flesh, tmp_path: Path) -> None:
    save_flesh(tmp_path / "flesh.npz", flesh)
    before = solve_frames(tmp_path, motion(2))[1].read_bytes()
    slower = motion(2)
    slower.poses[1] = bent(1.0)
    assert solve_frames(tmp_path, slower)[1].read_bytes() != before


@pytest.mark.slow
def test_processes_give_the_same_bits(flesh: Flesh, tmp_path: Path) -> None:
    contents = []
    for count in (1, 2):
        folder = tmp_path / str(count)
        folder.mkdir()
        save_flesh(folder / "flesh.npz", flesh)
        paths = solve_frames(folder, motion(4), chain=2, processes=count)
        contents.append([path.read_bytes() for path in paths])
    assert contents[0] == contents[1]


def test_a_motion_is_sampled_written_and_read(tmp_path: Path) -> None:
    fine = motion(3).sampled(60.0)
    assert len(fine) == 5
    assert fine.poses[1, 0] == pytest.approx(bent(2.0), abs=1e-12)
    write_motion(tmp_path / "motion.npz", fine)
    assert np.array_equal(read_motion(tmp_path / "motion.npz").poses, fine.poses)
    np.savez(tmp_path / "bad.npz", times=np.zeros(1))
    with pytest.raises(FileError, match="no array 'bodies'"):
        read_motion(tmp_path / "bad.npz")


def test_a_result_gives_its_poses_and_the_activations_of_its_table() -> None:
    model = SimpleNamespace(
        bones=[SimpleNamespace(name="lower")],
        muscles=[SimpleNamespace(name="belly"), SimpleNamespace(name="other")],
    )
    inputs = [SimpleNamespace(excitation=np.array([0.5, 0.25]))] * 2
    table = {"belly_activation": np.array([0.0, 0.1])}
    times = np.array([0.0, 0.5])
    result = SimpleNamespace(
        model=model, times=times, table=table, inputs=inputs, poses=motion(2).poses
    )
    found = motion_of(result)  # type: ignore[arg-type]
    assert found.bodies == ("lower",)
    assert found.activation == pytest.approx(np.array([[0.0, 0.25], [0.1, 0.25]]))


def test_a_motion_of_other_bodies_is_refused() -> None:
    with pytest.raises(ModelError, match="moves none of the bodies"):
        motion(2).among(["femur"], [])


@pytest.mark.slow
def test_the_skin_is_drawn_from_four_sides_and_in_motion(flesh: Flesh, tmp_path: Path) -> None:
    pytest.importorskip("pyvista", reason="pictures need the extra viz")
    from vastus.pictures.flesh.flesh_pictures import skin_movie, skin_sheet

    solver = FleshSolver(flesh)
    frames = [(0.0, solver.start), (0.1, solver.frame({"lower": bent(20.0)}))]
    named = [(f"{at} s", frame) for at, frame in frames]
    skin_sheet(solver, named, tmp_path / "sheet.png", height=160)
    skin_movie(solver, lambda: iter(frames), tmp_path / "movie.mp4", 10.0, height=160)
    assert (tmp_path / "sheet.png").stat().st_size > 10_000
    assert (tmp_path / "movie.mp4").stat().st_size > 1_000
