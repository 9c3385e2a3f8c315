"""`vastus view`, `author` and `surgery` with what people, and strangers, may give them."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner, Result

pytest.importorskip("viser", reason="the pages need viser")

from authored import write_limb
from hostile import FILES, at_most, write_small
from patience import patience, until
from vastus.app.view.viewer import open_source
from vastus.app.web_page import Page
from vastus.cli import main
from vastus.measure.outputs import Outputs
from vastus.model import Model
from vastus.results.writer import ResultWriter
from vastus.state import Frame, Report, rest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs signals and pipes of POSIX")
ARM = Path(__file__).parents[2] / "examples" / "little_arm.xml"
PATIENCE = 60.0  # [s] on a quiet machine
SCRIPT = "<script>window.broken=1</script>"
SCENE = """\
vastus: 1
name: "{name}"
model: {{shape: bar, tets: 1000, length: 0.1, width: 0.02}}
inputs: {{seconds: 0.1, activation: {{bar: 0.1}}}}
"""


@pytest.fixture(scope="module")
def original(bar_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original") / "result"
    write_small(folder, bar_model)
    return folder


@pytest.fixture
def result(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original, tmp_path / "result")
    return tmp_path / "result"


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The addresses of pages that were opened; each is closed again at once."""
    urls: list[str] = []
    monkeypatch.setattr(Page, "wait", lambda page: urls.append(page.url))
    return urls


def command(*words: object) -> Result:
    with at_most(30):
        return CliRunner().invoke(main, [*map(str, words), "--no-browser", "--port", "0"])


def refusal(*words: object) -> str:
    """The one sentence that a command ends with."""
    done = command(*words)
    assert done.exit_code == 2, done.output
    assert isinstance(done.exception, SystemExit)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: "), done.stderr
    return line


@pytest.mark.parametrize("page", ["view", "author", "surgery"])
def test_a_missing_path_is_one_sentence(page: str, tmp_path: Path) -> None:
    assert "there is no f" in refusal(page, tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["notes.txt", "binary.yaml", "model.npz", "pipe.yaml", "empty"])
def test_what_is_no_scene_nor_result_is_one_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("some words")
    (tmp_path / "binary.yaml").write_bytes(bytes(range(256)))
    (tmp_path / "model.npz").write_bytes(b"PK\x03\x04 not really")
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "empty").mkdir()
    assert name in refusal("view", tmp_path / name)


@pytest.mark.parametrize("text", ["- a list", "vastus: 1\nmodel: {shape: bar}", "{", "\x00"])
def test_a_folder_whose_scene_cannot_be_authored_is_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "scene.yaml").write_text(text)
    assert "scene.yaml" in refusal("author", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["scene.yaml"]


def test_a_scene_that_is_a_pipe_is_one_sentence(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "scene.yaml")
    assert "pipe" in refusal("author", tmp_path)


def test_a_folder_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The superuser may write anywhere.
    monkeypatch.setattr(os, "access", lambda _, mode: not mode & os.W_OK)
    assert "is write-protected" in refusal("author", tmp_path)


def test_what_cannot_be_operated_on_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason="mujoco is the extra 'skeleton'")
    (tmp_path / "notes.xml").write_text("some words")
    assert "is not an MJCF model" in refusal("surgery", tmp_path / "notes.xml")
    bones = '<mujoco><worldbody><body><joint/><geom size="1"/></body></worldbody></mujoco>'
    (tmp_path / "bones.xml").write_text(bones)
    assert "no spatial tendon" in refusal("surgery", tmp_path / "bones.xml")
    text = ARM.read_text().replace('<joint name="elbow" type="hinge"', '<joint type="hinge"')
    (tmp_path / "stiff.xml").write_text(text)
    assert "no hinge with a name" in refusal("surgery", tmp_path / "stiff.xml")
    changes = tmp_path / "changes.yaml"
    changes.write_text("disorders:\n  - {kind: weakness, muscles: flexr, force: 0.5}\n")
    said = refusal("surgery", ARM, "--disorders", changes)
    assert "changes.yaml, line 2" in said
    assert "no muscle 'flexr'; muscles: flexor, extensor" in said


