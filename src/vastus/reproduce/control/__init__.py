"""All experiments of the paper on control of volumetric muscles, in the order of the page."""

from __future__ import annotations

from vastus.reproduce.control import (
    fig3,
    fig5,
    fig6,
    fig7,
    fig9,
    fig10,
    fig11,
    fig12,
    fig13,
    projective,
    pushes,
    timing,
)
from vastus.reproduce.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    each.EXPERIMENT.name: each.EXPERIMENT
    for each in (
        fig3,
        projective,
        fig5,
        fig6,
        fig7,
        fig9,
        pushes,
        fig10,
        fig11,
        fig12,
        fig13,
        timing,
    )
}
