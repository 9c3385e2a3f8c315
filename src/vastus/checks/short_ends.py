"""Muscles whose mesh ends short of their surface, which is seen once there is a mesh."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from vastus.checks.finding import Finding, warning
from vastus.modelling.surfaces.body_parts import Part
from vastus.modelling.surfaces.pipeline import Joined
from vastus.scene.fibres import End

LEAST = 0.05  # of the length of a muscle


def short_ends(parts: Sequence[Part], made: Joined) -> Iterator[Finding]:
    """Ends that the mesh does not have, with how much is missing."""
    for i, missing in made.short.items():
        decided = parts[i].ends.decided
        for end in End:
            lost = end.of(missing)
            if decided is not None and lost > LEAST * made.ways[i].length:
                yield warning(
                    f"muscle '{parts[i].name}'",
                    f"has a mesh that ends {1e3 * lost:.3g} mm short of its surface at its "
                    f"{end.value}, where it is too thin for the mesher",
                    "give a smaller 'envelope' in 'surfaces', or a thicker end",
                    np.array(end.of(decided.tips)),
                )
