"""What can go wrong, each error one sentence that names what was given and what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

READABLE = 20  # names in one sentence


class VastusError(Exception):
    """Any error of this package; the command line prints its sentence and exits with code 2."""


class ModelError(VastusError):
    """A model, material or input that cannot be simulated as described."""


class FileError(VastusError):
    """A file that cannot be read or written."""


class MissingExtra(VastusError):
    """An optional package that a feature needs is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs the package '{package}': pip install 'vastus[{extra}]'")


class SolveError(VastusError):
    """A solve that did not reach equilibrium; `state` is the last good state."""

    def __init__(self, sentence: str, state: object = None) -> None:
        super().__init__(sentence)
        self.state = state


def known(kind: str, name: str, names: Iterable[object]) -> VastusError:
    """The error for a name that does not exist: `no muscle 'bicep'; muscles: biceps, triceps`.

    Of more names than one reads, those that are like it stand in their place.
    """
    listed, several = (
        [str(n) for n in names],
        f"{kind[:-1]}ies" if kind.endswith(("dy", "ty")) else f"{kind}s",
    )
    near = get_close_matches(name, listed) if len(listed) > READABLE else []
    if near:
        meant = " or ".join(f"'{n}'" for n in near)
        return ModelError(f"no {kind} '{name}'; did you mean {meant}? ({len(listed)} {several})")
    return ModelError(f"no {kind} '{name}'; {several}: {', '.join(listed) or 'none'}")
