"""Muscles of a body as they are drawn: spindles on its paths that keep their volume."""

from __future__ import annotations

import numpy as np

from vastus.bellies.sweep import swept
from vastus.bodies.body import Unit
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats, Ints

STATIONS, AROUND = 29, 10  # sections of a muscle, and points of each
_ALONG = 0.45  # of a tendon, that lies along the belly
_ORIGIN = 0.3  # of the rest, that is on the side of the origin
_TENDON = 0.1  # of the belly's largest radius
_TAPER = 0.75  # power of the sine that a belly's radius follows
_FINE = np.sin(np.pi * np.linspace(0.0, 1.0, 401)) ** (2 * _TAPER)


def muscle_surface(unit: Unit, course: Floats) -> Surface:
    """The surface of a muscle along the course (k, 3) [m] of its path.

    Its belly keeps its volume. It is longer than its fibres by the part of the tendon that lies
    along them, as an aponeurosis, and nearer to the origin: most tendons are longer towards the
    insertion.
    """
    length = float(np.linalg.norm(np.diff(course, axis=0), axis=1).sum())
    belly = float(np.clip(length - (1.0 - _ALONG) * unit.slack, 0.15 * length, 0.97 * length))
    along = np.linspace(0.0, length, STATIONS)
    within = np.clip((along - _ORIGIN * (length - belly)) / belly, 0.0, 1.0)
    widest = np.sqrt(unit.volume / (np.pi * belly * float(_FINE.mean())))
    radius = widest * np.maximum(np.sin(np.pi * within) ** _TAPER, _TENDON)
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    X = np.empty((STATIONS, AROUND, 3))
    X[..., 0] = along[:, None]
    X[..., 1], X[..., 2] = np.outer(radius, np.cos(angle)), np.outer(radius, np.sin(angle))
    return Surface(swept(X.reshape(-1, 3), course), _faces())


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
