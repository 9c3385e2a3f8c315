"""A bare model from parts, regions, muscles, bones and fibres, if its mesh is not too fine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, log10

import numpy as np

from vastus.cache import Log
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.model import Model, Muscle
from vastus.modelling.surfaces.body_parts import Part
from vastus.modelling.surfaces.decisions import ENDS, courses, decided
from vastus.modelling.surfaces.mesher import label, tets_needed
from vastus.modelling.surfaces.pipeline import SIZE, Flesh, Joined, Plan, fleshed, joined, meshed
from vastus.modelling.surfaces.widths import with_envelope
from vastus.modelling.tissues import bone_region, usual_laws
from vastus.muscle import belly_of
from vastus.numerics.types import Ints
from vastus.parts import Bone, Region, Tissue, Volume

MOST_TETS = 5_000_000
# Envelopes, of the diagonal: a narrower one the mesher never fits, a wider one swallows parts.
_NARROWEST, _WIDEST = 1e-5, 0.05


def require_meshable(parts: Sequence[Part], plan: Plan) -> None:
    """Refuse lengths that the mesher cannot make anything of, before it tries."""
    X = np.concatenate([part.surface.X for part in parts])
    diagonal = float(np.linalg.norm(np.ptp(X, axis=0)))
    usual = plan.size or SIZE * diagonal
    _require_short(parts, usual, diagonal)
    _require_narrow(plan.envelope, diagonal)
    _require_few_tets(parts, usual)


def _require_short(parts: Sequence[Part], usual: float, diagonal: float) -> None:
    own = [(part.size, f"of part '{part.name}' ") for part in parts if part.size]
    for size, who in [(usual, ""), *own]:
        if size >= diagonal:
            raise ModelError(
                f"the 'size' {who}is {size:.3g} m, but all parts together are {diagonal:.3g} m "
                f"across; an edge of {diagonal * SIZE:.1g} m would do, or check 'units'"
            )


def _require_narrow(envelope: float | None, diagonal: float) -> None:
    low, high = _NARROWEST * diagonal, _WIDEST * diagonal
    if envelope is not None and not low <= envelope <= high:
        raise ModelError(
            f"the 'envelope' is {envelope:.3g} m, but {low:.2g} to {high:.2g} m is right for parts "
            f"that together are {diagonal:.3g} m across"
        )


def _require_few_tets(parts: Sequence[Part], usual: float) -> None:
    counts = [float(tets_needed(part.surface, part.size or usual)) for part in parts]
    if sum(counts) <= MOST_TETS:
        return
    worst = parts[int(np.argmax(counts))]
    size = worst.size or usual
    same = [part is worst if worst.size else not part.size for part in parts]
    others = sum(count for count, mine in zip(counts, same, strict=True) if not mine)
    surfaces = [part.surface for part, mine in zip(parts, same, strict=True) if mine]
    better = _enough(surfaces, size, max(MOST_TETS - others, MOST_TETS / 10))
    who = f"part '{worst.name}'" if worst.size else "the parts"
    raise ModelError(
        f"{who} would have about {sum(counts) - others:.1e} tets with the 'size' {size:.3g} m, but "
        f"at most {MOST_TETS / 1e6:g} million can be made of all parts; {better:.2g} m would do"
    )


def _enough(surfaces: Sequence[Surface], size: float, room: float) -> float:
    """The least size [m], to two digits, at which surfaces have no more tets than there is room."""
    asked = sum(float(tets_needed(surface, size)) for surface in surfaces)
    sizes = size * np.geomspace(1, 1.01 * max(1.0, asked / room) ** 0.5, 2000)
    counts = np.sum([tets_needed(surface, sizes) for surface in surfaces], axis=0)
    least = float(sizes[int(np.argmax(counts <= room))])
    digit = 10.0 ** (floor(log10(least)) - 1)
    return float(np.ceil(least / digit) * digit)


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
    found = log.run(ENDS, courses, parts, plan)
    parts = decided(parts, found)
    plan = with_envelope(plan, parts, found)
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
        volume=Volume.AVERAGED,
    )
    return Body(_with_volumes(model, made), tuple(parts), made, flesh)


def _with_volumes(model: Model, made: Joined) -> Model:
    """The model whose muscles have the volumes from before the clearance took some of it."""
    muscles = []
    for index, muscle in enumerate(model.muscles):
        tets = belly_of(model, index)
        before, after = (float(v[tets].sum()) for v in (made.volumes, model.mesh.volumes))
        lost = before - after > 1e-9 * before
        muscles.append(replace(muscle, volume=before) if lost else muscle)
    return model.with_(muscles=tuple(muscles))


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
