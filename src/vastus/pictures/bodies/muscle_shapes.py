"""Muscles of a body as they are drawn on its paths: spindles, or surfaces that bellies carry.

A drawn belly is longer than its fibres by the part of the tendon that lies along them, as an
aponeurosis, and nearer to the origin: most tendons are longer towards the insertion.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from vastus.bellies.belly import Belly
from vastus.bellies.embedded import Embedded
from vastus.bellies.sweep import swept
from vastus.bodies.body import Unit
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints

STATIONS, AROUND = 29, 10  # sections of a muscle, and points of each
_ALONG = 0.45  # of a tendon, that lies along the belly
_ORIGIN = 0.3  # of the rest, that is on the side of the origin
_TENDON = 0.1  # of the belly's largest radius
_TAPER = 0.75  # power of the sine that a belly's radius follows
_BARE = 3  # sections of each end that are of the tendon alone, where a belly carries the others
_FINE = np.sin(np.pi * np.linspace(0.0, 1.0, 401)) ** (2 * _TAPER)


class MuscleShapes:
    """The surfaces of all muscles of a body, found at once.

    A belly keeps its volume. It is longer than its fibres by the part of the tendon that lies along
    them, as an aponeurosis, and nearer to the origin: most tendons are longer towards the
    insertion. Each surface has `stations` sections of `around` points, which go along with the path
    and turn no more than it does.
    """

    def __init__(
        self, units: Sequence[Unit], *, stations: int = STATIONS, around: int = AROUND
    ) -> None:
        self._volumes = np.array([unit.volume for unit in units])
        self._slack = np.array([unit.slack for unit in units])
        self._stations = stations
        angle = 2 * np.pi * np.arange(around) / around
        self._ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        self.faces: Ints = tube_faces(stations, around)  # (f, 3) the same for all muscles

    @property
    def points(self) -> int:
        """How many points a surface has."""
        return self._stations * len(self._ring)

    def at(self, courses: Sequence[Floats]) -> tuple[Floats, Floats]:
        """(m, p, 3) points [m] and unit normals along the courses (k, 3) [m] of the paths."""
        lines = [_resampled(course, self._stations) for course in courses]
        C = np.array([line for line, _ in lines]).reshape(-1, self._stations, 3)
        radius = self._radii(np.array([length for _, length in lines]))
        y, z = frames_along(C)
        across = (
            self._ring[:, 0, None] * y[:, :, None, :] + self._ring[:, 1, None] * z[:, :, None, :]
        )
        X = C[:, :, None, :] + radius[:, :, None, None] * across
        return X.reshape(len(C), -1, 3), across.reshape(len(C), -1, 3)

    def _radii(self, length: Floats) -> Floats:
        """(m, stations) [m] of muscles whose paths are so long (m,) [m]."""
        belly = np.asarray(drawn_belly(length, self._slack))[:, None]
        along = np.linspace(0.0, 1.0, self._stations) * length[:, None]
        within = np.clip((along - _ORIGIN * (length[:, None] - belly)) / belly, 0.0, 1.0)
        widest = np.sqrt(self._volumes[:, None] / (np.pi * belly * float(_FINE.mean())))
        return np.asarray(widest * np.maximum(np.sin(np.pi * within) ** _TAPER, _TENDON))


class BellySurface:
    """The surface of a muscle that its belly carries: a spindle embedded in the tets at rest.

    The belly has the shape that was solved, drawn out by its aponeurosis and thinner for it, so
    that its volume is what it was.
    """

    def __init__(self, unit: Unit, belly: Belly) -> None:
        self.unit = unit
        within = np.linspace(0.0, 1.0, STATIONS - 2 * _BARE)
        widest = np.sqrt(unit.volume / (np.pi * unit.optimal * float(_FINE.mean())))
        self._tendon = _TENDON * widest
        radius = np.maximum(widest * np.sin(np.pi * within) ** _TAPER, self._tendon)
        self._embedded = Embedded.of(belly.mesh, _rings(unit.optimal * within, radius))

    def at(self, vertices: Floats, course: Floats) -> tuple[Floats, Floats]:
        """(p, 3) points [m] and unit normals, along a course (k, 3) [m].

        The belly's vertices are (n, 3) [m].
        """
        length = float(np.linalg.norm(np.diff(course, axis=0), axis=1).sum())
        belly = float(drawn_belly(length, self.unit.slack))
        begin = _ORIGIN * (length - belly)
        X = self._embedded.at(vertices)
        longer = belly / float(vertices[:, 0].max() - vertices[:, 0].min())
        X = begin * np.array([1.0, 0.0, 0.0]) + X * [longer, longer**-0.5, longer**-0.5]
        bare = np.full(_BARE, self._tendon * longer**-0.5)
        before = _rings(np.linspace(0.0, begin, _BARE, endpoint=False), bare)
        after = _rings(np.linspace(length, begin + belly, _BARE, endpoint=False)[::-1], bare)
        shape = Surface(
            swept(np.concatenate([before, X, after]), course), tube_faces(STATIONS, AROUND)
        )
        return shape.X, shape.vertex_normals


def drawn_belly(length: Floats | float, slack: Floats | float) -> Floats | float:
    """[m] of a belly with its aponeurosis, on a path so long [m] with so long a tendon [m]."""
    return np.clip(length - (1.0 - _ALONG) * slack, 0.15 * length, 0.97 * length)


def _rings(along: Floats, radius: Floats) -> Floats:
    """(stations AROUND, 3) points of circles around the x axis, at places along it [m]."""
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    X = np.empty((len(along), AROUND, 3))
    X[..., 0] = along[:, None]
    X[..., 1], X[..., 2] = np.outer(radius, np.cos(angle)), np.outer(radius, np.sin(angle))
    return X.reshape(-1, 3)


def _resampled(course: Floats, stations: int) -> tuple[Floats, float]:
    """(stations, 3) points at equal distances along a course (k, 3) [m], and its length [m]."""
    way = np.concatenate([[0.0], np.cumsum(np.sqrt((np.diff(course, axis=0) ** 2).sum(axis=1)))])
    along = np.linspace(0.0, way[-1], stations)
    return np.stack([np.interp(along, way, axis) for axis in course.T], axis=1), float(way[-1])


def frames_along(C: Floats) -> tuple[Floats, Floats]:
    """Two directions (m, s, 3) across lines (m, s, 3); along a line they turn with it alone."""
    T = np.gradient(C, axis=1)
    T /= np.maximum(np.linalg.norm(T, axis=2, keepdims=True), np.finfo(float).tiny)
    y = np.zeros_like(C)
    start = np.eye(3)[np.argmin(np.abs(T[:, 0]), axis=1)]
    for k in range(C.shape[1]):
        former = start if k == 0 else y[:, k - 1]
        flat = former - np.einsum("mi,mi->m", former, T[:, k])[:, None] * T[:, k]
        size = np.linalg.norm(flat, axis=1, keepdims=True)
        y[:, k] = np.where(size > 1e-9, flat / np.maximum(size, 1e-9), former)
    return y, np.cross(T, y)


@cache
def tube_faces(stations: int, around: int) -> Ints:
    """(f, 3) the triangles between the sections."""
    ring = np.arange(around)
    beside = (ring + 1) % around
    found = []
    for first in around * np.arange(stations - 1):
        near, far = first, first + around
        found.append(np.column_stack([near + ring, near + beside, far + ring]))
        found.append(np.column_stack([near + beside, far + beside, far + ring]))
    return np.concatenate(found)
