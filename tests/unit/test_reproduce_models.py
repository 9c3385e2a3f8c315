"""Models of the gallery as figures of the EMU paper: what is measured, and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from vastus.modelling.gallery.members import MEMBERS, PAPER, Member
from vastus.numerics.rotation import exp_map
from vastus.reproduce.emu import EXPERIMENTS, building
from vastus.reproduce.emu.models import table3
from vastus.reproduce.emu.models.deeds import Deed, all_of, carried, rolled, spread, swung, turned
from vastus.reproduce.emu.models.figures import PUBLISHED, ROLES, told
from vastus.reproduce.emu.models.performance import Pace, Performance, built, size_of, solved
from vastus.reproduce.experiment import Agreement, Setting
from vastus.results.result import Result
from vastus.results.soundness import Soundness


def result(poses: np.ndarray | None = None, **table: list[float]) -> Result:
    """A result of two bones, `ball` with a vertex at the origin and `other`."""
    bones = [SimpleNamespace(name=name) for name in ("ball", "other")]
    model = SimpleNamespace(
        bones=bones,
        mesh=SimpleNamespace(X=np.zeros((2, 3))),
        bone_of_vertex=np.array([0, 1]),
        bone=lambda name: [bone.name for bone in bones].index(name),
    )
    columns = {name: np.array(values) for name, values in table.items()}
    made = SimpleNamespace(model=model, poses=poses, table=columns, penetrations=())
    return cast("Result", made)


def moved(way: list[tuple[float, float, float]]) -> np.ndarray:
    """(k, 2, 3, 4) poses of two bones of which the first moves [m]."""
    out = np.tile(np.eye(3, 4), (len(way), 2, 1, 1))
    out[:, 0, :, 3] = way
    return out


def test_every_figure_of_models_names_models_of_the_gallery() -> None:
    shown = {role.member for roles in ROLES.values() for role in roles}
    assert shown <= set(MEMBERS)
    assert set(PAPER) - shown == {"fusiform", "bipennate", "side_by_side", "curved"}
    for name, roles in ROLES.items():
        assert name in EXPERIMENTS
        assert {MEMBERS[role.member].figure for role in roles} == {name.removeprefix("fig")}
    assert set(PUBLISHED) <= shown
    figures = [int(name[3:]) for name in EXPERIMENTS if name.startswith("fig")]
    assert figures == list(range(1, 21)), "all figures of the paper, in order"


def test_the_largest_model_of_table_3_is_solved_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it takes may be too long, or too much memory; the others are kept by then."""
    begun: list[str] = []

    def perform(member: Member, *_: object, **__: object) -> SimpleNamespace:
        begun.append(member.name)
        if member.name == "fusiform":
            raise MemoryError
        return SimpleNamespace(member=member)

    monkeypatch.setattr(table3, "perform", perform)
    with pytest.raises(MemoryError):
        table3.measure(Setting(full=True, note=lambda _: None))
    assert begun[-1] == "fusiform"
    assert len(begun) == len(PAPER)


def test_a_quick_run_has_fewer_tets_but_not_too_few() -> None:
    assert size_of(MEMBERS["swimmer"], full=True) == 220_000
    assert size_of(MEMBERS["swimmer"], full=False) == 16_000
    assert size_of(MEMBERS["wheel"], full=False) == 3_000


def test_joints_that_turn_and_swing_are_measured_from_the_first_frame() -> None:
    table = {"axle_angle_deg": [3.0, 13.0, -2.0, 4.0], "hip_swing_deg": [0.0, 2.0, 1.0, 0.5]}
    found = all_of(turned("axle"), swung("hip"))(result(**table))
    assert found["axle forward"] == pytest.approx(10.0)
    assert found["axle backward"] == pytest.approx(5.0)
    assert found["axle returned"] == pytest.approx(9.0)
    assert found["hip swung"] == pytest.approx(2.0)


def test_a_joint_that_comes_back_beyond_where_it_began_has_come_all_that_way() -> None:
    found = turned("elbow")(result(elbow_angle_deg=[10.0, -22.0, 20.0]))
    assert found["elbow reached"] == pytest.approx(32.0)
    assert found["elbow returned"] == pytest.approx(42.0)
    assert found["elbow beyond"] == pytest.approx(10.0)


