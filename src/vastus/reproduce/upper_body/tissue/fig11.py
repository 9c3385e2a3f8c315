"""Fig. 11: how much of a tet each muscle fills, and how bones hold on to tets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.flesh.build import Flesh
from vastus.geometry.lattice.cutting import VOXELS
from vastus.geometry.signed_distance import enclosed
from vastus.numerics.types import Floats, Ints
from vastus.pictures.colours import BLUE, IVORY, ORANGE, RED
from vastus.pictures.panels import lines_shape, points_shape, surface_shape
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import FRONT, seen
from vastus.reproduce.upper_body.tissue.flesh import SPACING, upper_parts, upper_solver

TETS = (60, 400)  # in which points are scattered
DRAWN = 1500  # points of the tet that is drawn
NEAR = 0.03  # by which shares may differ on the mean
LOST = 0.02  # of a muscle's volume
HEIGHT = (440, 800)
GREEN = np.array([0.15, 0.6, 0.25])
BONE = "humerusL"


@dataclass(frozen=True, eq=False)
class Densities:
    """Shares of pairs of a tet and a muscle (k,) by voxels and by random points in the tet.

    `volumes` (m, 2) [m^3] of muscles in tets and of their surfaces; `samples` of bones, of which
    so many are `outside`.
    """

    by_voxels: Floats
    by_points: Floats
    level: Ints  # (k,) of the tets, 0 the finest
    points: int
    tets: int
    volumes: Floats
    samples: int
    outside: int

    @property
    def apart(self) -> float:
        """How far the two are apart on the mean."""
        return float(np.abs(self.by_voxels - self.by_points).mean())

    def apart_at(self, finest: bool) -> float:
        """The same of tets of the finest level, or of the others."""
        own = (self.level == 0) == finest
        return float(np.abs(self.by_voxels - self.by_points)[own].mean()) if own.any() else 0.0

    @property
    def noise(self) -> float:
        """What random points are off by on the mean, by their number alone."""
        spread = np.sqrt(self.by_voxels * np.clip(1.0 - self.by_voxels, 0.0, None) / self.points)
        return float(np.sqrt(2 / np.pi) * spread.mean())

    @property
    def lost(self) -> Floats:
        """(m,) the share of each muscle's volume that tets lack."""
        return np.asarray(1.0 - self.volumes[:, 0] / self.volumes[:, 1])


def run(setting: Setting) -> Finding:
    """Scatter points in tets, and count."""
    setting.note("building flesh")
    flesh = upper_solver(SPACING[setting.full]).flesh
    setting.note("scattering points")
    found = measured(flesh, TETS[setting.full], paper.POINTS[setting.full])
    setting.note("pictures")
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found),
        tables=(_table(found),),
        figure=_drawn(found, *_pictures(flesh, HEIGHT[setting.full])),
        caption="Left: random points of a tet that two muscles share, red and orange in them with "
        "their fibres, blue in none. Middle: samples on the surface of a humerus (blue), and "
        "corners of the tets that they are embedded in (green). Right: shares by voxels over "
        "those by points.",
    )


def measured(flesh: Flesh, tets: int, points: int) -> Densities:
    """Shares of some tets by both ways, and volumes of all muscles."""
    rng = np.random.default_rng(0)
    surfaces = [part.surface for part in upper_parts().muscles]
    chosen = np.sort(rng.choice(np.unique(flesh.shares.tet), tets, replace=False))
    rows = np.flatnonzero(np.isin(flesh.shares.tet, chosen))
    X = {int(t): scattered(flesh.mesh.X[flesh.mesh.T[t]], points, rng) for t in chosen}
    inside = [
        float(enclosed(surfaces[flesh.shares.muscle[r]], X[int(flesh.shares.tet[r])]).mean())
        for r in rows
    ]
    named = zip(flesh.muscle_names, surfaces, strict=True)
    volumes = [(flesh.volume_of(name), abs(surface.volume)) for name, surface in named]
    level = flesh.level[flesh.shares.tet[rows]]
    return Densities(
        flesh.shares.share[rows], np.array(inside), level, points, tets, np.array(volumes),
        len(flesh.samples), int(flesh.facts["samples_outside"]),
    )  # fmt: skip


def scattered(corners: Floats, count: int, rng: np.random.Generator) -> Floats:
    """(count, 3) points spread evenly in a tet of corners (4, 3)."""
    weights = rng.exponential(size=(count, 4))
    return np.asarray((weights / weights.sum(axis=1, keepdims=True)) @ corners)


def agreement(found: Densities) -> Agreement:
    """Whether both ways agree, and tets hold what muscles have."""
    total = 1.0 - found.volumes[:, 0].sum() / found.volumes[:, 1].sum()
    return Agreement.of(found.apart < NEAR, bool(abs(total) < LOST))


