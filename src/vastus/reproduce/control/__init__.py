"""All experiments of the paper on control of volumetric muscles, in the order of the page."""

from __future__ import annotations

from vastus.reproduce.control import fig10, fig11, fig12, fig13
from vastus.reproduce.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.EXPERIMENT.name: each.EXPERIMENT
    for each in (
        fig10,
        fig11,
        fig12,
        fig13,
    )
}
