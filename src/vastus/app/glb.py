"""A coloured surface as binary glTF: the one way to give the page a colour at each vertex."""

from __future__ import annotations

import json
import struct
from functools import lru_cache
from typing import Any

import numpy as np

from vastus.numerics.types import Floats, Ints

_FLOAT, _BYTE, _WHOLE = 5126, 5121, 5125  # types of components, by the format's numbers
_VERTEX, _INDEX = 34962, 34963
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
    arrays: list[np.ndarray] = [
        np.ascontiguousarray(points, np.float32),
        np.ascontiguousarray(normals, np.float32),
        colours,
        np.ascontiguousarray(faces, np.uint32),
    ]
    low, high = arrays[0].min(axis=0).tolist(), arrays[0].max(axis=0).tolist()
    head = json.dumps(_head(len(points), 3 * len(faces), opacity, (low, high))).encode()
    head += b" " * (-len(head) % 4)
    body = b"".join(a.tobytes() for a in arrays)
    total = 12 + 8 + len(head) + 8 + len(body)
    return b"".join(
        [
            struct.pack("<4sII", b"glTF", 2, total),
            struct.pack("<I4s", len(head), b"JSON"),
            head,
            struct.pack("<I4s", len(body), b"BIN\0"),
            body,
        ]
    )


def _head(p: int, corners: int, opacity: float, box: tuple[list[float], list[float]]) -> Any:
    low, high = box
    sizes = [12 * p, 12 * p, 4 * p, 4 * corners]
    starts = [sum(sizes[:i]) for i in range(4)]
    targets = [_VERTEX, _VERTEX, _VERTEX, _INDEX]
    views = [
        {"buffer": 0, "byteOffset": start, "byteLength": size, "target": target}
        for start, size, target in zip(starts, sizes, targets, strict=True)
    ]
    accessors = [
        _accessor(0, _FLOAT, p, "VEC3") | {"min": low, "max": high},
        _accessor(1, _FLOAT, p, "VEC3"),
        _accessor(2, _BYTE, p, "VEC4") | {"normalized": True},
        _accessor(3, _WHOLE, corners, "SCALAR"),
    ]
    primitive = {
        "attributes": {"POSITION": 0, "NORMAL": 1, "COLOR_0": 2},
        "indices": 3,
        "material": 0,
    }
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [primitive]}],
        "materials": [_material(opacity)],
        "buffers": [{"byteLength": sum(sizes)}],
        "bufferViews": views,
        "accessors": accessors,
    }


def _accessor(view: int, component: int, count: int, kind: str) -> dict[str, Any]:
    return {"bufferView": view, "componentType": component, "count": count, "type": kind}


@lru_cache
def _material(opacity: float) -> dict[str, Any]:
    glassy: dict[str, Any] = {} if opacity >= 1.0 else {"alphaMode": "BLEND"}
    look = {
        "baseColorFactor": [1.0, 1.0, 1.0, opacity],
        "metallicFactor": 0.0,
        "roughnessFactor": 0.55,
    }
    return {"pbrMetallicRoughness": look, **glassy}
