"""Aponeurosis: tendon whose ground substance is stiff too, so that a sheet keeps its plane.

The energy is that of `tendon`. Fibres hold a sheet along one direction; the shear moduli along and
across them hold it in the other direction of its plane, and between the two. Muscle fibres pull on
it at an angle: with tendon that is soft in shear it would give way to them sideways.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from vastus.materials.base import register
from vastus.materials.tendon import TendonTissue


@register
@dataclass(frozen=True)
class Aponeurosis(TendonTissue):
    """A sheet of tendon; stresses in pascal, parameters as those of `tendon`."""

    G1: float = 2e7
    G2: float = 2e7
    K: float = 1e8

    name: ClassVar[str] = "aponeurosis"
