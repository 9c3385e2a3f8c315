"""Colours of regions in glTF, as in the package's pictures."""

from __future__ import annotations

import numpy as np

from vastus.export.glb import Json
from vastus.io.skin import ACTIVE, IVORY, RELAXED, SILVER, SKIN
from vastus.model import Tissue
from vastus.numerics.types import Floats

VEIL = 0.35  # how opaque passive tissue is, so that what it covers is seen


def material(name: str, tissue: Tissue, level: float) -> Json:
    """The material of a region whose muscle is activated up to `level`."""
    veiled = tissue is Tissue.PASSIVE
    made: Json = {
        "name": name,
        "pbrMetallicRoughness": {
            "baseColorFactor": [*_linear(_colour(tissue, level)).tolist(), VEIL if veiled else 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.6,
        },
    }
    return made | ({"alphaMode": "BLEND"} if veiled else {})


def _colour(tissue: Tissue, level: float) -> Floats:
    plain = {Tissue.BONE: IVORY, Tissue.TENDON: SILVER, Tissue.PASSIVE: SKIN}
    red = RELAXED + np.clip(level, 0.0, 1.0) * (ACTIVE - RELAXED)
    return np.asarray(plain.get(tissue, red))


def _linear(shown: Floats) -> Floats:
    """Light intensities of the colours of a screen (sRGB)."""
    return np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)
