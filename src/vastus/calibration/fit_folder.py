"""What a fit leaves in its folder: parameters, curves beside the data, a plot, provenance."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np

from vastus.calibration.fit import Fit
from vastus.errors import FileError
from vastus.files.model_file import save_model
from vastus.files.safe import make_folder, replacing, require_writable, write_text
from vastus.pictures.renderer import load_pyvista
from vastus.results.frame_rows import line
from vastus.results.provenance import Provenance, Record, Status
from vastus.solvers.newton import Newton

PARAMETERS, CORRELATION, CURVES = "parameters.csv", "correlation.csv", "fit.csv"
PLOT, MODEL, PROVENANCE = "fit.png", "model.npz", "provenance.json"
JOURNAL = "evaluations.jsonl"
COLOURS = ("#3465a4", "#c4570c", "#3b8132", "#8250a5", "#a40c3c", "#5a5a5a")


def require_free(folder: Path, *, overwrite: bool) -> None:
    """Refuse a folder that cannot be written, or that holds another fit or a result."""
    require_writable(folder)
    if not overwrite and (folder / CURVES).exists():
        raise FileError(f"'{folder}' holds a fit; --overwrite replaces it")
    if (folder / "frames").exists():
        raise FileError(f"'{folder}' holds a result; give another folder")


def write_fit(fit: Fit, folder: Path, *, scene: str = "", tolerance: float = 1e-10) -> None:
    """Write tables, the fitted model and where all came from."""
    make_folder(folder)
    head = ["parameter", "value", "standard_error", "unit", "start", "min", "max", "at_bound"]
    rows = [
        [p.path, p.value, "" if np.isnan(p.error) else p.error, p.unit, p.start, p.low, p.high,
         int(p.at_bound)]
        for p in fit.parameters
    ]  # fmt: skip
    write_text(folder / PARAMETERS, line(head) + "".join(line(row) for row in rows))
    paths = [p.path for p in fit.parameters]
    table = [[path, *row] for path, row in zip(paths, fit.correlation.tolist(), strict=True)]
    write_text(folder / CORRELATION, line(["", *paths]) + "".join(line(row) for row in table))
    head = ["target", "output", "time_s", "data", "fitted", "residual"]
    points = [
        [t.called, t.output, inputs.time, value, model, model - value]
        for t, fitted in zip(fit.targets, fit.fitted, strict=True)
        for inputs, value, model in zip(
            t.inputs[-len(t.values) :], t.values.tolist(), fitted.tolist(), strict=True
        )
    ]
    write_text(folder / CURVES, line(head) + "".join(line(row) for row in points))
    save_model(folder / MODEL, fit.model)
    record = Record.begin(
        folder / PROVENANCE, Provenance(Newton(tolerance), scene), fit.model.digest
    )
    record.contents["fit"] = {
        "found": fit.sentence,
        "converged": fit.converged,
        "evaluations": fit.effort.evaluations,
        "equilibria": fit.effort.equilibria,
        "misfit": fit.misfit,
        "warnings": list(fit.warnings),
    }
    record.mark(Status.FINISHED)


def draw_fit(fit: Fit, path: Path) -> None:
    """Draw what the model has as lines, with the data as points over it, one panel an output."""
    load_pyvista()
    outputs = list(dict.fromkeys(target.output for target in fit.targets))
    figure = import_module("matplotlib.figure").Figure((7.6, 0.6 + 3.4 * len(outputs)), dpi=130)
    for row, output in enumerate(outputs, start=1):
        axes = figure.add_subplot(len(outputs), 1, row)
        shown = [(t, f) for t, f in zip(fit.targets, fit.fitted, strict=True) if t.output == output]
        for number, (target, fitted) in enumerate(shown):
            times = [inputs.time for inputs in target.inputs[-len(target.values) :]]
            colour = COLOURS[number % len(COLOURS)]
            axes.plot(times, fitted, color=colour, label=f"{target.called}: fitted")
            axes.errorbar(
                times, target.values, target.error, fmt="o", color=colour, markersize=4.5,
                markerfacecolor="white", capsize=2, label=f"{target.called}: data",
            )  # fmt: skip
        axes.set(xlabel="time [s]", ylabel=output)
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
        axes.legend(frameon=False, fontsize="small")
    figure.tight_layout()
    with replacing(path) as part:
        figure.savefig(part)
