"""Procedural models: each takes a number or size of tets and returns a `Model`."""

from __future__ import annotations

from vastus.modelling.shapes.arm import arm
from vastus.modelling.shapes.elbow import elbow
from vastus.modelling.shapes.simple import bar, bipennate, fusiform
from vastus.modelling.shapes.torus import torus
from vastus.modelling.tissues import Materials

__all__ = ["Materials", "arm", "bar", "bipennate", "elbow", "fusiform", "torus"]
