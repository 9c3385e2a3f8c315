"""Undo and redo, and the law of all edits: back to the first, forward to the last, and saved."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from authored import SCENE, write_limb
from vastus.app.author.document import Document, empty
from vastus.app.author.edits import materials, muscles, parts, settings
from vastus.app.author.edits import muscles as ends
from vastus.app.author.edits import skeleton as bones
from vastus.app.author.edits import skeleton as joints
from vastus.app.author.edits.materials import Quantity, presets, quantities
from vastus.app.author.scene_file import opened, save
from vastus.app.history import DEPTH, MERGED, History
from vastus.errors import VastusError
from vastus.parts import Drive, Tissue
from vastus.scene.fibres import End
from vastus.scene.schema import Unit
from vastus.scene.surfaces import Neighbours
from vastus.scene.yaml import parse
from vastus.skeleton.joints import JOINTS

FIRST = empty(Path("limb"))
Edit = Callable[[Document, random.Random], Document]
KINDS = list(JOINTS.values())
NAMES = [
    *("no", "3e5", "a: b", "{x}", 'say "x"', "it's", "肱二頭筋", "true", "- a", "#", "ulna"),
    "x" * 150,
]


def at(time: float) -> Callable[[], float]:
    return lambda: time


def sized(size: float) -> Document:
    return settings.set_size(FIRST, size)


def test_steps_are_undone_and_done_again_with_their_words() -> None:
    history = History(FIRST)
    assert (history.undo_words, history.redo_words) == (None, None)
    assert history.undone() is history
    assert history.redone() is history
    history = history.done(parts.add_part(FIRST, "ulna.obj"))
    history = history.done(parts.set_tissue(history.now, "ulna", Tissue.PASSIVE))
    assert history.undo_words == "set tissue of 'ulna' to passive"
    back = history.undone()
    assert back.redo_words == "set tissue of 'ulna' to passive"
    assert back.undo_words == "add part 'ulna'"
    assert back.undone().now == FIRST
    assert back.redone().now == history.now
    assert history.steps == ["start", "add part 'ulna'", "set tissue of 'ulna' to passive"]


def test_a_new_step_loses_what_was_undone_and_no_change_is_no_step() -> None:
    history = History(FIRST).done(sized(0.01)).undone().done(settings.set_name(FIRST, "x"))
    assert history.redo_words is None
    assert history.done(settings.set_name(FIRST, "x")) is history


def test_a_dragged_slider_is_one_step() -> None:
    history = History(FIRST)
    for i in range(10):
        history = history.done(sized(0.01 + 0.001 * i), at(0.5 * MERGED * i))
    assert len(history.past) == 1
    assert history.now.surfaces.size == 0.019
    assert history.undone().now == FIRST


def test_changes_of_other_kinds_or_after_a_while_or_after_an_undo_are_steps_of_their_own() -> None:
    history = History(FIRST).done(sized(0.01), at(0)).done(sized(0.02), at(2 * MERGED))
    assert len(history.past) == 2
    history = history.done(settings.set_seconds(history.now, 2.0), at(2 * MERGED))
    assert len(history.past) == 3
    undone = history.undone().done(sized(0.03), at(2 * MERGED))
    assert len(undone.past) == 3


def test_the_oldest_steps_are_forgotten_in_the_end() -> None:
    history = History(FIRST)
    for i in range(DEPTH + 5):
        history = history.done(sized(0.001 * (i + 1)), at(10.0 * i))
    assert len(history.past) == DEPTH


def _part(d: Document, r: random.Random) -> str:
    return r.choice([*d.parts, "nobody"])


def _muscle(d: Document, r: random.Random) -> str:
    return r.choice([*d.names.muscles, "nobody"])


def _bone(d: Document, r: random.Random) -> str:
    return r.choice([*d.names.bones, "nobody"])


def _joint(d: Document, r: random.Random) -> str:
    return r.choice([*d.joints, "nobody"])


def _place(r: random.Random) -> tuple[float, float, float]:
    return (r.uniform(-1, 1), r.uniform(-1, 1), r.uniform(-1, 1))


def _some(r: random.Random, names: list[str]) -> list[str]:
    return r.sample(names, min(len(names), r.randint(0, 2)))


def _end(r: random.Random) -> End:
    return r.choice(list(End))


def _material(d: Document, r: random.Random) -> Document:
    name = r.choice([*Tissue, *d.names.regions])
    laws = r.choice(presets(materials.tissue_of(d, name)) or presets(Tissue.MUSCLE)).laws
    return materials.set_material(d, name, r.choice([None, laws]))


def _number(d: Document, r: random.Random) -> Document:
    name = r.choice(["muscle", "tendon", *d.names.regions])
    number = r.choice(quantities(materials.laws_of(d, name)) or [Quantity(0, "K", 1, "Pa", "")])
    value = number.value * r.uniform(0.5, 1.2)
    return materials.set_number(d, name, number.law, number.name, value)


EDITS: list[Edit] = [
    lambda d, r: parts.add_part(d, r.choice(["ulna.obj", "biceps.obj", "biceps_tendon.obj"])),
    lambda d, r: parts.add_parts(d, ["fat.obj", "sinew_of_biceps.obj", "femur.obj"]),
    lambda d, r: parts.remove_part(d, _part(d, r)),
    lambda d, r: parts.rename_part(d, _part(d, r), r.choice(NAMES)),
    lambda d, r: parts.rename_part(d, _part(d, r), f"part {r.random()}"),
    lambda d, r: parts.set_tissue(d, _part(d, r), r.choice(list(Tissue))),
    lambda d, r: parts.set_muscle(d, _part(d, r), r.choice([None, _muscle(d, r), r.choice(NAMES)])),
    lambda d, r: parts.rename_muscle(d, _muscle(d, r), r.choice(NAMES)),
    lambda d, r: parts.set_part_units(d, _part(d, r), r.choice([None, *Unit])),
    lambda d, r: parts.set_part_size(d, _part(d, r), r.choice([None, r.uniform(-0.01, 0.1)])),
    lambda d, r: ends.set_end(d, _part(d, r), _end(r), _some(r, [*d.parts])),
    lambda d, r: ends.set_tendons(d, _part(d, r), r.choice([None, (r.random(), 0.2)])),
    lambda d, r: ends.add_spot(d, _part(d, r), _end(r), _place(r), r.uniform(0, 0.5)),
    lambda d, r: ends.erase_spots(d, _part(d, r), _end(r), _place(r), r.uniform(0, 0.9)),
    lambda d, r: ends.clear_spots(d, _part(d, r), _end(r)),
    lambda d, r: bones.group_bones(d, r.choice([_bone(d, r), "group"]), _some(r, [*d.parts])),
    lambda d, r: bones.ungroup(d, _bone(d, r)),
    lambda d, r: bones.rename_bone(d, _bone(d, r), r.choice(NAMES)),
    lambda d, r: bones.set_drive(d, _bone(d, r), r.choice(list(Drive))),
    lambda d, r: joints.add_joint(
        d,
        r.choice(NAMES),
        r.choice(KINDS),
        (_bone(d, r), _bone(d, r)),
        centre=_place(r),
    ),
    lambda d, r: joints.add_joint(d, "j", r.choice(KINDS), (_bone(d, r), _bone(d, r))),
    lambda d, r: joints.remove_joint(d, _joint(d, r)),
    lambda d, r: joints.rename_joint(d, _joint(d, r), r.choice(NAMES)),
    lambda d, r: joints.set_joint_kind(d, _joint(d, r), r.choice(KINDS), axis=_place(r)),
    lambda d, r: joints.set_joint_bones(d, _joint(d, r), (_bone(d, r), _bone(d, r))),
    lambda d, r: joints.place_joint(d, _joint(d, r), _place(r), r.choice([None, _place(r)])),
    lambda d, r: joints.find_joint(d, _joint(d, r)),
    lambda d, r: muscles.set_strength(d, _muscle(d, r), r.uniform(-1e4, 1e6)),
    lambda d, r: muscles.set_limit(d, _muscle(d, r), r.choice([None, 0.8, 2.0])),
    lambda d, r: muscles.set_activation(d, _muscle(d, r), r.choice([None, r.random()])),
    lambda d, r: muscles.set_activation(d, _muscle(d, r), [(0, 0), (r.random(), r.random())]),
    lambda d, r: muscles.fibres_between(
        d, _muscle(d, r), _some(r, [*d.names.bones]), _some(r, [*d.names.regions])
    ),
    lambda d, r: muscles.fibres_along(d, _muscle(d, r), _place(r)),
    lambda d, r: muscles.set_pennation(
        d, _muscle(d, r), r.uniform(-5, 60), r.choice([_part(d, r), "s.obj"])
    ),
    lambda d, r: muscles.no_pennation(d, _muscle(d, r)),
    lambda d, r: muscles.usual_fibres(d, _muscle(d, r)),
    _material,
    _number,
    lambda d, r: materials.set_density(d, _part(d, r), r.uniform(900, 2000)),
    lambda d, r: settings.set_name(d, r.choice(NAMES)),
    lambda d, r: settings.set_units(d, r.choice([None, *Unit])),
    lambda d, r: settings.set_size(d, r.choice([None, r.uniform(0, 0.1)])),
    lambda d, r: settings.set_neighbours(d, r.choice([None, *Neighbours])),
    lambda d, r: settings.set_seconds(d, r.uniform(0, 5)),
    lambda d, r: settings.set_fps(d, r.uniform(0, 60)),
    lambda d, r: settings.set_gravity(d, r.choice([None, _place(r)])),
    lambda d, r: settings.set_up(d, r.choice([(0, 1, 0), (0, 0, 1), (0, 0, 0)])),
]


def _edited(document: Document, r: random.Random) -> Document:
    """After some edit; those that are refused, by a sentence, change nothing."""
    for _ in range(5):
        try:
            return r.choice(EDITS)(document, r)
        except VastusError as error:
            if not str(error) or "\n" in str(error):
                raise AssertionError(f"{error!r} is no sentence") from error
    return document


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 6))]
)
def test_all_steps_can_be_undone_done_again_saved_and_reopened(seed: int, tmp_path: Path) -> None:
    r = random.Random(seed)
    if seed:
        write_limb(tmp_path)
    first, kept = opened(tmp_path)
    history, trail = History(first), [first]
    for step in range(40):
        document = _edited(history.now, r) if first.ready or step else _started(first)
        history = history.done(document, at(10.0 * step))
        if document != trail[-1]:
            trail.append(document)
            kept = save(document, kept)
            assert opened(tmp_path) == (document, kept)
    assert len(trail) > 15
    last = history.now
    for document in reversed(trail[:-1]):
        history = history.undone()
        assert history.now == document
    assert history.undone() is history
    for document in trail[1:]:
        history = history.redone()
        assert history.now == document
    assert history.now == last
    assert history.redone() is history


def _started(document: Document) -> Document:
    return parts.add_parts(document, ["humerus.obj", "ulna.obj", "biceps.obj", "fat.obj"])


def test_every_edit_is_at_some_time_accepted_and_can_be_undone() -> None:
    start = Document(Path("limb"), parse(SCENE, "")[0])
    for end in End:
        start = ends.add_spot(start, "biceps", end, (0, 0, 0), 0.5)
    start = joints.place_joint(start, "elbow", (0, 0, 0), (1, 0, 0))
    for edit in EDITS:
        changed = next(changed for changed in _tries(edit, start) if changed != start)
        assert changed.change.words
        assert History(start).done(changed).undone().now == start


def _tries(edit: Edit, start: Document) -> Iterator[Document]:
    for seed in range(200):
        with suppress(VastusError):
            yield edit(start, random.Random(seed))
