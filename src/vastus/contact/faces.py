"""The outer faces of soft bodies, and the points of them at which contact is felt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from vastus.numerics.types import Bools, Floats, Ints

# Barycentric coordinates and weights of six points that are exact for polynomials of degree four
# (Dunavant 1985).
_A, _B = 0.445948490915965, 0.091576213509771
_WA, _WB = 0.223381589678011, 0.109951743655322
SHARES = np.array(
    [np.roll([1 - 2 * s, s, s], k) for s in (_A, _B) for k in range(3)],
)
WEIGHTS = np.repeat([_WA, _WB], 3)


@dataclass(frozen=True, eq=False)
class Faces:
    """Triangles of vertices, each with six points; `body` tells which soft body a face is of."""

    triangles: Ints  # (f, 3)
    body: Ints  # (f,)
    weights: Floats  # (6 f,) the area of each point at rest [m^2]

    @classmethod
    def of_surface(cls, X: Floats, triangles: Ints, body: Ints) -> Faces:
        """Faces of a mesh at rest at X (n, 3) [m]."""
        a, b, c = X[triangles].transpose(1, 0, 2)
        areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
        return cls(triangles, body, (areas[:, None] * WEIGHTS).ravel())

    def points(self, x: Floats) -> Floats:
        """(6 f, 3) where the points are when the vertices are at x (n, 3) [m]."""
        return np.asarray(SHARES @ x[self.triangles]).reshape(-1, 3)

    def of(self, rows: Ints) -> tuple[Ints, Floats]:
        """(k, 3) the vertices of some points, and (k, 3) their shares."""
        face, which = np.divmod(rows, len(WEIGHTS))
        return self.triangles[face], SHARES[which]

    def body_of(self, rows: Ints) -> Ints:
        """(k,) the soft bodies of some points."""
        return self.body[rows // len(WEIGHTS)]

    def chosen(self, which: Bools) -> Faces:
        """Some of the faces (f,)."""
        weights = self.weights.reshape(-1, len(WEIGHTS))[which].ravel()
        return Faces(self.triangles[which], self.body[which], weights)
