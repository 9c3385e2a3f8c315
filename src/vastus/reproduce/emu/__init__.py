"""All experiments of the EMU paper, in the order of the page."""

from __future__ import annotations

from collections.abc import Sequence

from vastus.errors import known
from vastus.reproduce.emu import bunny, fig2, fig3, fig4, fig6, fig8, fig9, fig10, fig20, table2
from vastus.reproduce.experiment import Experiment

EMU: dict[str, Experiment] = {
    each.EXPERIMENT.name: each.EXPERIMENT
    for each in (fig2, fig3, fig4, fig6, fig8, table2, fig9, fig10, fig20, bunny)
}


def chosen(names: Sequence[str]) -> list[Experiment]:
    """The named experiments in the order of the page; all if none is named."""
    for name in names:
        if name not in EMU:
            raise known("experiment", name, list(EMU))
    return [e for e in EMU.values() if e.name in names or not names]
