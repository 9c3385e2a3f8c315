"""A bare model from parts: regions, muscles, bones and fibres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vastus.model import Bone, Model, Muscle, Region, Tissue
from vastus.modelling.anatomy.fineness import require_meshable
from vastus.modelling.anatomy.label import label
from vastus.modelling.anatomy.parts import Part
from vastus.modelling.anatomy.pipeline import Flesh, Joined, Plan, fleshed, joined, meshed
from vastus.modelling.anatomy.steps import Log
from vastus.modelling.tissues import bone_region, usual_laws
from vastus.numerics.types import Ints


@dataclass(frozen=True, eq=False)
class Body:
    """A model, the parts it was made of, and what was decided on the way."""

    model: Model
    parts: tuple[Part, ...]
    made: Joined
    flesh: Flesh


def body_of(parts: Sequence[Part], plan: Plan, log: Log, name: str = "body") -> Body:
    """The body that parts [m] make: each bone part a bone, each muscle a muscle."""
    require_meshable(parts, plan)
    mesh = meshed(parts, plan, log)
    labels = log.run("labels", label, mesh, parts)
    made = log.run("attachments", joined, mesh, labels, parts, plan)
    flesh = log.run("fibres", fleshed, made, parts)
    regions, region = _regions(parts, made.given, flesh.tendon)
    model = Model(
        mesh=made.body.mesh,
        region=region,
        regions=regions,
        fibre=flesh.fibre,
        muscles=tuple(Muscle(m) for m in dict.fromkeys(p.muscle for p in parts if p.muscle)),
        bones=tuple(Bone(part.name, (part.name,)) for part in parts if part.bony),
        name=name,
    )
    return Body(model, tuple(parts), made, flesh)


def _regions(
    parts: Sequence[Part], labels: Ints, tendon: np.ndarray
) -> tuple[tuple[Region, ...], Ints]:
    """A region for each part, and one for the tendon of each muscle; and the region of each tet."""
    regions: list[Region] = []
    region = np.zeros(len(labels), np.int64)
    for i, part in enumerate(parts):
        mine = labels == i
        region[mine] = len(regions)
        regions.append(_region(part, part.tissue, part.name))
        if part.tissue is Tissue.MUSCLE and (mine & tendon).any():
            region[mine & tendon] = len(regions)
            regions.append(_region(part, Tissue.TENDON, f"{part.name} tendon"))
    return tuple(regions), region


def _region(part: Part, tissue: Tissue, name: str) -> Region:
    if tissue is Tissue.BONE:
        return bone_region(name)
    return Region(name, tissue, usual_laws(tissue), muscle=part.muscle)
