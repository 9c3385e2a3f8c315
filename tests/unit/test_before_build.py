"""What is found in a scene before anything is meshed: all errors at once, each with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import vastus
from limb import SCENE, ball, bone, limb, moved, scaled, together, write_limb
from vastus.checks import Finding, Severity
from vastus.cli import main
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.job import findings_of, prepare

pytest.importorskip("igl", reason="libigl is not installed")


def found(folder: Path, parts: dict[str, Surface], text: str = SCENE) -> list[Finding]:
    return findings_of(vastus.read(write_limb(folder, parts, text)), store=None)


def errors(findings: list[Finding]) -> list[str]:
    return [f.where for f in findings if f.severity is Severity.ERROR]


def test_a_sound_limb_has_no_findings(tmp_path: Path) -> None:
    assert found(tmp_path, limb()) == []


def test_a_scene_without_surfaces_is_looked_at_once_it_is_built() -> None:
    assert findings_of(vastus.read(Path(__file__).parents[2] / "examples" / "strap.yaml")) == []


def test_all_errors_are_found_at_once(tmp_path: Path) -> None:
    parts = limb()
    flat = {name: Surface(parts[name].X * [1, 0, 1], parts[name].faces) for name in ("upper",)}
    twins = {"lower": together(parts["lower"], moved(bone(0.0, 0.13), 0.1, 0, 0))}
    text = SCENE.replace("upper: {drive: pinned}", "uper: {drive: pinned}")
    findings = found(tmp_path, parts | flat | twins, text)
    assert errors(findings) == ["part 'upper'", "part 'lower'", "the scene"]
    assert "no bone 'uper'; bones: upper, lower" in str(findings[2])
    assert findings[0].at == pytest.approx(flat["upper"].X.mean(axis=0))


def test_a_joint_that_cannot_be_found_is_named_with_the_remedy(tmp_path: Path) -> None:
    text = SCENE.replace(", centre: [0, 0, 0.14], axis: [0, 1, 0]", "")
    far = limb() | {"lower": bone(-0.1, 0.03)}
    (finding,) = [f for f in found(tmp_path, far, text) if f.where == "joint 'elbow'"]
    assert finding.severity is Severity.ERROR
    assert "no hinge fits upper and lower: they are" in finding.sentence
    assert finding.remedy == "give its 'centre' and 'axis'"


def test_a_ring_that_cannot_move_is_named_before_anything_is_meshed(tmp_path: Path) -> None:
    line = next(line for line in SCENE.splitlines() if line.strip().startswith("elbow:"))
    second = line.replace("elbow:", "second:").replace("0.14", "0.1")
    (finding,) = found(tmp_path, limb(), SCENE.replace(line, f"{line}\n{second}"))
    assert finding.where == "joints 'elbow' and 'second'"
    assert finding.sentence.startswith("cannot move, because the bones 'upper' and 'lower' form")


def test_a_size_that_cannot_be_meshed_is_an_error(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, limb(), SCENE.replace("size: 0.02", "size: 2"))
    assert errors([finding]) == ["the surfaces"]
    assert "the 'size' is 2 m" in finding.sentence


def test_a_body_of_no_likely_unit_is_an_error(tmp_path: Path) -> None:
    huge = {name: scaled(part, 1e6) for name, part in limb().items()}
    (finding,) = found(tmp_path, huge, SCENE.replace("  units: m\n", ""))
    assert errors([finding]) == ["the scene"]


def test_check_shows_every_error_before_it_refuses(tmp_path: Path) -> None:
    parts = limb() | {"lower": together(bone(0.0, 0.13), ball(0.011, 0.1, 0, 0))}
    text = SCENE.replace("size: 0.02", "size: 2")
    done = CliRunner().invoke(main, ["check", str(write_limb(tmp_path, parts, text))])
    assert done.exit_code == 2
    assert "error: " in done.stderr
    assert "part 'lower' cannot be used" in done.stderr
    assert "also: the surfaces cannot be meshed" in done.stdout


def test_what_check_says_of_an_end_stops_the_build_before_it_meshes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mesh(*_: object, **__: object) -> None:
        raise AssertionError("it was meshed")

    monkeypatch.setattr("vastus.modelling.surfaces.pipeline.tetrahedralise", mesh)
    parts = limb() | {"upper": bone(0.25, 0.38)}
    scene = vastus.read(write_limb(tmp_path, parts))
    finding = findings_of(scene, store=None)[0]
    assert finding.severity is Severity.ERROR
    with pytest.raises(ModelError, match="muscle 'flexor' is attached to nothing") as refused:
        prepare(scene, store=None)
    assert str(finding) in str(refused.value)


def test_surfaces_are_repaired_and_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class MeshedError(Exception):
        pass

    def mesh(*_: object, **__: object) -> None:
        raise MeshedError

    monkeypatch.setattr("vastus.modelling.surfaces.pipeline.tetrahedralise", mesh)
    steps: list[str] = []
    with pytest.raises(MeshedError):
        prepare(vastus.read(write_limb(tmp_path, limb())), store=None, watch=steps.append)
    assert [s for s in steps if s.startswith("repair")] == [f"repair {name}" for name in limb()]
    assert steps.count("looking at the surfaces") == steps.count("looking at the ends") == 1
