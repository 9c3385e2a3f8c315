"""The command line; a command is loaded when it is called.

The modules of commands import what computes inside their functions, so that the help is quick.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from vastus import __version__
from vastus.cli.failures import errors_as_sentences

__all__ = ["loading", "main"]

# What `vastus --help` lists, in this order: the module of each command, and what it does.
COMMANDS = {
    "demo": ("demo", "Bend an elbow or run a model of the gallery; see whether all is well."),
    "build": ("build", "Make a model from surfaces or line muscles."),
    "run": ("run", "Simulate a scene; write frames, table, pictures."),
    "view": ("pages", "Show a result or a scene in the browser."),
    "author": ("pages", "Make a scene from surfaces in the browser."),
    "check": ("check", "Say what looks wrong in a scene, without solving."),
    "info": ("info", "Show facts about a scene, model, result or vastus."),
    "laws": ("info", "List material laws and published curves, and draw them."),
    "experiment": ("experiment", "Force-length and other curves of any model."),
    "study": ("studies.study", "Vary parameters of a scene, here or on a cluster."),
    "calibrate": ("studies.calibrate", "Fit parameters of a scene to measured curves."),
    "activations": (
        "bodies.activations",
        "Find activations that move joints as a motion does.",
    ),
    "track": ("bodies.track", "Let the muscles of a body follow a motion of its joints."),
    "flesh": ("bodies.flesh", "Put flesh and skin around bones and muscles, and move them."),
    "juggle": ("bodies.juggle", "Let the muscles of a body juggle a siteswap."),
    "drive": ("bodies.drive", "Let a run of a body drive the tissue of a scene."),
    "upper-body": ("bodies.upper_body", "Move a whole upper body by its 814 muscles."),
    "disorder": ("bodies.disorder", "Examine a body before and after disorders of its muscles."),
    "surgery": ("pages", "Operate on the muscles of a body in the browser."),
    "plot": ("report", "Draw any column of a result against any other."),
    "report": ("report", "Write a result as one HTML page."),
    "export": ("export", "Write a result for Blender, browsers, tables, ..."),
    "bench": ("bench", "Measure every solver against the reference, here."),
    "reproduce": ("reproduce", "Repeat the experiments of a paper."),
    "warm": ("warm", "Compile kernels now, not in the first run of each kind."),
}


@contextmanager
def loading() -> Iterator[None]:
    """Load modules without a look for garbage: what they define stays, now and later on.

    To look at it again and again takes a fifth of the time that loading takes.
    """
    collected = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collected:
            gc.enable()


class Commands(click.Group):
    """A group that loads only the command that is called, and whose errors are sentences."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"vastus.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; a misspelt one is told what is like it."""
        close = [] if args[0] in COMMANDS else get_close_matches(args[0], COMMANDS, n=1)
        if close:
            ctx.fail(f"No such command '{args[0]}'. Did you mean '{close[0]}'?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help, which loads no command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, what) for name, (_, what) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with errors_as_sentences():
            return super().invoke(ctx)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="vastus")
def main() -> None:
    """Muscle simulated as what it is: a volume.

    Start with `vastus demo`, then look at `scene.yaml` in the folder that it makes.

    Exit codes: 0 done, 1 a solve found no equilibrium or the demo is not good, 2 the input cannot
    be used (one sentence says why, and nothing is written), 130 interrupted (finished frames are
    kept), 141 nobody reads the output any more.
    """
