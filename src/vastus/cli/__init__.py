"""The command line; each command loads what it needs when it is called."""

from __future__ import annotations

import click

from vastus import __version__
from vastus.cli.author import author
from vastus.cli.bench import bench
from vastus.cli.build import build
from vastus.cli.check import check
from vastus.cli.demo import demo
from vastus.cli.export import export
from vastus.cli.failures import Sentences
from vastus.cli.info import info
from vastus.cli.report import report
from vastus.cli.reproduce import reproduce
from vastus.cli.run import run
from vastus.cli.view import view

__all__ = ["main"]


@click.group(cls=Sentences, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, package_name="vastus")
def main() -> None:
    """Muscle simulated as what it is: a volume.

    Start with `vastus demo`, then look at `scene.yaml` in the folder that it makes.

    Exit codes: 0 done, 1 a solve found no equilibrium or the demo is not good, 2 the input cannot
    be used (one sentence says why, and nothing is written), 130 interrupted (finished frames are
    kept), 141 nobody reads the output any more.
    """


for command in (demo, build, run, view, author, check, info, report, export, bench, reproduce):
    main.add_command(command)
