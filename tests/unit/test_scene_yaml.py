"""Scenes as text: what is written reads back as it was, and looks as a person would write it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from vastus.errors import ModelError
from vastus.scene.scene import Description
from vastus.scene.write import WIDTH, number, scalar, scene_text, write_scene
from vastus.scene.yaml import parse

EXAMPLES = Path(__file__).parents[2] / "examples"
NASTY = [
    *("no", "3e5", "a: b", "a #b", "{", "}", "[x]", "a, b", "- a", "-", "?", "? a", "null", "~"),
    *(
        "",
        " ",
        " a",
        "a ",
        "a\nb",
        "\n",
        "\t",
        "'",
        '"',
        "\\",
        "it's",
        'say "x"',
        "!tag",
        "&a",
        "*a",
    ),
    *("%", "@", "`", "|", ">", "=", "<<", "---", "...", "#", "a:", ":a", "0x1f", "1_000", "1:30"),
    *(
        "2020-01-01",
        ".inf",
        ".nan",
        "-.5",
        "+1",
        "0b1",
        "true",
        "Yes",
        "On",
        "y",
        "1e3",
        "1.",
        "-0",
    ),
    *(
        "\x00",
        "\x85",
        "\xa0",
        "\xad",
        "\u2028",
        "\u200b",
        "\ufeff",
        "\ud800",
        "\ufffe",
        "\U0001f9b4",
    ),
    *(
        "肱二頭筋",
        "Größe",
        "e\u0301",
        "\u202eabc",
        "x" * 1025,
        "\n" * 600,
        "../a b.obj",
        "/a.obj",
        "C:\\a",
    ),
]
words = st.one_of(st.sampled_from(NASTY), st.text(max_size=20))
names = words.filter(
    lambda word: word and "\ud800" not in word
)  # the schema has no halves of signs
numbers = st.one_of(st.integers(), st.floats(allow_nan=False), st.integers(-9, 9).map(float))
plain = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, words),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)
vectors = st.lists(st.floats(-1, 1), min_size=3, max_size=3)
positives = st.floats(1e-6, 1e9)
fractions = st.lists(st.floats(0, 0.49), min_size=2, max_size=2)


def read_back(data: dict[str, Any]) -> Any:
    return parse(scene_text(data), "scene.yaml")[0]


@st.composite
def scenes(draw: st.DrawFn) -> dict[str, Any]:
    """Scenes of surfaces with nasty names that the schema accepts."""
    chosen = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    bone, *muscles = (name for name in chosen if not name.endswith(" tendon"))
    parts: dict[str, Any] = {bone: {"tissue": "bone", "file": draw(names)}}
    for name in muscles:
        caps, ends = draw(fractions), draw(st.sampled_from([bone, [bone]]))
        parts[name] = {"tissue": "muscle", "file": draw(names), "caps": caps, "origin": ends}
    activation = {name: draw(st.floats(0, 1)) for name in muscles}
    keys = st.lists(st.tuples(st.just(0), st.floats(1, 2)).map(list), max_size=1)
    return {
        "inputs": {"activation": activation, "seconds": draw(st.floats(1, 9))},
        "surfaces": {"parts": parts, "size": draw(positives)},
        "name": draw(names),
        "joints": {draw(names): {"bones": [bone, bone], "kind": "ball", "centre": draw(vectors)}},
        "materials": {"muscle": [{"young": draw(positives), "law": "a"}, {"law": draw(names)}]},
        "gravity": draw(vectors),
        "pins": {draw(names): {"sphere": {"centre": draw(vectors), "radius": draw(positives)}}},
        "model": None,
        "vastus": 1,
        "regions": {n: {"density": k[0][1]} for n in muscles for k in [draw(keys)] if k},
    }


@given(scenes())
@settings(max_examples=30, deadline=None)
def test_any_scene_reads_back_as_it_was(data: dict[str, Any]) -> None:
    assert read_back(data) == data
    assert Description.model_validate(read_back(data)) == Description.model_validate(data)


@given(st.dictionaries(words, plain, max_size=4))
@settings(max_examples=100, deadline=None)
def test_any_plain_data_read_back_as_they_were(data: dict[str, Any]) -> None:
    assert read_back(data) == data


@pytest.mark.parametrize("name", NASTY)
def test_a_nasty_name_is_itself_as_key_and_as_value_in_every_style(name: str) -> None:
    data = {"name": name, "bones": {name: {name: [name, {name: name}]}}, "pins": [name, name]}
    assert read_back(data) == data


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_examples_are_written_as_their_authors_wrote_them(path: Path) -> None:
    data, _ = parse(path.read_text(), str(path))
    text = scene_text(data)
    assert parse(text, "again")[0] == data
    assert scene_text(parse(text, "again")[0]) == text


def test_the_example_of_surfaces_is_written_word_for_word() -> None:
    authored = (EXAMPLES / "two_bones.yaml").read_text()
    lines = [line.split(" #")[0].rstrip() for line in authored.splitlines()]
    expected = [line for line in lines if line and not line.startswith("#")]
    assert scene_text(parse(authored, "two_bones.yaml")[0]).splitlines() == expected


def test_sections_stand_in_the_order_of_the_schema_and_names_in_the_authors() -> None:
    parts = {"b": {"tissue": "bone", "file": "b.obj"}, "a": {"tissue": "bone", "file": "a.obj"}}
    text = scene_text(
        {"inputs": {"fps": 5}, "surfaces": {"parts": parts, "units": "mm"}, "vastus": 1}
    )
    assert text.splitlines() == [
        "vastus: 1",
        "surfaces:",
        "  units: mm",
        "  parts:",
        "    b: {file: b.obj, tissue: bone}",
        "    a: {file: a.obj, tissue: bone}",
        "inputs:",
        "  fps: 5",
    ]


def test_what_is_too_long_for_a_line_gets_several() -> None:
    keys = [[i / 10, i / 100] for i in range(30)]
    spots = [{"centre": [0.1, 0.2, 0.3], "radius": 0.01}] * 2
    part = {"file": "a.obj", "tissue": "muscle", "origin_at": spots}
    data = {"surfaces": {"parts": {"a": part}}, "inputs": {"activation": {"a": keys}}}
    text = scene_text(data)
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "        - {centre: [0.1, 0.2, 0.3], radius: 0.01}" in text.splitlines()
    assert parse(text, "")[0] == data


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (0.0012, "0.0012"),
        (8e4, "8e4"),
        (3e5, "3e5"),
        (1000.0, "1000"),
        (1e-8, "1e-8"),
        (0.1 + 0.2, "0.30000000000000004"),
        (-19.6, "-19.6"),
        (math.inf, ".inf"),
        (-math.inf, "-.inf"),
        (1.2345678901234568e17, "1.2345678901234568e17"),
    ],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


@given(st.floats(allow_nan=False))
@settings(deadline=None)
def test_a_number_reads_back_as_the_same_number(value: float) -> None:
    assert read_back({"seed": value}) == {"seed": value}


@pytest.mark.parametrize(
    "name", ["long head", "肱二頭筋", "Größe", "../a b.obj", "it's", "a-b_c.2 (x)"]
)
def test_ordinary_names_have_no_quotes(name: str) -> None:
    assert scalar(name) == name


@pytest.mark.parametrize("name", ["no", "3e5", "a: b", "{", "", "2020-01-01", " a"])
def test_names_that_yaml_would_misread_have_quotes(name: str) -> None:
    assert scalar(name) == f'"{name}"'


def test_a_plain_reader_of_yaml_sees_the_same_words() -> None:
    names = [name for name in NASTY if name.isprintable()]
    assert yaml.safe_load(scene_text({"pins": names})) == {"pins": names}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("no", "no"), ("Yes", "Yes"), ("on", "on"), ("True", True), ("~", None), ("", None)),
        *(("3e5", 3e5), ("1e-3", 1e-3), ("1.", 1.0), (".5", 0.5), ("-.inf", -math.inf)),
        *(("010", 10), ("0o7", "0o7"), ("0x1f", "0x1f"), ("0b1", "0b1"), ("1_000", "1_000")),
        *(("1:30", "1:30"), ("2020-01-01", "2020-01-01"), ("!!str 5", "5"), ("'5'", "5")),
        *(("{x:}", {"x": None}), ("{x}", {"x": None}), ("{x:y}", {"x:y": None})),
        ('{"x":1}', {"x": 1}),
        *(("[x: 1]", [{"x": 1}]), ('["x":1]', [{"x": 1}]), ("[x:y, 'z']", ["x:y", "z"])),
        ("{<<: {x: 1}, y: 2}", {"x": 1, "y": 2}),
    ],
)  # fmt: skip
def test_scenes_of_the_first_version_are_read_as_ever(text: str, value: Any) -> None:
    found = parse(f"a: {text}\n", "scene.yaml")[0]["a"]
    assert found == value
    assert type(found) is type(value)


def test_an_older_version_of_yaml_changes_no_word() -> None:
    assert parse("%YAML 1.1\n---\na: no\n", "scene.yaml")[0] == {"a": "no"}


def test_what_is_no_plain_data_is_refused_with_a_sentence() -> None:
    with pytest.raises(ModelError, match="a scene cannot hold"):
        scene_text({"name": {1, 2}})


def test_a_scene_is_written_whole(tmp_path: Path) -> None:
    write_scene(tmp_path / "scene.yaml", {"vastus": 1, "name": "Größe"})
    assert (tmp_path / "scene.yaml").read_bytes() == "vastus: 1\nname: Größe\n".encode()
    assert [file.name for file in tmp_path.iterdir()] == ["scene.yaml"]
