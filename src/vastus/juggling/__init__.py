"""Juggling: patterns, hand paths and the arms that follow them by their muscles."""

from vastus.juggling.feasibility import Feasibility, feasibility
from vastus.juggling.juggle import Juggle, Push, juggle
from vastus.juggling.optimisation import Aim, HandCurve, JointCurve, Optimisation, optimise_throw
from vastus.juggling.result import Result
from vastus.juggling.siteswap import Siteswap
from vastus.juggling.style import Places, Style
from vastus.juggling.timing import SwingTime, Timing

__all__ = [
    "Aim",
    "Feasibility",
    "HandCurve",
    "JointCurve",
    "Juggle",
    "Optimisation",
    "Places",
    "Push",
    "Result",
    "Siteswap",
    "Style",
    "SwingTime",
    "Timing",
    "feasibility",
    "juggle",
    "optimise_throw",
]
