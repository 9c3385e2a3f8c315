"""Fig. 8: the quality of the skin's triangles, beside those of the surfaces it is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vastus.files.html import Table
from vastus.flesh.parts import FleshParts
from vastus.geometry.lattice.remeshing import aspects
from vastus.geometry.surface import Surface
from vastus.numerics.types import Floats
from vastus.pictures.colours import RELAXED, SKIN
from vastus.pictures.panels import surface_shape
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import FRONT, seen
from vastus.reproduce.upper_body.tissue.flesh import SPACING, upper_parts, upper_solver

HEIGHT = (420, 800)
ORIGIN = np.array([0.08, 0.0, 0.0])  # [m] beside the middle, before the chest
WIDTH = 0.14  # [m] of what is seen


@dataclass(frozen=True, eq=False)
class Quality:
    """Triangles (k,): the longest side over the smallest height, and the longest side [m].

    `edges` is the longest of all sides over the shortest.
    """

    aspect: Floats
    size: Floats
    edges: float


def run(setting: Setting) -> Finding:
    """Measure triangles."""
    setting.note("building flesh")
    skin, parts = upper_solver(SPACING[setting.full]).flesh.skin.surface, upper_parts()
    ours, raw = quality(skin), quality(joined(parts))
    setting.note("pictures")
    return Finding(
        agreement=agreement(ours, raw),
        sentence=sentence(ours, raw),
        tables=(_table(ours, raw),),
        figure=_drawn(ours, raw, _pictures(parts, skin, HEIGHT[setting.full])),
        caption="Left: surfaces of bones and muscles before the chest, and the skin over them. "
        "Right: the longest side of a triangle over its smallest height, which is 1.15 if all "
        "sides are equal.",
    )


def quality(surface: Surface) -> Quality:
    """What the triangles of a surface are like; those without area are as bad as can be."""
    corners = surface.X[surface.faces]
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    aspect = aspects(surface.X, surface.faces)
    return Quality(aspect, sides.max(axis=1), float(sides.max() / max(sides.min(), 1e-12)))


def joined(parts: FleshParts) -> Surface:
    """All surfaces that the skin is made from, as one."""
    every = [part.surface for part in parts.bones]
    every += [part.surface for part in parts.muscles]
    every += [part.surface for part in parts.others]
    first = np.cumsum([0, *(surface.n_vertices for surface in every[:-1])])
    faces = [surface.faces + start for surface, start in zip(every, first, strict=True)]
    return Surface(np.concatenate([surface.X for surface in every]), np.concatenate(faces))


def agreement(ours: Quality, raw: Quality) -> Agreement:
    """Whether the worst triangle is as good as the paper's, and 99 % are better than was given."""
    most = [float(np.quantile(each.aspect, 0.99)) for each in (ours, raw)]
    return Agreement.of(bool(ours.aspect.max() <= paper.ASPECT), most[0] < most[1])


def sentence(ours: Quality, raw: Quality) -> str:
    """How good triangles are."""
    return (
        f"The skin has {len(ours.aspect):,} triangles of {1e3 * ours.size.mean():.1f} mm on the "
        f"mean. The longest side over the smallest height is {ours.aspect.max():.3g} at most, "
        f"{np.quantile(ours.aspect, 0.99):.1f} for 99 % and {np.median(ours.aspect):.2f} on the "
        f"median; the longest of all sides over the shortest is {ours.edges:.3g}. Surfaces of "
        f"bones and muscles that it is made from have {raw.aspect.max():.3g}, "
        f"{np.quantile(raw.aspect, 0.99):.1f} and {np.median(raw.aspect):.2f}, and "
        f"{raw.edges:.3g}. The paper's bought skin had {paper.RAW_ASPECT:g} and more than 1000; "
        f"its own has {paper.ASPECT:g} at most."
    )


def _table(ours: Quality, raw: Quality) -> Table:
    columns = ("what", "skin", "bones and muscles", "paper: skin", "paper: raw")
    rows = [
        ("triangles", len(ours.aspect), len(raw.aspect), paper.SKIN_TRIANGLES, None),
        ("aspect, largest", float(ours.aspect.max()), float(raw.aspect.max()), paper.ASPECT,
         paper.RAW_ASPECT),
        ("aspect, 99 %", float(np.quantile(ours.aspect, 0.99)),
         float(np.quantile(raw.aspect, 0.99)), None, None),
        ("aspect, median", float(np.median(ours.aspect)), float(np.median(raw.aspect)), None, None),
        ("longest side of all over shortest", ours.edges, raw.edges, None, "above 1000"),
        ("longest side of a triangle, mean [mm]", 1e3 * float(ours.size.mean()),
         1e3 * float(raw.size.mean()), "4 to 5", None),
    ]  # fmt: skip
    return Table("Triangles", columns, rows)


def _pictures(parts: FleshParts, skin: Surface, height: int) -> list[Image]:
    """A piece of the chest: what is given, and the skin."""
    high = next(bone.surface for bone in parts.bones if bone.carrier == "sternum").X
    middle = ORIGIN + np.array([0.0, high[:, 1].min(), high[:, 2].mean()])
    window = middle + WIDTH / 2 * np.array([[-1, 0, -1], [1, 0, 1]])
    out = []
    for surface, colour in ((joined(parts), RELAXED), (skin, SKIN)):
        shape = surface_shape(surface.X, surface.faces, colour, edges=True)
        out += seen([shape], window, height, sides=(FRONT,))
    return out


def _drawn(ours: Quality, raw: Quality, pictures: Sequence[Image]) -> Any:
    made, axes = style.mosaic("abH", width=4.2, height=4.0)
    style.picture(axes["a"], pictures[0], "bones and muscles")
    style.picture(axes["b"], pictures[1], "skin")
    bins = np.geomspace(1.0, max(float(raw.aspect.max()), float(ours.aspect.max()), 10.0), 50)
    for each, colour, name in ((raw, style.RED, "bones and muscles"), (ours, style.BLUE, "skin")):
        weights = np.full(len(each.aspect), 100.0 / len(each.aspect))
        axes["H"].hist(each.aspect, bins=bins, weights=weights, color=colour, alpha=0.6, label=name)
    axes["H"].axvline(paper.ASPECT, color=style.INK, ls=":", lw=1.2, label="paper, at most")
    axes["H"].set_xscale("log")
    axes["H"].set_yscale("log")
    style.label(axes["H"], "longest side over smallest height", "", "% of triangles")
    style.legend(axes["H"], loc="upper right")
    return made


EXPERIMENT = Experiment(
    "fig8",
    "Fig. 8: triangles of the skin",
    "The bought skin had slivers of up to 60:1. Made again from a level set it has 302,000 "
    "triangles of 4 to 5 mm, none worse than 3.8:1.",
    run,
    (0.3, 0.5),
)
