"""Siteswaps: patterns of throws, one a beat, each told by the beats until the ball is thrown again.

The ball of beat n, thrown as V, is next thrown at beat n + V; 0 is an empty hand. Hands take turns,
so that the throw goes to the hand of beat n + V. No two balls may come at the same beat: a pattern
that repeats is valid if all (n + V_n) modulo its period differ. Its balls are the mean of V.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from vastus.errors import ModelError

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Throw(NamedTuple):
    """Ball `ball` is thrown at a beat as `value` and is thrown again at beat + value."""

    beat: int
    value: int
    ball: int

    @property
    def landing(self) -> int:
        """The beat at which it is thrown again."""
        return self.beat + self.value


@dataclass(frozen=True)
class Siteswap:
    """A pattern that repeats without end, like (4, 2, 3)."""

    values: tuple[int, ...]

    def __post_init__(self) -> None:
        text, period = _told(self.values), len(self.values)
        if not self.values:
            raise ModelError("a siteswap without a throw; '3' is the three-ball cascade")
        first: dict[int, int] = {}
        for n, value in enumerate(self.values):
            landing = (n + value) % period
            if landing in first:
                a, b = first[landing], n
                raise ModelError(
                    f"siteswap '{text}' cannot be juggled: throw {self.values[a]} of beat {a} and "
                    f"throw {value} of beat {b} come down at the same beat"
                )
            first[landing] = n

    @classmethod
    def read(cls, text: str) -> Siteswap:
        """The pattern of a word such as '423', where 'a' is 10."""
        word = text.strip().lower()
        wrong = [c for c in word if c not in DIGITS]
        if wrong:
            raise ModelError(
                f"siteswap '{text}' holds '{wrong[0]}'; throws are digits and letters, 'a' for 10"
            )
        return cls(tuple(DIGITS.index(c) for c in word))

    @property
    def balls(self) -> int:
        """How many balls it needs."""
        return sum(self.values) // len(self.values)

    @property
    def text(self) -> str:
        """The pattern as a word."""
        return _told(self.values)

    def beats(self, count: int) -> tuple[int, ...]:
        """The throws of the first beats."""
        return tuple(self.values[n % len(self.values)] for n in range(count))


def throws_of(values: Sequence[int]) -> list[Throw]:
    """The throws of a finite run of beats, 0 left out, with the balls that are thrown.

    A ball that nobody threw before comes in from outside, so that patterns can follow each other:
    3 3 3 4 4 4 gains a ball. A `ModelError` names two balls that would come at the same beat.
    """
    coming: dict[int, Throw] = {}
    throws, balls = [], 0
    for n, value in enumerate(values):
        before = coming.pop(n, None)
        if value == 0:
            if before is not None:
                raise ModelError(
                    f"throw {before.value} of beat {before.beat} comes down at beat {n}, whose "
                    "hand shall be empty"
                )
            continue
        ball = balls if before is None else before.ball
        balls += before is None
        throw = Throw(n, value, ball)
        if throw.landing in coming:
            other = coming[throw.landing]
            raise ModelError(
                f"throw {other.value} of beat {other.beat} and throw {value} of beat {n} come down "
                f"at the same beat {throw.landing}"
            )
        coming[throw.landing] = throw
        throws.append(throw)
    return throws


def _told(values: Sequence[int]) -> str:
    return "".join(DIGITS[v] if 0 <= v < len(DIGITS) else f"({v})" for v in values)
