"""The experiments of the papers: their registry, their page, and the parts they are made of."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from vastus.errors import FileError, ModelError
from vastus.files.html import Table, shown
from vastus.files.meshes import write_surface
from vastus.geometry.surface import Surface
from vastus.inputs import Inputs
from vastus.measure.overlap import penetrations
from vastus.numerics.rotation import exp_map
from vastus.parts import Drive
from vastus.reproduce import style
from vastus.reproduce.emu import EXPERIMENTS, bunny, fig10, fig20, paper, racing, sweep
from vastus.reproduce.emu.paper import body_from, egg
from vastus.reproduce.emu.racing import Lap, ratio
from vastus.reproduce.emu.sweep import power
from vastus.reproduce.emu.touching import round_a_corner, side_by_side
from vastus.reproduce.emu.turning import Swing, body
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.kept import opened, remembered
from vastus.reproduce.papers import EMU
from vastus.reproduce.records import (
    failed,
    perform,
    read_record,
    record,
    unfinished,
    write_page,
    write_record,
)
from vastus.reproduce.solving import EnergyStops, Once, hausdorff, solved
from vastus.reproduce.style import percent, seconds, times
from vastus.schedules import ramp
from vastus.solvers.emu.emu import Emu
from vastus.solvers.newton import Newton
from vastus.state import rest


def finding(sentence: str = "Two is less than three.") -> Finding:
    made, (axes,) = style.figure(1)
    axes.plot([1, 2], [3, 4])
    rows = [("a < b", 1234.5, 0.25, None, np.float64(np.inf), np.int64(7))]
    table = Table("Numbers", ("what", "b", "c", "d", "e", "f"), rows)
    return Finding(Agreement.YES, sentence, (table,), made, "A line.", {"Newton": Newton()})


def experiment(name: str = "fig2", run=lambda setting: finding()) -> Experiment:
    return Experiment(name, f"Title of {name}", "What the paper <shows>.", run, (0.1, 1.0))


def test_every_figure_and_table_that_is_promised_is_registered() -> None:
    names = [*(f"fig{number}" for number in range(1, 21)), "table2", "table3", "bunny"]
    assert list(EXPERIMENTS) == names
    assert [e.name for e in EMU.chosen([])] == names
    assert [e.name for e in EMU.chosen(["table2", "fig3"])] == ["fig3", "table2"]
    assert all(0 < quick <= full for quick, full in (e.minutes for e in EXPERIMENTS.values()))
    assert sum(e.minutes[0] for e in EXPERIMENTS.values()) < 30
    assert [e.name for e in EXPERIMENTS.values() if e.takes_mesh] == ["bunny"]


def test_an_unknown_experiment_is_refused_with_those_that_exist() -> None:
    with pytest.raises(ModelError, match="no experiment 'fig21'; "):
        EMU.chosen(["fig3", "fig21"])


def test_the_numbers_of_the_paper_are_whole() -> None:
    """Table 2 has the same six alphas for both meshes, and ADMM for both."""
    small, large = paper.TABLE2_EMU.values()
    assert list(small) == list(large) == [10.0**k for k in range(6)]
    assert set(paper.TABLE2_ADMM) == set(paper.TABLE2_EMU)
    assert min(small, key=lambda alpha: small[alpha]) == 1e4
    assert min(large, key=lambda alpha: large[alpha]) == 1e2


def test_agreement_is_as_good_as_the_claims_that_hold() -> None:
    assert Agreement.of(True, True) is Agreement.YES
    assert Agreement.of(True, False) is Agreement.PARTLY
    assert Agreement.of(False, False) is Agreement.NO


def test_a_record_survives_its_file(tmp_path: Path) -> None:
    made = record(EMU, experiment(), Setting(), 1.5, finding())
    write_record(tmp_path, made)
    again = read_record(tmp_path, EMU, "fig2")
    assert again == made
    assert again.answers(experiment(), Setting())
    assert not again.answers(experiment(), Setting(full=True))
    cells = again.contents["tables"][0]["rows"][0]
    assert cells == ["a < b", 1234.5, 0.25, None, None, 7]
    assert again.contents["solvers"]["Newton"]["tolerance"] == 1e-8
    assert {"vastus", "seed", "machine", "seconds", "setting"} <= set(again.contents)
    assert read_record(tmp_path, EMU, "fig3") is None
    (tmp_path / "fig3.json").write_text("{", encoding="utf-8")
    assert read_record(tmp_path, EMU, "fig3") is None


class Checker(HTMLParser):
    """Counts tags and notes what refers elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "img"):
            self.open.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_needs_no_other_file_and_shows_findings_and_failures(tmp_path: Path) -> None:
    style.save(finding().figure, tmp_path / "fig2.png")
    good = record(EMU, experiment(), Setting(), 1.5, finding())
    bad = failed(EMU, experiment("fig3"), Setting(), 0.1, "no step <decreased> the energy")
    text = write_page(tmp_path, EMU, [good, bad]).read_text(encoding="utf-8")
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    inner = ("data:image/png;base64,", "#")
    assert [link for link in checker.links if not link.startswith(inner)] == ["fig2.json"]
    for part in ("Two is less than three.", "a &lt; b", "1,234", "Title of fig3"):
        assert part in text
    assert "It failed: no step &lt;decreased&gt; the energy" in text


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, "–"),
        ("x", "x"),
        (12345, "12,345"),
        (0.12345, "0.123"),
        (-3e-16, "0"),
        (2e-7, "2e-07"),
    ],
)
def test_cells_are_short(cell: object, text: str) -> None:
    assert shown(cell) == text


