"""The option that names the user's own files of laws.

The option that names the folder of what a command writes.

Frames chosen by a word: all, last, every:5, first:stop:step, or their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from vastus.errors import FileError, ModelError
from vastus.materials.traced import load_laws

__all__ = ["laws_option", "load_laws"]

laws_option = click.option(
    "--laws",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Python file whose @vastus.law functions scenes may use; may be repeated.",
)


Command = TypeVar("Command", bound=Callable[..., Any])


def output_option(what: str, default: str | None = None) -> Callable[[Command], Command]:
    """`-o FOLDER`, which is required unless it has a default."""
    return click.option(
        "-o",
        "--output",
        default=default,
        show_default=default is not None,
        required=default is None,
        type=click.Path(),
        callback=folder_of,
        help=what,
    )


def folder_of(ctx: click.Context, parameter: click.Parameter, name: str) -> Path:
    """The folder that an option names; an empty name would be the present folder."""
    if not name.strip():
        raise FileError("the folder of the result needs a name")
    return Path(name)


GRAMMAR = re.compile(
    r"all|last|every:0*[1-9][0-9]{0,8}|[0-9]{1,9}(,[0-9]{1,9})*"
    r"|[0-9]{0,9}:[0-9]{0,9}(:0*[1-9][0-9]{0,8})?"
)


@dataclass(frozen=True)
class Chosen:
    """A choice of frames of a scene or result, counted from 0 as their files are."""

    text: str
    option: str = "--referee"
    owner: str = "scene"
    hint: str = ", or --referee as the last word for all"

    def __post_init__(self) -> None:
        if not GRAMMAR.fullmatch(self.text):
            raise ModelError(
                f"{self.option} '{self.text}' names no frames; give all, last, every:5, 0:300:2 or "
                f"numbers such as 0,5,9{self.hint}"
            )

    def among(self, count: int) -> list[int]:
        """The chosen of so many frames."""
        if self.text == "last":
            return [count - 1]
        word, _, step = self.text.partition(":")
        if word in ("all", "every"):
            return list(range(0, count, int(step or 1)))
        return self._slice(count) if ":" in self.text else self._numbers(count)

    def _slice(self, count: int) -> list[int]:
        """The frames from the first up to, not with, the last, as Python counts."""
        ends = [int(number) if number else None for number in self.text.split(":")]
        frames = list(range(count)[slice(*ends)])
        if not frames:
            raise ModelError(f"{self.option} '{self.text}' names no frame, but {self._told(count)}")
        return frames

    def _numbers(self, count: int) -> list[int]:
        numbers = sorted({int(number) for number in self.text.split(",")})
        if numbers[-1] >= count:
            raise ModelError(f"{self.option} names frame {numbers[-1]}, but {self._told(count)}")
        return numbers

    def _told(self, count: int) -> str:
        return f"the {self.owner} has {count} frames: 0 to {count - 1}"


def chosen_of(ctx: click.Context, parameter: click.Parameter, text: str | None) -> Chosen | None:
    """The frames of a scene that --referee names."""
    return None if text is None else Chosen(text)


def stored_of(ctx: click.Context, parameter: click.Parameter, text: str | None) -> Chosen | None:
    """The frames of a result that --frames names."""
    return None if text is None else Chosen(text, "--frames", "result", "")
