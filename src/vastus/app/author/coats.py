"""The colours of surfaces on the bench: tissue, what is selected, and what a muscle will become."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vastus.app.author.bench import Coat
from vastus.geometry.surface import Surface
from vastus.io.skin import IVORY, RELAXED, SILVER, SKIN
from vastus.model import Tissue
from vastus.modelling.anatomy.attachment import End

if TYPE_CHECKING:
    from vastus.app.author.studio import Studio

TISSUES = {
    Tissue.BONE: IVORY,
    Tissue.TENDON: SILVER,
    Tissue.MUSCLE: RELAXED,
    Tissue.PASSIVE: SKIN,
}
CHOSEN = np.array([0.95, 0.55, 0.20])
ENDS = {End.ORIGIN: np.array([0.10, 0.35, 0.85]), End.INSERTION: np.array([0.05, 0.60, 0.30])}


def coats_of(studio: Studio) -> dict[str, Coat]:
    """The coat of each surface; beside a selected muscle the other muscles are faint."""
    parts, muscle = studio.document.parts, studio.selected_muscle
    coats = {}
    for name, surface in studio.material.surfaces.items():
        tissue = parts[name].tissue
        faint = muscle is not None and name != muscle and tissue is not Tissue.BONE
        colour = TISSUES[tissue]
        if name == studio.selected:
            colour = 0.6 * colour + 0.4 * CHOSEN
        rgb = np.tile(colour, (surface.n_vertices, 1))
        if name == muscle:
            rgb = _shown(studio, name, surface, rgb)
        coats[name] = Coat((255 * rgb).astype(np.uint8), faint or tissue is Tissue.PASSIVE)
    return coats


def _shown(studio: Studio, name: str, surface: Surface, rgb: np.ndarray) -> np.ndarray:
    """The colours of a muscle with its tendons and attachments as they would be built."""
    seen = studio.preview(name)
    if seen is None or len(seen.s) != surface.n_vertices:
        return rgb
    rgb[seen.tendon()] = SILVER
    for end, vertices in seen.held.items():
        rgb[vertices] = ENDS[end]
    return rgb
