"""Bodies in each other: depth and volume against closed forms, and what does not count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import builders
from builders import SOFT, box, pair
from vastus.checks import check
from vastus.checks.contact import touches
from vastus.cli import main
from vastus.cli.show import print_penetrations
from vastus.errors import FileError
from vastus.export.export import write
from vastus.files.model_file import save_model
from vastus.geometry.penetration import Penetration
from vastus.geometry.tetmesh import TetMesh
from vastus.inputs import Inputs
from vastus.measure.overlap import Penetrations, kept, penetrations
from vastus.model import Model, Muscle
from vastus.numerics.types import Floats
from vastus.parts import Bone, Contact, ContactKind, Drive, Pin, Region, Tissue
from vastus.results.result import read_result
from vastus.results.writer import ResultWriter
from vastus.solvers.newton import Newton
from vastus.state import Frame, Report, rest
from vastus.timeloop import simulate

REPORT = Report(True, 1, 0.0, 0.0, 0.0)


def heap(*meshes: TetMesh) -> Model:
    """Solids of their own, all of whose vertices are pinned."""
    count = sum(mesh.n_vertices for mesh in meshes)
    return builders.heap(*meshes, pins=(Pin("all", np.arange(count)),))


def at(mesh: TetMesh, shift: Sequence[float]) -> TetMesh:
    return TetMesh(mesh.X + np.asarray(shift), mesh.T)


def cube(shift: Sequence[float] = (0, 0, 0), cells: int = 3) -> TetMesh:
    return at(box((cells, cells, cells), (0.1, 0.1, 0.1)), shift)


def ball(radius: float, cells: int) -> TetMesh:
    """A cube's cells drawn to a ball: each shell of the cube becomes a sphere."""
    mesh = box((cells, cells, cells), (2.0, 2.0, 2.0))
    X = mesh.X - 1
    size = np.linalg.norm(X, axis=1, keepdims=True)
    shell = np.abs(X).max(axis=1, keepdims=True)
    return TetMesh(
        radius * np.divide(shell * X, size, out=np.zeros_like(X), where=size > 0), mesh.T
    )


def only(model: Model, x: Floats | None = None) -> Penetration:
    (found,) = penetrations(model, model.mesh.X if x is None else x)
    return found


def moved(model: Model, region: str, shift: Sequence[float]) -> Floats:
    """The vertices with those of a region moved."""
    x = model.mesh.X.copy()
    x[np.unique(model.mesh.T[model.tets_of([region])])] += np.asarray(shift)
    return x


@pytest.mark.parametrize(("one", "other"), [(3, 3), (2, 5), (4, 1)])
def test_a_slab_has_its_depth_and_volume(one: int, other: int) -> None:
    found = only(heap(cube(cells=one), cube((0.083, 0, 0), other)))
    assert (found.one, found.other) == ("a", "b")
    assert found.depth == pytest.approx(0.017, rel=1e-9)
    assert found.volume == pytest.approx(0.017 * 0.01, rel=1e-9)


def test_a_brick_at_a_corner_is_as_deep_as_it_is_thin() -> None:
    found = only(heap(cube(), cube((0.06, 0.07, 0.085), 4)))
    assert found.depth == pytest.approx(0.015, rel=1e-9)
    assert found.volume == pytest.approx(0.04 * 0.03 * 0.015, rel=1e-9)


def test_a_body_wholly_inside_another_counts_whole() -> None:
    found = only(heap(cube(cells=4), at(box((2, 2, 2), (0.02, 0.02, 0.02)), (0.03, 0.04, 0.04))))
    assert found.volume == pytest.approx(8e-6, rel=1e-9)
    assert found.depth == pytest.approx(0.05, rel=1e-9)


def test_a_lens_of_two_balls_nears_the_closed_form() -> None:
    """V = pi (4 R + d) (2 R - d)^2 / 12, with an error of the order of the square of the cells."""
    R, d = 0.05, 0.06
    exact = np.pi * (4 * R + d) * (2 * R - d) ** 2 / 12
    errors = []
    for cells in (6, 12):
        found = only(heap(ball(R, cells), at(ball(R, cells), (d, 0, 0))))
        errors.append(1 - found.volume / exact)
        assert 2 * R - d == pytest.approx(found.depth, abs=(2 * R / cells) ** 2 / R / 2)
    assert 0 < errors[1] < 0.05
    assert errors[1] < errors[0] / 3


