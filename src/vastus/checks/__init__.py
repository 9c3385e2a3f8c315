"""What looks wrong in a model before any solve: each finding a sentence with a remedy."""

from __future__ import annotations

from vastus.checks import (
    actuators,
    anchors,
    contact,
    contraction,
    mesh,
    mobility,
    soft_tissue,
    units,
)
from vastus.checks.finding import Finding, Severity, worst_first
from vastus.model import Model

__all__ = ["Finding", "Severity", "check"]

ROOMS = (units, mesh, soft_tissue, contraction, anchors, mobility, contact, actuators)
CHECKS = tuple(look for room in ROOMS for look in room.CHECKS)


def check(model: Model) -> list[Finding]:
    """Every finding, errors first."""
    return worst_first([finding for look in CHECKS for finding in look(model)])
