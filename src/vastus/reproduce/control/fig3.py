"""Fig. 3: tension goes from muscles to bones along a wire through way-points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bellies.line import LineLaw
from vastus.bodies import Body, juggler
from vastus.bodies.paths import Poses
from vastus.files.html import Table
from vastus.numerics.types import Floats, Ints
from vastus.reproduce import style
from vastus.reproduce.control.wires import pins, slopes, torques, wire
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting

POSES = (4, 20)
STEPS = (400, 1600)  # of the closed motion
ACTIVATION = 0.3
SHIFTED = np.radians(20.0)  # how far joints go to either side of home
EXACT, CLOSED = 1e-6, 1e-4  # of the largest arm; [J]
JUMP = 1e-4  # [m] that a path is longer than its rate says


@dataclass(frozen=True, eq=False)
class Loop:
    """A closed motion: pulls of the units (k, units) [N] and the work (units,) [J] of each.

    `path` (k, units) [m] are lengths of the paths, and `jumps` (units,) [m] by how much the length
    changes in one step besides its rate: where a path leaves a wrap at once.
    """

    path: Floats
    pulls: Floats
    work: Floats
    jumps: Floats

    @property
    def total(self) -> float:
        """What all do together [J]."""
        return float(self.work.sum())


@dataclass(frozen=True, eq=False)
class Transfer:
    """How far two other ways of moment arms are from those of the way-points [m], at most."""

    units: int
    largest: float  # [m] arm
    path: float  # from dL/dq as the simulation has it
    differences: float  # from differences of lengths
    sliding: Loop
    pinned: Loop


def run(setting: Setting) -> Finding:
    """Compare moment arms, and take joints round a closed motion."""
    body = juggler()
    found = measured(body, POSES[setting.full], STEPS[setting.full])
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(body, found),
        caption="Left: the forces of one wire under tension on bones, at its way-points; the long "
        "head of the biceps, seen from the outer side. Middle: pull over path length in a closed "
        "motion of all joints of both arms, of the muscle whose pinned work is largest; the area "
        "that a curve goes around is work out of nothing. Right: the work of each muscle.",
    )


def measured(body: Body, poses: int, steps: int) -> Transfer:
    """Arms in some poses, and work of a closed motion of so many steps."""
    rng = np.random.default_rng(0)
    dofs = np.array([dof for arm in body.arms for dof in arm.dofs])
    largest = by_path = by_difference = 0.0
    holder = Poses(body)
    for _ in range(poses):
        q = np.array(body.home)
        q[dofs] += rng.uniform(-SHIFTED, SHIFTED, len(dofs))
        at = holder.at(q)
        points = np.array([torques(body, at.data, k) for k in range(len(body.units))])
        largest = max(largest, float(np.abs(points).max()))
        by_path = max(by_path, float(np.abs(points - at.arms).max()))
        difference = np.abs(points[:, dofs] + slopes(body, q, dofs))
        by_difference = max(by_difference, float(difference.max()))
    loops = closed(body, dofs, steps)
    return Transfer(len(body.units), largest, by_path, by_difference, *loops)


def closed(body: Body, dofs: Ints, steps: int) -> tuple[Loop, Loop]:
    """A closed motion with bellies on wires that slide, and pinned to two way-points."""
    rng = np.random.default_rng(1)
    phase = rng.uniform(0.0, 2 * np.pi, len(dofs))
    often = rng.integers(1, 3, len(dofs))
    law, poses, n = LineLaw(body.units), Poses(body), len(body.units)
    level, still, ends = np.full(n, ACTIVATION), np.zeros(n), pins(body)
    home = poses.at(body.home).lengths
    first = _apart(poses.data, ends)
    rows = []
    for s in 2 * np.pi * np.arange(steps) / steps:
        q = np.array(body.home)
        q[dofs] += SHIFTED * (np.sin(often * s + phase) - np.sin(phase))
        at = poses.at(q)
        length = at.lengths
        # As long as the way between two way-points, and at home as long as on the wire.
        other = home + _apart(at.data, ends) - first
        rate = SHIFTED * often * np.cos(often * s + phase)
        pulls = [law.forces(each, still, level).force for each in (length, other)]
        rows.append((length, at.arms[:, dofs] @ rate, *pulls))
    length, shortening, *both = (np.array(each) for each in zip(*rows, strict=True))
    dt = 2 * np.pi / steps
    ahead = dt * 0.5 * (shortening + np.roll(shortening, -1, axis=0))
    jumps = np.abs(np.roll(length, -1, axis=0) - length + ahead).max(axis=0)
    slid, stuck = (Loop(length, p, dt * (p * shortening).sum(axis=0), jumps) for p in both)
    return slid, stuck


def _apart(data: Any, ends: Ints) -> Floats:
    """(units,) [m] between the sites (units, 2) on either side of each belly."""
    return np.asarray(np.linalg.norm(np.diff(data.site_xpos[ends], axis=1)[:, 0], axis=1))


def agreement(found: Transfer) -> Agreement:
    """Whether way-points give -T dL/dq, and only a wire that slides does no work."""
    return Agreement.of(
        found.path < EXACT * found.largest,
        found.differences < 1e-3 * found.largest,
        _smooth(found.sliding) < CLOSED,
    )


def _smooth(loop: Loop) -> float:
    """The largest work [J] of a muscle whose path does not jump."""
    return float(np.abs(loop.work[loop.jumps < JUMP]).max())


def sentence(found: Transfer) -> str:
    """What was found."""
    most, sum_of = float(np.abs(found.pinned.work).max()), np.abs(found.pinned.work).sum()
    return (
        f"Forces at the way-points of {found.units} paths, through the Jacobians of their bones, "
        f"turn joints by the same arms as -dL/dq within {1e3 * found.path:.0e} mm (within "
        f"{1e3 * found.differences:.0e} mm of differences of path lengths), where the largest arm "
        f"is {1e3 * found.largest:.0f} mm. Round a closed motion of all joints the muscles do "
        f"{found.sliding.total:+.0e} J, none more than {_smooth(found.sliding):.0e} J{_but(found)}:"
        " tension that follows the length of the whole wire, which slides over its way-points as "
        "the paper says, is conservative. The authors' program pins each belly to its two nearest "
        "way-points, so that its length is not the wire's: the same motion then brings "
        f"{found.pinned.total:+.3f} J out of nothing, up to {most:.3f} J in one muscle and "
        f"{sum_of:.2f} J in all without their signs."
    )


def _but(found: Transfer) -> str:
    """Paths of the body that jump, if there are any."""
    jumping = found.sliding.jumps >= JUMP
    if not jumping.any():
        return ""
    return (
        f" but for {int(jumping.sum())} whose path jumps by up to "
        f"{1e3 * float(found.sliding.jumps.max()):.1f} mm where it leaves its wrap, a fault of "
        f"this body ({float(np.abs(found.sliding.work[jumping]).max()):.3f} J)"
    )


def _table(found: Transfer) -> Table:
    columns = ("bellies", "work of all [J]", "largest of one [J]", "sum without signs [J]")
    rows = [
        (name, loop.total, float(np.abs(loop.work).max()), float(np.abs(loop.work).sum()))
        for name, loop in (
            ("on wires that slide", found.sliding),
            ("pinned to way-points", found.pinned),
        )
    ]
    return Table("Work round a closed motion at an activation of 0.3", columns, rows)


def _drawn(body: Body, found: Transfer) -> Any:
    made, (left, middle, right) = style.figure(3, width=4.4, height=4.2)
    _forces(left, body)
    worst = int(np.argmax(np.abs(found.pinned.work)))
    for loop, colour, name in (
        (found.sliding, style.BLUE, "sliding"),
        (found.pinned, style.RED, "pinned"),
    ):
        x, y = (np.append(v[:, worst], v[0, worst]) for v in (loop.path, loop.pulls))
        middle.plot(1e3 * x, y, color=colour, label=name)
        size = np.sort(np.abs(loop.work))[::-1]
        right.semilogy(np.arange(1, len(size) + 1), np.maximum(size, 1e-17), ".", color=colour)
    style.label(middle, body.names[worst].replace("r_", "right ").replace("l_", "left "),
                "path [mm]", "pull [N]")  # fmt: skip
    style.legend(middle, loc="best")
    style.label(right, "work of each muscle, largest first", "muscle", "J")
    return made


def _forces(axes: Any, body: Body) -> None:
    """The wire of the biceps in the plane of x and z, and what it does to bones."""
    data = body.data()
    path = body.names.index("r_BIClong")
    at = wire(body, data, path)
    x, z = 1e3 * at.points[:, 0], 1e3 * at.points[:, 2]
    bodies = [body.model.body(name).id for name in ("r_humerus", "r_ulna", "r_hand")]
    bones = 1e3 * data.xpos[bodies]
    axes.plot(bones[:, 0], bones[:, 2], color=style.IVORY, lw=14, solid_capstyle="round", zorder=0)
    axes.plot(x, z, color=style.RED, lw=2, zorder=1)
    along = np.diff(at.points, axis=0) / at.pieces[:, None]
    force = np.zeros_like(at.points)
    for piece in np.flatnonzero(at.straight):
        force[piece] += along[piece]
        force[piece + 1] -= along[piece]
    axes.quiver(x, z, force[:, 0], force[:, 2], color=style.BLUE, angles="xy", scale_units="xy",
                scale=0.016, width=0.008, zorder=2)  # fmt: skip
    axes.plot(x, z, "o", ms=3.5, color=style.INK, zorder=3)
    axes.set_aspect("equal")
    axes.margins(0.15)
    axes.locator_params(nbins=5)
    style.label(axes, "forces at the way-points of the biceps", "forward [mm]", "up [mm]")


EXPERIMENT = Experiment(
    "fig3",
    "Fig. 3: force from muscle to bone",
    "Tendons are taut wires that do not stretch. They are routed through way-points, which give "
    "the ends of the volumetric belly, and carry its force to the bones: tension along each piece, "
    "and its reaction at each way-point.",
    run,
    (0.2, 0.5),
)