def test_beams_that_cross_without_a_vertex_inside_are_seen() -> None:
    beam = box((1, 1, 1), (0.3, 0.02, 0.02))
    across = at(box((1, 1, 1), (0.02, 0.3, 0.02)), (0.14, -0.14, 0.015))
    found = only(heap(beam, across))
    assert found.volume == pytest.approx(0.02 * 0.02 * 0.005, rel=1e-9)
    assert 0 < found.depth <= 0.005


def test_turning_the_whole_changes_nothing() -> None:
    model = heap(cube(), cube((0.06, 0.07, 0.085), 4))
    R = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    found, turned = only(model), only(model, model.mesh.X @ R.T + 0.3)
    assert turned.volume == pytest.approx(found.volume, rel=1e-9)
    assert turned.depth == pytest.approx(found.depth, rel=1e-9)


def test_bodies_that_were_elsewhere_before_have_the_penetrations_of_a_fresh_look() -> None:
    """The order of boxes is that of the first state; flat tets, which are left out, change it."""
    model = heap(cube(cells=4), cube((0.05, 0.04, 0.03)))
    X, found = model.mesh.X, Penetrations(model)
    bent = 0.2 * X[:, [1, 2, 0]] ** 2
    flat = X.copy()
    flat[:30, 2] = 0.0
    for x in (X, X + bent, flat, X - bent):
        (one,), (fresh,) = found.of(x), penetrations(model, x)
        assert one.depth == pytest.approx(fresh.depth, rel=1e-12)
        assert one.volume == pytest.approx(fresh.volume, rel=1e-12)


@pytest.mark.parametrize("cells", [3, 4])
def test_faces_that_touch_are_no_penetration(cells: int) -> None:
    model = heap(cube(), cube((0.1, 0, 0), cells))
    assert penetrations(model, model.mesh.X) == ()


def test_touching_bodies_that_are_moved_have_the_depth_of_the_move() -> None:
    model = heap(cube(), cube((0.1, 0, 0)))
    found = only(model, moved(model, "b", (-0.004, 0, 0)))
    assert found.depth == pytest.approx(0.004, rel=1e-9)
    assert found.volume == pytest.approx(0.004 * 0.01, rel=1e-9)


def test_what_is_glued_does_not_penetrate_at_rest() -> None:
    model = pair()
    assert penetrations(model, model.mesh.X) == ()


def test_a_glued_muscle_that_bends_into_its_bone_has_a_depth() -> None:
    """The first ring of free vertices of 'm' is 30 mm from bone A, and is pushed 10 mm into it."""
    model = pair()
    x = model.mesh.X.copy()
    ring = np.isclose(x[:, 0], 0.09) & np.isclose(x[:, 1:], 0.015).all(axis=1)
    x[ring, 0] = 0.05
    found = only(model, x)
    assert (found.one, found.other) == ("A", "m")
    assert found.depth == pytest.approx(0.01, rel=1e-9)


def test_bones_pushed_through_the_muscle_between_them_penetrate() -> None:
    model = pair()
    found = penetrations(model, moved(model, "B", (-0.13, 0, 0)))
    bones = next(p for p in found if (p.one, p.other) == ("A", "B"))
    assert bones.depth == pytest.approx(0.01, rel=1e-9)
    assert bones.volume == pytest.approx(0.01 * 0.03**2, rel=1e-9)


def attached() -> Model:
    """A muscle whose end, 2 cm deep in a bone of its own vertices, is attached to it."""
    model = heap(cube(), at(box((5, 1, 1), (0.1, 0.05, 0.05)), (0.08, 0.02, 0.02)))
    end = np.flatnonzero((model.mesh.X[:, 0] < 0.11) & (np.arange(len(model.mesh.X)) >= 64))
    return Model(
        model.mesh,
        model.region,
        (Region("a", Tissue.BONE), Region("b", Tissue.MUSCLE, SOFT, muscle="b")),
        np.where(model.region[:, None], [1.0, 0.0, 0.0], 0.0),
        (Muscle("b"),),
        (Bone("a", ("a",), Drive.PINNED, end),),
    )


