"""Lines of muscle as they are drawn: all of them one mesh of thin tubes."""

from __future__ import annotations

import numpy as np

from vastus.bodies.upper.shape import Paths
from vastus.numerics.types import Floats, Ints
from vastus.pictures.bodies.muscle_shapes import frames_along, tube_faces

AROUND = 6  # points around a tube
SHARE = 0.3  # of the radius that a line's cross-section has
THIN, THICK = 0.0011, 0.0026  # [m] radii: readable, and not hiding the bones


class LineTubes:
    """The tubes of some lines; the more cross-section a line has, the thicker its tube."""

    def __init__(self, paths: Paths) -> None:
        radius = radii(paths.areas)
        counts = np.diff(paths.starts)
        ring = 2 * np.pi * np.arange(AROUND) / AROUND
        self._ring = np.stack([np.cos(ring), np.sin(ring)], axis=1)
        # Lines of as many points each, whose tubes are found at once.
        self._sets: list[tuple[Ints, Floats]] = []
        faces, lines, start = [], [], 0
        for count in np.unique(counts):
            mine = np.flatnonzero(counts == count)
            self._sets.append((paths.starts[mine, None] + np.arange(count), radius[mine]))
            first = start + count * AROUND * np.arange(len(mine))
            faces.append((tube_faces(int(count), AROUND) + first[:, None, None]).reshape(-1, 3))
            lines.append(np.repeat(mine, count * AROUND))
            start += len(mine) * count * AROUND
        self.faces: Ints = np.concatenate(faces)  # (f, 3)
        self.line_of_point: Ints = np.concatenate(lines)  # (p,) the line of each point

    def at(self, points: Floats) -> tuple[Floats, Floats]:
        """(p, 3) points [m] and unit normals of tubes along paths through points (n, 3) [m]."""
        X, N = [], []
        for rows, radius in self._sets:
            C = points[rows]
            y, z = frames_along(C)
            across = (
                self._ring[:, 0, None] * y[:, :, None, :]
                + self._ring[:, 1, None] * z[:, :, None, :]
            )
            X.append((C[:, :, None, :] + radius[:, None, None, None] * across).reshape(-1, 3))
            N.append(across.reshape(-1, 3))
        return np.concatenate(X), np.concatenate(N)


def radii(areas: Floats) -> Floats:
    """(m,) [m] of tubes for lines of these cross-sections (m,) [m^2]."""
    return np.asarray(np.clip(SHARE * np.sqrt(areas / np.pi), THIN, THICK))