def test_one_failure_does_not_stop_the_others_and_resuming_repeats_only_it(tmp_path: Path) -> None:
    def broken(setting: Setting) -> Finding:
        raise ModelError("this cannot be")

    plan = [experiment(), experiment("fig3", broken), experiment("fig4")]
    told: list[str] = []
    found = list(perform(tmp_path, EMU, plan, Setting(), told.append))
    assert [r.verdict for r in found] == ["agrees", "failed", "agrees"]
    assert found[1].sentence == "this cannot be"
    assert told[0].startswith("[1/3] Title of fig2")
    assert "left" in told[1]
    assert [e.name for e in unfinished(tmp_path, EMU, plan, Setting())] == ["fig3"]
    assert len(unfinished(tmp_path, EMU, plan, Setting(full=True))) == 3
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("<h2") == 3
    assert json.loads((tmp_path / "fig3.json").read_text())["failure"] == "this cannot be"


def test_what_is_finished_survives_an_interruption(tmp_path: Path) -> None:
    def interrupted(setting: Setting) -> Finding:
        raise KeyboardInterrupt

    plan = [experiment(), experiment("fig3", interrupted)]
    with pytest.raises(KeyboardInterrupt):
        list(perform(tmp_path, EMU, plan, Setting(), lambda text: None))
    assert [e.name for e in unfinished(tmp_path, EMU, plan, Setting())] == ["fig3"]
    assert "Title of fig2" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_an_interrupted_experiment_goes_on_with_what_it_has_kept(tmp_path: Path) -> None:
    computed: list[str] = []

    def half(setting: Setting) -> Finding:
        remembered(setting, "first", lambda: computed.append("first") or [1.5])
        raise KeyboardInterrupt

    def whole(setting: Setting) -> Finding:
        for part in ("first", "second"):
            remembered(setting, part, lambda part=part: computed.append(part) or [1.5])
        return finding()

    with pytest.raises(KeyboardInterrupt):
        list(perform(tmp_path, EMU, [experiment("fig3", half)], Setting(), lambda text: None))
    (made,) = perform(tmp_path, EMU, [experiment("fig3", whole)], Setting(), lambda text: None)
    assert made.verdict == "agrees"
    assert computed == ["first", "second"]
    assert not (tmp_path / "unfinished").exists(), "what is finished needs nothing kept"


def test_what_was_kept_in_another_setting_is_forgotten(tmp_path: Path) -> None:
    place = opened(tmp_path, "fig3", {"full": False})
    assert remembered(Setting(folder=place), "laps", lambda: [1]) == [1]
    assert opened(tmp_path, "fig3", {"full": False}) == place
    assert remembered(Setting(folder=place), "laps", lambda: [2]) == [1]
    assert remembered(Setting(), "laps", lambda: [3]) == [3]
    opened(tmp_path, "fig3", {"full": True})
    assert remembered(Setting(folder=place), "laps", lambda: [4]) == [4]


