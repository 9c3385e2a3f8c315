"""`vastus reproduce` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vastus.cli import main
from vastus.reproduce.emu import fig10
from vastus.reproduce.fvm import fig7

PNG = b"\x89PNG"
WORDS = ("reproduce", "emu", "-o", "out")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def reproduce(*words: str) -> Result:
    done = CliRunner().invoke(main, [*WORDS, *words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exc_info
    return done


def test_an_experiment_from_the_command_to_its_page(tmp_path: Path) -> None:
    done = reproduce("--only", "fig6")
    assert done.exit_code == 0, done.stderr
    assert "fig6: agrees" in done.stdout
    assert "[1/1] Fig. 6" in done.stderr
    out = tmp_path / "out"
    assert sorted(p.name for p in out.iterdir()) == ["fig6.json", "fig6.png", "index.html"]
    assert (out / "fig6.png").read_bytes()[:4] == PNG
    numbers = json.loads((out / "fig6.json").read_text(encoding="utf-8"))
    (table,) = numbers["tables"]
    during, after = (table["columns"].index(c) for c in table["columns"][2:5:2])
    for row in table["rows"]:  # the bone is longer or shorter while iterating, never in the end
        assert row[during] > 0.01
        assert abs(row[after]) < 1e-8
    assert str(tmp_path) not in (out / "index.html").read_text(encoding="utf-8")

    refused = reproduce("--only", "fig6")
    assert refused.exit_code == 2
    assert "holds findings" in refused.stderr
    before = (out / "fig6.json").read_bytes()
    again = reproduce("--only", "fig6", "--resume")
    assert again.exit_code == 0
    assert (out / "fig6.json").read_bytes() == before


def test_bad_input_is_one_sentence_and_writes_nothing(tmp_path: Path) -> None:
    flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n"
    (tmp_path / "flat.obj").write_text(flat, encoding="utf-8")
    for words, sentence in (
        (("--only", "fig21"), "no experiment 'fig21'; "),
        (("--only", ","), "no experiment ','; "),
        (("--mesh", "flat.obj"), "'flat.obj' is flat, 1 x 1 x 0 m"),
        (("--mesh", "none.obj"), "there is no file 'none.obj'"),
        (("--resume", "--overwrite"), "give only one"),
    ):
        done = reproduce(*words)
        assert done.exit_code == 2, done.stderr
        assert sentence in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert not (tmp_path / "out").exists()


def test_the_other_paper_has_a_folder_of_its_own(tmp_path: Path) -> None:
    words = ["reproduce", "fvm", "-o", "out", "--only", "fig5"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.stderr
    assert "fig5: agrees. The stress of the package's mooney_rivlin" in done.stdout
    out = tmp_path / "out"
    assert sorted(p.name for p in out.iterdir()) == ["fig5.json", "fig5.png", "index.html"]
    assert (out / "fig5.png").read_bytes()[:4] == PNG
    assert json.loads((out / "fig5.json").read_text(encoding="utf-8"))["paper"] == "fvm"
    for more in ((), ("--overwrite",)):
        refused = reproduce("--only", "fig6", *more)
        assert refused.exit_code == 2
        assert "'out' holds findings of the finite-volume muscle paper" in refused.stderr
    assert "no such option" in CliRunner().invoke(main, [*words, "--mesh", "a.obj"]).stderr.lower()


def test_an_arm_without_an_elbow_is_refused_at_once(tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason="arms are read by MuJoCo")
    little = Path(__file__).parents[2] / "examples" / "little_arm.xml"
    words = ["reproduce", "control", "-o", "out", "--only", "fig10", "--arm", str(little)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert "has no muscle with 'bic' in its name" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_contracture_and_its_operation_are_on_the_page(tmp_path: Path) -> None:
    pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")
    done = CliRunner().invoke(main, ["reproduce", "control", "-o", "out", "--only", "fig13"])
    assert done.exit_code == 0, done.stderr
    assert "fig13: agrees" in done.stdout
    (table,) = json.loads((tmp_path / "out" / "fig13.json").read_text(encoding="utf-8"))["tables"]
    relaxed = [row[1] for row in table["rows"]]
    assert relaxed[:4] == sorted(relaxed[:4])
    assert relaxed[4] < relaxed[3]
    assert (tmp_path / "out" / "fig13.png").read_bytes()[:4] == PNG


@pytest.mark.slow
def test_contact_is_on_the_page_beside_what_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On meshes that are smaller than any that would be shown."""
    pytest.importorskip("ipctk", reason="contact of soft bodies needs the extra 'contact'")
    monkeypatch.setattr(fig10, "BESIDE", (2_000, 2_000))
    monkeypatch.setattr(fig10, "CORNER", (1_500, 1_500))
    done = reproduce("--only", "fig10")
    assert done.exit_code == 0, done.stderr
    out = tmp_path / "out"
    assert (out / "fig10.png").read_bytes()[:4] == PNG
    (table,) = json.loads((out / "fig10.json").read_text(encoding="utf-8"))["tables"]
    depth = {(row[0], row[1]): row[2] for row in table["rows"]}
    for scene in ("isometric", "released", "corner"):
        assert depth[scene, fig10.NEWTON] == depth[scene, fig10.ENERGY] == 0.0
        assert depth[scene, fig10.PAPER] < 0.4 < depth[scene, fig10.WITHOUT]
    assert "collision forces" in (out / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_tendons_stretch_and_bellies_bulge_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In fewer steps than are shown."""
    pytest.importorskip("wildmeshing", reason="the arm is meshed with wildmeshing")
    monkeypatch.setattr(fig7, "STEPS", (3, 3))
    done = CliRunner().invoke(main, ["reproduce", "fvm", "-o", "out", "--only", "fig7"])
    assert done.exit_code == 0, done.stderr
    assert "fig7: agrees" in done.stdout
    out = tmp_path / "out"
    assert (out / "fig7.mp4").read_bytes()[4:8] == b"ftyp"
    (table,) = json.loads((out / "fig7.json").read_text(encoding="utf-8"))["tables"]
    assert len(table["rows"]) == 5
    for _, tendons, section, belly, fibres, tension in table["rows"]:
        assert 1.0 < tendons < 5.0  # of per cent, as tendon is strained by what it bears
        assert section > 2.0
        assert belly < 0.0
        assert fibres < 0.0
        assert 100 < tension < 400
    assert "data:video/mp4;base64," in (out / "index.html").read_text(encoding="utf-8")
