"""All experiments of the finite-volume muscle paper, in the order of the page."""

from __future__ import annotations

from vastus.reproduce.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {}
