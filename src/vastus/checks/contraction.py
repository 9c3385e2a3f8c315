"""Whether muscles can pull as they say: fibres that end nowhere, numbers that contradict."""

from __future__ import annotations

from collections.abc import Iterator

from vastus.checks.finding import Finding, error, middle_of, warning
from vastus.measure.architecture import architecture, contradictions
from vastus.model import Model
from vastus.muscle import Density, belly_of

LEAK, MUCH = 0.01, 0.1  # of the tension of a muscle


def leaks(model: Model) -> Iterator[Finding]:
    """Muscles part of whose tension ends nowhere, because their fibres do."""
    for index, muscle in enumerate(model.muscles):
        leak = model.fluxes[index].leak if muscle.density is not Density.UNIFORM else 0.0
        if leak > LEAK:
            say = error if leak > MUCH else warning
            vertices = model.mesh.T[belly_of(model, index)]
            yield say(
                f"muscle '{muscle.name}'",
                f"loses {leak:.1%} of its tension where fibres end on nothing",
                "let its fibres run from a tendon, bone or pin to another, or give it "
                "'density: uniform', with which its force is not its strength times its section",
                middle_of(model.mesh.X[vertices.ravel()]),
            )


def given(model: Model) -> Iterator[Finding]:
    """Muscles of which something is said that the mesh contradicts."""
    for index, muscle in enumerate(model.muscles):
        for sentence in contradictions(muscle, architecture(model, index)):
            remedy = "correct it, or the mesh and its scale"
            yield warning(f"muscle '{muscle.name}'", sentence, remedy)


CHECKS = (leaks, given)