def test_a_sweep_that_was_interrupted_goes_on_with_what_it_has_solved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, setting = paper.homogeneous(1_000), Setting(note=lambda _: None, folder=tmp_path)
    before = sweep.sweep(model, (1.0, 10.0), 40, setting)

    def solved_again(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(sweep, "run", solved_again)
    after = sweep.sweep(model, (1.0, 10.0), 40, setting)
    assert after.pairs == before.pairs
    assert before.pairs[0].low.iterations > 0
    with pytest.raises(AssertionError):
        sweep.sweep(model, (1.0, 100.0), 40, setting)


def test_laps_are_kept_as_they_were(tmp_path: Path) -> None:
    laps = [lap(racing.EMU, 100, 2.0), lap(racing.FEM, 100, 60.0, late=True)]
    setting = Setting(folder=tmp_path)
    assert racing.kept_laps(setting, "100 tets", lambda: laps) == laps
    assert racing.kept_laps(setting, "100 tets", lambda: []) == laps


def test_a_solve_without_substeps_stays_where_it_stopped() -> None:
    model = paper.hinged_muscle()
    inputs = ramp(model, m=1.0, fps=1)[-1]
    once = Once(Newton(max_iterations=2).prepare(model))
    state, _ = once.step(rest(model), inputs)
    assert not once.outcome.converged
    exact = solved(Newton(), model, inputs)
    assert np.abs(state.x - exact.x).max() > 1e-6


def test_a_guard_ends_a_solve_by_the_change_of_the_energy() -> None:
    model = paper.hinged_muscle()
    inputs = ramp(model, m=1.0, fps=1)[-1]
    stepper = Newton().prepare(model)
    seen: list[int] = []
    once = Once(stepper, (EnergyStops(stepper, inputs, 1e-2),))
    _, report = once.step(rest(model), inputs, lambda at: seen.append(at.iteration))
    _, full = Newton().prepare(model).step(rest(model), inputs)
    assert once.outcome.stopped
    assert not report.converged
    assert report.iterations == seen[-1] < full.iterations


def test_the_hausdorff_distance_of_a_shift_is_that_of_the_last_vertices() -> None:
    """Shifting a bar along itself by less than an edge moves its end by just so much."""
    model = paper.hinged_muscle()
    X = model.mesh.X
    assert hausdorff(model, X, X) == 0.0
    assert hausdorff(model, X + np.array([0.004, 0.0, 0.0]), X) == pytest.approx(0.004)


def test_the_angle_of_a_body_is_that_of_its_rotation() -> None:
    model = paper.shared_edge()
    watched = body(model, ("lower",), (0.0, 1.0, 0.0))
    turned = model.mesh.X @ exp_map(np.array([0.0, 0.7, 0.0])).T
    assert watched.angle(turned) == pytest.approx(np.degrees(0.7))


def test_locking_is_less_than_half_of_the_way_after_a_hundred_iterations() -> None:
    stays, goes = [0.0] * 101 + [30.0] * 50, [0.0, 20.0, 30.0, 29.5]
    assert Swing("a", tuple(stays), 30.0).verdict == "locks"
    assert Swing("b", tuple(goes), 30.0).verdict == "swings"
    assert Swing("b", tuple(goes), 30.0).arrival == 2
    assert Swing("c", tuple(20.0 + 0.01 * k for k in range(150)), 30.0).verdict == "creeps"


def test_the_joint_falls_until_the_lower_body_hangs_below_the_shared_edge() -> None:
    """The angle is that of the shape of the tets that share an edge, which need no solve."""
    joint = paper.hinged_bones()
    watched = body(joint, ("lower",), (0.0, 1.0, 0.0))
    hanging = watched.angle(solved(Newton(), joint, Inputs.rest(joint, 1.0)).x)
    edge = paper.shared_edge()
    mine = edge.mesh.X[np.unique(edge.mesh.T[edge.tets_of(["lower"])])]
    # The edge is at the origin, and the centre comes to rest below it.
    middle = (mine.min(axis=0) + mine.max(axis=0)) / 2
    assert hanging == pytest.approx(np.degrees(np.arctan2(middle[0], -middle[2])), abs=0.01)


def test_the_homogeneous_muscle_is_held_and_contracts() -> None:
    model = paper.homogeneous(1_000)
    assert len(model.regions) == 1
    np.testing.assert_allclose(np.linalg.norm(model.fibre, axis=1), 1.0)
    inputs = ramp(model, belly=0.3, fps=1)[-1]
    state, report = Emu(1e3).prepare(model).step(rest(model), inputs)
    assert report.converged
    assert np.ptp(state.x[:, 2]) < 0.95 * np.ptp(model.mesh.X[:, 2])


@pytest.mark.parametrize("tets", [1_500, 6_000])
def test_a_body_is_filled_with_about_the_tets_that_were_asked_for(tets: int) -> None:
    mesh = egg(tets)
    assert mesh.n_tets == pytest.approx(tets, rel=0.25)
    assert (mesh.volumes > 0).all()
    assert mesh.components.max() == 0


def test_a_closed_surface_is_filled_where_it_is(tmp_path: Path) -> None:
    """The tets of a filled box have its place and nearly its volume."""
    shape = paper.box((2, 2, 2), (0.3, 0.2, 0.1))
    X = shape.X + np.array([1.0, 2.0, 3.0])
    used, faces = np.unique(shape.boundary, return_inverse=True)
    write_surface(tmp_path / "box.ply", Surface(X[used], faces.reshape(-1, 3)))
    (mesh,) = body_from(tmp_path / "box.ply", (2_000,))
    np.testing.assert_allclose(mesh.X.min(axis=0), X.min(axis=0), atol=1e-6)
    np.testing.assert_allclose(mesh.X.max(axis=0), X.max(axis=0), atol=1e-6)
    assert mesh.volumes.sum() == pytest.approx(0.006, rel=1e-5)


def test_a_file_that_holds_no_body_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("no mesh", encoding="utf-8")
    with pytest.raises(FileError, match="neither a tet mesh nor a surface"):
        body_from(tmp_path / "a.txt", (1_000,))
    open_surface = Surface(np.eye(3), np.array([[0, 1, 2]]))
    write_surface(tmp_path / "open.obj", open_surface)
    with pytest.raises(FileError, match="not closed: 3 of its edges"):
        body_from(tmp_path / "open.obj", (1_000,))


@pytest.mark.parametrize("third", [[0.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
def test_two_opposite_triangles_are_no_body(tmp_path: Path, third: list[float]) -> None:
    """Whether they lie in a plane of the axes or not."""
    X = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], third])
    write_surface(tmp_path / "a.obj", Surface(X, np.array([[0, 1, 2], [0, 2, 1]])))
    with pytest.raises(FileError, match=r"a.obj' (is flat|encloses no volume)"):
        body_from(tmp_path / "a.obj", (1_000,))


def test_another_mesh_of_the_same_name_is_another_setting(tmp_path: Path) -> None:
    mesh = tmp_path / "a.obj"
    mesh.write_text("one", encoding="utf-8")
    takes = replace(experiment("bunny"), takes_mesh=True)
    made = record(EMU, takes, Setting(mesh=mesh), 1.5, finding())
    assert made.answers(takes, Setting(mesh=mesh))
    mesh.write_text("two", encoding="utf-8")
    assert not made.answers(takes, Setting(mesh=mesh))


@pytest.mark.parametrize("full", [False, True])
def test_errors_stand_beside_those_of_the_paper_for_the_same_size(
    full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is solved: only the sizes are looked at, on a muscle of 1,000 tets."""
    asked: list[int] = []
    small = paper.heterogeneous(1_000)
    monkeypatch.setattr(paper, "heterogeneous", lambda tets: asked.append(tets) or small)
    errors = EXPERIMENTS["fig9"].run(Setting(full, note=lambda text: None)).tables[1]
    emu, admm = (row[-1] for row in errors.rows)
    assert admm == paper.TABLE2_ADMM[asked[0]]
    assert emu in paper.TABLE2_EMU[asked[0]].values()
    assert len(asked) == 1


def lap(name: str, tets: int, seconds: float, *, late: bool = False) -> Lap:
    return Lap(name, tets, seconds, 10, 0.5, None, late)


def test_a_lap_out_of_time_bounds_a_ratio() -> None:
    quick, slow = lap(racing.EMU, 100, 2.0), lap(racing.FEM, 100, 60.0, late=True)
    assert str(ratio(lap(racing.FEM, 100, 4.0), quick)) == "2 times"
    assert str(ratio(slow, quick)) == "at least 30 times"
    assert str(ratio(quick, slow)) == "at most 0.033 times"
    assert not ratio(slow, slow).known
    assert not ratio(slow, None).known
    *_, said, theirs = racing.table([quick, slow], "5 to 6").rows[1]
    assert (said, theirs) == ("at least 30", "5 to 6")


def laps_of(late: set[str]) -> list[Lap]:
    """Two sizes; who is late on the first is left out of the second, as in Fig. 20."""
    names = (racing.EMU, racing.FEM, racing.NEWTON, racing.QUASI)
    first = [lap(n, 100, 60.0 if n in late else 2.0, late=n in late) for n in names]
    return first + [lap(n, 900, 6.0) for n in names if n not in late]


@pytest.mark.parametrize(
    ("late", "said"),
    [
        (set(), "At 900 tets EMU's step is 1 times as fast"),
        ({racing.FEM}, "At 100 tets EMU's step is at least 30 times as fast"),
        ({racing.EMU}, "At 100 tets EMU's step is at most 0.033 times as fast"),
        ({racing.EMU, racing.FEM}, "Neither EMU nor the paper's finite elements finished"),
        ({racing.NEWTON}, "Newton takes too long on smaller meshes already"),
    ],
)
def test_fig20_says_something_whoever_is_late(late: set[str], said: str) -> None:
    laps = laps_of(late)
    assert said in fig20.sentence(laps, {1: laps[:4], 2: laps[:4]})
    faster = late == {racing.FEM}
    assert fig20.agreement(laps) is (Agreement.PARTLY if faster else Agreement.NO)
    assert len(racing.table(laps, "over 20").rows) == len(laps)


def test_the_bunny_does_not_take_late_methods_for_finished() -> None:
    second = lap(f"{racing.EMU}, alpha 100", 100, 3.0)
    said = bunny.sentence([*laps_of({racing.FEM, racing.NEWTON})[:4], second])
    assert "finite elements take at least 30 times as long" in said
    assert "Newton at least 30 times and quasi-Newton 1 times" in said
    assert bunny.agreement([*laps_of({racing.EMU})[:4], second]) is Agreement.NO


def test_errors_below_what_the_referee_knows_are_not_told() -> None:
    exact = replace(lap(racing.NEWTON, 100, 2.0), error=0.004)
    assert exact.off == "under 0.01 %"
    assert racing.table([exact], "").rows[0][5] == "under 0.01"


def test_cores_are_compared_by_the_time_that_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    timers: list[object] = []

    def race(given: racing.Trial, *_: object) -> list[racing.Lap]:
        timers.append(given.timer)
        return []

    monkeypatch.setattr(fig20, "race", race)
    monkeypatch.setattr(fig20, "max_threads", lambda: 2)
    fig20._on_cores(1_000, 10.0, 60.0, Setting(note=lambda _: None))
    assert timers == [time.perf_counter, time.perf_counter]


def test_numbers_are_said_plainly() -> None:
    assert [percent(v) for v in (1e-5, 0.523, 12.34, 178.2)] == [
        "under 0.001 %",
        "0.52 %",
        "12 %",
        "178 %",
    ]
    assert [times(v) for v in (0.373, 4.0, 42.151)] == ["0.37 times", "4 times", "42 times"]
    assert [seconds(v) for v in (0.373, 13.3, 132.4)] == ["0.37 s", "13 s", "132 s"]
    assert [power(a) for a in (1.0, 10.0, 1e5)] == ["1", "10", "10⁵"]


def test_the_muscle_of_fig10_goes_round_the_corner_without_touching() -> None:
    """Its fibres follow it, from level to straight down, and its square bone is a cube."""
    model = round_a_corner(2_000)
    assert model.mesh.n_tets == pytest.approx(2_000, rel=0.25)
    assert (model.mesh.volumes > 0).all()
    assert not penetrations(model, model.mesh.X)
    muscle = model.mesh.centroids[model.region == 1]
    fibre = model.fibre[model.region == 1]
    np.testing.assert_allclose(fibre[np.argmin(muscle[:, 0])], [1.0, 0.0, 0.0], atol=1e-6)
    np.testing.assert_allclose(fibre[np.argmin(muscle[:, 2])], [0.0, 0.0, -1.0], atol=1e-6)
    square = model.mesh.X[np.unique(model.mesh.T[model.region == 2])]
    assert np.ptp(square, axis=0)[1:] == pytest.approx([0.03, 0.03], rel=0.2)


@pytest.mark.parametrize("released", [False, True])
def test_the_lower_bone_of_fig10_is_fixed_unless_released(released: bool) -> None:
    model = side_by_side(2_000, released=released)
    assert (model.bones[1].drive is Drive.FREE) == released
    assert len(model.muscles) == 2
    assert not penetrations(model, model.mesh.X)


def contraction(scene: str, method: str, depth: float, off: float = np.nan) -> fig10.Contracted:
    state = rest(paper.hinged_muscle())
    return fig10.Contracted(scene, method, state, 9, 1.5, depth, 12.0, 0.05, off)


@pytest.mark.parametrize(("depth", "wanted"), [(1e-4, Agreement.YES), (2e-3, Agreement.PARTLY)])
def test_fig10_agrees_if_only_a_small_overlap_is_left(depth: float, wanted: Agreement) -> None:
    left = {fig10.WITHOUT: 4e-3, fig10.NEWTON: 0.0, fig10.ENERGY: 0.0, fig10.PAPER: depth}
    scenes = ("isometric", "released", "corner")
    found = [contraction(s, m, d, 0.5) for s in scenes for m, d in left.items()]
    assert fig10.agreement(found) is wanted
    said = fig10.sentence(found)
    assert "Isometric: 4.0 mm deep without contact" in said
    assert f"{1e3 * depth:.2f} mm with EMU's collision forces" in said
    assert "lifts the square bone by 50 mm" in said
