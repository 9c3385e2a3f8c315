"""The benchmark's machinery: what is run, what is written, and how targets are judged."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from errands import answer, dawdle, die, fail, hear
from vastus.bench.cases import Cantilever, Case
from vastus.bench.contenders import CONTENDERS, DEFAULT, PAPER, REFEREE
from vastus.bench.iteration import KERNELS, PartsJob
from vastus.bench.jobs import RECORDS, Late, Lost, apart, begin_in, measured, read_records
from vastus.bench.peers import PEERS, PeerJob
from vastus.bench.performance_plots import draw
from vastus.bench.plan import CONTRASTS, FULL, QUICK, USUAL, Wishes, fitted
from vastus.bench.rows import Reach, Results, Row, Status, results_of, row_of
from vastus.bench.runs import Bounds, Run, Task, Trajectory, run
from vastus.bench.solver_job import SolverJob
from vastus.bench.summary import sheets
from vastus.bench.systems import SYSTEMS, SystemJob
from vastus.bench.tally import counted
from vastus.bench.targets import (
    TARGETS,
    Faster,
    Memory,
    Parallel,
    SameAnswer,
    Target,
    WithinIteration,
)
from vastus.bench.truth import FOLDER, TruthJob, load_truth
from vastus.errors import FileError, ModelError
from vastus.numerics.factor import make_factor
from vastus.numerics.jit import max_threads, thread_count
from vastus.solvers.newton import Newton
from vastus.state import rest


@pytest.fixture(autouse=True)
def _own_threads() -> Iterator[None]:
    """Jobs choose the number of threads for the life of their process, which here is ours."""
    with thread_count(max_threads()):
        yield


@pytest.fixture(autouse=True)
def own_truths(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path_factory.mktemp("truths")))


def row(solver: str, seconds: float | None, *, threads: int = 1, **fields: object) -> Row:
    """A row that reached 1 % after so many seconds, if at all."""
    reached = {1e-2: Reach(seconds, 5)} if seconds is not None else {}
    given = {"seconds": 10.0, "iterations": 20, "reached": reached, "peak": 512.0} | fields
    base = Row("fusiform", 50_000, solver, threads, Status.DONE, "done", 60.0)
    return replace(base, **given)


def found(*rows: Row) -> Results:
    return Results({(r.case, r.size, r.solver, r.threads): r for r in rows})


def verdict(target: Target, *rows: Row) -> str:
    return target.verdict(found(*rows))[2]


FOUR = Target("times as fast as Newton", Faster("fusiform", 50_000, 1e-2, REFEREE), 4.0)


def test_a_target_is_met_or_missed_by_a_factor() -> None:
    assert verdict(FOUR, row(DEFAULT, 1.0), row(REFEREE, 4.0)) == "met"
    assert verdict(FOUR, row(DEFAULT, 1.0), row(REFEREE, 2.0)) == "missed by 2x"
    small = Target("memory", Memory("fusiform", 50_000), 0.25, above=False)
    assert verdict(small, row(DEFAULT, 1.0)) == "missed by 2x"


def test_a_target_without_its_rows_was_not_run() -> None:
    assert verdict(FOUR, row(DEFAULT, 1.0)) == "not run"
    assert {target.verdict(Results())[2] for target in TARGETS} == {"not run"}


def test_a_rival_out_of_time_gives_a_bound() -> None:
    late = replace(row(REFEREE, None), status=Status.LATE, seconds=60.0)
    assert FOUR.verdict(found(row(DEFAULT, 1.0), late))[1:] == ("at least 60", "met")
    assert verdict(FOUR, row(DEFAULT, 30.0), late).startswith("undecided")
    killed = replace(late, seconds=None, limit=50.0)
    assert FOUR.verdict(found(row(DEFAULT, 1.0), killed))[1] == "at least 50"


def test_an_error_that_was_not_reached_is_no_success() -> None:
    text = verdict(FOUR, row(DEFAULT, None), row(REFEREE, 4.0))
    assert text == "quasi-newton did not reach 0.01: done"
    failed = row(REFEREE, None, status=Status.FAILED, sentence="no equilibrium")
    assert verdict(FOUR, row(DEFAULT, 1.0), failed).endswith("no equilibrium")


def test_other_gauges_read_iterations_threads_and_parts() -> None:
    one, two = row(DEFAULT, 0.25), row(DEFAULT, 0.2, threads=2, difference=3e-12)
    results = found(one, two, row(REFEREE, None))
    where = ("fusiform", 50_000)
    assert WithinIteration(*where, 1e-2, REFEREE)(results).value == pytest.approx(2.0)
    assert SameAnswer(*where)(results).value == 3e-12
    kernels = dict.fromkeys(KERNELS, 1.0) | {"back-solve": 9.0}
    parts = {(*where, 1): kernels, (*where, 2): {k: v / 2 for k, v in kernels.items()}}
    parts[*where, 2]["back-solve"] = 9.0
    assert Parallel(*where)(Results(parts=parts)).value == pytest.approx(2.0)


def test_the_parts_of_an_iteration_are_timed() -> None:
    record = PartsJob(Case("fusiform", 1_000), 1)(lambda: None)
    assert set(KERNELS) < set(record["parts"])
    assert all(seconds > 0 for seconds in record["parts"].values())


def test_a_row_survives_its_file() -> None:
    given = row(REFEREE, 4.0, curve=([0.0, 1.0], [0.1, 0.01]))
    text = json.dumps(given.record())
    assert row_of(json.loads(text)) == given
    assert json.loads(text)["seconds_per_iteration"] == 0.5


def test_tables_show_losses_and_plots_are_drawn(tmp_path: Path) -> None:
    rows = [row(name, None if name == "admm" else 2.0) for name in CONTENDERS]
    rows += [replace(r, size=2_000) for r in rows]
    page = "\n".join(sheet.markdown() for sheet in sheets(found(*rows)))
    assert all(f"| {name} |" in page for name in CONTENDERS)
    assert [path.name for path in draw(found(*rows), tmp_path)] == ["time.png", "memory.png"]
    assert (tmp_path / "time.png").stat().st_size > 1000


def test_every_plan_is_made_of_known_cases_and_solvers() -> None:
    for plan in (QUICK, USUAL, FULL):
        jobs = plan.jobs(Path("nowhere"))
        assert len({job.key for job in jobs}) == len(jobs)
        solvers = {job.solver for job in jobs if isinstance(job, SolverJob)}
        assert {REFEREE, DEFAULT, PAPER} <= solvers <= set(CONTENDERS)
    full = {(j.case.name, j.case.tets) for j in FULL.jobs(Path()) if isinstance(j, SolverJob)}
    assert {(t.gauge.case, t.gauge.size) for t in TARGETS} <= full  # type: ignore[attr-defined]


def test_wishes_change_a_plan() -> None:
    plan = fitted(
        USUAL, Wishes(("elbow",), (3_000,), (REFEREE,), threads=(2,), limit=7.0, peers=False)
    )
    (job,) = (j for j in plan.jobs(Path("f")) if isinstance(j, SolverJob))
    assert job == SolverJob(Case("elbow", 3_000), REFEREE, 2, 7.0, Path("f/states"))
    with pytest.raises(ModelError, match="no solver 'newtno'; solvers: newton"):
        fitted(USUAL, Wishes(solvers=("newtno",)))
    with pytest.raises(ModelError, match="cannot build a shape of 10 tets"):
        fitted(USUAL, Wishes(sizes=(10,)))


def test_contrasts_are_run_at_the_sizes_that_are_wished_for() -> None:
    plan = fitted(USUAL, Wishes(("contrast",), (2_000, 3_000), peers=False))
    cases = {j.case for j in plan.jobs(Path()) if isinstance(j, SolverJob)}
    assert cases == {Case("fusiform", n, c) for n in (2_000, 3_000) for c in CONTRASTS}


def test_no_more_threads_are_run_than_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vastus.bench.plan.max_threads", lambda: 1)
    with pytest.raises(ModelError, match="cannot use 2 threads; this machine has 1"):
        fitted(USUAL, Wishes(threads=(1, 2)))
    jobs = fitted(FULL, Wishes()).jobs(Path())
    assert {j.threads for j in jobs if isinstance(j, SolverJob)} == {1}


def test_a_solver_is_known_by_its_name_in_scenes_too() -> None:
    plan = fitted(USUAL, Wishes(solvers=("quasi_newton", REFEREE)))
    assert {sweep.solvers for sweep in plan.sweeps} == {(DEFAULT, REFEREE)}


def test_tendons_are_as_many_times_stiffer_as_the_contrast_says() -> None:
    model = Case("fusiform", 1_000, 1e3).model()
    young = {r.tissue.value: r.laws[0].young for r in model.regions if r.laws}
    assert young["tendon"] == pytest.approx(1e3 * young["muscle"])


def test_a_run_stops_at_its_bounds() -> None:
    case = Case("fusiform", 1_000)
    model = case.model()
    truth = np.array([model.mesh.X])
    out_of_time = run(Newton(), Task(model, case.inputs(model), truth, 1.0, Bounds(seconds=1e-9)))
    assert out_of_time.status is Status.LATE
    two = run(Newton(), Task(model, case.inputs(model), truth, 1.0, Bounds(iterations=2)))
    assert (two.status, two.iterations) == (Status.PART, 2)


@pytest.mark.slow
def test_newton_makes_one_iteration_of_what_is_too_dear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("solver_job", "truth"):
        monkeypatch.setattr(f"vastus.bench.{module}.DEAR", 500)
    case = Case("fusiform", 1_000)
    assert "quasi-Newton" in TruthJob(case)(lambda: None)["recipe"]
    record = SolverJob(case, REFEREE, 1, 60.0, tmp_path)(lambda: None)
    assert (record["status"], record["iterations"]) == (Status.PART, 1)
    assert record["seconds_per_iteration"] > 0
    assert record["sentence"] == "stopped after 1 iteration"
    other = SolverJob(case, DEFAULT, 1, 60.0, tmp_path)(lambda: None)
    assert other["status"] is Status.DONE


def test_answers_are_kept_until_the_code_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("fusiform", 1_000)
    model, job = case.model(), TruthJob(case)
    with pytest.raises(ModelError, match=r"the answer of 'fusiform' with 1000 tets is not in '"):
        load_truth(model, case)
    first, again = job(lambda: None), job(lambda: None)
    assert (first["known"], again["known"]) == (False, True)
    assert load_truth(model, case).seconds == first["seconds"] == again["seconds"]
    monkeypatch.setattr("vastus.cache.sources", lambda *folders: "edited")
    with pytest.raises(ModelError, match="is not in"):
        load_truth(model, case)


def test_frames_add_up_and_must_all_reach_the_error() -> None:
    good = Trajectory([0.0, 1.0, 2.0], [1.0, 0.1, 0.001], total=2.5)
    bad = Trajectory([0.0, 1.0], [1.0, 0.1], total=1.0)
    assert Run(0.0, [good, good], 2, 0.001).reach(0.01) == Reach(4.0, 4)
    assert Run(0.0, [good, bad], 2, 0.1).reach(0.01) is None
    assert Run(0.0, [good], 2, 0.001).reach(0.01) is None


def test_work_is_done_in_another_process() -> None:
    assert apart(answer, 60.0)["pid"] != os.getpid()


def test_only_the_process_that_waits_hears_an_interruption() -> None:
    with pytest.raises(KeyboardInterrupt):
        apart(hear, 60.0)


def test_work_that_does_not_come_back_says_why() -> None:
    with pytest.raises(Lost, match="ValueError: this law is unlawful"):
        apart(fail, 60.0)
    with pytest.raises(Lost, match="the process died \\(SIGKILL\\)"):
        apart(die, 60.0)
    with pytest.raises(Late):
        apart(dawdle, 0.1)


class Failing(SolverJob):
    """A job whose process dies."""

    def __call__(self, began: object) -> dict[str, object]:
        return die(began)


@pytest.mark.slow
def test_a_job_whose_process_dies_still_has_a_row_and_is_not_repeated(tmp_path: Path) -> None:
    begin_in(tmp_path / "out", resume=False, overwrite=False)
    job = Failing(Case("elbow", 2_000), REFEREE, 1, 5.0, tmp_path)
    begun: list[str] = []
    for fresh in (True, False):
        (done,) = measured([job], tmp_path / "out", lambda j: begun.append(j.key))
        assert done.fresh is fresh
        (lost,) = results_of([done.record]).rows.values()
        assert (lost.status, lost.sentence) == (Status.FAILED, "the process died (SIGKILL)")
    assert begun == [job.key]


@pytest.mark.slow
def test_a_late_row_is_measured_again_if_there_is_more_time(tmp_path: Path) -> None:
    begin_in(tmp_path, resume=False, overwrite=False)
    job = Failing(Case("elbow", 2_000), REFEREE, 1, 5.0, tmp_path)
    late = {"key": job.key, "kind": job.kind, **job.lost("too slow", late=True)}
    with (tmp_path / RECORDS).open("a") as file:
        file.write(json.dumps(late) + "\n")
    (same,) = measured([job], tmp_path, lambda _: None)
    assert same.record["sentence"] == "not within 5 s (too slow)"
    (again,) = measured([replace(job, limit=6.0)], tmp_path, lambda _: None)
    assert again.fresh


def test_a_folder_with_figures_is_not_overwritten_unasked(tmp_path: Path) -> None:
    begin_in(tmp_path, resume=False, overwrite=False)
    with pytest.raises(FileError, match="holds a benchmark already; give --resume"):
        begin_in(tmp_path, resume=False, overwrite=False)
    begin_in(tmp_path, resume=True, overwrite=False)
    path = tmp_path / RECORDS
    path.write_text(path.read_text().replace('"cores"', '"kernels"') + '{"key": "cut o')
    assert read_records(tmp_path) == {}
    with pytest.raises(FileError, match="on another machine"):
        begin_in(tmp_path, resume=True, overwrite=False)


OTHERS = [name for name, peer in PEERS.items() if name != "vastus" and not peer.script]


@pytest.mark.parametrize("name", OTHERS)
def test_other_packages_agree_on_the_cantilever(name: str) -> None:
    pytest.importorskip(PEERS[name].module, reason=f"{name} is optional")
    from importlib import import_module

    case = Cantilever(240)
    ours, theirs = (
        import_module(f"vastus.bench.peers.{peer.ours}").displacement(Cantilever(240, peer.steps))
        for peer in (PEERS["vastus"], PEERS[name])
    )
    assert np.abs(ours).max() > 0.2 * rest(case.model(case.forces)).x[:, 0].max()
    np.testing.assert_allclose(theirs, ours, atol=1e-6 * np.abs(ours).max())


@pytest.mark.parametrize("name", [name for name, peer in PEERS.items() if peer.script])
def test_packages_of_other_pythons_agree_on_the_cantilever(name: str, tmp_path: Path) -> None:
    if PEERS[name].python is None:
        pytest.skip(f"{name} is optional")
    PeerJob("vastus", 240, tmp_path)(lambda: None)
    record = PeerJob(name, 240, tmp_path)(lambda: None)
    assert record["status"] is Status.DONE, record["sentence"]
    assert record["difference"] < 1e-6
    assert record["seconds"] > 0


def test_a_package_runs_in_another_python_as_a_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = PEERS["dolfinx"]
    ours = tmp_path / "ours.py"
    ours.write_text("def displacement(told):\n    return told.X * told.mu\n")
    monkeypatch.setitem(PEERS, "dolfinx", replace(here, module="numpy", ours=str(ours)[:-3]))
    record = PeerJob("dolfinx", 240, tmp_path)(lambda: None)
    assert "No module named 'ours'" in record["sentence"]  # which has no version
    ours.with_name("numpy.py").write_text(ours.read_text())
    mine = str(ours.with_name("numpy"))
    monkeypatch.setitem(PEERS, "dolfinx", replace(here, module="numpy", ours=mine))
    record = PeerJob("dolfinx", 240, tmp_path)(lambda: None)
    assert (record["status"], record["version"]) == (Status.DONE, np.__version__)


def test_a_package_that_is_absent_is_listed_with_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vastus.bench.peers.find_spec", lambda name: None)
    record = PeerJob("scikit-fem", 240, tmp_path)(lambda: None)
    assert record["sentence"] == "not installed: pip install scikit-fem"
    page = "\n".join(sheet.markdown() for sheet in sheets(Results(peers=(record,))))
    assert "pip install scikit-fem" in page


@pytest.mark.parametrize("single", [False, True])
def test_factorisations_and_back_solves_are_counted(single: bool) -> None:
    indptr, indices = np.array([0, 2, 3]), np.array([0, 1, 1])
    with counted() as tally:
        factor = make_factor(indptr, indices, single=single)
        scalar = make_factor(np.array([0, 1]), np.array([0]))
        assert factor.factor(np.array([2.0, 1.0, 2.0]))
        assert not factor.factor(np.array([1.0, 2.0, 1.0]))
        assert factor.factor(np.array([2.0, 1.0, 2.0]))
        np.testing.assert_allclose(factor.solve(np.array([3.0, 3.0])), 1.0, rtol=1e-6)
        factor.solve(np.eye(2))
        assert scalar.factor(np.array([4.0]))
        scalar.solve(np.ones((1, 2)))
    make_factor(indptr, indices).factor(np.array([2.0, 1.0, 2.0]))
    assert (tally.factors, tally.failed, tally.solves) == (4, 1, 4.0)


def test_a_row_tells_what_the_solver_did_after_it_was_good_enough() -> None:
    figures = {"enough": 2.0, "factors": 4, "failed": 1, "solves": 12.0}
    own = replace(row(DEFAULT, 1.0), seconds=3.0, **figures)
    assert own.over == 1.5
    page = "\n".join(sheet.markdown() for sheet in sheets(found(own)))
    assert "| 1.5 | 4 | 1 | 12 |" in page


def test_systems_are_wished_for_by_name_and_sized_by_tets() -> None:
    def systems(*wanted: str, sizes: tuple[int, ...] = ()) -> set[tuple[str, int]]:
        jobs = fitted(USUAL, Wishes(wanted, sizes, peers=False)).jobs(Path())
        return {(job.system, job.size) for job in jobs if isinstance(job, SystemJob)}

    assert systems("elbow") == set()
    assert systems("contact", sizes=(3_000,)) == {("contact", 3_000)}
    assert systems("upper body") == {("upper body", 814)}
    assert {name for name, _ in systems()} == set(SYSTEMS) - {"upper body"}


@pytest.mark.parametrize("name", ["explicit", "bellies", "tables"])
def test_a_system_is_timed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vastus.bench.systems.MOST", 2)
    record = SystemJob(name, 1_000 if name == "explicit" else 3)(lambda: None)
    assert record["rate"] > 0
    page = "\n".join(sheet.markdown() for sheet in sheets(Results(systems=(record,))))
    assert f"| {name} | {record['true']:,} {SYSTEMS[name].unit} |" in page
