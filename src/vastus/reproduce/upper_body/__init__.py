"""All experiments of the paper on the upper body, in the order of the page."""

from __future__ import annotations

from vastus.reproduce.experiment import Experiment
from vastus.reproduce.upper_body.anatomy import fig2, fig4, table1
from vastus.reproduce.upper_body.motion import eq13, fig15, fig16, fig17, qp
from vastus.reproduce.upper_body.tissue import (
    dance,
    fig7,
    fig8,
    fig9,
    fig10,
    fig11,
    fig13,
    fig14,
    timing,
)

EXPERIMENTS: dict[str, Experiment] = {
    each.EXPERIMENT.name: each.EXPERIMENT
    for each in (
        fig2,
        table1,
        fig4,
        fig7,
        fig8,
        fig9,
        fig10,
        fig11,
        eq13,
        qp,
        fig13,
        fig14,
        fig15,
        fig16,
        dance,
        fig17,
        timing,
    )
}
