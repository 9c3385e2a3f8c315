"""All experiments of the EMU paper, in the order of the page."""

from __future__ import annotations

from vastus.reproduce.emu import bunny, fig2, fig3, fig4, fig6, fig8, fig9, fig10, fig20, table2
from vastus.reproduce.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.EXPERIMENT.name: each.EXPERIMENT
    for each in (fig2, fig3, fig4, fig6, fig8, table2, fig9, fig10, fig20, bunny)
}
