"""What looks wrong in a scene with surfaces before anything is meshed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from vastus.cache import Log
from vastus.checks.finding import Finding, error, errors_first, warning
from vastus.checks.mobility import Ring, rings, said_of
from vastus.checks.surface_layout import surface_findings
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.model import Drive, Tissue
from vastus.modelling.surfaces.anatomy import (
    bone_parts,
    fitted,
    metric_shells,
    parts_of,
    plan_of,
    require_names,
    unplaced,
    with_found,
)
from vastus.modelling.surfaces.attach import attached_at, directed, tip
from vastus.modelling.surfaces.body_parts import Part
from vastus.modelling.surfaces.ends import Attachment, Way
from vastus.modelling.surfaces.joint_fit import BallFit, HingeFit
from vastus.modelling.surfaces.pipeline import Plan
from vastus.modelling.surfaces.preview import Outside, outside_of, way_of
from vastus.modelling.surfaces.repair import repair
from vastus.modelling.surfaces.surface_model import require_meshable
from vastus.numerics.types import Floats
from vastus.scene.fibres import End
from vastus.scene.scene import Scene, Shells, Source


def ends(parts: Sequence[Part], plan: Plan) -> list[Finding]:
    """Ends of muscles that touch nothing, so that they would be refused once there is a mesh.

    These are only warnings: a mesh differs from the surfaces by a little.
    """
    muscles = [i for i, part in enumerate(parts) if part.tissue is Tissue.MUSCLE]
    return [finding for i in muscles for finding in _ends(parts, i, plan)]


def _ends(parts: Sequence[Part], muscle: int, plan: Plan) -> Iterator[Finding]:
    outside = outside_of(parts, muscle, plan)
    way = directed(outside, muscle, way_of(outside), np.array(plan.up))
    for end in End:
        at = _place(outside, way, end)
        try:
            found = attached_at(outside, muscle, way, end)
        except ModelError as refusal:
            yield _end_refused(parts[muscle].name, str(refusal), at)
        else:
            for attachment in found:
                yield from _short(outside, way, attachment, at)


def _end_refused(name: str, refusal: str, at: Floats) -> Finding:
    muscle = f"muscle '{name}'"
    why, _, remedy = refusal.removeprefix(f"{muscle} ").partition("; ")
    return warning(muscle, why, remedy, at)


def _short(outside: Outside, way: Way, attachment: Attachment, at: Floats) -> Iterator[Finding]:
    """A finding if an end does not come within the gap of what it is attached to."""
    end, free = attachment.end, outside.free
    near = free[attachment.reaches(outside.X[free], way.s[free])]
    away = float(outside.away(attachment.to, near).min(initial=np.inf))
    if away > max(outside.gap, outside.near):
        muscle, other = (outside.parts[i].name for i in (attachment.part, attachment.to))
        yield warning(
            f"muscle '{muscle}'",
            f"does not reach '{other}', which is {1000 * away:.3g} mm from its {end.value}",
            "move it there, allow a wider 'gap' or larger 'caps', or name another part",
            at,
        )


def _place(outside: Outside, way: Way, end: End) -> Floats:
    """(3,) where an end is, or is painted [m]."""
    spots = end.of(outside.parts[outside.index].ends.painted)
    if spots:
        return np.array(spots[0].centre)
    return np.asarray(outside.X[tip(outside, outside.index, way, end)].mean(axis=0))


@singledispatch
def findings_before(source: Source | None, scene: Scene, log: Log) -> list[Finding]:
    """All that can be found, or would be refused, before anything is meshed, errors first.

    Only surfaces have such findings; other sources are looked at once they are built.
    """
    return []


@findings_before.register(Shells)
def _findings_before_meshing(source: Shells, scene: Scene, log: Log) -> list[Finding]:
    try:
        metric = metric_shells(scene, source)
    except ModelError as refusal:
        return [_refused("the scene", "cannot be built", refusal)]
    parts = usable_parts(scene, metric, log)
    found = _about_surfaces(scene, metric, log)
    found += [*_names_and_joints(scene, parts, log), *_sizes(scene, parts)]
    if len(parts) == len(metric):  # else an end may seem to lack what is only unusable
        found += log.run("looking at the ends", ends, parts, plan_of(scene))
    return errors_first(found)


@singledispatch
def source_findings(source: Source | None, scene: Scene, log: Log) -> list[Finding]:
    """What looks wrong in the files that a scene starts from; only surfaces have findings."""
    return []


@source_findings.register(Shells)
def _surface_findings(source: Shells, scene: Scene, log: Log) -> list[Finding]:
    return _about_surfaces(scene, metric_shells(scene, source), log)


def _about_surfaces(scene: Scene, metric: Mapping[str, Surface], log: Log) -> list[Finding]:
    assert scene.description.surfaces is not None
    tissues = {name: part.tissue for name, part in scene.description.surfaces.parts.items()}
    return log.run("looking at the surfaces", surface_findings, metric, tissues)


def usable_parts(scene: Scene, metric: Mapping[str, Surface], log: Log) -> list[Part]:
    """The parts whose surfaces [m] can be repaired."""
    surfaces = {}
    for name, shell in metric.items():
        try:
            surfaces[name] = log.run(f"repair {name}", repair, shell).surface
        except ModelError:
            continue  # which is an error among the findings about surfaces
    return parts_of(scene, surfaces)


def _names_and_joints(scene: Scene, parts: Sequence[Part], log: Log) -> Iterator[Finding]:
    try:
        bones = bone_parts(scene)
        require_names(scene, bones)
    except ModelError as refusal:
        yield _refused("the scene", "cannot be built", refusal)
        return
    usable = {part.name for part in parts}
    fits: dict[str, BallFit | HingeFit] = {}
    for name in unplaced(scene):
        joint = scene.description.placed_joints[name]
        if usable.issuperset(p for bone in joint.bones for p in bones[bone]):
            try:
                fits[name] = fitted(scene, name, parts, bones, log)
            except ModelError as refusal:
                yield _refused(f"joint '{name}'", "cannot be found", refusal)
    yield from said_of(_rings(with_found(scene, fits), bones))


def _rings(scene: Scene, bones: Iterable[str]) -> list[Ring]:
    """The rings of bones that joints form whose place is known."""
    joints = []
    for name, part in scene.description.placed_joints.items():
        if part.centre is not None:
            numbers: dict[str, Any] = {k: np.array(getattr(part, k)) for k in part.kind.placed_by()}
            joints.append(part.kind(name=name, bones=part.bones, **numbers))
    said = scene.description.bones
    drives = {name: said[name].drive if name in said else None for name in bones}
    return rings(
        joints, {name: (drive or Drive.FREE) is Drive.FREE for name, drive in drives.items()}
    )


def _sizes(scene: Scene, parts: Sequence[Part]) -> Iterator[Finding]:
    if parts:
        try:
            require_meshable(parts, plan_of(scene))
        except ModelError as refusal:
            yield _refused("the surfaces", "cannot be meshed", refusal)


def _refused(where: str, what: str, refusal: ModelError) -> Finding:
    """A refusal as a finding; what follows its last semicolon is the remedy."""
    why, _, remedy = str(refusal).rpartition("; ")
    return error(where, f"{what}: {why or remedy}", remedy if why else "correct the scene")
