"""The command line; a command is loaded when it is called."""

from __future__ import annotations

from importlib import import_module

import click

from vastus import __version__
from vastus.cli.failures import Sentences

__all__ = ["main"]

# What `vastus --help` lists, in this order: the module of each command, and what it does.
COMMANDS = {
    "demo": ("demo", "Bend an elbow, and see whether all is well."),
    "build": ("build", "Make a model from surfaces or line muscles."),
    "run": ("run", "Simulate a scene; write frames, table, pictures."),
    "view": ("pages", "Show a result or a scene in the browser."),
    "author": ("pages", "Make a scene from surfaces in the browser."),
    "check": ("check", "Say what looks wrong in a scene, without solving."),
    "info": ("info", "Show facts about a scene, model, result or vastus."),
    "report": ("report", "Write a result as one HTML page."),
    "export": ("export", "Write a result for Blender, browsers, tables, ..."),
    "bench": ("bench", "Measure every solver against the reference, here."),
    "reproduce": ("reproduce", "Repeat the experiments of a paper."),
}


class Commands(Sentences):
    """A group that knows its commands by name, and loads only the one that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(
            import_module(f"vastus.cli.{COMMANDS[cmd_name][0]}"), cmd_name
        )
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help, which loads no command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, what) for name, (_, what) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="vastus")
def main() -> None:
    """Muscle simulated as what it is: a volume.

    Start with `vastus demo`, then look at `scene.yaml` in the folder that it makes.

    Exit codes: 0 done, 1 a solve found no equilibrium or the demo is not good, 2 the input cannot
    be used (one sentence says why, and nothing is written), 130 interrupted (finished frames are
    kept), 141 nobody reads the output any more.
    """
