"""Frames chosen by a word: all, last, every:5, or their numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass

import click

from vastus.errors import ModelError

GRAMMAR = re.compile(r"all|last|every:0*[1-9][0-9]{0,8}|[0-9]{1,9}(,[0-9]{1,9})*")


@dataclass(frozen=True)
class Chosen:
    """A choice of frames, counted from 0 as their files are."""

    text: str

    def __post_init__(self) -> None:
        if not GRAMMAR.fullmatch(self.text):
            raise ModelError(
                f"--referee '{self.text}' names no frames; give all, last, every:5 or numbers "
                "such as 0,5,9, or --referee as the last word for all"
            )

    def among(self, count: int) -> list[int]:
        """The chosen of so many frames."""
        if self.text == "last":
            return [count - 1]
        word, _, step = self.text.partition(":")
        if word in ("all", "every"):
            return list(range(0, count, int(step or 1)))
        numbers = sorted({int(number) for number in self.text.split(",")})
        if numbers[-1] >= count:
            raise ModelError(
                f"--referee names frame {numbers[-1]}, but the scene has {count} frames: "
                f"0 to {count - 1}"
            )
        return numbers


def chosen_of(ctx: click.Context, parameter: click.Parameter, text: str | None) -> Chosen | None:
    """The frames that an option names."""
    return None if text is None else Chosen(text)
