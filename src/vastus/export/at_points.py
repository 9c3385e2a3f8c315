"""Fields of tets at the points of each region, and what files call them."""

from __future__ import annotations

from vastus.export.parts import Parts
from vastus.io.tape import Moment
from vastus.numerics.types import Floats

CALLED = {
    "activation": "activation",
    "fibre_stretch": "stretch",
    "von_mises": "von_mises",
    "volume_ratio": "volume_ratio",
}


def at_points(surfaces: Parts, moment: Moment) -> list[dict[str, Floats]]:
    """For each region the fields (p,) of a moment at its points, as files call them."""
    means = {CALLED[name]: surfaces.averaged(field) for name, field in moment.fields.items()}
    spans = zip(surfaces.starts[:-1], surfaces.starts[1:], strict=True)
    return [{name: mean[a:b] for name, mean in means.items()} for a, b in spans]
