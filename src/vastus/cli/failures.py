"""Errors as one sentence and an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from vastus.errors import SolveError, VastusError

SOLVE_FAILED, BAD_INPUT, INTERRUPTED, NO_READER = 1, 2, 130, 141
EXPECTED = (VastusError, OSError, KeyboardInterrupt, MemoryError, ArithmeticError)


@contextmanager
def interrupts_heard() -> Iterator[None]:
    """Let an interrupt be one that came while compiled code was loaded, which hides it."""
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise


@contextmanager
def errors_as_sentences() -> Iterator[None]:
    """End the program with a sentence and a code, not a traceback, after an expected error."""
    try:
        with interrupts_heard():
            yield
    except BrokenPipeError:
        _leave_quietly()
    except SystemExit as error:
        # The tables' library ends the program by itself when nobody reads on.
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        _leave_quietly()
    except EXPECTED as error:
        say_error(_sentence(error))
        raise click.exceptions.Exit(_code(error)) from None


def say_error(sentence: str) -> None:
    """Print a sentence on stderr, on one line."""
    click.echo(f"error: {' '.join(sentence.split())}", err=True)


def _leave_quietly() -> None:
    """End as a program does whose output is read no further, such as by `head`."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    raise click.exceptions.Exit(NO_READER) from None


def _sentence(error: BaseException) -> str:
    if isinstance(error, OSError):
        return f"'{error.filename}': {error.strerror}" if error.filename else str(error)
    if isinstance(error, MemoryError):
        why = f" ({error})" if str(error) else ""
        return f"there is not enough memory for this model{why}; use fewer tets"
    if isinstance(error, ArithmeticError):
        return f"the solve failed in its arithmetic ({error})"
    return str(error) or "interrupted"


def _code(error: BaseException) -> int:
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    solving = isinstance(error, SolveError | MemoryError | ArithmeticError)
    return SOLVE_FAILED if solving else BAD_INPUT
