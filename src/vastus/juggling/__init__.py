"""Juggling: patterns, hand paths and the arms that follow them by their muscles."""

from vastus.juggling.feasibility import Feasibility, feasibility
from vastus.juggling.juggle import Juggle, Push, juggle
from vastus.juggling.result import Result
from vastus.juggling.siteswap import Siteswap
from vastus.juggling.style import Places, Style
from vastus.juggling.timing import Timing

__all__ = [
    "Feasibility",
    "Juggle",
    "Places",
    "Push",
    "Result",
    "Siteswap",
    "Style",
    "Timing",
    "feasibility",
    "juggle",
]
