"""`vastus study`: many variants of a scene, a command or a function, and pictures of what came."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vastus.cli.console import note
from vastus.cli.failures import INTERRUPTED, SOLVE_FAILED
from vastus.cli.options import laws_option, output_folder
from vastus.cli.studies.progress import StudyProgress
from vastus.cli.studies.summary import draw_overview_of, foretell, tell
from vastus.errors import ModelError

if TYPE_CHECKING:
    from vastus.studies.study import Options, Progress, Study

SUBCOMMANDS = {"plot": "plot", "report": "plot"}  # and the modules that they are in
SHOWN = 10  # rows of the table, and sentences of failures
RANGE = re.compile(r"([^:\[\]]+):([^:\[\]]+?)(?::(\d+))?$")


class StudyCommand(click.Group):
    """Carries out a study, unless its first word is a subcommand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The subcommands."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand of a name."""
        if cmd_name not in SUBCOMMANDS:
            return None
        module = import_module(f"vastus.cli.studies.{SUBCOMMANDS[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words as those of a subcommand, or of a study to be carried out."""
        asked = args and args[0] in ("-h", "--help")
        if args and args[0] not in SUBCOMMANDS and not asked:
            args = [_CARRY_OUT, *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """What is carried out."""
        if args[0] == _CARRY_OUT:
            return "", carry_out, args[1:]
        return super().resolve_command(ctx, args)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """How it is called."""
        formatter.write_usage("vastus study", "STUDY.yaml | SCENE.yaml [OPTIONS]")
        formatter.write_usage("vastus study", "plot | report FOLDER [OPTIONS]")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of a study, then the subcommands."""
        carry_out.format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


_CARRY_OUT = "\0"  # no word of a command line


@click.group(cls=StudyCommand, short_help="Vary parameters of a scene, here or on a cluster.")
def study() -> None:
    """Compute many variants of a scene, and write one table of them.

    A study file says what varies; for a scene alone, --set and --output do:

    \b
      vastus study elbow.yaml --set muscles.biceps.strength=1e5,2e5,3e5 \\
             --output elbow_angle_deg -o out

    What the folder holds already is not computed again: the same command goes on after Ctrl-C, and
    a larger study computes only what is new.
    """


def _part(ctx: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    if text is None:
        return None
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise ModelError(f"--part '{text}' is no part; give one such as 3/20, counted from 1/20")
    return int(found[1]), int(found[2])


@click.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--folder",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Folder of the study; SOURCE_study beside the file unless given.",
)
@click.option(
    "--set",
    "given",
    multiple=True,
    metavar="PATH=VALUES",
    help="Values a,b,c of a path into the scene, n of them a:b:n, or any between a:b; repeatable.",
)
@click.option(
    "--times",
    multiple=True,
    metavar="PATH=FACTORS",
    help="Factors of what the scene has there; repeatable.",
)
@click.option(
    "--output",
    "columns",
    multiple=True,
    metavar="[NAME=]COLUMN[@WHEN]",
    help="What is kept: a column at last, first, max, min, mean, time:0.5 or another column's "
    "value, elbow_angle_deg:60; last unless given; repeatable.",
)
@click.option(
    "--design",
    default="grid",
    show_default=True,
    metavar="KIND",
    help="grid, list, lhs, sobol, saltelli or one_at_a_time.",
)
@click.option("--n", type=int, help="How many rows an lhs, sobol or saltelli design draws.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of a design that draws.")
@click.option(
    "--on",
    default="serial",
    show_default=True,
    metavar="ENGINE",
    help="serial, local[:N], dask:ADDRESS, slurm:N, pbs:N or kubernetes:N.",
)
@click.option("--part", callback=_part, metavar="K/N", help="Only the K-th of N parts.")
@click.option("--threads", type=click.IntRange(min=1), default=1, help="Of a variant, if serial.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and time one variant.")
@click.option("--retry-failed", is_flag=True, help="Compute again what failed or was lost.")
@click.option("--stop", is_flag=True, help="Stop at the first variant that fails.")
@click.option("--keep-frames", is_flag=True, help="Write each variant as a result, too.")
@click.option("--allow-code", is_flag=True, help="Run the Python files that a study names.")
@click.option("--dashboard", is_flag=True, help="Print the address of Dask's dashboard.")
@click.option("--no-pictures", is_flag=True, help="Draw nothing.")
@laws_option
def carry_out(source: Path, folder: Path | None, **options: Any) -> None:
    """Compute many variants of a scene, and write one table of them."""
    from vastus.studies.study import Options

    if options["dry_run"]:
        folder = folder or source.parent / f"{source.stem}_study"
    with output_folder(folder, source, "study") as out:
        made, stop, keep = _study(source, out, options)
    how = Options(
        on=options["on"],
        part=options["part"],
        retry_failed=options["retry_failed"],
        stop=stop or options["stop"],
        threads=options["threads"],
        dashboard=options["dashboard"],
        told=note,
    )
    if options["dry_run"]:
        foretell(made, out, how)
        return
    _carry_out(made, out, how)
    found = made.table(out)
    tell(found, out, keep)
    if not options["no_pictures"]:
        draw_overview_of(out)
    if not len(found):
        raise click.exceptions.Exit(SOLVE_FAILED)


def _study(source: Path, out: Path, options: Mapping[str, Any]) -> tuple[Study, bool, bool]:
    """The study that a file or the options say, whether it stops at failures and keeps frames."""
    from vastus.studies.study_file import is_study, read_study

    short = [name for name in ("given", "times", "columns", "laws") if options[name]]
    if is_study(source):
        if short:
            word = {"given": "--set", "columns": "--output"}.get(short[0], f"--{short[0]}")
            raise ModelError(f"{word} is for a scene alone; '{source}' is a study and says it all")
        frames = out / "frames"
        made, said = read_study(source, allow_code=options["allow_code"], frames=frames)
        return made, said.on_failure == "stop", said.keep == "frames"
    return _short_form(source, out, options), False, options["keep_frames"]


def _short_form(source: Path, out: Path, options: Mapping[str, Any]) -> Study:
    from vastus.studies.designs import Design
    from vastus.studies.outputs import outputs
    from vastus.studies.parameters import parameter
    from vastus.studies.scenes import SceneSubject
    from vastus.studies.study import Study

    given = [_given("--set", text, "values") for text in options["given"]]
    given += [_given("--times", text, "times") for text in options["times"]]
    if not given:
        raise ModelError(
            "nothing varies; give --set PATH=VALUES, or a study file that starts with "
            "'vastus_study: 1'"
        )
    if not options["columns"]:
        raise ModelError("nothing is kept; give --output COLUMN, such as --output elbow_angle_deg")
    parameters = [parameter(name, keys) for name, keys in given]
    frames = out / "frames" if options["keep_frames"] else None
    subject = SceneSubject(source, parameters, laws=options["laws"], frames=frames)
    design = Design(options["design"], options["n"], options["seed"])
    return Study(subject, parameters, outputs(options["columns"]), design)


def _given(option: str, text: str, way: str) -> tuple[str, dict[str, Any]]:
    """A path and the keys of its parameter, from `PATH=a,b,c` or `PATH=a:b:n`."""
    from vastus.studies.designs import value_of

    path, equals, right = (part.strip() for part in text.partition("="))
    if not (path and equals and right):
        raise ModelError(f"{option} '{text}' is not of the form PATH=VALUES")
    span = RANGE.match(right)
    if span and way == "values":
        low, high = value_of(span[1]), value_of(span[2])
        steps = {"steps": int(span[3])} if span[3] else {}
        return path, {"path": path, "from": low, "to": high, **steps}
    return path, {"path": path, way: value_of(f"[{right}]")}


def _carry_out(made: Study, out: Path, how: Options) -> None:
    from vastus.studies.engines import engine

    engine(how.on, how)
    total = len(made.chosen(how.part))
    note(f"study of '{made.subject.name}': {total} variants on {how.on}, in '{out}'")
    last: Progress | None = None
    try:
        with StudyProgress(total) as shown:
            for last in made.carry_out(out, how):
                shown.watch(last)
    except KeyboardInterrupt:
        ended = last.ended if last else 0
        note(f"interrupted: {ended} of {total} variants are in '{out}'; go on with: {_again()}")
        raise click.exceptions.Exit(INTERRUPTED) from None


def _again() -> str:
    """The command that was called."""
    return shlex.join(["vastus", *sys.argv[1:]])