def sentence(found: Densities) -> str:
    """How far both ways are apart."""
    total = found.volumes.sum(axis=0)
    return (
        f"In {found.tets} tets with {len(found.by_voxels)} shares of muscles, {found.points:,} "
        f"random points in each give shares that differ from those of voxels by {found.apart:.3f} "
        f"on the mean, and {found.noise:.3f} would be from chance alone. Tets of the finest level, "
        f"which have {VOXELS**3 / 12:.1f} voxels each, differ by {found.apart_at(True):.3f}, "
        f"larger ones by {found.apart_at(False):.3f}: voxels are coarser than the paper's points. "
        f"{len(found.volumes)} muscles have {1e3 * total[1]:.2f} l by their surfaces and "
        f"{1e3 * total[0]:.2f} l in tets; half of them differ by less than "
        f"{100 * np.median(np.abs(found.lost)):.2g} %. {found.samples:,} samples of bones hold on "
        f"to tets, {found.outside:,} are outside the flesh."
    )


def _table(found: Densities) -> Table:
    rows = [
        ("shares compared", len(found.by_voxels)),
        ("points in a tet", found.points),
        ("shares differ by, mean", found.apart),
        ("of tets of the finest level", found.apart_at(True)),
        ("of larger tets", found.apart_at(False)),
        ("by chance alone", found.noise),
        ("shares differ by, most", float(np.abs(found.by_voxels - found.by_points).max())),
        ("muscles by surfaces [l]", 1e3 * float(found.volumes[:, 1].sum())),
        ("muscles in tets [l]", 1e3 * float(found.volumes[:, 0].sum())),
        ("samples of bones", found.samples),
        ("of these outside", found.outside),
    ]
    return Table("Muscles and bones in tets", ("what", "here"), rows)


def mixed_tet(flesh: Flesh) -> int:
    """The tet that two muscles and what is in neither share most evenly."""
    shares = flesh.shares
    count = np.bincount(shares.tet, minlength=flesh.mesh.n_tets)
    least = np.ones(flesh.mesh.n_tets)
    np.minimum.at(least, shares.tet, shares.share)
    rest = 1.0 - np.bincount(shares.tet, shares.share, minlength=flesh.mesh.n_tets)
    return int(np.argmax(np.where(count == 2, np.minimum(least, rest), -1.0)))


def _pictures(flesh: Flesh, height: int) -> tuple[Image, Image]:
    tet = mixed_tet(flesh)
    corners = flesh.mesh.X[flesh.mesh.T[tet]]
    X = scattered(corners, DRAWN, np.random.default_rng(1))
    rows = np.flatnonzero(flesh.shares.tet == tet)
    free, shapes = np.ones(len(X), bool), []
    size = 0.04 * float(np.ptp(corners, axis=0).max())
    for row, colour in zip(rows, (RED, ORANGE), strict=True):
        own = enclosed(upper_parts().muscles[flesh.shares.muscle[row]].surface, X)
        free &= ~own
        way = size * flesh.shares.fibre[row]
        shapes.append(
            lines_shape([np.array([x - way, x + way]) for x in X[own]], colour, width=1.6)
        )
    shapes.append(points_shape(X[free], BLUE, width=4.0))
    edges = [corners[[a, b]] for a in range(4) for b in range(a + 1, 4)]
    shapes.append(lines_shape(edges, np.zeros(3), width=2.5))
    return seen(shapes, corners, height, sides=((0.5, -0.8, 0.3),), room=0.06)[0], _bone(
        flesh, height
    )


def _bone(flesh: Flesh, height: int) -> Image:
    """Samples of a bone and the nodes of their tets."""
    body = flesh.bodies.index(BONE)
    own: Ints = np.flatnonzero(flesh.sample_body == body)
    nodes = np.unique(flesh.mesh.T[flesh.sample_places.tets[own]])
    bones = [surface_shape(s.X, s.faces, IVORY, opacity=0.4) for b, s in flesh.bones if b == body]
    shapes = [*bones, points_shape(flesh.samples[own], BLUE, width=5.0),
              points_shape(flesh.mesh.X[nodes], GREEN, width=5.0)]  # fmt: skip
    return seen(shapes, flesh.samples[own], height, sides=(FRONT,), room=0.08)[0]


def _drawn(found: Densities, tet: Image, bone: Image) -> Any:
    made, axes = style.mosaic("aabDD", width=2.6, height=4.2)
    style.picture(axes["a"], tet, "a tet that two muscles share")
    style.picture(axes["b"], bone, "samples of a humerus")
    axes["D"].plot([0, 1], [0, 1], color=style.GREY, lw=1)
    axes["D"].plot(found.by_points, found.by_voxels, ".", ms=4, color=style.BLUE)
    style.label(axes["D"], "share of a muscle in a tet", "by random points", "by voxels")
    return made


EXPERIMENT = Experiment(
    "fig11",
    "Fig. 11: muscles and bones in tets",
    "1,000 to 10,000 random points in each tet tell how much of it each muscle fills, with which "
    "fibres. Samples on the surfaces of bones are embedded in tets and tied to the bones by "
    "springs.",
    run,
    (0.3, 0.6),
)
