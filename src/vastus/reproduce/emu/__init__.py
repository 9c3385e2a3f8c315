"""All experiments of the EMU paper, in the order of the page."""

from __future__ import annotations

from vastus.reproduce.emu import building, bunny, fig2, fig3, fig4, fig6, fig8, fig9, fig10, fig20
from vastus.reproduce.emu import table2 as errors
from vastus.reproduce.emu.models import fig17, figures, table3
from vastus.reproduce.experiment import Experiment

_BY_NUMBER = {each.name: each for each in (*figures.EXPERIMENTS, building.JOINTS, building.FIBRES)}
_BY_NUMBER |= {
    each.EXPERIMENT.name: each.EXPERIMENT
    for each in (fig2, fig3, fig4, fig6, fig8, fig9, fig10, fig17, fig20)
}
_FIGURES = sorted(_BY_NUMBER.values(), key=lambda each: int(each.name.removeprefix("fig")))

EXPERIMENTS: dict[str, Experiment] = {
    each.name: each for each in (*_FIGURES, errors.EXPERIMENT, table3.EXPERIMENT, bunny.EXPERIMENT)
}
