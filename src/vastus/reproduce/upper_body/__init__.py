"""All experiments of the paper on the upper body, in the order of the page."""

from __future__ import annotations

from vastus.reproduce.experiment import Experiment
from vastus.reproduce.upper_body.anatomy import fig2, fig4, table1
from vastus.reproduce.upper_body.motion import eq13, fig15, fig16, fig17, qp

EXPERIMENTS: dict[str, Experiment] = {
    each.EXPERIMENT.name: each.EXPERIMENT
    for each in (fig2, table1, fig4, eq13, qp, fig15, fig16, fig17)
}