def test_a_ball_that_is_lifted_and_falls_and_bones_that_part() -> None:
    poses = moved([(0, 0, 0), (0, 0, 0.05), (0.03, 0.04, 0.05), (0.03, 0.04, -0.02)])
    found = carried("ball")(result(poses))
    assert found["ball lifted"] == pytest.approx(50.0)
    assert found["ball carried"] == pytest.approx(50.0)
    assert found["ball fell"] == pytest.approx(70.0)
    apart = spread(("ball", "other"))(result(moved([(0.02, 0, 0), (0.06, 0, 0), (0.01, 0, 0)])))
    assert apart == {"opens": pytest.approx(20.0), "closes": pytest.approx(25.0)}


def test_a_head_that_rolls_leans_to_all_sides() -> None:
    turns = np.radians(10.0) * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]])
    poses = np.zeros((5, 2, 3, 4))
    poses[:, 0, :, :3] = exp_map(turns)
    found = rolled("ball")(result(poses))
    assert found["ball leans"] == pytest.approx(10.0)
    assert found["ball rolls"] == pytest.approx(270.0)


def performance(sound: Soundness) -> Performance:
    model = SimpleNamespace(mesh=SimpleNamespace(n_tets=48_000), bones=(), muscles=())
    job = cast("Any", SimpleNamespace(model=model, solver="newton"))
    measured = {"apple carried": 120.0, "apple fell": 4.0}
    return Performance(MEMBERS["picker"], job, 20, Pace(2.5, 0.5), sound, measured, (), ())


def test_a_sentence_tells_what_was_done_and_how_soundly() -> None:
    good, bad = Soundness(0, 2e-4, 1e-9), Soundness(3, 2e-3, None)
    (role,) = ROLES["fig15"]
    assert performance(good).is_sound
    assert not performance(bad).is_sound
    sentence = told(role, performance(good), full=False)
    assert "carries a fruit by 120 mm" in sentence
    assert "no tets are inverted" in sentence
    assert "2.5 s a frame, 0.5 s of processor time (the paper" in sentence
    assert str(Pace(2.5, 2.4)) == str(Pace(2.5, None)) == "2.5 s a frame"
    assert "13.3 s at 289,000 tets, which this quick run does not have" in sentence
    assert [deed.done(performance(good).measured) for deed in role.deeds] == [True, False]
    assert "3 tets are inverted" in told(role, performance(bad), full=True)
    assert not Deed("x", 1.0, "{}").done({"x": 1.0})


SPINDLE = """\
vastus: 1
name: spindle
model: {shape: fusiform, tets: 1000}
gravity: [0, 0, 0]
inputs:
  seconds: 1
  fps: 4
  activation:
    belly: [[0, 0], [1, 0.01]]
"""


def test_an_interrupted_performance_goes_on_with_its_frames(tmp_path: Path) -> None:
    job, notes = built(SPINDLE, "spindle"), []

    def interrupted(text: str) -> None:
        notes.append(text)
        if len(notes) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solved(job, tmp_path / "spindle", Setting(note=interrupted))
    again, pace = solved(job, tmp_path / "spindle", Setting(note=notes.append))
    assert [note.split(",")[0] for note in notes] == [f"spindle: frame {k}/5" for k in range(1, 6)]
    assert pace.processor is not None
    kept, pace = solved(job, tmp_path / "spindle", Setting(note=notes.append))
    assert len(notes) == 5
    assert pace.processor is None, "nothing was solved"
    whole, _ = solved(job, tmp_path / "whole", Setting(note=lambda _: None))
    for each in (again, kept):
        np.testing.assert_allclose(each.table["belly_length_m"], whole.table["belly_length_m"])
    few, _ = solved(job, tmp_path / "few", Setting(note=lambda _: None), most=2)
    assert len(few.times) == 2


def test_depths_of_two_bones_do_not_count() -> None:
    inside = [("ball", "other", 0.004), ("ball", "belly", 0.001)]
    frames = (tuple(SimpleNamespace(one=a, other=b, depth=d) for a, b, d in inside),)
    table = {"inverted": np.array([0.0, 2.0]), "axle_gap_m": np.array([1e-9, 3e-9])}
    made = replace(Soundness(0, 0.0, None), inverted=2, depth=0.001, gap=3e-9)
    whole = result()
    whole.penetrations = frames  # type: ignore[misc]
    whole.table.update(table)
    assert Soundness.of(whole) == made


def test_fibres_by_a_potential_follow_the_arcs_of_a_ring() -> None:
    finding = building.compare_fibres(Setting(note=lambda _: None))
    assert finding.agreement is Agreement.YES
    assert "0.50 of what it was" in finding.sentence
