"""What looks wrong in a model before any solve: each finding a sentence with a remedy."""

from __future__ import annotations

from vastus.checks import anchors, contact, mesh, soft_tissue, units
from vastus.checks.finding import Finding, Severity, errors_first
from vastus.model import Model

__all__ = ["Finding", "Severity", "check"]

CHECKS = (*units.CHECKS, *mesh.CHECKS, *soft_tissue.CHECKS, *anchors.CHECKS, *contact.CHECKS)


def check(model: Model) -> list[Finding]:
    """Every finding, errors first."""
    return errors_first([finding for look in CHECKS for finding in look(model)])
