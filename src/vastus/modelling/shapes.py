"""Procedural models: each takes a number of tets and returns a `Model`."""

from __future__ import annotations

from vastus.modelling.bar import bar
from vastus.modelling.bipennate import bipennate
from vastus.modelling.elbow import elbow
from vastus.modelling.fusiform import fusiform
from vastus.modelling.tissues import Materials

__all__ = ["Materials", "bar", "bipennate", "elbow", "fusiform"]
