"""Siteswaps: which can be juggled, with how many balls, and who throws which ball when."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vastus.errors import ModelError
from vastus.juggling.siteswap import Siteswap, throws_of

KNOWN = {"3": 3, "423": 3, "441": 3, "64": 5, "531": 3, "501": 2, "b": 11}


@pytest.mark.parametrize(("text", "balls"), KNOWN.items())
def test_balls_of_known_patterns(text: str, balls: int) -> None:
    assert Siteswap.read(text).balls == balls
    assert Siteswap.read(text).text == text


def test_a_pattern_in_which_balls_meet_is_refused_in_one_sentence() -> None:
    with pytest.raises(ModelError) as error:
        Siteswap.read("432")
    assert str(error.value) == (
        "siteswap '432' cannot be juggled: throw 4 of beat 0 and throw 3 of beat 1 come down at "
        "the same beat"
    )


@pytest.mark.parametrize(("text", "says"), [("4-2", "holds '-'"), ("", "without a throw")])
def test_words_that_are_no_siteswap(text: str, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        Siteswap.read(text)


@given(st.permutations(range(6)), st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_every_permutation_gives_a_pattern(order: list[int], more: list[int]) -> None:
    values = tuple((order[n] - n) % 6 + 6 * more[n] for n in range(6))
    pattern = Siteswap(values)
    assert pattern.balls * 6 == sum(values)
    throws = throws_of(pattern.beats(80))
    if sum(values):
        assert 1 + max(t.ball for t in throws) == pattern.balls
    last = {}
    for throw in throws:
        if throw.ball in last:
            assert last[throw.ball] == throw.beat  # a ball is thrown when it has come down
        last[throw.ball] = throw.landing


@given(st.lists(st.integers(0, 7), min_size=1, max_size=5))
def test_what_is_refused_has_two_balls_at_a_beat(values: list[int]) -> None:
    landings = {(n + v) % len(values) for n, v in enumerate(values)}
    if len(landings) == len(values):
        assert Siteswap(tuple(values)).balls == sum(values) / len(values)
    else:
        with pytest.raises(ModelError, match="come down at the same beat"):
            Siteswap(tuple(values))


def test_patterns_that_follow_each_other_gain_balls() -> None:
    throws = throws_of([3] * 6 + [4] * 4 + [5] * 12)
    firsts = {}
    for throw in throws:
        firsts.setdefault(throw.ball, throw.beat)
    assert list(firsts.values()) == [0, 1, 2, 9, 14]


def test_patterns_that_cannot_follow_each_other_are_refused() -> None:
    with pytest.raises(ModelError, match="throw 5 of beat 1 and throw 3 of beat 3 come down"):
        throws_of([3, 5, 3, 3, 3])
    with pytest.raises(ModelError, match="comes down at beat 3, whose hand shall be empty"):
        throws_of([3, 3, 3, 0])
