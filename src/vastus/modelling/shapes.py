"""Procedural models: each takes a number or size of tets and returns a `Model`."""

from __future__ import annotations

from vastus.modelling.arm.model import arm
from vastus.modelling.bar import bar
from vastus.modelling.bipennate import bipennate
from vastus.modelling.elbow import elbow
from vastus.modelling.fusiform import fusiform
from vastus.modelling.tissues import Materials

__all__ = ["Materials", "arm", "bar", "bipennate", "elbow", "fusiform"]
