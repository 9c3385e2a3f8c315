"""How far a body has turned at each iteration of a solve, and whether that is locking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.minimise import Moment
from vastus.numerics.rotation import nearest_rotations
from vastus.numerics.types import Floats, Ints
from vastus.reproduce import style
from vastus.reproduce.solving import Once
from vastus.skeleton.joints import Hinge
from vastus.state import rest
from vastus.timeloop import Solver

BUDGET = 100  # iterations after which a body that has not turned half of its way is locked
NEAR = 0.05  # of the angle


@dataclass(frozen=True, eq=False)
class Body:
    """The vertices whose rotation about an axis (3,) is watched."""

    model: Model
    vertices: Ints
    axis: Floats

    def angle(self, x: Floats) -> float:
        """The angle [degrees] that the vertices at x (n, 3) have turned from rest."""
        X, y = self.model.mesh.X[self.vertices], x[self.vertices]
        A = (y - y.mean(axis=0)).T @ (X - X.mean(axis=0))
        turn = nearest_rotations(A[None])[0]
        hinge = Hinge("", ("", ""), np.zeros(3), self.axis)
        return float(np.degrees(hinge.angle(turn)))


def body(model: Model, regions: tuple[str, ...], axis: tuple[float, float, float]) -> Body:
    """The body of some regions."""
    return Body(model, np.unique(model.mesh.T[model.tets_of(regions)]), np.array(axis))


@dataclass(frozen=True)
class Swing:
    """The angle [degrees] before each iteration and at the end."""

    name: str
    angles: tuple[float, ...]
    end: float  # [degrees] of the equilibrium

    def after(self, iterations: int) -> float:
        """The angle after so many iterations, or at the end if there are fewer."""
        return self.angles[min(iterations, len(self.angles) - 1)]

    @property
    def arrival(self) -> int | None:
        """The iteration from which the angle stays near that of the equilibrium."""
        far = np.flatnonzero(np.abs(np.array(self.angles) - self.end) > NEAR * abs(self.end))
        first = int(far[-1]) + 1 if len(far) else 0
        return first if first < len(self.angles) else None

    @property
    def locked(self) -> bool:
        """Whether less than half of the way is made in the budget."""
        return abs(self.after(BUDGET)) < 0.5 * abs(self.end)

    @property
    def verdict(self) -> str:
        """Locks, creeps or swings."""
        if self.locked:
            return "locks"
        early = self.arrival is not None and self.arrival <= BUDGET
        return "swings" if early else "creeps"


def swing(name: str, solver: Solver, watched: Body, inputs: Inputs, end: float) -> Swing:
    """The angles of one solve from rest towards the equilibrium's angle `end`."""
    angles: list[float] = []

    def watch(at: Moment) -> None:
        angles.append(watched.angle(at.place().x))

    Once(solver.prepare(watched.model)).step(rest(watched.model), inputs, watch)  # type: ignore[arg-type]
    return Swing(name, tuple(angles), end)


def table(title: str, swings: list[Swing]) -> Table:
    """The angles of several solvers side by side."""
    within = f"iterations to within {NEAR:.0%}"
    columns = ("method", "after 10 [°]", f"after {BUDGET} [°]", "at its end [°]", within, "verdict")
    rows = [
        (s.name, s.after(10), s.after(BUDGET), s.angles[-1], s.arrival, s.verdict) for s in swings
    ]
    return Table(title, columns, rows)


def draw(axes: Any, swings: list[Swing], title: str) -> None:
    """The angles against iterations, and where the equilibrium is; the first, wide, lies below."""
    colours = (style.GREY, style.BLUE, style.GREEN, style.ORANGE, style.RED, style.VIOLET)
    for k, (s, colour) in enumerate(zip(swings, colours, strict=False)):
        # Iteration 0 has no place on a logarithmic axis.
        counts, width = range(1, len(s.angles)), 1.4 if k else 4.0
        axes.plot(counts, s.angles[1:], lw=width, color=colour, label=s.name)
        axes.plot(counts[-1:], s.angles[-1:], "o", ms=4, color=colour)
    axes.axhline(swings[0].end, color=style.INK, lw=0.8, ls="--")
    style.label(axes, title, "iterations", "angle [°]", xscale="log")
