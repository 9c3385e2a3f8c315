"""Paths into a scene, what parameters take, and designs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studied import small_scene
from vastus.errors import ModelError
from vastus.model import Model
from vastus.studies.designs import Design
from vastus.studies.parameters import Between, parameter
from vastus.studies.paths import divided, varied
from vastus.studies.scenes import SceneSubject


@pytest.fixture(scope="module")
def subject(bar_model: Model, tmp_path_factory: pytest.TempPathFactory) -> SceneSubject:
    return SceneSubject(small_scene(tmp_path_factory.mktemp("study"), bar_model), [])


def test_a_path_is_divided_at_dots_but_for_names_in_quotes() -> None:
    assert divided('muscles."long.head".strength') == ("muscles", "long.head", "strength")
    assert divided("loads.dumbbell.force.2") == ("loads", "dumbbell", "force", 2)
    with pytest.raises(ModelError, match="is no path"):
        divided("muscles..strength")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("inputs.activation.belly", 0.05),
        ("muscles.belly.strength", 1e5),
        ("materials.muscle.young", 6e4),
        ("materials.belly.stable_neo_hookean.poisson", 0.45),
        ("materials.muscle.0.young", 6e4),
        ("regions.belly.material.young", 6e4),
        ("gravity.2", -9.81),
        ("gravity.z", -9.81),
        ("solver.tolerance", None),
    ],
)
def test_a_value_is_found_in_the_scene_or_in_its_model(
    subject: SceneSubject, path: str, value: float | None
) -> None:
    found = subject.ground.value(subject.ground.place(path))
    assert found == value or value is None


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("muscels.belly.strength", "unknown key 'muscels'; did you mean 'muscles'"),
        ("muscles.bely.strength", "unknown muscle 'bely'; did you mean 'belly'"),
        ("materials.muscle.yuong", "unknown parameter 'yuong'; did you mean 'young'"),
        ("materials.muscel.young", "did you mean 'muscle'"),
        ("materials.base.young", "bones are rigid"),
        ("materials.muscle.active_fibre.young", "unknown parameter 'young'"),
        ("inputs.activation.belly.3", "'inputs.activation.belly' is 0.05, which has nothing below"),
        ("solver.tolerence", "did you mean 'tolerance'"),
        ("inputs.gravity.2", "the scene has no 'inputs.gravity' whose item 2 could vary"),
        ("start.velocity.0", "write it into the scene"),
    ],
)
def test_a_path_that_leads_nowhere_is_refused_with_what_is_like_it(
    subject: SceneSubject, path: str, sentence: str
) -> None:
    with pytest.raises(ModelError, match=sentence):
        subject.ground.place(path)


def test_a_parameter_of_the_models_own_law_is_written_with_all_its_laws(
    subject: SceneSubject,
) -> None:
    place = subject.ground.place("materials.tendon.young")
    data = varied(subject.ground.data, [(place, 2e6)])
    assert set(data["materials"]) == {"origin", "insertion"}
    assert all(laws[0]["young"] == 2e6 for laws in data["materials"].values())
    assert "materials" not in subject.ground.data


@pytest.mark.parametrize("path", ["gravity.2", "gravity.z"])
def test_an_item_of_a_vector_that_only_the_model_has_is_varied(
    subject: SceneSubject, path: str
) -> None:
    """Axes and numbers are the same path, and the rest of the vector is as in the model."""
    assert "gravity" not in subject.ground.data
    data = varied(subject.ground.data, [(subject.ground.place(path), -1.6)])
    assert data["gravity"] == [0.0, 0.0, -1.6]


def test_laws_that_are_written_change_nothing_but_the_parameter(subject: SceneSubject) -> None:
    one = parameter("materials.muscle.young", [6e4])
    same = SceneSubject(subject.path, [one])
    from vastus.studies.scenes import MEMORY

    kept = MEMORY.of(same.task({"materials.muscle.young": 6e4}))
    assert kept.job.model.digest == subject.job.model.digest


def test_factors_multiply_what_is_there(subject: SceneSubject) -> None:
    one = parameter("stronger", {"path": "muscles.belly.strength", "times": [0.5, 2]})
    task = SceneSubject(subject.path, [one]).task({"stronger": 0.5})
    assert task.data["muscles"]["belly"]["strength"] == 5e4
    words = parameter("kind", {"path": "solver.kind", "times": [2]})
    with pytest.raises(ModelError, match="factors need a number there"):
        SceneSubject(subject.path, [words])


def test_a_refused_value_is_named_with_its_path(subject: SceneSubject) -> None:
    one = parameter("inputs.activation.belly", [2])
    task = SceneSubject(subject.path, [one]).task({"inputs.activation.belly": 2})
    with pytest.raises(ModelError, match=r"^inputs.activation.belly = 2: "):
        task.run(())


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"path": "a", "from": 2, "to": 1}, "it goes from 2 to 1; it must rise"),
        ({"path": "a", "from": 0, "to": 1, "scale": "log"}, "a logarithm needs numbers above 0"),
        ({"path": "a", "values": []}, "it has no values"),
        ({"path": "a", "form": 1}, "give it one of: values"),
        ({"path": "a", "normal": [1]}, None),
        ("word", "give a list of values"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(given: object, sentence: str | None) -> None:
    if sentence is None:
        assert parameter("a", given).numeric
        return
    with pytest.raises(ModelError, match=sentence):
        parameter("a", given)


def test_a_grid_has_every_pair_and_ends_exactly() -> None:
    a = parameter("a", {"from": 0.1, "to": 0.3, "steps": 3})
    rows = Design("grid").rows([a, parameter("b", ["x", "y"])])
    assert [row["b"] for row in rows] == ["x", "y"] * 3
    assert (rows[0]["a"], rows[-1]["a"]) == (0.1, 0.3)
    with pytest.raises(ModelError, match=r"parameter 'c': a grid needs 'values', or 'steps'"):
        Design("grid").rows([parameter("c", (0.0, 1.0))])


@pytest.mark.parametrize("kind", ["lhs", "sobol"])
def test_drawn_rows_fill_the_range_and_are_the_same_for_a_seed(kind: str) -> None:
    given = [parameter("a", (0.0, 1.0)), parameter("b", {"path": "b", "normal": [5.0, 1.0]})]
    rows = Design(kind, 16, 3).rows(given)
    assert rows == Design(kind, 16, 3).rows(given)
    assert rows != Design(kind, 16, 4).rows(given)
    assert sorted(int(16 * row["a"]) for row in rows) == list(range(16))
    assert np.mean([row["b"] for row in rows]) == pytest.approx(5.0, abs=0.3)


def test_a_sobol_sequence_of_an_uneven_number_is_refused() -> None:
    with pytest.raises(ModelError, match="as 64 or 128"):
        Design("sobol", 100).rows([parameter("a", (0.0, 1.0))])
    with pytest.raises(ModelError, match="needs 'n'"):
        Design("lhs").rows([parameter("a", (0.0, 1.0))])


def test_one_at_a_time_goes_from_the_middle_to_each_end() -> None:
    rows = Design("one_at_a_time").rows([parameter("a", (0.0, 2.0)), parameter("b", [1, 2, 3])])
    assert rows[0] == {"a": 1.0, "b": 2}
    assert rows[1:] == [
        {"a": 0.0, "b": 2},
        {"a": 2.0, "b": 2},
        {"a": 1.0, "b": 1},
        {"a": 1.0, "b": 3},
    ]


def test_a_list_is_read_from_a_file_by_the_names_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("b,a\n1,2.5\n3,\n", encoding="utf-8")
    given = [parameter("a", {"path": "a", "values": [0]})]
    assert Design("list", file=path).rows(given) == [{"a": 2.5}, {"a": None}]
    with pytest.raises(ModelError, match=r"no column of 'rows\.csv' 'c'"):
        Design("list", file=path).rows([parameter("c", [1])])


def test_a_logarithmic_range_is_even_in_its_logarithm() -> None:
    assert Between(1.0, 100.0, scale="log").at(0.5) == pytest.approx(10.0)
