"""What is kept of a variant."""

from __future__ import annotations

import numpy as np
import pytest

from vastus.errors import ModelError, SolveError
from vastus.studies.outputs import Output, numbers_of, output, outputs

TABLE = {"time_s": np.array([0.0, 1.0, 2.0]), "f": np.array([3.0, 1.0, 2.0])}


@pytest.mark.parametrize(
    ("word", "name", "value"),
    [
        ("f", "f", 2.0),
        ("f@first", "f_first", 3.0),
        ("top=f@max", "top", 3.0),
        ("f@mean", "f_mean", 2.0),
        ("f@time:0.5", "f_time_0.5", 2.0),
        ("when=time_s@f:1.5", "when", 0.75),
    ],
)
def test_a_column_counts_when_it_is_said(word: str, name: str, value: float) -> None:
    found = output(word)
    assert isinstance(found, Output)
    assert (found.name, found.of(TABLE)) == (name, value)


def test_a_moment_that_never_comes_is_told_with_how_far_it_goes() -> None:
    with pytest.raises(SolveError, match="'f' is never 9; it goes from 1 to 3"):
        Output("y", "time_s", ("f", 9.0)).of(TABLE)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"column": "f", "at": "lats"}, "unknown moment 'lats'; did you mean 'last'"),
        ({"colum": "f"}, "unknown key 'colum'; did you mean 'column'"),
        ({"python": "work"}, "FILE.py:FUNCTION"),
        ("f@time:x", "'x' in 'time:x' is no number"),
        (3, "neither a column nor a function"),
    ],
)
def test_outputs_that_make_no_sense_are_refused(given: object, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        output(given, "y")


def test_two_outputs_of_one_name_are_refused() -> None:
    with pytest.raises(ModelError, match="two outputs are called 'f'"):
        outputs(["f", "f"])


def test_a_function_gives_one_number_or_several_by_name() -> None:
    assert numbers_of("y", np.float64(2.0)) == {"y": 2.0}
    assert numbers_of("y", {"a": 1, "b": np.array(2.0)}) == {"a": 1.0, "b": 2.0}
    with pytest.raises(ModelError, match="output 'a' is 'x', not a number"):
        numbers_of("y", {"a": "x"})
