"""Fig. 5: a muscle of two motor units as tets, and a fine surface that follows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.bellies.belly import Belly
from vastus.bellies.law import MotorUnit
from vastus.bellies.shapes import Loft, tube
from vastus.bellies.volumes import Bellies
from vastus.bodies import juggler
from vastus.files.html import Table
from vastus.geometry.queries import locate, nearest_on_surface
from vastus.geometry.surface import Surface, boundary_surface
from vastus.geometry.tetmesh import TetMesh
from vastus.numerics.types import Floats, Ints
from vastus.pictures.colours import muscle_colour
from vastus.pictures.panels import Panel, render_panels, surface_shape, view_toward, window_around
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.control import paper
from vastus.reproduce.experiment import Agreement, Experiment, Film, Finding, Setting

HEADS = ("r_BIClong", "r_BICshort")
LOFT = Loft(slabs=10, around=12, rings=2)
ALONG, AROUND = (100, 72), (200, 144)  # points of the fine surface, quick and full
RIDGE = 0.03  # of the radius, how high its ridges are
SHORT = 0.85  # of the rest length, to which the heads contract
FRAMES, FPS = (16, 32), 16.0
KEPT = 0.02  # by how much a volume may change
VIEW = (0.15, 0.8, 0.58)  # the way to the camera


@dataclass(frozen=True, eq=False)
class Embedding:
    """A fine surface in tets: the tet (k,) of each vertex and its weights (k, 4)."""

    surface: Surface
    tets: Ints
    weights: Floats
    outside: Floats  # (k,) [m] from the tets, of vertices that lie in none

    def followed(self, mesh: TetMesh, x: Floats) -> Surface:
        """The surface where vertices of the tets are at x (n, 3) [m]."""
        X = np.einsum("ka,kai->ki", self.weights, x[mesh.T[self.tets]])
        return Surface(X, self.surface.faces)


@dataclass(frozen=True, eq=False)
class Contraction:
    """A belly from rest to contracted: levels (2,), tensions [N], shapes and volumes."""

    levels: tuple[float, float]
    force: Floats
    x: Floats
    tets: float  # [m^3]
    fine: float  # [m^3]
    widest: float  # [m] across


def run(setting: Setting) -> Finding:
    """Contract both heads of the biceps, and one alone."""
    belly = biceps()
    surface = fine_surface(belly, *(ALONG if not setting.full else AROUND))
    embedded = embed(belly.mesh, surface)
    bellies = Bellies([belly])
    rest = belly.units[0].optimal, belly.units[1].optimal
    wanted = [(1.0, (0.0, 0.0)), (SHORT, (1.0, 1.0)), (SHORT, (1.0, 0.1))]
    found = []
    for scale, levels in wanted:
        setting.note(f"activations {levels[0]:g} and {levels[1]:g}")
        found.append(contracted(bellies.copy(), embedded, scale * np.array(rest), levels))
    setting.note("pictures and film")
    return Finding(
        agreement=agreement(embedded, found),
        sentence=sentence(belly, embedded, found),
        tables=(_table(found),),
        figure=_drawn(_pictures(belly, embedded, found), belly),
        caption="(a) A fine surface, (b) tets, (c) the surface that follows (d) the tets at full "
        "activation of both heads, shortened to 0.85 of their rest length; right: one head alone. "
        "Tets and surface are the redder the more active they are. The film shows the surface from "
        "rest to full activation.",
        film=Film(_film(belly, embedded, FRAMES[setting.full]), FPS),
    )


def biceps() -> Belly:
    """The biceps of the built-in body: one volume, two units with an end each."""
    body = juggler()
    units = [body.unit(name) for name in HEADS]
    motors = tuple(MotorUnit(u.name, u.force, u.optimal, speed=u.speed) for u in units)
    width = 2.0 * float(np.sqrt(sum(u.area for u in units) / np.pi / 0.55))
    return tube(motors, width=width, loft=LOFT)


def fine_surface(belly: Belly, along: int, around: int) -> Surface:
    """A closed surface with ridges along the fibres, which leaves the tets a little."""
    X = belly.mesh.X.reshape(LOFT.slabs + 1, -1, 3)
    ring = X[:, -LOFT.around :]  # outermost
    angle = 2 * np.pi * np.arange(around) / around
    known = 2 * np.pi * np.arange(LOFT.around + 1) / LOFT.around
    ends = np.append(ring[-1, :, 0], ring[-1, 0, 0])
    length = np.interp(angle, known, ends)
    s = np.linspace(0.0, 1.0, along)
    middle = float(np.linalg.norm(ring[LOFT.slabs // 2, :, 1:], axis=1).max())
    peak = float(LOFT.radius(np.array([0.5]))[0])
    radius = middle / peak * LOFT.radius(s)[:, None] * np.cos(np.pi / LOFT.around)
    radius = radius * (1.0 + RIDGE * np.sin(np.pi * s)[:, None] * np.cos(18 * angle))
    P = np.stack([s[:, None] * length, radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    caps = np.array([[0.0, 0.0, 0.0], [float(length.mean()), 0.0, 0.0]])
    return Surface(np.concatenate([P.reshape(-1, 3), caps]), _faces(along, around))


def _faces(along: int, around: int) -> Ints:
    ring = np.arange(around)
    beside = (ring + 1) % around
    found = []
    for first in around * np.arange(along - 1):
        near, far = first, first + around
        found.append(np.column_stack([near + ring, near + beside, far + ring]))
        found.append(np.column_stack([near + beside, far + beside, far + ring]))
    last, cap = around * (along - 1), around * along
    found.append(np.column_stack([np.full(around, cap), beside, ring]))
    found.append(np.column_stack([np.full(around, cap + 1), last + ring, last + beside]))
    return np.concatenate(found)


def embed(mesh: TetMesh, surface: Surface) -> Embedding:
    """The surface in tets; vertices outside belong to the nearest, with negative weights."""
    tets = locate(mesh, surface.X).tets.copy()
    lost = np.flatnonzero(tets < 0)
    outside = np.zeros(len(tets))
    if len(lost):
        skin, _ = boundary_surface(mesh)
        near = nearest_on_surface(skin, surface.X[lost])
        tets[lost], outside[lost] = mesh.boundary_tets[near.faces], near.distances
    offset = surface.X - mesh.centroids[tets]
    weights = 0.25 + np.einsum("kai,ki->ka", mesh.gradients[tets], offset)
    return Embedding(surface, tets, weights, outside)


def contracted(
    bellies: Bellies, embedded: Embedding, length: Floats, levels: tuple[float, float]
) -> Contraction:
    """The belly at lengths (2,) [m] and levels, from rest on in steps."""
    mesh = bellies.bellies[0].mesh
    rest, still, end = bellies.layout.optimal, np.zeros(2), np.array(levels)
    for part in np.linspace(0.0, 1.0, 9):
        pull = bellies.forces(rest + part * (length - rest), still, part * end)
    x = bellies.vertices(0)
    fine = embedded.followed(mesh, x)
    across = float(2 * np.linalg.norm(fine.X[:, 1:], axis=1).max())
    whole = TetMesh(x, mesh.T).volumes.sum()
    return Contraction(levels, pull.force, x, float(whole), abs(fine.volume), across)


def agreement(embedded: Embedding, found: Sequence[Contraction]) -> Agreement:
    """Whether few vertices are outside, and tets and surface bulge and keep their volume."""
    rest, both, _ = found
    return Agreement.of(
        float((embedded.outside > 0).mean()) < 0.5,
        abs(both.tets / rest.tets - 1) < KEPT and abs(both.fine / rest.fine - 1) < KEPT,
        both.widest > rest.widest,
    )


def sentence(belly: Belly, embedded: Embedding, found: Sequence[Contraction]) -> str:
    """What was made and how it follows."""
    rest, both, one = found
    out = embedded.outside
    return (
        f"The biceps is one volume of {belly.mesh.n_tets:,} tets ({paper.TETS:,} in the paper, "
        f"about) with two motor units; {len(out):,} vertices of a fine surface follow it by "
        f"barycentric weights. Of these {float((out > 0).mean()):.0%} lie outside all tets, by at "
        f"most {1e3 * out.max():.1f} mm, and belong to the nearest. At full activation and "
        f"{SHORT:g} of the rest length the heads pull with {both.force[0]:.0f} and "
        f"{both.force[1]:.0f} N; the surface is {100 * (both.widest / rest.widest - 1):.0f} % "
        f"wider, and its volume changes by {100 * (both.fine / rest.fine - 1):+.1f} %, that of the "
        f"tets by {100 * (both.tets / rest.tets - 1):+.1f} %. With the second head at 0.1 it pulls "
        f"with {one.force[1]:.0f} N, and the first with {one.force[0]:.0f} N."
    )


def _table(found: Sequence[Contraction]) -> Table:
    columns = ("activations", "long head [N]", "short head [N]", "volume of tets [cm³]",
               "of the surface [cm³]", "widest [mm]")  # fmt: skip
    rows = [
        (f"{c.levels[0]:g}, {c.levels[1]:g}", float(c.force[0]), float(c.force[1]), 1e6 * c.tets,
         1e6 * c.fine, 1e3 * c.widest)
        for c in found
    ]  # fmt: skip
    return Table("The biceps as one volume", columns, rows)


def _colours(belly: Belly, tets: Ints, levels: tuple[float, float]) -> Floats:
    by_unit = np.array([muscle_colour(level) for level in levels])
    return np.asarray(by_unit[belly.unit[tets]])


def _pictures(belly: Belly, embedded: Embedding, found: Sequence[Contraction]) -> list[Image]:
    """Surface and tets at rest, surface and tets contracted, tets with one head active."""
    mesh, panels = belly.mesh, []
    view = view_toward(np.array(VIEW), np.array([0.0, 0.0, 1.0]))
    window = window_around(np.concatenate([c.x for c in found]), view, 0.04)
    rest, both, one = found
    for fine, each in ((True, rest), (False, rest), (True, both), (False, both), (False, one)):
        if fine:
            shown = embedded.followed(mesh, each.x)
            rgb = _colours(belly, embedded.tets[shown.faces[:, 0]], each.levels)
            shape = surface_shape(shown.X, shown.faces, rgb)
        else:
            rgb = _colours(belly, mesh.boundary_tets, each.levels)
            shape = surface_shape(each.x, mesh.boundary, rgb, edges=True)
        panels.append(Panel([shape], window))
    return [rendered.image for rendered in render_panels(panels, 300)]


def _film(belly: Belly, embedded: Embedding, count: int) -> list[Image]:
    bellies, mesh = Bellies([belly]), belly.mesh
    rest, panels = bellies.layout.optimal, []
    view = view_toward(np.array(VIEW), np.array([0.0, 0.0, 1.0]))
    window = window_around(embedded.surface.X, view, 0.12)
    for part in np.sin(np.linspace(0.0, np.pi / 2, count)) ** 2:
        bellies.forces(rest * (1 - (1 - SHORT) * part), np.zeros(2), np.full(2, part))
        shown = embedded.followed(mesh, bellies.vertices(0))
        level = (float(part), float(part))
        rgb = _colours(belly, embedded.tets[shown.faces[:, 0]], level)
        panels.append(Panel([surface_shape(shown.X, shown.faces, rgb)], window))
    images = [rendered.image for rendered in render_panels(panels, 360)]
    return [*images, *images[::-1]]


def _drawn(pictures: Sequence[Image], belly: Belly) -> Any:
    made, axes = style.mosaic("abx;cde", width=4.4, height=2.4)
    axes["x"].set_axis_off()
    titles = {
        "a": "(a) fine surface", "b": f"(b) {belly.mesh.n_tets:,} tets",
        "c": "(c) surface, both heads active", "d": "(d) tets, both heads active",
        "e": "tets, long head active",
    }  # fmt: skip
    for (letter, title), pixels in zip(titles.items(), pictures, strict=True):
        style.picture(axes[letter], pixels, title)
    return made


EXPERIMENT = Experiment(
    "fig5",
    "Fig. 5: muscle modelling and rendering",
    "Muscles are tetrahedralised, the largest in about a thousand tets, and may hold several motor "
    "units. A fine surface follows the tets by barycentric coordinates; vertices outside are "
    "mapped to the nearest tet.",
    run,
    (0.4, 0.8),
)
