"""Scenes written over their author's text: what was not changed stays word for word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from authored import SCENE
from vastus.scene.rewrite import rewritten
from vastus.scene.write import WIDTH, scene_text
from vastus.scene.yaml import parse

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXT = """\
# A limb, by hand.
vastus: 1

name: 'limb'        # quoted once
gravity: [0, 0,   -9.810]

surfaces:
    units: "mm"     # four spaces
    # The bones come first.
    parts:
        humerus: { file: humerus.obj, tissue: bone }   # long

        ulna:
            # On its own line.
            file: ulna.obj
            tissue: bone
        biceps: {file: biceps.obj, tissue: muscle,     # two lines
                 origin: [humerus], insertion: ulna}
materials:
  muscle:
  # Two laws.
  - {law: stable_neo_hookean, young: 9.0e4, poisson: 0.49}
  - {law: active_fibre}   # the second
joints:
  elbow: ~            # none
inputs:
  seconds: 2.0
  activation:
    biceps: 1e-1      # weak
# The end.
"""


def data_of(text: str) -> Any:
    return parse(text, "scene.yaml")[0]


def changed(text: str, *path: Any, value: Any) -> str:
    """The text with a value at a path, or without one if it is None."""
    data = data_of(text)
    *above, last = path
    inner = data
    for key in above:
        inner = inner[key]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    new = rewritten(text, data)
    assert scene_text(data_of(new)) == scene_text(data)
    return new


def test_the_same_data_leave_the_text_alone() -> None:
    assert rewritten(TEXT, data_of(TEXT)) == TEXT
    assert rewritten(SCENE, data_of(SCENE)) == SCENE


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_examples_keep_their_words(path: Path) -> None:
    text = path.read_text()
    assert rewritten(text, data_of(text)) == text
    assert changed(text, "name", value="other").count("#") == text.count("#")


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        (("name",), "leg", "'limb' ", "leg "),
        (("gravity", 2), 0, "-9.810", "0"),
        (("surfaces", "units"), "m", '"mm"', "m"),
        (("surfaces", "parts", "humerus", "file"), "h.obj", "humerus.obj", "h.obj"),
        (("surfaces", "parts", "ulna", "file"), "u.obj", "ulna.obj", "u.obj"),
        (("surfaces", "parts", "biceps", "insertion"), ["ulna"], "n: ulna", "n: [ulna]"),
        (("surfaces", "parts", "biceps", "tissue"), "bone", "tissue: muscle,", "tissue: bone,"),
        (("materials", "muscle", 0, "young"), 8e4, "9.0e4", "8e4"),
        (("joints", "elbow"), {"kind": "ball"}, "~ ", "{kind: ball} "),
        (("inputs", "activation", "biceps"), 0.5, "1e-1", "0.5"),
        (("inputs", "seconds"), None, "  seconds: 2.0\n", ""),
        (("inputs",), None, TEXT[TEXT.index("inputs:") : TEXT.index("# The end")], ""),
        (("surfaces", "parts", "biceps", "origin"), None, "origin: [humerus], ", ""),
        (("surfaces", "parts", "humerus", "tissue"), None, ", tissue: bone }", " }"),
        (("inputs", "fps"), 5, "  seconds: 2.0\n", "  seconds: 2.0\n  fps: 5\n"),
        (("surfaces", "size"), 0.01, "four spaces\n", "four spaces\n    size: 0.01\n"),
        (("surfaces", "parts", "ulna", "x"), 1, "bone\n    ", "bone\n            x: 1\n    "),
        (("surfaces", "parts", "ulna", "tissue"), None, "            tissue: bone\n", ""),
        (
            ("surfaces", "parts", "skin"),
            {"file": "s.obj", "tissue": "passive"},
            "insertion: ulna}\n",
            "insertion: ulna}\n        skin: {file: s.obj, tissue: passive}\n",
        ),
        (
            ("bones",),
            {"ulna": {"drive": "pinned"}},
            "joints:\n",
            "bones:\n  ulna: {drive: pinned}\njoints:\n",
        ),
    ],
)  # fmt: skip
def test_only_what_changed_is_written(
    path: tuple[Any, ...], value: Any, old: str, new: str
) -> None:
    assert TEXT.count(old) == 1
    assert changed(TEXT, *path, value=value) == TEXT.replace(old, new)


def test_only_what_changed_is_written_with_the_line_ends_of_windows() -> None:
    text = TEXT.replace("\n", "\r\n")
    new = changed(text, "inputs", "fps", value=5)
    assert new == text.replace("seconds: 2.0\r\n", "seconds: 2.0\r\n  fps: 5\r\n")
    assert changed(new, "inputs", "fps", value=None) == text


def test_a_part_by_another_name_keeps_its_place_and_comment() -> None:
    data = data_of(TEXT)
    parts = data["surfaces"]["parts"]
    data["surfaces"]["parts"] = {("Elle" if n == "ulna" else n): p for n, p in parts.items()}
    assert rewritten(TEXT, data) == TEXT.replace("        ulna:", "        Elle:")


def test_items_of_lists_come_and_go() -> None:
    laws = data_of(TEXT)["materials"]["muscle"]
    new = changed(TEXT, "materials", "muscle", value=[*laws, {"law": "third"}])
    assert new == TEXT.replace("# the second\n", "# the second\n  - {law: third}\n")
    one = changed(TEXT, "materials", "muscle", value={"law": "tendon"})
    assert "  # Two laws.\n    {law: tendon}   # the second\n" in one
    less = changed(TEXT, "materials", "muscle", value=laws[1:])
    assert less.count("#") == TEXT.count("#")
    assert "stable_neo_hookean" not in less


def test_what_does_not_fit_on_its_line_any_more_gets_several() -> None:
    spots = [{"centre": [0.1, 0.2, 0.3], "radius": 0.01}] * 4
    new = changed(TEXT, "surfaces", "parts", "humerus", "origin_at", value=spots)
    assert max(map(len, new.splitlines())) <= WIDTH
    assert new.count("#") == TEXT.count("#")


def test_what_cannot_be_changed_in_place_is_written_whole() -> None:
    text = "vastus: 1\nbones: {a: &x {drive: pinned}, b: *x}  # lost\n"
    data = data_of(text)
    data["bones"]["b"] = {"drive": "free"}
    assert rewritten(text, data) == scene_text(data)
    for nothing in ("", "# nothing\n", "{", "- a\n"):
        assert rewritten(nothing, data) == scene_text(data)


keys = st.sampled_from(["surfaces", "units", "parts", "a", "b", "no", "c: d", "file", "inputs"])
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-1, 1) | keys,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=8,
)


@given(st.dictionaries(keys, values, max_size=5), st.dictionaries(keys, values, max_size=5))
@settings(max_examples=100, deadline=None)
def test_any_change_reads_back_as_it_was_meant(old: dict[str, Any], new: dict[str, Any]) -> None:
    for text in (scene_text(old), TEXT):
        out = rewritten(text, new)
        assert scene_text(data_of(out)) == scene_text(new)
