"""A coloured surface as binary glTF: the one way to give the page a colour at each vertex."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from vastus.export.glb import Buffer, Target, glb_bytes
from vastus.numerics.types import Floats, Ints

_LEVELS = np.arange(256) / 255.0
# The format keeps colours linear; ours are as a screen shows them.
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)
LINEAR = np.round(255 * _LINEAR).astype(np.uint8)


def coloured(
    points: Floats, normals: Floats, rgb: np.ndarray, faces: Ints, *, opacity: float = 1.0
) -> bytes:
    """Binary glTF of points and unit normals (p, 3), colours (p, 3) 0 to 255 and faces (k, 3)."""
    colours = np.full((len(points), 4), 255, np.uint8)
    colours[:, :3] = LINEAR[rgb]
    buffer = Buffer(io.BytesIO())
    named = {"POSITION": points.astype("<f4"), "NORMAL": normals.astype("<f4"), "COLOR_0": colours}
    attributes = {name: buffer.add(array, Target.VERTICES) for name, array in named.items()}
    buffer.accessors[attributes["COLOR_0"]]["normalized"] = True
    corners = buffer.add(faces.astype("<u4").ravel(), Target.INDICES)
    primitive = {"attributes": attributes, "indices": corners, "material": 0}
    document: dict[str, Any] = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}],
        "materials": [_material(opacity)],
    }
    return glb_bytes(document, buffer)


def _material(opacity: float) -> dict[str, Any]:
    look = {
        "baseColorFactor": [1.0, 1.0, 1.0, opacity],
        "metallicFactor": 0.0,
        "roughnessFactor": 0.55,
    }
    glassy = {} if opacity >= 1.0 else {"alphaMode": "BLEND"}
    return {"pbrMetallicRoughness": look, **glassy}
