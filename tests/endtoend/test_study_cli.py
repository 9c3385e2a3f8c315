"""`vastus study` as people use it: from a file or a few words to a table, pictures and a page."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from patience import patience, until
from studied import blind, of_function, poison, slow_square, small_scene, square, threads
from vastus.cli import main
from vastus.errors import FileError, ModelError
from vastus.model import Model
from vastus.pictures.studies.labels import unit_of
from vastus.studies.engines.dask_engine import require_fit
from vastus.studies.records import RECORDS, read_records
from vastus.studies.study import Study
from vastus.studies.study_call import study as study_of
from vastus.studies.tasks import Status, Work

HERE = Path(__file__).parents[1]


def vastus(*words: object) -> tuple[int, str, str]:
    """The exit code, the output and the errors of a command."""
    told = CliRunner().invoke(main, [str(word) for word in words])
    return told.exit_code, told.stdout, told.stderr


@pytest.fixture(scope="module")
def place(bar_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small scene, and a study of it."""
    return small_scene(tmp_path_factory.mktemp("studies"), bar_model).parent


@pytest.fixture(scope="module")
def done(place: Path) -> Path:
    """The folder of a study that is done."""
    code, _, err = vastus("study", place / "study.yaml", "-o", place / "done")
    assert code == 0, err
    return place / "done"


