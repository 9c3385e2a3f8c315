"""Errors as one sentence and an exit code."""

from __future__ import annotations

from typing import Any

import click

from vastus.errors import SolveError, VastusError

SOLVE_FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130


class Sentences(click.Group):
    """A group of commands whose expected errors are sentences, not tracebacks."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (VastusError, OSError, KeyboardInterrupt) as error:
            if isinstance(error, BrokenPipeError):
                raise
            say_error(_sentence(error))
            raise click.exceptions.Exit(_code(error)) from None


def say_error(sentence: str) -> None:
    """Print a sentence on stderr, on one line."""
    click.echo(f"error: {' '.join(sentence.split())}", err=True)


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError):
        return f"'{error.filename}': {error.strerror}" if error.filename else str(error)
    return str(error) or "interrupted"


def _code(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    return SOLVE_FAILED if isinstance(error, SolveError) else BAD_INPUT
