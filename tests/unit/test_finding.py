"""Findings in the order of what they spoil, and those that are alike as one."""

from __future__ import annotations

from vastus.checks.finding import error, told, warning, worst_first

THIN = [warning(f"muscle '{name}'", "is thin", "thicken it") for name in ("a", "b", "c")]
OVERLAPS = [
    warning(f"part '{name}'", f"overlaps part 'm' by {k}.5 cm3 near [0, {k}, 1] m", "trim it")
    for k, name in enumerate(("x", "y", "z"))
]


def test_errors_come_first_then_what_spoils_forces_then_motion_then_shape() -> None:
    mesh, joint = (warning(where, "is odd", "look") for where in ("the mesh", "joint 'j'"))
    wrong = error("part 'p'", "is flat", "leave it out")
    found = [mesh, OVERLAPS[0], joint, THIN[0], wrong]
    assert worst_first(found) == [wrong, THIN[0], joint, OVERLAPS[0], mesh]


def test_the_same_sentence_is_told_once_with_all_names() -> None:
    assert told(THIN) == ["3 muscles ('a', 'b', 'c'): is thin; thicken it"]
    (line,) = told(OVERLAPS)
    assert line.startswith("3 parts ('x', 'y', 'z'): as part 'x' overlaps part 'm' by 0.5 cm3")
    assert line.endswith("; trim it")
    (line,) = told([OVERLAPS[0], *OVERLAPS[:2]])
    assert line.startswith("2 parts ('x', 'y'), 3 times: as part 'x'")


def test_a_few_and_those_of_other_kinds_stay_by_themselves() -> None:
    assert told(THIN[:2]) == [str(finding) for finding in THIN[:2]]
    other = warning("muscle 'd'", "is thick", "thicken it")
    assert told([*THIN, other])[1] == str(other)
