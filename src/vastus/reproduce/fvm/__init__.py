"""All experiments of the finite-volume muscle paper, in the order of the page."""

from __future__ import annotations

from vastus.reproduce.experiment import Experiment
from vastus.reproduce.fvm import count, fig4, fig5, fig6, fig7, fig8

EXPERIMENTS: dict[str, Experiment] = {
    each.EXPERIMENT.name: each.EXPERIMENT for each in (fig4, count, fig5, fig6, fig7, fig8)
}
