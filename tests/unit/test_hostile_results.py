"""Results made to harm: each is one sentence, soon, in little memory, and nothing is run."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hostile import FILES, damaged, outcome, read_all, write_small
from vastus.errors import FileError
from vastus.files.npz import read_npz, write_npz
from vastus.files.safe import MIB
from vastus.model import Model
from vastus.results.writer import ResultWriter

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs alarms and pipes of POSIX")


@pytest.fixture(scope="module")
def original(bar_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("original") / "result"
    write_small(folder, bar_model)
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original, tmp_path / "result")
    return tmp_path / "result"


def sentence(folder: Path) -> str:
    said = outcome(lambda: read_all(folder))
    assert said, "it was read"
    return said


def changed_arrays(**changes: object) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        write_npz(path, read_npz(path) | changes)

    return change


def changed_json(**changes: object) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        first, *rest = path.read_text().splitlines()
        path.write_text("\n".join([json.dumps(json.loads(first) | changes), *rest]) + "\n")

    return change


def text(contents: str) -> Callable[[Path], None]:
    return lambda path: path.write_text(contents) and None


def in_head(old: str, new: str) -> Callable[[Path], None]:
    """Another text of the model's description."""

    def change(path: Path) -> None:
        head = str(read_npz(path)["json"])
        assert old in head
        write_npz(path, read_npz(path) | {"json": head.replace(old, new)})

    return change


def bomb(path: Path) -> None:
    """A tenth of a megabyte that unpacks to a hundred."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("X.npy", "w", force_zip64=True) as member,
    ):
        zeros = bytes(MIB)
        for _ in range(100):
            member.write(zeros)


def pickled(path: Path) -> None:
    np.savez(path, X=np.array([Trap()], object), allow_pickle=True)


class Trap:
    """Makes a file when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return os.system, ("touch trapped",)  # type: ignore[return-value]


def lying(path: Path) -> None:
    """An array whose header announces 8 TB."""
    head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }\n"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)


def entities(path: Path) -> None:
    laughs = '<!DOCTYPE v [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    path.write_text(path.read_text().replace("<VTKFile", laughs + "<VTKFile", 1))


def another_mesh(path: Path) -> None:
    """The last vertices of the frame are left out."""
    contents = path.read_text()
    start = contents.index(">", contents.index('Name="Points"')) + 1
    end = contents.index("</DataArray>", start)
    path.write_text(contents[:start] + "AAAAAA==" + contents[end:])


MUTANTS: list[tuple[str, Callable[[Path], None]]] = [
    *(
        (name, way)
        for name in FILES
        for way in (pipe, device, sparse, text("[\n[\n"), text("\x00\n\x00\n"))
    ),
    *((name, text("[" * 200_000)) for name in FILES if "json" in name),
    ("model.npz", bomb),
    ("model.npz", pickled),
    ("model.npz", lying),
    ("model.npz", changed_arrays(X=np.full((135, 3), np.nan))),
    ("model.npz", changed_arrays(T=np.full((1, 4), 2**62))),
    ("model.npz", changed_arrays(region=np.array(["a"]))),
    ("model.npz", changed_arrays(json="[" * 100_000)),
    ("model.npz", changed_arrays(json='{"format": 1, "model": []}')),
    ("model.npz", in_head('"belly"', '{"a": 1}')),
    ("model.npz", in_head('"belly"', "7")),
    ("model.npz", in_head('"stable_neo_hookean"', '"os.system"')),
    ("model.npz", in_head("60000.0", "1" + "0" * 400)),
    ("model.npz", in_head("60000.0", '"stiff"')),
    ("state.npz", changed_arrays(finished=10**12)),
    ("state.npz", changed_arrays(finished=-1)),
    ("state.npz", changed_arrays(finished=np.zeros(3))),
    ("state.npz", changed_arrays(time=np.array("now"))),
    ("state.npz", changed_arrays(x=np.full((135, 3), np.inf))),
    ("state.npz", changed_arrays(poses=np.zeros((7, 3, 4)))),
    ("table.csv", text("a,b\n1,2\n3,4\n")),
    ("table.csv", text("time_s\nnan\ninf\n")),
    ("table.csv", text("time_s\n" + "9" * 200_000 + "\n1\n")),
    ("table.csv", text('time_s\n"' + "x" * 200_000 + '"\n1\n')),
    ("reports.jsonl", changed_json(iterations="many")),
    ("reports.jsonl", changed_json(history={"a": 1})),
    ("reports.jsonl", text("5\n[]\n")),
    ("reports.jsonl", text("{}\n{}\n")),
    ("poses.jsonl", changed_json(base=[[1]])),
    ("poses.jsonl", changed_json(base=[[float("nan")] * 4] * 3)),
    ("poses.jsonl", changed_json(base=[[10**400] * 4] * 3)),
    ("poses.jsonl", text("7\n7\n")),
    ("penetration.csv", text("frame,time_s,one,other,depth_m,volume_m3\n-1,0,a,b,1,1\n")),
    ("penetration.csv", text("a\n1,2\n")),
    ("penetration.csv", text("frame,time_s,one,other,depth_m,volume_m3\n0,0,a,b,nan,1\n")),
    ("referee.json", text('{"referee": 1, "verdicts": [{"frame": "x"}]}')),
    ("referee.json", text('{"verdicts": 5}')),
    ("referee.json", text("[]")),
    ("provenance.json", text("[[1, 2]]")),
    ("frames/frame_0000.vtu", entities),
    ("frames/frame_0000.vtu", another_mesh),
]


@pytest.mark.parametrize(("name", "change"), MUTANTS)
def test_a_hostile_file_of_a_result_is_one_sentence(
    folder: Path, name: str, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    change(folder / name)
    assert "\n" not in sentence(folder)
    assert not Path("trapped").exists()


def test_swapped_files_are_refused(folder: Path) -> None:
    for one, other in (("model.npz", "state.npz"), ("poses.jsonl", "reports.jsonl")):
        a, b = (folder / one).read_bytes(), (folder / other).read_bytes()
        (folder / one).write_bytes(b), (folder / other).write_bytes(a)
        assert sentence(folder)
        (folder / one).write_bytes(a), (folder / other).write_bytes(b)
    assert outcome(lambda: read_all(folder)) == ""


def test_the_trap_of_these_tests_would_spring(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pickle.loads(pickle.dumps(Trap()))
    assert Path("trapped").exists()


@pytest.mark.parametrize("name", ["reports.jsonl", "table.csv", "poses.jsonl", "frames", ".lock"])
def test_resuming_writes_nothing_through_a_link(folder: Path, name: str, bar_model: Model) -> None:
    elsewhere = folder.parent / "elsewhere"
    if name == "frames":
        shutil.copytree(folder / name, elsewhere)
        shutil.rmtree(folder / name)
        before = sorted(elsewhere.iterdir())
    elif name != ".lock":
        shutil.move(folder / name, elsewhere)
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(FileError, match=r"is a link|is being written"):
        ResultWriter(folder, bar_model, resume=True)
    assert name != ".lock" or not elsewhere.exists()
    assert name != "frames" or sorted(elsewhere.iterdir()) == before


@pytest.mark.parametrize(("name", "seed"), [(FILES[i % len(FILES)], i) for i in range(90)])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_random_damage_is_read_or_refused(folder: Path, name: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    (folder / name).write_bytes(damaged((folder / name).read_bytes(), rng))
    outcome(lambda: read_all(folder))
