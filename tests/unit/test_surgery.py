"""Operations without a browser: bones hit by rays, the patient's history, its file, its page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mujoco", reason="mujoco is the extra 'skeleton'")
pytest.importorskip("viser", reason="the pages need viser")

from patience import until
from vastus.app.history import History
from vastus.app.surgery.bone_map import Mark, map_html
from vastus.app.surgery.bones import bone_hit, seen_bones
from vastus.app.surgery.changes_file import ChangesFile, opened
from vastus.app.surgery.operated import Operated
from vastus.app.surgery.panels.disorder_form import AMOUNTS, disorder_of
from vastus.app.surgery.panels.findings_panel import rows_of
from vastus.app.surgery.panels.posing import coordinates
from vastus.app.surgery.surgery import ClickMode, Surgery
from vastus.app.surgery.surgery_page import open_surgery
from vastus.app.web_page import Page
from vastus.bodies.body import Body
from vastus.bodies.paths import Poses
from vastus.bodies.read import read_body
from vastus.bodies.write import write_body
from vastus.control.disorders import (
    Contracture,
    Insertion,
    Patient,
    Weakness,
    compare,
    read_disorders,
)
from vastus.errors import FileError, VastusError

ARM = Path(__file__).parents[2] / "examples" / "little_arm.xml"
COMMENTED = (
    "# a patient\n"
    "disorders:\n"
    "  - {kind: contracture, muscles: flexor, length: 0.8}  # since the accident\n"
    "  - {kind: weakness,   muscles: extensor, force: 0.50}\n"
)
SHORT, WEAK = Contracture(muscles="flexor", length=0.8), Weakness(muscles="extensor", force=0.5)
UPPER = np.array([0.01, 0.0, -0.2])


@pytest.fixture(scope="module")
def arm() -> Body:
    return read_body(ARM, hands={})


def test_a_ray_hits_the_nearest_bone_and_tells_the_place_in_its_frame(arm: Body) -> None:
    bones = seen_bones(arm)
    assert [bone.title for bone in bones] == ["shaft", "lower"]
    bent = arm.data(np.array([np.radians(90.0)]))
    # The forearm lies along x at the height of the elbow; a ray falls on it from above.
    hit = bone_hit(bones, np.array([0.15, 0.0, 2.0]), np.array([0.0, 0.0, -2.0]), bent)
    assert hit is not None
    assert bones[hit.bone].body == "lower"
    assert hit.place == pytest.approx([0.009, 0.0, -0.15], abs=3e-4)
    assert bone_hit(bones, np.array([0.15, 0.5, 2.0]), np.array([0.0, 0.0, -1.0]), bent) is None


def test_faces_that_look_inwards_are_hit_as_well(arm: Body) -> None:
    bones = seen_bones(arm)
    ray = np.array([1.0, 0.0, 0.85]), np.array([-1.0, 0.0, 0.0])
    first = bone_hit(bones, *ray, arm.data())
    for bone in bones:
        bone.surface.faces[:] = bone.surface.faces[:, ::-1].copy()
    second = bone_hit(bones, *ray, arm.data())
    assert first is not None
    assert second is not None
    assert second.place == pytest.approx(first.place)


def test_steps_are_undone_to_the_same_patient(arm: Body) -> None:
    begun = Operated.of(Patient.of(arm, [SHORT]))
    history = History(begun).done(begun.inserted(("flexor",), "upper", UPPER))
    moved = history.now
    assert [str(d) for d in moved.disorders][1].startswith("insertion of flexor: bone upper")
    assert Poses(moved.body).arms[0, 0] == 0.0
    assert moved.stages[1] is begun.patient
    assert history.undone().now is begun
    assert history.undone().redone().now is moved


def test_an_insertion_moved_again_is_one_change_and_two_steps(arm: Body) -> None:
    begun = Operated.of(Patient.of(arm))
    history = History(begun).done(begun.inserted(("flexor",), "upper", UPPER), lambda: 0.0)
    again = history.now.inserted(("flexor",), "upper", UPPER - [0.0, 0.0, 0.0123456])
    history = history.done(again, lambda: 9.0)
    (only,) = history.now.disorders
    assert isinstance(only, Insertion)
    assert only.position == (0.01, 0.0, -0.21235)
    assert len(history.past) == 2
    other = again.inserted(("extensor",), "upper", UPPER)
    assert len(other.disorders) == 2


def test_a_change_in_the_middle_is_removed(arm: Body) -> None:
    both = Operated.of(Patient.of(arm, [SHORT, WEAK]))
    left = both.without(0)
    assert left.disorders == (WEAK,)
    assert left.body.unit("flexor") == arm.unit("flexor")


def test_the_list_that_was_read_has_the_bytes_that_were_read(arm: Body, tmp_path: Path) -> None:
    path = tmp_path / "changes.yaml"
    path.write_text(COMMENTED)
    patient, file = opened(path, arm)
    operated = Operated.of(patient)
    file = file.saved(operated.inserted(("flexor",), "upper", UPPER).disorders)
    assert path.read_text().startswith(COMMENTED)
    assert len(read_disorders(path)) == 3
    file = file.saved(operated.without(1).disorders)
    assert path.read_text() == "\n".join(COMMENTED.splitlines()[:3]) + "\n"
    file = file.saved(operated.disorders)
    assert path.read_bytes() == COMMENTED.encode()
    assert file.is_saved(operated.disorders)


def test_a_file_that_is_not_there_is_made_and_one_of_somebody_else_is_kept(
    arm: Body, tmp_path: Path
) -> None:
    path = tmp_path / "changes.yaml"
    patient, file = opened(path, arm)
    assert patient.disorders == ()
    assert file == ChangesFile(path)
    file = file.saved([SHORT])
    assert read_disorders(path) == (SHORT,)
    assert file.is_saved([SHORT])
    assert not file.is_saved([])
    path.write_text("disorders: []\n")
    with pytest.raises(FileError, match=r"was changed by somebody else .* 'Reload' takes"):
        file.saved([WEAK])
    assert path.read_text() == "disorders: []\n"


@pytest.mark.parametrize("kind", AMOUNTS)
def test_every_form_makes_its_disorder(arm: Body, kind: str) -> None:
    amount = AMOUNTS[kind]
    for value in (amount.least, amount.usual, amount.most):
        made = disorder_of(kind, ("flexor",), value, "sector")
        assert made.kind == kind
        Patient.of(arm, [made])


def test_the_table_says_what_differs(arm: Body) -> None:
    found = compare(Patient.of(arm, [WEAK]), ["elbow"], before=Patient.of(arm, [SHORT]))
    rows = {row[0]: row for row in rows_of(found, "elbow", ("flexor",))}
    assert rows["Strength here, lowering"][3]
    assert not rows["Arm of flexor here"][3]
    assert rows["Relaxed angle"][1] != rows["Relaxed angle"][2]
    assert rows["Active range"][2] == "\N{MINUS SIGN}10 to 100\N{DEGREE SIGN}"
    strong = compare(Patient.of(arm, [WEAK]), ["elbow"])
    healthy = found.finding("strength lowering", "elbow").before
    assert strong.finding("strength lowering", "elbow").before == pytest.approx(healthy)


def test_joints_have_the_sliders_of_their_ranges(arm: Body) -> None:
    ((name, place, unit, ends),) = coordinates(arm)
    assert (name, place, ends) == ("elbow", 0, (-10.0, 100.0))
    assert unit == pytest.approx(np.degrees(1.0))


def test_a_map_shows_names_as_text(arm: Body) -> None:
    bone = seen_bones(arm)[0]
    html = map_html(bone.map, "<script>", [Mark(0.0, 0.1, "<b>", "#000")])
    assert "<script>" not in html
    assert "<b>" not in html
    assert 'data-length="300"' in html


def test_an_operated_body_is_read_back(arm: Body, tmp_path: Path) -> None:
    operated = Operated.of(Patient.of(arm, [SHORT])).inserted(("flexor",), "upper", UPPER).body
    write_body(operated, tmp_path / "operated.xml", tmp_path / "units.csv")
    again = read_body(tmp_path / "operated.xml", units=tmp_path / "units.csv", hands={})
    q = np.array([0.7])
    assert Poses(again).at(q).lengths == pytest.approx(Poses(operated).at(q).lengths, rel=1e-6)
    assert again.optimal == pytest.approx(operated.optimal)


@pytest.fixture
def surgery(arm: Body, tmp_path: Path) -> Iterator[Surgery]:
    (tmp_path / "changes.yaml").write_text(COMMENTED)
    with Page("arm", port=0) as page:
        yield open_surgery(page, arm, tmp_path / "changes.yaml", source=ARM)


def test_a_click_moves_the_insertion_and_the_findings_follow(surgery: Surgery) -> None:
    assert until(lambda: surgery.found is not None, 20.0)
    assert surgery.found is not None
    before = surgery.found.finding("moment arm, elbow", "flexor")
    surgery.click_mode = ClickMode.INSERT
    surgery._clicked(np.array([1.0, 0.0, 0.85]), np.array([-1.0, 0.0, 0.0]))
    last = surgery.operated.disorders[-1]
    assert isinstance(last, Insertion)
    assert (last.bone, last.position[0]) == ("upper", pytest.approx(0.01, abs=3e-4))
    assert until(lambda: surgery.found is not None, 20.0)
    assert surgery.found is not None
    after = surgery.found.finding("moment arm, elbow", "flexor")
    assert after.before == before.before != 0.0
    assert after.after == 0.0
    surgery.undo()
    assert until(lambda: surgery.found is not None, 20.0)
    assert surgery.found is not None
    assert surgery.found.finding("moment arm, elbow", "flexor") == before
    with pytest.raises(VastusError, match="there is no bone at this place"):
        surgery._clicked(np.array([1.0, 1.0, 0.85]), np.array([-1.0, 0.0, 0.0]))
