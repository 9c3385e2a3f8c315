"""Muscles of a body as they are drawn on its paths: spindles, or surfaces that bellies carry.

A drawn belly is longer than its fibres by the part of the tendon that lies along them, as an
aponeurosis, and nearer to the origin: most tendons are longer towards the insertion.
"""

from __future__ import annotations

import numpy as np

from vastus.bellies.belly import Belly
from vastus.bellies.embedded import Embedded
from vastus.bellies.sweep import swept
from vastus.bodies.body import Unit
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints

STATIONS, AROUND = 29, 10  # sections of a muscle, and points of each
_BARE = 3  # sections of each end that are of the tendon alone, where a belly carries the others
_ALONG = 0.45  # of a tendon, that lies along the belly
_ORIGIN = 0.3  # of the rest, that is on the side of the origin
_TENDON = 0.1  # of the belly's largest radius
_TAPER = 0.75  # power of the sine that a belly's radius follows
_FINE = np.sin(np.pi * np.linspace(0.0, 1.0, 401)) ** (2 * _TAPER)


def muscle_surface(unit: Unit, course: Floats) -> Surface:
    """The surface of a muscle along the course (k, 3) [m] of its path.

    Its belly keeps its volume.
    """
    length, belly = _lengths(unit, course)
    along = np.linspace(0.0, length, STATIONS)
    within = np.clip((along - _ORIGIN * (length - belly)) / belly, 0.0, 1.0)
    widest = np.sqrt(unit.volume / (np.pi * belly * float(_FINE.mean())))
    radius = widest * np.maximum(np.sin(np.pi * within) ** _TAPER, _TENDON)
    return Surface(swept(_rings(along, radius), course), _faces())


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

    def at(self, vertices: Floats, course: Floats) -> Surface:
        """The surface when the belly's vertices are (n, 3) [m], along a course (k, 3) [m]."""
        length, belly = _lengths(self.unit, course)
        begin = _ORIGIN * (length - belly)
        X = self._embedded.at(vertices)
        longer = belly / float(vertices[:, 0].max() - vertices[:, 0].min())
        X = begin * np.array([1.0, 0.0, 0.0]) + X * [longer, longer**-0.5, longer**-0.5]
        bare = np.full(_BARE, self._tendon * longer**-0.5)
        before = _rings(np.linspace(0.0, begin, _BARE, endpoint=False), bare)
        after = _rings(np.linspace(length, begin + belly, _BARE, endpoint=False)[::-1], bare)
        return Surface(swept(np.concatenate([before, X, after]), course), _faces())


def _lengths(unit: Unit, course: Floats) -> tuple[float, float]:
    """[m] of the course (k, 3) of a path, and of the belly that is drawn on it."""
    length = float(np.linalg.norm(np.diff(course, axis=0), axis=1).sum())
    belly = float(np.clip(length - (1.0 - _ALONG) * unit.slack, 0.15 * length, 0.97 * length))
    return length, belly


def _rings(along: Floats, radius: Floats) -> Floats:
    """(stations AROUND, 3) points of circles around the x axis, at places along it [m]."""
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    X = np.empty((len(along), AROUND, 3))
    X[..., 0] = along[:, None]
    X[..., 1], X[..., 2] = np.outer(radius, np.cos(angle)), np.outer(radius, np.sin(angle))
    return X.reshape(-1, 3)


def _faces() -> Ints:
    """(f, 3) the triangles between the sections, the same for all muscles."""
    ring = np.arange(AROUND)
    beside = (ring + 1) % AROUND
    found = []
    for first in AROUND * np.arange(STATIONS - 1):
        near, far = first, first + AROUND
        found.append(np.column_stack([near + ring, near + beside, far + ring]))
        found.append(np.column_stack([near + beside, far + beside, far + ring]))
    return np.concatenate(found)