def test_what_a_bone_carries_does_not_penetrate_it() -> None:
    model = attached()
    assert penetrations(model, model.mesh.X) == ()


def test_what_is_beyond_an_attachment_does() -> None:
    model = attached()
    x = model.mesh.X.copy()
    x[np.isclose(x[:, 0], 0.18), 0] = 0.09
    assert only(model, x).depth == pytest.approx(0.01, rel=1e-9)


def test_a_muscle_and_its_tendons_are_one_body(bar_model: Model) -> None:
    found = penetrations(bar_model, moved(bar_model, "tip", (-0.075, 0, 0)))
    assert {p.one for p in found} | {p.other for p in found} == {"base", "belly", "tip"}


def test_inverted_tets_count_like_others() -> None:
    model = heap(cube(), cube((0.083, 0, 0), 4))
    x = model.mesh.X.copy()
    x[64:, 1] = 0.1 - x[64:, 1]
    found = only(model, x)
    assert found.volume == pytest.approx(0.017 * 0.01, rel=1e-9)
    assert found.depth == pytest.approx(0.017, rel=1e-9)


def test_tets_that_are_flat_or_not_finite_are_left_out() -> None:
    model = heap(cube(), cube((0.083, 0, 0)))
    x = model.mesh.X.copy()
    x[63], x[127] = np.nan, np.inf
    found = only(model, x)
    assert 0.014 < found.depth <= 0.017 + 1e-9
    assert 0.5 < found.volume / (0.017 * 0.01) < 1
    assert penetrations(model, np.full_like(x, np.nan)) == ()
    assert penetrations(model, model.mesh.X * [0, 1, 1]) == ()


def test_frames_carry_the_deepest_and_every_pair() -> None:
    model = heap(cube(cells=2), cube((0.09, 0, 0), 2), cube((0, 0.095, 0), 2))
    (frame,) = simulate(model, Newton(), [Inputs.rest(model)])
    assert frame.outputs["penetration_m"] == pytest.approx(0.01)
    assert [(p.one, p.other) for p in frame.penetrations] == [("a", "b"), ("a", "c"), ("b", "c")]


def frames(model: Model, count: int = 3) -> list[Frame]:
    """Frames with made-up penetrations, none of them in the second."""
    found = (Penetration("a", 'b, "c"', 1e-3 / 3, 1e-9), Penetration("a", "d", 1e-4, 0.0))
    state = rest(model)
    return [Frame(i, state, REPORT, {}, () if i == 1 else found) for i in range(count)]


def test_penetrations_are_read_back_as_written(bar_model: Model, tmp_path: Path) -> None:
    written = frames(bar_model)
    write(tmp_path / "out", bar_model, written)
    lines = (tmp_path / "out" / "penetration.csv").read_text().splitlines()
    assert lines[0] == "frame,time_s,one,other,depth_m,volume_m3"
    assert len(lines) == 5
    result = read_result(tmp_path / "out")
    assert result.penetrations == tuple(frame.penetrations for frame in written)


def test_a_resumed_run_drops_what_lies_beyond(bar_model: Model, tmp_path: Path) -> None:
    write(tmp_path / "whole", bar_model, frames(bar_model))
    write(tmp_path / "parts", bar_model, frames(bar_model)[:2])
    path = tmp_path / "parts" / "penetration.csv"
    path.write_text(path.read_text() + "2,0.0,a,d,1.0,1.0\n2,0.0,a")
    assert len(read_result(tmp_path / "parts").penetrations) == 2
    with ResultWriter(tmp_path / "parts", bar_model, resume=True) as writer:
        writer.add(frames(bar_model)[2])
    assert path.read_bytes() == (tmp_path / "whole" / "penetration.csv").read_bytes()


def test_a_damaged_table_is_told(bar_model: Model, tmp_path: Path) -> None:
    write(tmp_path, bar_model, frames(bar_model))
    (tmp_path / "penetration.csv").write_text("frame\nzero,0\n")
    with pytest.raises(FileError, match=r"penetration\.csv"):
        read_result(tmp_path)


