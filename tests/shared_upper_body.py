"""The upper body of the shared data: 814 lines on 68 bodies, made from BodyParts3D surfaces."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from vastus.control.upper_body.musculoskeleton import Musculoskeleton

FOLDER = next(
    (
        place / "shared" / "data" / "upper_body"
        for place in Path(__file__).parents
        if (place / "shared" / "data" / "upper_body").is_dir()
    ),
    Path("shared/data/upper_body"),
)


@cache
def shared_upper_body() -> Musculoskeleton:
    """The body, or a skip where the data are not."""
    pytest.importorskip("mujoco")
    if not FOLDER.is_dir():
        pytest.skip("the shared data of the upper body are not beside the repository")
    from vastus.bodies.upper.assembly import whole_upper_body
    from vastus.modelling.trunk.scanned import scanned

    return Musculoskeleton.of(whole_upper_body(scanned(FOLDER)))
