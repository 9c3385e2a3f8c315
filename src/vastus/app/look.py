"""How a page shows a model: its colours, what is hidden, a cut, and the surfaces these leave."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from vastus.export.gltf.glb import Buffer, Target, glb_bytes
from vastus.geometry.section import Cut, clipped, section
from vastus.numerics.types import Floats, Ints
from vastus.pictures.field_values import FieldValues
from vastus.pictures.skin import Skin

Limits = tuple[float, float]

_LEVELS = np.arange(256) / 255.0
# The format keeps colours linear; ours are as a screen shows them.
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4)
LINEAR = np.round(255 * _LINEAR).astype(np.uint8)


class ColourBy(StrEnum):
    """What colours stand for; all but tissue name fields of `vastus.pictures.colours`."""

    TISSUE = "tissue"
    ACTIVATION = "activation"
    STRETCH = "stretch"
    STRESS = "stress"
    VOLUME = "volume ratio"
    CONTACT = "contact pressure"
    SPEED = "speed"
    DISTANCE = "distance"


@dataclass(frozen=True, eq=False)
class Plane:
    """A plane through a point (3,) [m]; what lies beyond, along its normal (3,), is cut away."""

    point: Floats
    normal: Floats

    def beyond(self, x: Floats) -> Floats:
        """(k,) how far points (k, 3) lie beyond the plane [m]."""
        return np.asarray((x - self.point) @ self.normal)


@dataclass(frozen=True)
class Look:
    """How a model is shown; names are those of its regions."""

    colour_by: ColourBy = ColourBy.TISSUE
    limits: dict[ColourBy, Limits] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    isolated: frozenset[str] | None = None  # all but these are hidden, if given
    cut: Plane | None = None
    fibres: bool = False
    joints: bool = True
    forces: bool = False  # of contact
    longest: float | None = None  # [N] of the longest arrow; that of the moment unless given

    def shows(self, name: str) -> bool:
        """Whether a region is seen."""
        return name not in self.hidden and (self.isolated is None or name in self.isolated)


@dataclass(frozen=True, eq=False)
class RegionSurface:
    """What is drawn of a region, with the tet (k,) behind each of its faces (k, 3).

    Its points and unit normals are (p, 3), its values (p,).
    """

    points: Floats
    normals: Floats
    values: Floats
    faces: Ints
    tets: Ints


def whole_surface(skin: Skin, x: Floats, values: FieldValues) -> RegionSurface:
    """The surface of a region with vertices x (n, 3) [m] and the values of a field."""
    return RegionSurface(
        x[skin.vertices], skin.normals(x), values.on_skin(skin), skin.faces, skin.tets
    )


def cut_surface(
    skin: Skin, tets: Ints, T: Ints, x: Floats, values: FieldValues, plane: Plane
) -> RegionSurface | None:
    """What a plane leaves of a region of tets (k,), with the face of the cut; None if nothing."""
    d = plane.beyond(x)
    full = whole_surface(skin, x, values)
    kept, rest = clipped(skin.faces, d[skin.vertices])
    face = section(T[tets], d)
    flat, shown = _outward(face.at(x), values.on_cut(face, tets), plane.normal)
    sides, shade = rest.at(full.points), rest.at(full.values)
    normals = rest.at(full.normals)
    used, faces = np.unique(full.faces[kept], return_inverse=True)
    corners = np.concatenate([sides, flat]).reshape(-1, 3)
    if not len(used) and not len(corners):
        return None
    return RegionSurface(
        np.concatenate([full.points[used], corners]),
        np.concatenate([full.normals[used], normals.reshape(-1, 3), _all(plane.normal, face)]),
        np.concatenate([full.values[used], shade.ravel(), shown.ravel()]),
        np.concatenate([faces.reshape(-1, 3), len(used) + np.arange(len(corners)).reshape(-1, 3)]),
        np.concatenate([full.tets[kept], full.tets[rest.source], tets[face.source]]),
    )


def _outward(corners: Floats, values: Floats, normal: Floats) -> tuple[Floats, Floats]:
    """Triangles (q, 3, 3) and their values (q, 3), turned so that they face along the normal."""
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    turned = (areas @ normal < 0)[:, None]
    return (
        np.where(turned[:, None], corners[:, ::-1], corners),
        np.where(turned, values[:, ::-1], values),
    )


def _all(normal: Floats, face: Cut) -> Floats:
    return np.tile(normal, (3 * len(face.source), 1))


def coloured(
    points: Floats, normals: Floats, rgb: np.ndarray, faces: Ints, *, opacity: float = 1.0
) -> bytes:
    """Binary glTF, the one way to give the page a colour at each vertex.

    Given are points and unit normals (p, 3), colours (p, 3) 0 to 255 and faces (k, 3).
    """
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
    blending = {} if opacity >= 1.0 else {"alphaMode": "BLEND"}
    return {"pbrMetallicRoughness": look, **blending}
