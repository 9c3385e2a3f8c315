"""Bodies drawn as fields [mm]: bones and muscles in tables, built with about so many tets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from vastus.cache import Log, Store
from vastus.geometry.surface import Surface
from vastus.model import Model
from vastus.modelling.shapes.assembly import check_tets
from vastus.modelling.shapes.implicit import Field, surface_of, within
from vastus.modelling.shapes.strands import MuscleShape, PosedMuscle, posed, trimmed
from vastus.modelling.surfaces.body_parts import Ends, Part
from vastus.modelling.surfaces.mesher import tets_needed
from vastus.modelling.surfaces.pipeline import Plan
from vastus.modelling.surfaces.surface_model import body_of
from vastus.parts import Bone, Drive, Region, Tissue
from vastus.skeleton.joints import Joint

Corner = tuple[float, float, float]

CELL = 2.0  # [mm] of the lattice on which a field becomes a surface
MARGIN = 5.0  # [mm] around a bone, beyond which it trims nothing
_GAP = 0.004  # [m] that attachments bridge
_ENVELOPE = 0.002  # [m] thin tendons survive it, and it is quick
_LARGEST, _SMALLEST = 0.2, 0.0005  # [m] edges of tets
_PER_NEEDED = 0.7  # tets in the parts over what `tets_needed` says, measured on the upper arm


@dataclass(frozen=True)
class BoneShape:
    """A bone as a field that lies in a box from a low to a high corner [mm]."""

    field: Callable[[], Field]
    box: tuple[Corner, Corner]
    faces: int = 2500


@dataclass(frozen=True)
class Drawing:
    """A body by its tables: how muscles are fixed, which bones move as one, and what holds them.

    `bodies` are the bones by body, `masses` [kg] what bodies weigh with the flesh around them that
    is not modelled. `heads` are muscles by part where several parts are activated together, and
    muscles of one compartment of `fascia` are grown together where they touch. Bones that are
    `coarse` have edges longer by a factor. Other muscles that touch get a `clearance` [m]. What is
    within a `gap` [m] of a muscle and of its bone is filled: more of it frays an end that stands on
    its bone as a post does, and the edge of a sheet that lies on it, so muscles may have `gaps` of
    their own. Surfaces are kept to within an `envelope` [m]. `share` corrects the number of tets,
    as measured.
    """

    name: str
    muscles: Mapping[str, MuscleShape]
    bodies: Mapping[str, tuple[str, ...]]
    pinned: tuple[str, ...]
    joints: tuple[Joint, ...]
    masses: Mapping[str, float] = field(default_factory=dict)
    heads: Mapping[str, str] = field(default_factory=dict)
    fascia: Mapping[str, str] = field(default_factory=dict)
    coarse: Mapping[str, float] = field(default_factory=dict)
    clearance: float = Plan.clearance
    gap: float = _GAP
    gaps: Mapping[str, float] = field(default_factory=dict)
    envelope: float = _ENVELOPE
    share: float = _PER_NEEDED


def surfaces_of(
    bones: Mapping[str, BoneShape], muscles: Mapping[str, MuscleShape], *, cell: float = CELL
) -> dict[str, Surface]:
    """Closed surfaces [m] of bones, and of muscles trimmed by bones and by each other.

    Fields become surfaces on a lattice with a `cell` [mm].
    """
    fields = {name: within(bone.field(), *bone.box, margin=MARGIN) for name, bone in bones.items()}
    found = {
        name: _metres(surface_of(fields[name], *bone.box, cell=cell, faces=bone.faces))
        for name, bone in bones.items()
    }
    drawn = {name: posed(muscle, np.eye(3)) for name, muscle in muscles.items()}
    return found | muscle_surfaces(drawn, fields, drawn, cell=cell)


def muscle_surfaces(
    drawn: Mapping[str, PosedMuscle],
    bones: Mapping[str, Field],
    chosen: Iterable[str],
    *,
    cell: float = CELL,
) -> dict[str, Surface]:
    """Closed surfaces [m] of the chosen muscles, trimmed by bones and by all that are drawn."""
    return {
        name: _metres(
            surface_of(
                trimmed(name, drawn, bones),
                *drawn[name].box,
                cell=cell,
                faces=drawn[name].muscle.faces,
            )
        )
        for name in chosen
    }


def _metres(drawn: Surface) -> Surface:
    """A surface drawn in millimetres."""
    return Surface(drawn.X / 1000, drawn.faces)


def built(
    drawing: Drawing, surfaces: Callable[[], dict[str, Surface]], tets: int, log: Log | None
) -> Model:
    """The model of a drawing with about `tets` tets, its `surfaces` [m] made and meshed once."""
    check_tets(tets)
    log = log or Log(Store(), lambda _: None)
    shells = log.run("surfaces", surfaces)
    size = size_for(drawing, shells, tets)
    parts = [_part(drawing, name, shell, size) for name, shell in shells.items()]
    plan = Plan(size, drawing.envelope, drawing.gap, clearance=drawing.clearance)
    model = body_of(parts, plan, log, drawing.name).model
    drives = dict.fromkeys(drawing.bodies, Drive.FREE)
    drives |= dict.fromkeys(drawing.pinned, Drive.PINNED)
    return model.with_(
        regions=_weighed(model, drawing),
        bones=tuple(Bone(name, bones, drives[name]) for name, bones in drawing.bodies.items()),
        joints=drawing.joints,
    )


def size_for(drawing: Drawing, shells: Mapping[str, Surface], tets: int) -> float:
    """The edge [m] with which parts have about so many tets."""
    from scipy.optimize import brentq  # as heavy as the rest of the package

    def surplus(size: float) -> float:
        counts = [tets_needed(s, size * drawing.coarse.get(n, 1.0)) for n, s in shells.items()]
        return drawing.share * float(sum(counts)) - tets

    return float(brentq(surplus, _SMALLEST, _LARGEST))


def _part(drawing: Drawing, name: str, surface: Surface, size: float) -> Part:
    """A part, with edges of its own only where it is coarse."""
    if name not in drawing.muscles:
        own = size * drawing.coarse[name] if name in drawing.coarse else None
        return Part(name, surface, Tissue.BONE, size=own)
    shape = drawing.muscles[name]
    ends = Ends(
        shape.origins,
        shape.insertions,
        caps=shape.caps,
        fibre_caps=shape.fibre_caps,
        gap=drawing.gaps.get(name),
    )
    muscle, fascia = drawing.heads.get(name, name), drawing.fascia.get(name, name)
    return Part(name, surface, Tissue.MUSCLE, muscle, ends, compartment=fascia)


def _weighed(model: Model, drawing: Drawing) -> tuple[Region, ...]:
    """The regions, with bones so dense that bodies have their masses [kg]."""
    density: dict[str, float] = {}
    for body, mass in drawing.masses.items():
        names = drawing.bodies[body]
        volume = float(model.mesh.volumes[model.tets_of(names)].sum())
        density |= dict.fromkeys(names, mass / volume)
    return tuple(replace(r, density=density.get(r.name, r.density)) for r in model.regions)