def test_a_study_file_becomes_a_table_a_picture_and_a_record(done: Path) -> None:
    lines = (done / "table.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "variant,strength,stiffness,force,iterations"
    assert [line.split(",")[:3] for line in lines[1:]] == [
        ["0", "100000.0", "50000.0"],
        ["1", "100000.0", "60000.0"],
        ["2", "200000.0", "50000.0"],
        ["3", "200000.0", "60000.0"],
    ]
    assert (done / "overview.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads((done / "provenance.json").read_text(encoding="utf-8"))
    assert (told["status"], told["sentence"]) == ("finished", "4 done of 4")
    assert (done / "study.yaml").exists()


def test_the_short_form_asks_the_same_and_computes_nothing_again(place: Path, done: Path) -> None:
    """Its columns have other names, so that its outputs and keys are its own."""
    words = ["--set", "muscles.belly.strength=1e5:2e5:2", "--output", "force=belly_force_N"]
    out = place / "short"
    code, told, err = vastus("study", place / "bar.yaml", "-o", out, *words, "--no-pictures")
    assert code == 0, err
    assert "2 done" in told
    assert not (out / "overview.png").exists()
    code, _, err = vastus("study", place / "bar.yaml", "-o", out, *words, "--no-pictures")
    assert "2/2 variants, 2 of them before" in err


def test_a_dry_run_writes_nothing_and_tells_the_cost(place: Path) -> None:
    out = place / "dry"
    code, told, err = vastus("study", place / "study.yaml", "-o", out, "--dry-run")
    assert code == 0, err
    assert "4 variants, of which 0 are there already" in told
    assert "strength = 100000, stiffness = 50000" in told
    assert "all take about" in told
    assert not out.exists()


@pytest.mark.parametrize(
    "words",
    [
        ["curve", "--x", "strength", "--y", "force", "--by", "stiffness"],
        ["scatter", "--x", "strength", "--y", "force", "--colour", "stiffness"],
        ["heat", "--x", "strength", "--y", "stiffness", "--colour", "force"],
        ["overview"],
    ],
    ids=lambda words: words[0],
)
def test_a_study_is_drawn(done: Path, tmp_path: Path, words: list[str]) -> None:
    code, _, err = vastus("study", "plot", done, *words, "-o", tmp_path / "p.png")
    assert code == 0, err
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")


def test_axes_have_units_and_variants_are_not_joined(
    done: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`force` is belly_force_N, and rows of a study do not follow each other."""
    from vastus.pictures.column_plot import ColumnPlot

    drawn: list[ColumnPlot] = []
    monkeypatch.setattr(ColumnPlot, "draw", lambda self, *_: drawn.append(self))
    words = ["--x", "strength", "--y", "force", "-o", tmp_path / "force.png"]
    code, _, err = vastus("plot", done, *words)
    assert code == 0, err
    assert (drawn[0].y_label, drawn[0].joined) == ("force [N]", False)


@pytest.mark.parametrize(
    ("column", "unit"),
    [
        ("elbow_angle_deg", "deg"),
        ("biceps_stiffness_N_per_m", "N/m"),
        ("elbow_reaction_Nm", "N m"),
        ("chamber_volume_m3", "m³"),
        ("biceps_stretch", ""),
        ("m", ""),
    ],
)
def test_the_unit_of_a_column_is_what_its_name_ends_in(column: str, unit: str) -> None:
    assert unit_of(column) == unit


def test_a_study_is_one_page(done: Path, tmp_path: Path) -> None:
    code, _, err = vastus("study", "report", done, "-o", tmp_path / "page.html")
    assert code == 0, err
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "muscles.belly.strength" in text
    assert "data:image/png" in text


BAD = [
    (["{scene}", "--set", "muscles.bely.strength=1", "--output", "belly_force_N"], "did you mean"),
    (["{scene}", "--set", "muscles.belly.strength", "--output", "belly_force_N"], "PATH=VALUES"),
    (["{scene}", "--output", "belly_force_N"], "nothing varies; give --set"),
    (["{scene}", "--set", "muscles.belly.strength=1"], "nothing is kept; give --output"),
    (
        ["{scene}", "--set", "muscles.belly.strength=1", "--output", "belly_fore_N"],
        "unknown column 'belly_fore_N'; did you mean",
    ),
    (["{study}", "--set", "muscles.belly.strength=1"], "--set is for a scene alone"),
    (["{study}", "--part", "3/2"], "--part '3/2' is no part"),
    (["{study}", "--on", "clud"], "no engine 'clud'"),
    (["plot", "{done}", "tornado", "force"], "a tornado needs a one_at_a_time design"),
    (["plot", "{done}", "pie"], "no picture 'pie'; pictures: curve"),
    (["plot", "{done}", "curve", "--x", "strength"], "curve needs --y"),
    (["plot", "{scene}", "overview"], "holds no study"),
]


@pytest.mark.parametrize(("words", "sentence"), BAD)
def test_bad_input_is_one_sentence(
    place: Path, done: Path, words: list[str], sentence: str
) -> None:
    names = {"scene": place / "bar.yaml", "study": place / "study.yaml", "done": done}
    words = [word.format(**names) for word in words]
    out = [] if words[0] == "plot" else ["-o", place / "bad"]
    code, _, err = vastus("study", *words, *out)
    assert code == 2
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert sentence in err


YAML = [
    ("materials.muscle.young", "materials.muscle.yuong", "did you mean 'young'"),
    ("values: [1e5, 2e5]", "from: 2e5, to: 1e5", "it must rise"),
    ("column: belly_force_N", "column: belly_force_N, at: lats", "did you mean 'last'"),
    ("outputs:", "design: {kind: gird}\noutputs:", "unknown design 'gird'; did you mean 'grid'"),
    ("scene:", "command: track\nscene:", "give exactly one of scene, command, python"),
    ("column: belly_force_N", "python: m.py:work", "look at it, then give --allow-code"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), YAML)
def test_a_study_that_makes_no_sense_is_refused_with_its_line(
    place: Path, old: str, new: str, sentence: str
) -> None:
    text = (place / "study.yaml").read_text(encoding="utf-8")
    assert old in text
    (place / "bad.yaml").write_text(text.replace(old, new), encoding="utf-8")
    code, _, err = vastus("study", place / "bad.yaml", "-o", place / "refused")
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert not (place / "refused").exists()


def test_values_that_fail_are_told_and_others_go_on(place: Path) -> None:
    words = ["--set", "materials.muscle.poisson=0.45,0.7", "--output", "belly_force_N"]
    code, told, err = vastus(
        "study", place / "bar.yaml", "-o", place / "failing", *words, "--no-pictures"
    )
    assert code == 0, err
    assert "1 done, 1 refused" in told
    assert "materials.muscle.poisson = 0.7: stable_neo_hookean: poisson is 0.7" in told


def test_a_function_of_frames_is_an_output_once_it_is_allowed(place: Path) -> None:
    (place / "measures.py").write_text(
        "def longest(frames):\n"
        "    return {'longest': max(f.outputs['belly_length_m'] for f in frames)}\n",
        encoding="utf-8",
    )
    text = (place / "study.yaml").read_text(encoding="utf-8")
    own = text.replace("column: belly_force_N", "python: measures.py:longest")
    (place / "own.yaml").write_text(own.replace("[1e5, 2e5]", "[1e5]"), encoding="utf-8")
    words = ["-o", place / "own", "--no-pictures", "--allow-code"]
    code, told, err = vastus("study", place / "own.yaml", *words)
    assert code == 0, err
    assert "longest" in told


def test_a_scheduler_that_does_not_answer_is_one_sentence(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from vastus.studies.engines import dask_engine

    monkeypatch.setattr(dask_engine, "PATIENCE", 0.5)
    words = ["-o", place / "nobody", "--on", "dask:tcp://127.0.0.1:1", "--no-pictures"]
    code, _, err = vastus("study", place / "study.yaml", *words)
    assert code == 2
    assert "no scheduler answers at tcp://127.0.0.1:1" in err
    assert not (place / "nobody").exists()


def test_files_are_sent_to_workers_that_do_not_see_them(
    bar_model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scene's folder is removed once its files are on their way."""
    from vastus.studies.engines import dask_engine
    from vastus.studies.engines.sent_files import SentFiles

    (tmp_path / "scene").mkdir()
    scene = small_scene(tmp_path / "scene", bar_model)
    made = study_of(scene, {"muscles.belly.strength": [1e5, 2e5]}, outputs="belly_force_N")
    alone = computed(made, tmp_path / "alone", "serial")
    read = SentFiles.of

    def gone(works: list[Work]) -> SentFiles:
        found = read(works)
        shutil.rmtree(tmp_path / "scene")
        return found

    monkeypatch.setattr(dask_engine, "sees", blind)
    monkeypatch.setattr(dask_engine.SentFiles, "of", gone)
    told: list[str] = []
    made.run(tmp_path / "sent", on="local:1", told=told.append)
    assert not scene.exists()
    assert "2 files (" in told[0]
    found = read_records(tmp_path / "sent" / RECORDS)
    assert {k: (o.status, o.outputs, o.state) for k, o in found.items()} == alone


def test_files_that_are_not_beside_the_scene_are_not_sent(bar_model: Model, tmp_path: Path) -> None:
    from vastus.studies.engines.sent_files import files_of

    (tmp_path / "scene").mkdir()
    scene = small_scene(tmp_path / "scene", bar_model)
    (tmp_path / "scene" / "bar.npz").rename(tmp_path / "bar.npz")
    scene.write_text(scene.read_text().replace("file: bar.npz", "file: ../bar.npz"))
    made = study_of(scene, {"muscles.belly.strength": [1e5]}, outputs="belly_force_N")
    with pytest.raises(FileError, match="only files beside the scene"):
        files_of([work for work in made.works if isinstance(work, Work)])


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"code": "0.0.1-a", "threads": 1}, "has version 0.0.1-a of vastus, but here is"),
        ({"code": None, "threads": 4}, "has 4 threads; start workers with one"),
        (ModuleNotFoundError(name="vastus"), "a worker has no package 'vastus'; install the same"),
        (AttributeError("no fitness"), "a worker has another version of vastus, which lacks"),
    ],
)
def test_workers_that_do_not_fit_are_one_sentence(said: object, sentence: str) -> None:
    class Client:
        def run(self, function: object) -> dict[str, object]:
            if isinstance(said, Exception):
                raise said
            return {"tcp://far:1": said}

    with pytest.raises(ModelError, match=sentence):
        require_fit(Client())


