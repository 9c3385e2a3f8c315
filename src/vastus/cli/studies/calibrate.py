"""`vastus calibrate`: parameters of a scene that make its outputs follow measured curves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from vastus.cli.console import ProgressBar, note, plain_table, stdout
from vastus.cli.failures import INTERRUPTED
from vastus.cli.options import laws_option, load_laws, output_folder, output_option
from vastus.errors import MissingExtra

if TYPE_CHECKING:
    from vastus.calibration.fit import Fit
    from vastus.calibration.fit_file import AskedFit
    from vastus.calibration.residuals import Effort


@click.command(short_help="Fit parameters of a scene to measured curves.")
@click.argument("fit", type=click.Path(path_type=Path))
@output_option("Folder of the fit; FIT_fit beside the file unless given.")
@click.option("--overwrite", is_flag=True, help="Replace the fit in the folder.")
@click.option("--no-plot", is_flag=True, help="Draw nothing.")
@laws_option
def calibrate(
    fit: Path, output: Path | None, overwrite: bool, no_plot: bool, laws: tuple[Path, ...]
) -> None:
    """Find the parameters with which outputs of a scene come closest to columns of tables.

    FIT is a file (.yaml) that names the scene, parameters by path with start, min and max, and
    targets: an output, a table and its column. Derivatives are exact. The folder holds
    parameters.csv with standard errors, correlation.csv, fit.csv, fit.png, the fitted model.npz
    and provenance.json.
    """
    from vastus.calibration.fit_file import read_fit
    from vastus.calibration.fit_folder import PLOT, draw_fit, require_free, write_fit

    load_laws(laws)
    with output_folder(output, fit, "fit") as folder:
        require_free(folder, overwrite=overwrite)
        asked = read_fit(fit)
    for finding in asked.findings:
        note(f"warning: {finding}")
    count = sum(len(target.values) for target in asked.targets)
    note(
        f"{asked.model.mesh.n_tets} tets, {len(asked.parameters)} parameters, {count} measured "
        f"values in {len(asked.targets)} targets"
    )
    found = _fitted(asked, folder)
    write_fit(found, folder, scene=asked.digest, tolerance=asked.tolerance)
    _print(found)
    click.echo(f"tables: {folder}")
    if not no_plot:
        try:
            draw_fit(found, folder / PLOT)
            click.echo(f"plot:   {folder / PLOT}")
        except MissingExtra as error:
            note(f"warning: nothing was drawn: {error}")


def _fitted(asked: AskedFit, folder: Path) -> Fit:
    """The fit; each evaluation is kept in the folder, for one that goes on after an interrupt."""
    from vastus.calibration.fit import calibrate as fitted
    from vastus.calibration.fit_folder import JOURNAL

    done = 0
    try:
        with ProgressBar(None) as bar:

            def watch(effort: Effort) -> None:
                nonlocal done
                done = effort.evaluations
                bar.tell(f"evaluation {done}, {effort.equilibria} equilibria")

            return fitted(
                asked.model, asked.parameters, asked.targets,
                method=asked.method, tolerance=asked.tolerance, evaluations=asked.evaluations,
                journal=folder / JOURNAL, watch=watch,
            )  # fmt: skip
    except KeyboardInterrupt:
        kept = f"{done} evaluations are in '{folder}'; the same command goes on"
        note(f"interrupted: {kept if done else 'nothing is kept'}")
        raise click.exceptions.Exit(INTERRUPTED) from None


def _print(found: Fit) -> None:
    """Print each parameter with its error, and what is doubtful."""
    table = plain_table("parameter", "start", "value", "± standard error", "unit")
    for p in found.parameters:
        error = "not known" if p.error != p.error else f"{p.error:.2g}"
        table.add_row(p.path, f"{p.start:.6g}", f"{p.value:.6g}", error, p.unit)
    stdout().print(table)
    click.echo(f"{found.sentence}; root mean square of the residuals {found.misfit:.3g}")
    for warning in found.warnings:
        note(f"warning: {warning}")
