"""What the picture of the fibres shows: lines that follow them, spread over each muscle."""

from __future__ import annotations

import numpy as np

from vastus.io.build_colours import PALE, RED, muscle_colours
from vastus.io.build_scenes import flesh_views, part_solid
from vastus.io.easel import Thing, threads
from vastus.io.lettering import Entry
from vastus.io.sheet import Sheet
from vastus.io.skin import BONE
from vastus.model import Model
from vastus.modelling.alignment import aligned
from vastus.modelling.anatomy.body import Body
from vastus.modelling.fibre_lines import fibre_lines
from vastus.modelling.fibres import ill_directed
from vastus.numerics.types import Floats, Ints

LINES, FEWEST = 800, 40  # over all muscles; in each


def fibres_sheet(body: Body, model: Model, up: Floats) -> Sheet:
    """Lines along the fibres of all muscles of the final model."""
    bones = model.tissue == BONE
    things = [part_solid(model.mesh, bones, PALE, glassy=True)] if bones.any() else []
    entries = []
    colours = muscle_colours(body.parts)
    for i in np.unique(model.muscle_of_tet[model.muscle_of_tet >= 0]):
        muscle, tets = model.muscles[i].name, np.flatnonzero(model.muscle_of_tet == i)
        lines, rgb = fibre_lines(model, muscle, _share(model, tets)), colours.get(muscle, RED)
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


def _lines(lines: list[Floats], rgb: Floats) -> Thing:
    # In several shades, so that lines side by side are told apart.
    shades = np.linspace(0.55, 1.1, 7)[3 * np.arange(len(lines)) % 7]
    return threads(lines, shades[:, None] * rgb, width=2.5)


def _text(model: Model, muscle: str, tets: Ints, count: int) -> str:
    fibre = aligned(model.mesh.submesh(tets)[0], model.fibre[tets])
    off = ill_directed(model.mesh, tets, fibre)
    return f"{muscle}: {count} lines, {off:.1%} of {len(tets)} tets' volume ill-directed"