@pytest.mark.parametrize(
    ("address", "warned"),
    [("tcp://far:1", True), ("tls://far:1", False), ("tcp://127.0.0.1:1", False)],
)
def test_what_goes_unencrypted_is_told(
    monkeypatch: pytest.MonkeyPatch, address: str, warned: bool
) -> None:
    from vastus.studies.engines import dask_engine
    from vastus.studies.study import Options

    def unreachable(*_: object, **__: object) -> None:
        raise OSError("nobody")

    monkeypatch.setattr(dask_engine.dask(), "Client", unreachable)
    told: list[str] = []
    at = dask_engine.AtAddress(address, Options(told=told.append))
    with pytest.raises(FileError, match=f"no scheduler answers at {address}"), at.client():
        pass
    assert any("is not encrypted" in sentence for sentence in told) is warned


def test_a_job_of_pbs_gives_each_worker_one_thread() -> None:
    import dask

    from vastus.studies.engines.dask_engine import dask as package
    from vastus.studies.engines.scheduled import Pbs
    from vastus.studies.study import Options

    package("dask_jobqueue", "cluster")
    job = {"cores": 8, "processes": 8, "memory": "16GB", "walltime": "02:00:00", "queue": "night"}
    with dask.config.set({"jobqueue.pbs": dask.config.get("jobqueue.pbs") | job}):
        cluster = Pbs("16", Options()).cluster()
        script = cluster.job_script()
        cluster.close()
    for line in ("#PBS -q night", "#PBS -l select=1:ncpus=8:mem=15GB", "#PBS -l walltime=02:00:00"):
        assert line in script
    assert "--nthreads 1" in script
    assert "--nworkers 8" in script
    assert "export NUMBA_NUM_THREADS=1" in script
    with pytest.raises(ModelError, match=r"jobqueue\.pbs has no 'cores'"):
        Pbs("3", Options()).cluster()


