"""Options that commands share: the folder they write, files of laws, a choice of frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from vastus.cli.console import note
from vastus.errors import FileError, ModelError
from vastus.files.safe import require_writable

Command = TypeVar("Command", bound=Callable[..., Any])


def output_option(what: str, default: str | None = None) -> Callable[[Command], Command]:
    """`-o FOLDER`; None if it is not given and has no default."""
    return click.option(
        "-o",
        "--output",
        default=default,
        show_default=default is not None,
        metavar="FOLDER",
        callback=_folder,
        help=what,
    )


def _folder(ctx: click.Context, parameter: click.Parameter, name: str | None) -> Path | None:
    if name is not None and not name.strip():  # it would be the present folder
        raise FileError("-o: the folder needs a name")
    return None if name is None else Path(name)


@contextmanager
def output_folder(given: Path | None, source: Path, what: str) -> Iterator[Path]:
    """The folder given, or SOURCE_what beside a file, announced once the block has refused nothing.

    In the block a command looks at all that it may refuse, before it writes.
    """
    folder = given or source.parent / f"{source.stem}_{what}"
    try:
        require_writable(folder)
    except FileError as error:
        raise error if given else FileError(f"{error}; name another folder with -o") from None
    yield folder
    if not given:
        note(f"writing to '{folder}'; -o names another folder")


laws_option = click.option(
    "--laws",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Python file whose @vastus.law functions scenes may use; may be repeated.",
)


over_option = click.option(
    "--over",
    multiple=True,
    metavar="FILE",
    help="Published curve to draw behind: FILE, or FILE:X:Y for two of its columns; repeatable.",
)


def load_laws(files: Sequence[Path]) -> None:
    """Run the files that --laws names."""
    if files:
        from vastus.materials.traced import load_laws

        load_laws(files)


def laws_words(files: Sequence[Path]) -> list[str]:
    """The options that name these files again, for a command that is printed."""
    return [word for file in files for word in ("--laws", str(file))]


def words(text: str) -> list[str]:
    """The words of a list with commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def pairs(option: str, given: Sequence[str], form: str = "JOINT=...") -> list[tuple[str, str]]:
    """Words such as `elbow=r_elbow_flex`, divided."""
    divided = [word.partition("=") for word in given]
    for word, (left, equals, right) in zip(given, divided, strict=True):
        if not (left.strip() and equals and right.strip()):
            raise ModelError(f"{option} '{word}' is not of the form {form}")
    return [(left.strip(), right.strip()) for left, _, right in divided]


def number_of(option: str, joint: str, text: str) -> float:
    """The number that an option gives a joint."""
    try:
        return float(text)
    except ValueError:
        raise ModelError(f"{option} {joint}={text}: '{text}' is not an angle in degrees") from None


FRAMES = re.compile(
    r"all|last|every:0*[1-9][0-9]{0,8}|[0-9]{1,9}(,[0-9]{1,9})*"
    r"|[0-9]{0,9}:[0-9]{0,9}(:0*[1-9][0-9]{0,8})?"
)


@dataclass(frozen=True)
class FrameChoice:
    """Frames of a scene or result by a word: all, last, every:5, first:stop:step, or numbers.

    They are counted from 0, as their files are.
    """

    text: str
    option: str = "--referee"
    owner: str = "scene"
    hint: str = ", or --referee as the last word for all"

    def __post_init__(self) -> None:
        if not FRAMES.fullmatch(self.text):
            raise ModelError(
                f"{self.option} '{self.text}' names no frames; give all, last, every:5, 0:300:2 or "
                f"numbers such as 0,5,9{self.hint}"
            )

    def among(self, count: int) -> list[int]:
        """Which of so many frames."""
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
            raise ModelError(f"{self.option} '{self.text}' names no frame, but {self._has(count)}")
        return frames

    def _numbers(self, count: int) -> list[int]:
        numbers = sorted({int(number) for number in self.text.split(",")})
        if numbers[-1] >= count:
            raise ModelError(f"{self.option} names frame {numbers[-1]}, but {self._has(count)}")
        return numbers

    def _has(self, count: int) -> str:
        return f"the {self.owner} has {count} frames: 0 to {count - 1}"


def scene_frames(
    ctx: click.Context, parameter: click.Parameter, text: str | None
) -> FrameChoice | None:
    """The frames of a scene that --referee names."""
    return None if text is None else FrameChoice(text)


def result_frames(
    ctx: click.Context, parameter: click.Parameter, text: str | None
) -> FrameChoice | None:
    """The frames of a result that --frames names."""
    return None if text is None else FrameChoice(text, "--frames", "result", "")
