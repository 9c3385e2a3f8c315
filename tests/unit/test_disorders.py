"""Disorders as data: what each changes and leaves, undoing, the YAML file and its errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vastus.bellies.law import MotorUnit
from vastus.bellies.line import LineLaw
from vastus.bellies.shapes import tube
from vastus.bodies import Body, read_body
from vastus.bodies.paths import Poses
from vastus.control.disorders import (
    DISORDERS,
    Atrophy,
    Contracture,
    Disorder,
    Hypertrophy,
    Insertion,
    Lengthening,
    Paralysis,
    Patient,
    Weakness,
    read_disorders,
    write_disorders,
)
from vastus.control.disorders.disorder_file import read_patient
from vastus.control.disorders.impaired_law import ImpairedLaw
from vastus.errors import ModelError, VastusError

pytest.importorskip("mujoco", reason="bodies are placed by MuJoCo")

ARM = Path(__file__).parents[2] / "examples" / "little_arm.xml"
ALL: tuple[Disorder, ...] = (
    Atrophy(muscles="flexor", area=0.5),
    Hypertrophy(muscles=("flexor", "extensor"), width=1.2),
    Weakness(muscles="flexor", force=0.2),
    Paralysis(muscles="flexor", pattern="sector", part=0.25, angle_deg=90.0),
    Contracture(muscles="flexor", length=0.8),
    Lengthening(muscles="extensor", by=0.01),
    Insertion(muscles="flexor", bone="upper", position=(0.012, 0.0, -0.25)),
)


@pytest.fixture(scope="module")
def arm() -> Body:
    """The small arm of the examples."""
    return read_body(ARM, hands={"arm": "lower"})


def test_every_kind_is_tried_here() -> None:
    assert [disorder.kind for disorder in ALL] == list(DISORDERS)


@pytest.mark.parametrize("disorder", ALL, ids=str)
def test_nothing_given_is_altered_and_all_is_undone(arm: Body, disorder: Disorder) -> None:
    before, lengths = arm.units, Poses(arm).lengths
    patient = Patient.of(arm, [disorder])
    assert arm.units == before
    assert (Poses(arm).lengths == lengths).all()
    assert patient.undone().body is arm
    other = "extensor" if "extensor" not in disorder.muscles else None
    if other:
        assert patient.body.unit(other) == arm.unit(other)


def test_a_disorder_in_the_middle_is_undone(arm: Body) -> None:
    patient = Patient.of(arm, ALL)
    assert patient.undone(2).disorders == (*ALL[:2], *ALL[3:])
    assert patient.undone(0).body.unit("flexor").area == pytest.approx(
        2.0 * patient.body.unit("flexor").area
    )
    with pytest.raises(ModelError, match="no disorder 7 to undo; there are 7"):
        patient.undone(7)


def test_what_scales(arm: Body) -> None:
    unit = arm.unit("flexor")
    half = Patient.of(arm, [Atrophy(muscles="flexor", area=0.5)]).body.unit("flexor")
    assert (half.area, half.force) == (0.5 * unit.area, 0.5 * unit.force)
    thin = Patient.of(arm, [Atrophy(muscles="flexor", width=0.5)]).body.unit("flexor")
    assert thin.force == pytest.approx(0.25 * unit.force)
    assert thin.strength == pytest.approx(unit.strength)
    short = Patient.of(arm, [Contracture(muscles="flexor", length=0.8)]).body.unit("flexor")
    assert (short.optimal, short.slack) == (0.8 * unit.optimal, unit.slack)
    longer = Patient.of(arm, [Lengthening(muscles="flexor", by=0.01)]).body.unit("flexor")
    assert (longer.optimal, longer.slack) == (unit.optimal, unit.slack + 0.01)


def test_weak_fibres_keep_their_passive_force(arm: Body) -> None:
    law = Patient.of(arm, [Weakness(muscles="flexor", force=0.2)]).law
    healthy = LineLaw(arm.units)
    length, still = arm.slack + 1.2 * arm.optimal, np.zeros(2)
    relaxed, full = (law.forces(length, still, a * np.ones(2)).force for a in (0, 1))
    before, most = (healthy.forces(length, still, a * np.ones(2)).force for a in (0, 1))
    assert relaxed == pytest.approx(before)
    assert before[0] > 1.0
    assert full - relaxed == pytest.approx([0.2, 1.0] * (most - before))


def test_slopes_of_the_law_are_those_of_its_forces() -> None:
    line = LineLaw([MotorUnit("m", 300.0, 0.1, slack=0.2)] * 2)
    law = ImpairedLaw(line, np.array([0.6, 1.0, 1.4]), np.array([[0.3, 0.8, 0.7], [1, 1, 1.0]]))
    at = np.array([0.285, 0.315]), np.array([0.02, -0.1]), np.array([0.4, 0.9])
    pull, h = law.forces(*at), 1e-6
    for k, slope in enumerate((pull.by_length, pull.by_speed, pull.by_activation)):
        ends = [
            law.forces(*(v + s * h * (j == k) for j, v in enumerate(at))).force for s in (1, -1)
        ]
        assert slope == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6)
    beyond = law.forces(np.array([0.25, 0.36]), np.zeros(2), np.ones(2))
    assert beyond.by_activation[0] == pytest.approx(
        0.3 * line.forces(np.array([0.25, 0.36]), np.zeros(2), np.ones(2)).by_activation[0]
    )


def test_which_cells_are_paralysed() -> None:
    belly = tube(MotorUnit("m", 100.0, 0.2), width=0.04)
    x, y, z = belly.mesh.X[belly.mesh.T].mean(axis=1).T
    sector = Paralysis(muscles="m", pattern="sector", part=0.25, angle_deg=90).tets(belly)
    assert len(sector) == 48
    assert (y[sector] < 0).all()
    assert (z[sector] > 0).all()
    band = Paralysis(muscles="m", pattern="band", part=0.25, at=0.0).tets(belly)
    assert (x[band] < 0.05).all()
    random = [Paralysis(muscles="m", part=0.25, seed=s).tets(belly) for s in (1, 1, 2)]
    assert set(random[0]) == set(random[1]) != set(random[2])
    painted = Paralysis(muscles="m", pattern="cells", cells=(3, 1, 3))
    dead = painted.belly(belly)
    assert np.flatnonzero(dead.contractile == 0).tolist() == [1, 3]
    assert (dead.strength == belly.strength).all()
    with pytest.raises(ModelError, match="has cells 0 to 191, no 192"):
        Paralysis(muscles="m", pattern="cells", cells=(192,)).tets(belly)


def test_a_belly_has_the_volume_of_its_unit_and_all_its_disorders(arm: Body) -> None:
    patient = Patient.of(arm, ALL)
    whole, sick = (patient.belly("flexor", healthy=h) for h in (True, False))
    assert whole.mesh.volumes.sum() == pytest.approx(arm.unit("flexor").volume, rel=0.02)
    assert sick.mesh.volumes.sum() == pytest.approx(0.5 * 1.44 * 0.8 * whole.mesh.volumes.sum())
    assert sorted(set(sick.contractile)) == [0.0, 0.2]
    assert (sick.strength == whole.strength).all()


def test_a_moved_insertion_takes_the_path_with_it(arm: Body) -> None:
    moved = Patient.of(arm, ALL[-1:]).body
    sites = {moved.model.site(s).name: s for s in range(moved.model.nsite)}
    bone = moved.model.site_bodyid[sites["front end"]]
    assert moved.model.body(int(bone)).name == "upper"
    q = np.array([1.0])
    arms = Poses(moved).at(q).arms[:, 0], Poses(arm).at(q).arms[:, 0]
    assert arms[0][0] == 0.0
    assert arms[0][1] == arms[1][1] != 0.0
    assert moved.arms[0].units == (1,)
    with pytest.raises(ModelError, match=r"no bone 'ulna'; bones: world, upper, lower"):
        Patient.of(arm, [Insertion(muscles="flexor", bone="ulna", position=(0, 0, 0))])
    with pytest.raises(ModelError, match=r"no site 'x' on the path of muscle 'flexor'; it has: f"):
        Patient.of(arm, [Insertion(muscles="flexor", bone="upper", position=(0, 0, 0), site="x")])


def test_a_file_reads_back(tmp_path: Path) -> None:
    write_disorders(tmp_path / "d.yaml", ALL)
    assert read_disorders(tmp_path / "d.yaml") == ALL


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{kind: atrofy, muscles: flexor}", r"\(disorders.0.kind\): .*mean 'atrophy'"),
        ("{muscles: flexor}", r"\(disorders.0\): the key 'kind' is missing \(allowed: atrophy, "),
        ("{kind: weakness, force: 0.5}", r"\(disorders.0\): the key 'muscles' is missing"),
        ("{kind: weakness, muscles: a, force: 0}", r"\(disorders.0.force\): 0 was given, but"),
        ("{kind: weakness, muscles: a, force: 2}", "force 2: the share that is left is at most 1"),
        ("{kind: weakness, muscles: a, forse: 1}", r"0.forse\): unknown key 'forse'; did you mean"),
        ("{kind: atrophy, muscles: a}", "give exactly one of area, width; given: none"),
        ("{kind: atrophy, muscles: a, area: 2}", "area 2: in atrophy it is below 1"),
        ("{kind: hypertrophy, muscles: a, width: .5}", "width 0.5: in hypertrophy it is above 1"),
        ("{kind: contracture, muscles: a, length: 1}", "length 1: in a contracture it is below 1"),
        ("{kind: paralysis, muscles: a}", "pattern 'random' needs 'part', and no 'cells'"),
        ("{kind: paralysis, muscles: a, part: 2}", r"\(disorders.0.part\): 2 was given, but it"),
        ("{kind: weakness, muscles: biceps, force: 1}", r"0.muscles\): no muscle 'biceps'; musc"),
        ("{kind: insertion, muscles: flexor, bone: ulna, position: [0, 0, 0]}", r"0.bone\): no bo"),
        (
            "{kind: insertion, muscles: flexor, bone: upper, position: [0, 0, 0], site: x}",
            r"0.site\): no site 'x' on the path of muscle 'flexor'",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(
    tmp_path: Path, arm: Body, row: str, said: str
) -> None:
    (tmp_path / "d.yaml").write_text(f"disorders:\n  - {row}\n")
    with pytest.raises(VastusError, match=rf"d\.yaml, line 2 .*{said}"):
        read_patient(tmp_path / "d.yaml", arm)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the key 'disorders' is missing; it holds a list"),
        ("disorders: 3\n", r"line 1 \(disorders\): 3 was given, but it must be a list"),
        ("disorders: []\nmore: 1\n", r"line 2 \(more\): unknown key 'more'"),
    ],
)
def test_a_file_without_a_list_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "d.yaml").write_text(text)
    with pytest.raises(VastusError, match=said):
        read_disorders(tmp_path / "d.yaml")
