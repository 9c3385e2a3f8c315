"""A long surface rolled out flat: each of its points by an angle around it and a height along it.

The long axis is the principal one of the surface. At each height the angle is measured around the
middle of the outline there, so that a bowed bone is unrolled as well as a straight one. Where a ray
from the middle meets the surface more than once, the outermost point is the one on the map.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats

STATIONS = 32  # heights between which the middle line is straight
MARGIN = 0.02  # of the length at either end, from where the middle goes on as it is


@dataclass(frozen=True, eq=False)
class Unrolled:
    """A surface [m] and its map: angles [rad], from -pi to pi, and heights [m] from its lower end.

    Rows of `axes` (3, 3) are where the angle is zero, where it is a right angle, and along: that
    axis of the surface's frame which is nearest decides which end is the lower one.
    """

    surface: Surface
    axes: Floats

    @classmethod
    def of(cls, surface: Surface) -> Unrolled:
        """The map about the long axis of a surface."""
        middles = surface.X[surface.faces].mean(axis=1)
        weights = surface.areas / surface.areas.sum()
        spread = (middles - weights @ middles) * np.sqrt(weights)[:, None]
        long = np.linalg.eigh(spread.T @ spread)[1][:, -1]
        long *= np.sign(long[np.argmax(np.abs(long))])
        frame = np.eye(3)
        across = frame[np.argmin(np.abs(frame @ long))]
        first = across - (across @ long) * long
        first /= np.linalg.norm(first)
        return cls(surface, np.array([first, np.cross(long, first), long]))

    @property
    def length(self) -> float:
        """From the lower end to the upper one [m]."""
        return float(np.ptp(self.surface.X @ self.axes[2]))

    @cached_property
    def girth(self) -> float:
        """The mean way around [m]."""
        angles = np.linspace(-np.pi, np.pi, 24, endpoint=False)
        heights = np.linspace(0.0, self.length, STATIONS + 2)[1:-1]
        return 2 * np.pi * float(np.nanmean(self.radii(angles, heights)))

    def place(self, point: Floats) -> tuple[float, float]:
        """The angle and the height of a point (3,) [m]."""
        u, v, height = self._local(np.asarray(point, float)[None])[0]
        middle = self._middle(height)
        return float(np.arctan2(v - middle[1], u - middle[0])), float(height)

    def point(self, angle: float, height: float) -> Floats | None:
        """(3,) the point of the surface there [m]; None if there is none."""
        radius = self.radii(np.array([angle]), np.array([height]))[0, 0]
        if np.isnan(radius):
            return None
        u, v = self._middle(height) + radius * np.array([np.cos(angle), np.sin(angle)])
        return np.asarray(np.array([u, v, height + self._low]) @ self.axes)

    def radii(self, angles: Floats, heights: Floats) -> Floats:
        """(heights, angles) how far the surface is from its middle [m]; nan where it is not."""
        ways = np.column_stack([np.cos(angles), np.sin(angles)])
        rows = [_outermost(self._outline(h) - self._middle(h), ways) for h in heights]
        return np.array(rows).reshape(len(heights), len(angles))

    @cached_property
    def _low(self) -> float:
        return float((self.surface.X @ self.axes[2]).min())

    @cached_property
    def _corners(self) -> Floats:
        """(faces, 3, 3) in the frame of the axes, heights from zero on."""
        return self._local(self.surface.X)[self.surface.faces]

    def _local(self, points: Floats) -> Floats:
        return np.asarray(points @ self.axes.T - np.array([0.0, 0.0, self._low]))

    @cached_property
    def _middles(self) -> tuple[Floats, Floats]:
        """(k,) heights and (k, 2) the middles of the outlines there."""
        ends = MARGIN * self.length, (1 - MARGIN) * self.length
        heights, middles = [], []
        for height in np.linspace(*ends, STATIONS):
            outline = self._outline(height)
            long = np.linalg.norm(outline[:, 1] - outline[:, 0], axis=1)
            if long.sum() > 0:  # a surface of several pieces may have gaps
                heights.append(height)
                middles.append(long @ outline.mean(axis=1) / long.sum())
        return np.array(heights), np.array(middles)

    def _middle(self, height: float) -> Floats:
        heights, middles = self._middles
        return np.array([np.interp(height, heights, column) for column in middles.T])

    def _outline(self, height: float) -> Floats:
        """(k, 2, 2) the pieces of the outline at a height."""
        above = self._corners[:, :, 2] > height
        cut = self._corners[above.any(axis=1) & ~above.all(axis=1)]
        above = cut[:, :, 2] > height
        alone = np.argmax(above == (above.sum(axis=1) == 1)[:, None], axis=1)
        row = np.arange(len(cut))
        tip = cut[row, alone]
        ends = []
        for step in (1, 2):
            other = cut[row, (alone + step) % 3]
            share = (height - tip[:, 2]) / (other[:, 2] - tip[:, 2])
            ends.append(tip[:, :2] + share[:, None] * (other - tip)[:, :2])
        return np.stack(ends, axis=1)


def _outermost(outline: Floats, ways: Floats) -> Floats:
    """(k,) how far rays from the origin along ways (k, 2) last meet pieces (s, 2, 2)."""
    if not len(outline):
        return np.full(len(ways), np.nan)
    begin, end = outline[:, 0], outline[:, 1]
    # Beside which side of the ray the ends of the pieces lie.
    a = np.outer(ways[:, 0], begin[:, 1]) - np.outer(ways[:, 1], begin[:, 0])
    b = np.outer(ways[:, 0], end[:, 1]) - np.outer(ways[:, 1], end[:, 0])
    apart = a != b
    share = np.where(apart, a / np.where(apart, a - b, 1.0), 0.0)
    far = (1 - share) * (ways @ begin.T) + share * (ways @ end.T)
    met = apart & (a * b <= 0) & (far > 0)
    furthest = np.where(met, far, -np.inf).max(axis=1)
    return np.where(np.isfinite(furthest), furthest, np.nan)