def test_a_run_writes_and_tells_penetrations(tmp_path: Path) -> None:
    save_model(tmp_path / "heap.npz", heap(cube(cells=2), cube((0.09, 0, 0), 2)))
    scene = tmp_path / "scene.yaml"
    scene.write_text("vastus: 1\nmodel: {file: heap.npz}\ninputs: {seconds: 0.1, fps: 10}\n")
    words = ["run", str(scene), "-o", str(tmp_path / "out"), "--no-pictures"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "10.00" in done.stdout
    assert "a and b" in done.stdout
    assert "The model has no contact" in done.stdout
    assert len((tmp_path / "out" / "penetration.csv").read_text().splitlines()) == 3
    assert read_result(tmp_path / "out").table["penetration_m"] == pytest.approx(0.01)


def test_the_worst_frame_of_a_few_pairs_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [Penetration("one", f"other {i}", 2e-3 - i * 1e-4, 1e-9) for i in range(7)]
    print_penetrations([[], pairs, [replace(p, depth=p.depth / 2) for p in pairs]], heap(cube()))
    said = capsys.readouterr().out
    assert "1   2.00" in said
    assert "other 4" in said
    assert "other 5" not in said
    assert "and 2 more pairs" in said


def test_shallow_penetrations_are_not_blamed_on_contact(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_penetrations([[]], heap(cube()))
    assert capsys.readouterr().out == ""
    print_penetrations([[Penetration("one", "other", 5e-5, 1e-12)]], heap(cube()))
    assert "Contact" not in capsys.readouterr().out


def contact_findings(model: Model) -> list[str]:
    return [str(f) for f in check(model) if "not glued" in str(f)]


def test_touching_bodies_are_named_with_area_and_place() -> None:
    (said,) = contact_findings(heap(cube(), cube((0.1, 0, 0))))
    assert "a pair of bodies" in said
    assert "'a' and 'b' (1e+02 cm^2 near [0.1," in said


@pytest.mark.parametrize(("gap", "count"), [(0.005, 1), (0.05, 0)])
def test_bodies_are_near_within_half_an_edge(gap: float, count: int) -> None:
    assert len(contact_findings(heap(cube(), cube((0.1 + gap, 0, 0))))) == count


def test_a_body_inside_another_needs_contact() -> None:
    inner = at(box((2, 2, 2), (0.01, 0.01, 0.01)), (0.045, 0.045, 0.045))
    (found,) = touches(heap(cube(cells=2), inner))
    assert found.area == pytest.approx(3e-4)


def test_at_most_five_pairs_are_named_the_largest_first() -> None:
    row = [at(box((2, 2, 2), (0.02, 0.02, 0.02 + 0.001 * i)), (0.02 * i, 0, 0)) for i in range(8)]
    (said,) = contact_findings(heap(*row))
    assert "7 pairs" in said
    assert said.index("'g' and 'h'") < said.index("'f' and 'g'")
    assert "'a' and 'b'" not in said
    assert "and 2 more" in said


def test_glued_bodies_need_no_contact(bar_model: Model) -> None:
    assert contact_findings(bar_model) == []
    assert contact_findings(attached()) == []


@pytest.mark.parametrize(
    ("bodies", "contact", "said"),
    [
        (("A", "B"), Contact(), "Contact does not act between two bones: only the range of their"),
        (("A", "B"), None, "Contact does not act between two bones: only the range of their"),
        (("A", "m"), None, "The model has no contact: nothing keeps soft bodies out of bones"),
        (("A", "m"), Contact(), "Contact keeps soft bodies out of bones and of each other as"),
        (("A", "m"), Contact(muscles=ContactKind.NONE), "nothing keeps two soft bodies apart."),
        (("m", "n"), Contact(bones=ContactKind.NONE), "nothing keeps them out of bones."),
    ],
)
def test_what_keeps_a_pair_apart_is_said_of_that_pair_alone(
    bodies: tuple[str, str], contact: Contact | None, said: str
) -> None:
    model = pair().with_(contact=contact)
    told = kept(model, [Penetration(*bodies, 1e-3, 1e-9)])
    assert said in told
    assert ("soft bodies" in told) is ("m" in bodies)
