"""The experiments of the paper on the upper body, and what they are made of.

What needs the whole body is marked slow: its bones take a minute to make the first time.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from vastus.bodies.upper.anchors import Anchor
from vastus.bodies.upper.assembly import LINE_ROWS
from vastus.bodies.upper.joint_table import Totals, joint_table, totals
from vastus.bodies.upper.lines import Line, lines_of
from vastus.modelling.trunk.proportions import proportions
from vastus.reproduce.experiment import Agreement, Setting
from vastus.reproduce.papers import PAPERS, UPPER_BODY
from vastus.reproduce.records import Record, write_page
from vastus.reproduce.upper_body import EXPERIMENTS, paper
from vastus.reproduce.upper_body.anatomy import fig2, fig4, table1
from vastus.reproduce.upper_body.motion import eq13, fig15, fig16, fig17, qp

pytest.importorskip("mujoco", reason="the body is placed by MuJoCo")

PROMISED = ["fig2", "table1", "fig4", "fig7", "fig8", "fig9", "fig10", "fig11", "eq13", "qp",
            "fig13", "fig14", "fig15", "fig16", "dance", "fig17", "timing"]  # fmt: skip


def test_every_figure_that_is_promised_is_registered() -> None:
    assert [e.name for e in UPPER_BODY.chosen([])] == PROMISED
    assert PAPERS["upper-body"] is UPPER_BODY
    assert not any(e.takes_mesh or e.takes_arm for e in EXPERIMENTS.values())
    assert sum(e.minutes[0] for e in EXPERIMENTS.values()) < 9


def test_the_page_names_what_does_not_agree(tmp_path: Path) -> None:
    machine = {"processor": "", "cores": 1, "memory_GB": 1, "python": ""}
    records = [
        Record({"experiment": name, "title": f"Title of {name}", "shows": "", "agreement": verdict,
                "sentence": "", "tables": [], "caption": "", "seconds": 1.0,
                "setting": {"full": False, "mesh": ""}, "vastus": "", "finished": "",
                "machine": machine})
        for name, verdict in (("fig2", "agrees"), ("fig10", "agrees in part"),
                              ("qp", "does not agree"), ("fig14", "agrees in part"))
    ]  # fmt: skip
    text = write_page(tmp_path, UPPER_BODY, records).read_text()
    intro = " ".join(re.sub("<[^>]*>", "", text[: text.index("<table>")]).split())
    assert "What agrees in part: Title of fig10; Title of fig14." in intro
    assert "What does not agree: Title of qp." in intro
    assert "Title of fig2" not in intro
    assert "What failed" not in intro


def test_a_command_with_a_hyphen_has_a_folder_with_an_underscore() -> None:
    assert UPPER_BODY.folder == "upper_body"
    assert UPPER_BODY.template == "reproduce/templates/upper_body.html"
    assert PAPERS["control"].folder == "control"


def test_the_papers_table_adds_up_to_what_it_says() -> None:
    assert len(table1.published()) == 73
    for region, number in paper.LINES_OF.items():
        assert sum(paper.TABLE1[region].values()) == number
    assert paper.LINES == 300 + 432 + 2 * 41


def test_lines_are_counted_and_a_row_that_differs_is_named() -> None:
    lines = lines_of(LINE_ROWS, proportions())
    counts = table1.counted(lines)
    assert table1.agreement(counts, len(lines)) is Agreement.YES
    fewer = table1.counted([line for line in lines if line.group != "masseter"])
    assert table1.agreement(fewer, len(lines) - 2) is Agreement.NO
    assert "masseter (neck)" in table1.sentence(fewer, len(lines) - 2)
    assert table1.differing(Counter({**counts, ("arm", "anconeus"): 1})) == [("arm", "anconeus")]


def test_no_body_has_the_colour_of_a_neighbour() -> None:
    near = [{1, 2, 3}, {0, 2}, {0, 1, 3}, {0, 2}, set()]
    colour = fig2.coloured(near)
    assert all(colour[k] != colour[n] for k, own in enumerate(near) for n in own)
    assert max(colour) < len(fig2.COLOURS)


def test_the_skeleton_agrees_only_with_the_papers_counts() -> None:
    found = totals(joint_table())
    assert fig2.agreement(found) is Agreement.YES
    assert fig2.agreement(replace(found, dofs=165, trunk=151)) is Agreement.PARTLY
    assert fig2.agreement(Totals(70, 165, 151, 116, 49)) is Agreement.NO


def test_fixations_are_counted_in_vertebrae() -> None:
    bodies = ("pelvis", "L4", "L1", "T10", "T8")
    path = tuple(Anchor(body, np.zeros(3)) for body in bodies)
    line = Line("a", "longissimus_thoracis", "trunk", "L", path, 1e-4)
    assert fig4.fixed_gaps(line) == [3, 3, 2]
    assert fig4.fixed_gaps(replace(line, path=path[:1] + path[-1:])) == []
    found = fig4.measured(lines_of(LINE_ROWS, proportions()))
    assert fig4.agreement(found) is Agreement.YES
    assert fig4.agreement(replace(found, gaps=np.array([5, 6]))) is Agreement.PARTLY


def course(error: float, lost: float | None = None, wrong: float = 0.01) -> eq13.Course:
    return eq13.Course(np.array([0.1]), np.array([error]), np.array([wrong]), lost)


def test_eq13_agrees_if_the_seven_steps_hold_where_the_present_state_does_not() -> None:
    found = {(name, h): course(0.01) for name in eq13.METHODS for h in eq13.STEPS}
    h = paper.STEP
    found[eq13.PRESENT, h] = course(0.03, wrong=0.4)
    assert eq13.agreement(found) is Agreement.YES
    lost = {**found, (eq13.NEXT, h): course(0.5, 0.04)}
    assert eq13.agreement(lost) is Agreement.PARTLY
    assert "loses the body after 0.04 s at 7 ms" in eq13.sentence(lost)
    assert "does not hold at its own step" in eq13.sentence(lost)


def test_groups_leave_torques_of_joints_that_the_last_group_crosses() -> None:
    """Two joints, the second muscle of the trunk pulls on the neck too."""
    G = np.array([[1.0, 0.5], [0.0, 1.0]])
    parts = {"arm_left": np.zeros(2, bool), "arm_right": np.zeros(2, bool),
             "neck": np.array([True, False]), "trunk": np.array([False, True])}  # fmt: skip
    none = np.zeros(0, np.int64)
    rows = {"arm_left": none, "arm_right": none, "neck": np.array([0]), "trunk": np.array([1])}
    torques = np.array([2.0, 3.0])
    a = qp.in_groups(G, torques, {g: parts[g] for g in parts}, rows)
    np.testing.assert_allclose(a, [2.0, 3.0], rtol=1e-6)
    assert qp.largest(torques - G @ a, rows["neck"]) == pytest.approx(1.5, rel=1e-6)
    assert qp.largest(torques - G @ a, rows["trunk"]) < 1e-6


def test_sensitivity_agrees_if_nine_of_ten_change_little() -> None:
    few, many = np.full(100, 0.01), np.full(100, 0.2)
    good = fig17.Changes(few, many)
    found = {fig17.AREAS: good, fig17.POINTS: good}
    assert fig17.agreement(found) is Agreement.YES
    bad = fig17.Changes(np.where(np.arange(100) < 20, 0.05, 0.01), many)
    assert bad.small == pytest.approx(0.8)
    assert fig17.agreement({**found, fig17.AREAS: bad}) is Agreement.PARTLY


@pytest.mark.slow
def test_the_step_itself_is_inverted_and_the_look_ahead_loses_the_cage() -> None:
    from vastus.reproduce.upper_body.body import dynamics_of

    found = {
        (name, paper.STEP): eq13.followed(dynamics_of(), torques, paper.STEP, 0.2)
        for name, torques in eq13.METHODS.items()
    }
    assert found[eq13.STEP, paper.STEP].follows
    assert np.median(found[eq13.STEP, paper.STEP].wrong) < 1e-10
    assert found[eq13.NEXT, paper.STEP].lost is not None
    assert np.median(found[eq13.PRESENT, paper.STEP].wrong) > 0.1


@pytest.mark.slow
def test_via_points_move_and_ends_of_lines_stay() -> None:
    from vastus.reproduce.upper_body.body import dynamics_of

    body = dynamics_of().body
    other = fig17.with_other_points(body, np.random.default_rng(0))
    moved = np.linalg.norm(other.model.site_pos - body.model.site_pos, axis=1)
    m = body.model
    ends, inner = [], []
    for t in range(len(body.muscles)):
        sites = m.wrap_objid[m.tendon_adr[t] : m.tendon_adr[t] + m.tendon_num[t]]
        ends += sites[[0, -1]].tolist()
        inner += [(s, m.tendon_length0[t]) for s in sites[1:-1].tolist()]
    assert moved[ends].max() == 0.0
    assert len(inner) == 302
    share = np.array([moved[s] / length for s, length in inner])
    assert share.min() > 0.0
    assert share.max() <= paper.VIA_CHANGE * (1 + 1e-9)


@pytest.mark.slow
def test_arms_fall_with_a_sensor_and_breath_is_hambergers() -> None:
    from vastus.reproduce.upper_body.body import dynamics_of

    dynamics = dynamics_of()
    felt = fig15.held(dynamics, 10.0)
    assert fig15.DROPS < felt.drop < 20.0
    assert felt.left < fig15.RECOVERED
    outer, inner = (
        fig16.raising(dynamics, dynamics.body.group(name)) for name in (fig16.OUTER, fig16.INNER)
    )
    assert outer > 0 > inner


@pytest.mark.slow
@pytest.mark.parametrize("name", ["table1", "qp", "fig17"])
def test_an_experiment_has_a_figure_a_table_and_a_sentence(name: str) -> None:
    pytest.importorskip("pyvista", reason="figures are drawn beside pictures")
    finding = EXPERIMENTS[name].run(Setting(note=lambda _: None))
    assert finding.sentence
    assert finding.tables
    assert finding.figure is not None
