"""All experiments of the finite-volume muscle paper, in the order of the page."""

from __future__ import annotations

from vastus.reproduce.experiment import Experiment
from vastus.reproduce.fvm import fig5, fig7

EXPERIMENTS: dict[str, Experiment] = {
    each.EXPERIMENT.name: each.EXPERIMENT for each in (fig5, fig7)
}
