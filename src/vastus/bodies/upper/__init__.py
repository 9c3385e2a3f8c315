"""The whole upper body: 68 bones, 147 degrees of freedom, 814 lines of muscle."""

from __future__ import annotations

from vastus.bodies.upper.assembly import whole_upper_body, write_mjcf
from vastus.bodies.upper.joint_table import FINE_CAGE, PAPER_CAGE, joint_table, totals
from vastus.bodies.upper.record import UpperBody

__all__ = [
    "FINE_CAGE",
    "PAPER_CAGE",
    "UpperBody",
    "joint_table",
    "totals",
    "whole_upper_body",
    "write_mjcf",
]