def test_a_body_is_opened_and_nothing_is_written(tmp_path: Path, seen: list[str]) -> None:
    pytest.importorskip("mujoco", reason="mujoco is the extra 'skeleton'")
    body = shutil.copy(ARM, tmp_path)
    done = command("surgery", body)
    assert done.exit_code == 0, done.output
    assert len(seen) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["little_arm.xml"]


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("share", [0.0, 0.6])
def test_a_truncated_result_is_shown_or_one_sentence(
    file: str, share: float, result: Path, seen: list[str]
) -> None:
    whole = (result / file).read_bytes()
    (result / file).write_bytes(whole[: int(share * len(whole))])
    done = command("view", result)
    if done.exit_code == 0:
        assert len(seen) == 1
    else:
        assert done.exit_code == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith("error: ")


def test_a_run_that_goes_on_is_shown_as_far_as_it_is(tmp_path: Path, bar_model: Model) -> None:
    state, outputs = rest(bar_model), Outputs(bar_model)
    report = Report(True, 3, 1e-9, 1.0, 0.5)

    with ResultWriter(tmp_path / "result", bar_model) as writer:
        assert "no finished frame yet" in refusal("view", tmp_path / "result")
        for count in (1, 2, 3):
            writer.add(Frame(count - 1, state, report, outputs.of(state)))
            # What is being written is not finished: a frame whose state is not there yet.
            frames = tmp_path / "result" / "frames"
            (frames / f"frame_{count:04d}.vtu").write_text("<VTKFile")
            assert frames_of(tmp_path / "result") == count


def frames_of(folder: Path) -> int:
    """How many frames the page of a result has."""
    with Page("test", port=0) as page:
        viewer = open_source(page, folder)
        assert viewer.timeline is not None
        return len(viewer.timeline)


def test_scripts_in_names_are_only_names(tmp_path: Path, seen: list[str]) -> None:
    scene = tmp_path / "scene.yaml"
    scene.write_text(SCENE.format(name=SCRIPT))
    assert command("view", scene).exit_code == 0
    folder = tmp_path / SCRIPT.replace("/", "_")
    folder.mkdir()
    text = (write_limb(folder) / "scene.yaml").read_text()
    (folder / "scene.yaml").write_text(text.replace("biceps", SCRIPT))
    done = command("author", folder)
    assert done.exit_code == 0, done.output
    assert len(seen) == 2


def test_a_port_that_does_not_exist_is_refused(result: Path) -> None:
    done = CliRunner().invoke(main, ["view", str(result), "--port", "70000"])
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].endswith("70000 is not in the range 0<=x<=65535.")


def test_an_address_of_another_machine_is_refused(result: Path) -> None:
    assert "cannot listen on 203.0.113.7" in refusal("view", result, "--host", "203.0.113.7")


@contextmanager
def served(*words: object) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A command that serves a page, and the line that it prints."""
    process = subprocess.Popen(
        [sys.executable, "-m", "vastus", *map(str, words), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline()
    finally:
        process.kill()
        process.communicate()


def status(url: str, query: bool = True) -> int:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=patience(10))
    connection.request("GET", f"/?{parts.query}" if query else "/")
    found = connection.getresponse().status
    connection.close()
    return found


def interrupted(process: subprocess.Popen[str]) -> tuple[int, str]:
    """How a command ends by Ctrl-C, which a terminal sends to all that it started."""
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=patience(PATIENCE))
    assert gone(process.pid)
    return process.returncode, said


def gone(group: int) -> bool:
    """Whether nobody is left of a group of processes, soon."""

    def empty() -> bool:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        return False

    return until(empty, 5.0)


def test_for_other_machines_there_is_a_token_and_a_busy_port_gives_the_next(result: Path) -> None:
    with socket.create_server(("0.0.0.0", 0)) as busy:
        port = busy.getsockname()[1]
        with served("view", result, "--host", "0.0.0.0", "--port", port) as (process, line):
            url = line.split()[3]
            assert urlsplit(url).port != port
            assert urlsplit(url).query.startswith("token=")
            assert status(url) == 200
            assert status(url, query=False) == 403
            assert interrupted(process) == (0, "closed\n")


def test_ctrl_c_ends_authoring_and_leaves_no_process(tmp_path: Path) -> None:
    write_limb(tmp_path)
    with served("author", tmp_path, "--port", "0") as (process, line):
        assert status(line.split()[3]) == 200
        assert interrupted(process) == (0, "closed\n")