def test_pods_have_workers_of_one_thread_and_an_image_with_vastus() -> None:
    pytest.importorskip("dask_kubernetes.operator", reason="the extra `cluster`")
    import dask

    from vastus.studies.engines.scheduled import Kubernetes
    from vastus.studies.study import Options

    at = Kubernetes("3", Options())
    with pytest.raises(ModelError, match=r"kubernetes\.image names no image that has vastus"):
        at.spec()
    with dask.config.set({"kubernetes.image": "site/vastus:1"}):
        (worker,) = at.spec()["spec"]["worker"]["spec"]["containers"]
    assert worker["image"] == "site/vastus:1"
    assert worker["args"][:4] == ["dask", "worker", "--nthreads", "1"]
    assert {"name": "NUMBA_NUM_THREADS", "value": "1"} in worker["env"]


def test_a_job_script_gives_each_worker_one_thread(tmp_path: Path) -> None:
    import dask

    from vastus.studies.engines.dask_engine import dask as package
    from vastus.studies.engines.scheduled import Slurm
    from vastus.studies.study import Options

    handler = signal.getsignal(signal.SIGINT)
    package("dask_jobqueue", "cluster")
    assert signal.getsignal(signal.SIGINT) is handler
    job = {"cores": 4, "processes": 4, "memory": "8GB", "walltime": "00:30:00"}
    with dask.config.set({"jobqueue.slurm": dask.config.get("jobqueue.slurm") | job}):
        cluster = Slurm("3", Options()).cluster()
        script = cluster.job_script()
        cluster.close()
    assert "#SBATCH --cpus-per-task=4" in script
    assert "--nthreads 1" in script
    assert "--nworkers 4" in script
    assert "export NUMBA_NUM_THREADS=1" in script
    threads = {"jobqueue.slurm": dask.config.get("jobqueue.slurm") | job | {"processes": 1}}
    with dask.config.set(threads), pytest.raises(ModelError, match="gives a worker 4 threads"):
        Slurm("3", Options()).cluster()
    with pytest.raises(ModelError, match=r"jobqueue\.slurm has no 'cores'"):
        Slurm("3", Options()).cluster()


def computed(made: Study, folder: Path, on: str) -> dict[str, object]:
    """The status and the outputs of every variant, by key."""
    made.run(folder, on=on)
    return {k: (o.status, o.outputs, o.state) for k, o in read_records(folder / RECORDS).items()}


