"""Motions of bodies in files: written, read back, and exported for other programs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

from swinging_body import swinging_motion
from vastus.errors import FileError
from vastus.export.export import export
from vastus.export.gltf.glb import read_glb
from vastus.results.body_motion import read_body_motion, write_body_motion


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "swing"
    made.mkdir()
    write_body_motion(made, swinging_motion())
    return made


def test_a_motion_is_read_as_it_was_written(folder: Path) -> None:
    motion, again = swinging_motion(), read_body_motion(folder)
    assert np.array_equal(motion.positions, again.positions)
    assert np.array_equal(motion.activations, again.activations)
    assert again.body.units == motion.body.units
    here, there = motion.body.data(motion.positions[9]), again.body.data(motion.positions[9])
    assert np.abs(here.xpos - there.xpos).max() < 1e-8
    assert again.angles("elbow")[9] == motion.positions[9, 0]
    with pytest.raises(FileError, match="no joint 'knee'; joints: elbow, ball0"):
        again.angles("knee")


def test_a_folder_without_a_motion_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="has no motion of a body, as 'vastus juggle' writes it"):
        read_body_motion(tmp_path)
    with pytest.raises(FileError, match=r"there is no folder '.*away'"):
        read_body_motion(tmp_path / "away")


def test_frames_are_evenly_spaced_rows() -> None:
    motion = swinging_motion(rows=101)
    assert np.allclose(np.diff(motion.frames(25.0).times), 0.04)
    assert len(motion.frames(1e6)) == 101
    assert len(motion.at([3]).frames()) == 1


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda f: (f / "body.xml").write_text("<mujoco/>"), "another body"),
        (lambda f: (f / "units.csv").write_text("name,force\n"), "no row of a unit"),
        (lambda f: (f / "motion.npz").write_bytes(b"PK"), "not a complete .npz"),
        (lambda f: np.savez(f / "motion.npz", times=np.zeros(2)), "has no 'activations'"),
    ],
)
def test_damaged_motions_are_one_sentence(folder: Path, spoil: object, sentence: str) -> None:
    spoil(folder)  # type: ignore[operator]
    with pytest.raises(FileError, match=sentence):
        read_body_motion(folder)


def test_usd_has_parts_where_mujoco_has_them(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="usd-core is not installed")
    from pxr import Usd, UsdGeom

    export(folder, tmp_path / "swing.usda", to="usd", frames=lambda n: range(n))
    motion, stage = read_body_motion(folder).frames(), Usd.Stage.Open(str(tmp_path / "swing.usda"))
    kinds = [prim.GetTypeName() for prim in stage.Traverse()]
    assert kinds.count("Mesh") == 4  # two bones, a ball, a muscle
    assert stage.GetTimeCodesPerSecond() == pytest.approx(25.0)
    code = motion.times[1] * stage.GetTimeCodesPerSecond()
    data = motion.body.data(motion.positions[1])
    for path, part in (("Bones/lower", "lower"), ("Balls/ball0", "ball0")):
        frame = UsdGeom.Xformable(stage.GetPrimAtPath(f"/Model/{path}"))
        M = np.array(frame.ComputeLocalToWorldTransform(code))
        assert np.abs(M[3, :3] - data.body(part).xpos).max() < 1e-6
        assert np.abs(M[:3, :3].T - data.body(part).xmat.reshape(3, 3)).max() < 1e-6
    muscle = stage.GetPrimAtPath("/Model/Muscles/flexor")
    level = UsdGeom.PrimvarsAPI(muscle).GetPrimvar("activation").Get(code)
    assert level == pytest.approx(motion.activations[1, 0], abs=1e-6)
    still, now = (np.array(UsdGeom.Mesh(muscle).GetPointsAttr().Get(c)) for c in (0.0, code))
    assert np.abs(now - still).max() > 1e-3
    # It goes from the one site to the other.
    ends = now.reshape(29, 10, 3)[[0, -1]].mean(axis=1)
    sites = np.array([data.site(name).xpos for name in "ab"])
    assert np.abs(ends - sites).max() < 1e-6
    colours = UsdGeom.Mesh(muscle).GetDisplayColorAttr()
    assert colours.Get(code)[0][0] != colours.Get(0.0)[0][0]


def test_gltf_has_nodes_that_move(folder: Path, tmp_path: Path) -> None:
    export(folder, tmp_path / "swing.glb", to="gltf")
    motion, glb = read_body_motion(folder).frames(), read_glb(tmp_path / "swing.glb")
    nodes = {node["name"]: n for n, node in enumerate(glb.document["nodes"]) if "extras" in node}
    assert {"upper", "lower", "ball0", "flexor"} <= set(nodes)
    played = glb.document["animations"][0]
    moved = {(c["target"]["node"], c["target"]["path"]): c["sampler"] for c in played["channels"]}
    sampler = played["samplers"][moved[nodes["ball0"], "translation"]]
    places = [motion.body.data(q).body("ball0").xpos for q in motion.positions]
    assert np.abs(glb.array(sampler["output"]) - places).max() < 1e-6
    assert (nodes["flexor"], "weights") in moved


def test_formats_that_hold_no_bodies_say_so(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="not written as obj; formats: usd, gltf"):
        export(folder, tmp_path / "swing-obj", to="obj")
