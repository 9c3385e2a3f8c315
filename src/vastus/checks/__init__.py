"""What looks wrong in a model before any solve: each finding a sentence with a remedy."""

from __future__ import annotations

from vastus.checks import anchors, mesh, tissues, units
from vastus.checks.finding import Finding, Severity
from vastus.errors import ModelError
from vastus.model import Model

__all__ = ["Finding", "Severity", "check", "require_sound"]

CHECKS = (*units.CHECKS, *mesh.CHECKS, *anchors.CHECKS, *tissues.CHECKS)


def check(model: Model) -> list[Finding]:
    """Every finding, errors first."""
    found = [finding for look in CHECKS for finding in look(model)]
    return sorted(found, key=lambda finding: finding.severity is not Severity.ERROR)


def require_sound(findings: list[Finding]) -> None:
    """Raise the first error among the findings as a `ModelError`."""
    errors = [f for f in findings if f.severity is Severity.ERROR]
    if errors:
        raise ModelError(str(errors[0]))