def test_two_workers_find_what_one_process_finds(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    made = of_function(square, 20)
    assert computed(made, tmp_path / "a", "local:2") == computed(made, tmp_path / "b", "serial")
    pids = {o.pid for o in read_records(tmp_path / "a" / RECORDS).values()}
    assert os.getpid() not in pids


def test_workers_have_one_thread_and_leave_the_environment_alone(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    before = dict(os.environ)
    table = of_function(threads, 2).run(tmp_path, on="local:1")
    assert table["threads"].tolist() == [1.0, 1.0]
    assert dict(os.environ) == before


@pytest.mark.slow
def test_workers_find_the_bits_that_one_process_finds(place: Path, tmp_path: Path) -> None:
    words = ["--no-pictures", "-o"]
    for on in ("serial", "local:2"):
        vastus("study", place / "study.yaml", "--on", on, *words, tmp_path / on.replace(":", ""))
    tables = [(tmp_path / name / "table.csv").read_bytes() for name in ("serial", "local2")]
    assert tables[0] == tables[1]
    states = [
        {k: o.state for k, o in read_records(tmp_path / name / RECORDS).items()}
        for name in ("serial", "local2")
    ]
    assert states[0] == states[1]


@pytest.mark.slow
def test_only_a_variant_that_ends_its_worker_is_lost(tmp_path: Path) -> None:
    table = of_function(poison, 12).run(tmp_path, on="local:2")
    assert [o.values["number"] for o in table.failed] == [3]
    assert table.failed[0].status is Status.LOST
    assert "it ended its worker each time" in table.failed[0].sentence


@pytest.mark.slow
def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    killed = False
    for progress in of_function(slow_square, 60).carry_out(tmp_path, _options("local:2")):
        if progress.ended == 20 and not killed and progress.last:
            os.kill(progress.last.pid, signal.SIGKILL)
            killed = True
    records = (tmp_path / RECORDS).read_text(encoding="utf-8").splitlines()
    assert len(records) == 60
    found = of_function(slow_square, 60).table(tmp_path)["slow_square"]
    assert found.tolist() == [float(k * k) for k in range(60)]


def _options(on: str) -> object:
    from vastus.studies.study import Options

    return Options(on=on)


CALL = """
from studied import of_function, slow_square
made = of_function(slow_square, 400)
if True:  # not guarded by the name of the module
    made.run({folder!r}, on="local:2")
"""


@pytest.mark.slow
def test_an_interrupt_keeps_what_is_done_and_leaves_nothing_running(place: Path) -> None:
    out = place / "interrupted"
    text = (place / "study.yaml").read_text(encoding="utf-8")
    many = text.replace("[1e5, 2e5]", "[" + ", ".join(f"{1e5 + k:g}" for k in range(200)) + "]")
    (place / "many.yaml").write_text(many, encoding="utf-8")
    words = ["study", "many.yaml", "-o", str(out), "--on", "local:2", "--no-pictures"]
    process = subprocess.Popen(
        [sys.executable, "-m", "vastus", *words],
        cwd=place,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    with process:
        assert until(lambda: len(_lines(out / RECORDS)) >= 5 or process.poll() is not None, 120)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=patience(30))
    assert process.returncode == 130
    *progress, told = err.splitlines()
    assert all("variants" in line for line in progress), err
    assert "go on with: vastus study many.yaml" in told
    assert until(lambda: not _running(process.pid), 10)
    kept = len(_lines(out / RECORDS))
    assert 5 <= kept < 400


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _running(session: int) -> bool:
    """Whether a session has a process that has not ended, reaped or not."""
    told = subprocess.run(
        ["ps", "-o", "stat=", "-s", str(session)], capture_output=True, text=True, check=False
    )
    return any(not state.startswith("Z") for state in told.stdout.split())


@pytest.mark.slow
def test_a_script_that_is_not_guarded_runs_once(tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text("print('begun')\n" + CALL.format(folder=str(tmp_path / "out")))
    done = subprocess.run(
        [sys.executable, path],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(HERE)])},
        capture_output=True,
        text=True,
        timeout=patience(120),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("begun") == 1
    time.sleep(0.1)


def test_the_example_is_a_study() -> None:
    from vastus.studies.study_file import read_study

    made, _ = read_study(Path(__file__).parents[2] / "examples" / "elbow_study.yaml")
    assert len(made.rows) == 9
    assert all(isinstance(work, Work) for work in made.works)


def test_a_command_is_studied_by_the_holes_in_its_words(place: Path) -> None:
    (place / "command.yaml").write_text(
        "vastus_study: 1\n"
        "command: experiment isometric bar.yaml --steps 2 --to {to} --no-plot\n"
        "parameters: {to: {values: [0.02]}}\n"
        "outputs: {pull: {column: pull_N, at: max}}\n",
        encoding="utf-8",
    )
    code, told, err = vastus(
        "study", place / "command.yaml", "-o", place / "commanded", "--no-pictures"
    )
    assert code == 0, err
    assert "1 done" in told
