"""`vastus experiment`: isometric force, force-length and other curves of any model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vastus.cli.console import BuildProgress, RunProgress, note
from vastus.cli.options import laws_option, load_laws, output_folder, output_option, over_option
from vastus.errors import FileError, MissingExtra

if TYPE_CHECKING:
    from vastus.experiments.file_arms import SideBySide
    from vastus.experiments.trial import Question, Table, Trial


class Experiments(click.Group):
    """A group with a command for each experiment that is registered."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names."""
        from vastus.experiments import EXPERIMENTS

        return list(EXPERIMENTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of an experiment."""
        from vastus.experiments import EXPERIMENTS

        found = EXPERIMENTS.get(cmd_name)
        return _command(found) if found else None


@click.group(cls=Experiments, short_help="Force-length and other curves of any model.")
def experiment() -> None:
    """Carry out an experiment on a muscle of a scene (.yaml) or saved model (.npz).

    Each writes into its folder the runs as results, which `vastus view` shows, curve.csv, plot.png
    and provenance.json. Weight and loads are taken away.
    """


def _command(trial: type[Trial]) -> click.Command:
    span = f"{trial.bounds} {trial.low:g} to {trial.high:g}".strip()
    help_text = (
        f"{trial.title[:1].upper()}{trial.title[1:]}.\n\n{trial.says}\n\n"
        f"The range is in {trial.unit}; unless given, {span}."
    )

    @click.command(trial.name, help=help_text, short_help=f"{trial.title.capitalize()}.")
    @click.argument("model", type=click.Path(path_type=Path))
    @output_option("Folder of the experiment; MODEL_EXPERIMENT beside the model unless given.")
    @click.option("--muscle", "muscles", multiple=True, metavar="NAME", help=trial.who)
    @click.option(
        "--joint",
        metavar="NAME",
        hidden=not trial.jointed,
        help="The joint that is driven; the only hinge unless given.",
    )
    @click.option(
        "--rest-angle",
        type=float,
        default=0.0,
        show_default=True,
        metavar="DEG",
        hidden=not trial.jointed,
        help="Angle of the joint in the pose that the model is made in; all others count so.",
    )
    @click.option(
        "--activation",
        type=float,
        default=1.0,
        show_default=True,
        hidden=not trial.levelled,
        help="Level of the active muscles, 0 to 1.",
    )
    @click.option("--from", "low", type=float, help="Start of the range.")
    @click.option("--to", "high", type=float, help="End of the range.")
    @click.option("--steps", type=int, help=f"Points of the curve: {trial.steps} unless given.")
    @over_option
    @click.option("--overwrite", is_flag=True, help="Replace the experiment in the folder.")
    @click.option("--no-plot", is_flag=True, help="Draw nothing.")
    @laws_option
    def command(model: Path, **options: Any) -> None:
        _perform(trial, model, **options)

    return command


def _perform(
    trial: type[Trial],
    model: Path,
    *,
    output: Path | None,
    over: tuple[str, ...],
    overwrite: bool,
    no_plot: bool,
    laws: tuple[Path, ...],
    **asked: Any,
) -> None:
    from vastus.experiments.perform import PLOT, TABLE, begin
    from vastus.files.curve_file import read_curves

    load_laws(laws)
    published = [curve for given in over for curve in read_curves(given)]
    question, scene = _question(model, asked)
    made = trial(question)
    with output_folder(output, model, trial.name) as folder:
        work = begin(made, folder, scene=scene, overwrite=overwrite)
    for run in work.runs():
        note(f"run '{run.name}': {run.model.mesh.n_tets} tets, {len(run.inputs)} frames")
        with RunProgress(len(run.inputs)) as progress:
            for frame in work.simulated(run, progress.watch):
                progress.done(frame)
    found = work.finding()
    click.echo(found.sentence)
    click.echo(f"table: {folder / TABLE}")
    arms = _arms(made, model.parent, found.table)
    if arms is not None:
        click.echo("\n".join(arms.lines()))
        arms.write(folder)
    if not no_plot:
        try:
            work.draw(found, published)
            click.echo(f"plot:  {folder / PLOT}")
            if arms is not None:
                click.echo(f"arms:  {arms.draw(folder)}")
        except MissingExtra as error:
            note(f"warning: nothing was drawn: {error}")


def _arms(trial: Trial, folder: Path, table: Table) -> SideBySide | None:
    """Measured arms beside those of the file that the model was built from, if both are there."""
    from vastus.experiments.file_arms import side_by_side
    from vastus.experiments.moment_angle import MomentAngle

    if not isinstance(trial, MomentAngle):
        return None
    turned = trial.range - trial.asked.rest_angle
    return side_by_side(folder, trial.joint.name, turned, table, trial.active)


def _question(path: Path, asked: dict[str, Any]) -> tuple[Question, str]:
    """What is asked of the model in a file, and the hash of its scene."""
    from vastus.experiments.trial import Question
    from vastus.files.model_file import load_model
    from vastus.job import prepare, require_sound
    from vastus.scene.read import read
    from vastus.solvers.quasi_newton import QuasiNewton

    if path.suffix == ".npz":
        return Question(load_model(path), QuasiNewton(), **asked), ""
    if path.suffix not in (".yaml", ".yml"):
        raise FileError(f"'{path}' is neither a scene (.yaml) nor a saved model (.npz)")
    with BuildProgress() as progress:
        job = prepare(read(path), watch=progress.watch)
    require_sound(job)
    for finding in job.findings:
        note(f"warning: {finding}")
    return Question(job.model, job.solver, **asked), job.scene.digest
