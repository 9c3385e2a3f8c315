"""What the picture of the fibres shows: lines that follow them, spread over each muscle."""

from __future__ import annotations

import numpy as np

from vastus.geometry.tetmesh import TetMesh
from vastus.io.build_colours import PALE, RED, muscle_colours
from vastus.io.build_scenes import flesh_views, part_solid
from vastus.io.easel import Thing, threads
from vastus.io.lettering import Entry
from vastus.io.sheet import Sheet
from vastus.io.skin import BONE
from vastus.model import Model
from vastus.modelling.alignment import aligned
from vastus.modelling.anatomy.body import Body
from vastus.modelling.fibres import ill_directed
from vastus.modelling.streamlines import streamlines
from vastus.numerics.types import Floats, Ints

LINES, FEWEST = 800, 40  # over all muscles; in each
_NO_GOAL = np.zeros(0, np.int64)


def fibres_sheet(body: Body, model: Model, up: Floats) -> Sheet:
    """Lines along the fibres of all muscles of the final model."""
    bones = model.tissue == BONE
    things = [part_solid(model.mesh, bones, PALE, glassy=True)] if bones.any() else []
    entries = []
    colours = muscle_colours(body.parts)
    for i in np.unique(model.muscle_of_tet[model.muscle_of_tet >= 0]):
        muscle, tets = model.muscles[i].name, np.flatnonzero(model.muscle_of_tet == i)
        lines, rgb = fibre_lines(model, tets, _share(model, tets)), colours.get(muscle, RED)
        things += [_lines(lines, rgb)] if lines else []
        entries.append(Entry(0, rgb, _text(model, muscle, tets, len(lines))))
    head = [
        "5 Fibres: lines along the fibres, from seeds spread over each muscle",
        "a fibre is ill-directed if it is more than 45 degrees off its surroundings",
    ]
    return Sheet(head, flesh_views(things, body, up), entries)


def _share(model: Model, tets: Ints) -> int:
    """How many lines a muscle gets: as many as its volume is of all muscles."""
    volumes = model.mesh.volumes
    return int(max(FEWEST, LINES * volumes[tets].sum() / volumes[model.muscle_of_tet >= 0].sum()))


def fibre_lines(model: Model, tets: Ints, count: int) -> list[Floats]:
    """At most `count` lines, each of points (s, 3) [m], through tets chosen by their volume."""
    part, _ = model.mesh.submesh(tets)
    field = aligned(part, model.fibre[tets])
    weight = part.volumes * field.any(axis=1)
    if not weight.any():
        return []
    middle = (np.arange(count) + 0.5) / count * weight.sum()
    # Sorted along the longest extent, so that equal steps of volume spread over the muscle.
    order = np.argsort(part.centroids[:, int(np.argmax(np.ptp(part.X, axis=0)))], kind="stable")
    seeds = np.unique(order[np.searchsorted(np.cumsum(weight[order]), middle)])
    back, forth = (_traced(part, sign * field, seeds) for sign in (-1.0, 1.0))
    lines = [np.concatenate([b[:0:-1], f]) for b, f in zip(back, forth, strict=True)]
    return [line for line in lines if len(line) > 1]


def _traced(part: TetMesh, field: Floats, seeds: Ints) -> list[Floats]:
    """Lines from the seeds until they leave the muscle or stall."""
    points = streamlines(part, field, seeds, _NO_GOAL).points.transpose(1, 0, 2)
    moves = (np.diff(points, axis=1) != 0).any(axis=2)
    ends = np.where(moves.any(axis=1), moves.shape[1] - np.argmax(moves[:, ::-1], axis=1), 0)
    return [line[: end + 1] for line, end in zip(points, ends, strict=True)]


def _lines(lines: list[Floats], rgb: Floats) -> Thing:
    # In several shades, so that lines side by side are told apart.
    shades = np.linspace(0.55, 1.1, 7)[3 * np.arange(len(lines)) % 7]
    return threads(lines, shades[:, None] * rgb, width=2.5)


def _text(model: Model, muscle: str, tets: Ints, count: int) -> str:
    fibre = aligned(model.mesh.submesh(tets)[0], model.fibre[tets])
    off = ill_directed(model.mesh, tets, fibre)
    return f"{muscle}: {count} lines, {off:.1%} of {len(tets)} tets' volume ill-directed"
