"""Fig. 2: the skeleton, its bodies and its degrees of freedom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.spatial import KDTree

from vastus.bodies.upper.joint_table import BodyRow, Totals, totals
from vastus.files.html import Table
from vastus.geometry.surface import Surface
from vastus.pictures.panels import surface_shape
from vastus.pictures.renderer import Image
from vastus.reproduce import style
from vastus.reproduce.experiment import Agreement, Experiment, Finding, Setting
from vastus.reproduce.upper_body import paper
from vastus.reproduce.upper_body.body import NAMES, seen, upper_body

NEAR = 0.006  # [m] between bones of two bodies that are neighbours
COLOURS = np.array(
    [(0.90, 0.62, 0.36), (0.42, 0.62, 0.86), (0.56, 0.76, 0.47), (0.86, 0.47, 0.50),
     (0.66, 0.54, 0.80), (0.93, 0.84, 0.45), (0.45, 0.76, 0.74), (0.78, 0.66, 0.56)]
)  # fmt: skip
HEIGHT = (520, 900)


def run(setting: Setting) -> Finding:
    """Count bodies and joints, and draw them."""
    body = upper_body()
    near = neighbours(body.rows, body.bones)
    colour = coloured(near)
    setting.note("pictures")
    found = totals(body.rows)
    return Finding(
        agreement=agreement(found),
        sentence=sentence(found, near, len(body.bones)),
        tables=(_table(found), _kinds(body.rows)),
        figure=_drawn(_pictures(body.rows, body.bones, colour, HEIGHT[setting.full])),
        caption="The skeleton. Bones of one colour that touch are one rigid body; bodies that "
        "touch have different colours.",
    )


def neighbours(rows: Sequence[BodyRow], bones: Mapping[str, Surface]) -> list[set[int]]:
    """For each body the others whose bones come near."""
    points = [np.concatenate([bones[name].X for name in row.bones]) for row in rows]
    owner = np.repeat(np.arange(len(rows)), [len(X) for X in points])
    pairs = KDTree(np.concatenate(points)).query_pairs(NEAR, output_type="ndarray")
    touching = np.unique(np.sort(owner[pairs], axis=1), axis=0)
    out: list[set[int]] = [set() for _ in rows]
    for a, b in touching[touching[:, 0] != touching[:, 1]].tolist():
        out[a].add(b)
        out[b].add(a)
    return out


def coloured(near: Sequence[set[int]]) -> list[int]:
    """A colour for each body that none of its neighbours has; the least used one of those."""
    colour = [-1] * len(near)
    for k in sorted(range(len(near)), key=lambda k: -len(near[k])):
        taken = {colour[n] for n in near[k]}
        free = [c for c in range(len(COLOURS)) if c not in taken]
        colour[k] = min(free, key=colour.count)
    return colour


def agreement(found: Totals) -> Agreement:
    """Whether bodies and degrees of freedom are as many as the paper's."""
    return Agreement.of(
        found.bodies == paper.BODIES, found.dofs == paper.DOFS, found.trunk == paper.TRUNK_DOFS
    )


def sentence(found: Totals, near: Sequence[set[int]], bones: int) -> str:
    """What there is."""
    return (
        f"{found.bodies} bodies and {found.dofs} degrees of freedom, {found.trunk} of them in "
        f"head, neck and trunk; the paper has {paper.BODIES}, {paper.DOFS} and "
        f"{paper.TRUNK_DOFS}. {bones} surfaces of bones and discs hang on the bodies. Muscles "
        f"drive {found.driven} degrees of freedom, {found.passive} follow. A body touches "
        f"up to {max(len(n) for n in near)} others. The paper does not say how the joints "
        "are shared out: sternum, cartilages, jaw, hyoid and thyroid are ours."
    )


def _table(found: Totals) -> Table:
    rows = [
        ("bodies", found.bodies, paper.BODIES),
        ("degrees of freedom", found.dofs, paper.DOFS),
        ("of head, neck and trunk", found.trunk, paper.TRUNK_DOFS),
        ("driven by muscles", found.driven, None),
        ("passive", found.passive, None),
    ]
    return Table("Bodies and degrees of freedom", ("what", "here", "paper"), rows)


def _kinds(rows: Sequence[BodyRow]) -> Table:
    """Bodies by what they are."""
    kinds = {
        "vertebrae": [r for r in rows if r.name[0] in "CTL" and r.name[1:].isdigit()],
        "skull, jaw, hyoid, thyroid": [r for r in rows
                                       if r.name in ("skull", "jaw", "hyoid", "thyroid")],
        "ribs 1 to 10": [r for r in rows if r.name.startswith("rib")],
        "sternum and cartilages": [r for r in rows if r.name.startswith(("sternum", "cart"))],
        "clavicles with scapulae": [r for r in rows if r.name.startswith("clavicle")],
        "arms": [r for r in rows if r.arm],
        "pelvis": [r for r in rows if r.name == "pelvis"],
    }  # fmt: skip
    counts = [(name, len(own), sum(len(r.joints) for r in own)) for name, own in kinds.items()]
    return Table("How they are shared out", ("bodies", "number", "degrees of freedom"), counts)


def _pictures(
    rows: Sequence[BodyRow], bones: Mapping[str, Surface], colour: Sequence[int], height: int
) -> list[Image]:
    shapes = [
        surface_shape(bones[name].X, bones[name].faces, COLOURS[c])
        for row, c in zip(rows, colour, strict=True)
        for name in row.bones
    ]
    return seen(shapes, np.concatenate([bone.X for bone in bones.values()]), height)


def _drawn(pictures: Sequence[Image]) -> Any:
    made, plots = style.figure(3, width=4.2, height=5.6)
    for axes, pixels, name in zip(plots, pictures, NAMES, strict=True):
        style.picture(axes, pixels, name)
    return made


EXPERIMENT = Experiment(
    "fig2",
    "Fig. 2: the skeleton",
    "Most articular bones are bodies of their own: 68 with 147 degrees of freedom, 133 of which "
    "are in head, neck and trunk. Ribs turn, cartilages are tied to them by springs, and "
    "neighbouring bones of one colour are one rigid body.",
    run,
    (0.2, 0.4),
)
