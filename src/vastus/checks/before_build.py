"""What looks wrong in a scene with surfaces before anything is meshed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from vastus.cache import Log
from vastus.checks.finding import Finding, error, warning, worst_first
from vastus.checks.mobility import Ring, rings, said_of
from vastus.checks.surface_layout import surface_findings
from vastus.errors import ModelError
from vastus.geometry.surface import Surface
from vastus.modelling.joints.joint_fit import BallFit, HingeFit
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
from vastus.modelling.surfaces.body_parts import Part
from vastus.modelling.surfaces.decisions import ENDS, Course, courses
from vastus.modelling.surfaces.ends import Attachment, Way
from vastus.modelling.surfaces.outside import Outside, outside_of
from vastus.modelling.surfaces.pipeline import Plan
from vastus.modelling.surfaces.repair import repair
from vastus.modelling.surfaces.surface_model import require_meshable
from vastus.modelling.surfaces.widths import (
    SPARED,
    ThinEnd,
    thin_ends,
    usual_envelope,
    with_envelope,
)
from vastus.numerics.types import Floats
from vastus.parts import Drive
from vastus.scene.fibres import End
from vastus.scene.scene import Scene, Shells, Source


def ends(parts: Sequence[Part], found: Mapping[int, Course], plan: Plan) -> list[Finding]:
    """Ends of muscles that are attached to nothing, or that may belong to either of two bones."""
    return [finding for i, course in found.items() for finding in _ends(parts, i, course, plan)]


def _ends(parts: Sequence[Part], muscle: int, course: Course, plan: Plan) -> Iterator[Finding]:
    outside = outside_of(parts, muscle, plan)
    for end in End:
        at = _place(parts[muscle], course, end)
        if end in course.refusals:
            yield _end_refused(parts[muscle].name, course.refusals[end], at)
        for attachment in course.attachments[end]:
            yield from _short(outside, course.way, attachment, at)
        if len(course.bones[end]) > 1:
            yield _between(parts, muscle, end, course.bones[end], at)
    envelope = plan.envelope or usual_envelope(parts)
    for thin in thin_ends(parts[muscle], course.way, envelope):
        yield _thin(parts[muscle], thin, envelope, _place(parts[muscle], course, thin.end))


def _end_refused(name: str, refusal: str, at: Floats) -> Finding:
    muscle = f"muscle '{name}'"
    why, _, remedy = refusal.removeprefix(f"{muscle} ").partition("; ")
    return error(muscle, why, remedy, at)


def _short(outside: Outside, way: Way, attachment: Attachment, at: Floats) -> Iterator[Finding]:
    """A finding if an end does not come within the gap of what it is attached to."""
    end, free = attachment.end, outside.free
    near = free[attachment.reaches(outside.X[free], way.s[free])]
    away = float(outside.away(attachment.to, near).min(initial=np.inf))
    if away > max(outside.gap, outside.near):
        muscle, other = (outside.parts[i].name for i in (attachment.part, attachment.to))
        yield error(
            f"muscle '{muscle}'",
            f"does not reach '{other}', which is {1000 * away:.3g} mm from its {end.value}",
            "move it there, allow a wider 'gap' or larger 'caps', or name another part",
            at,
        )


def _between(
    parts: Sequence[Part], muscle: int, end: End, bones: Sequence[int], at: Floats
) -> Finding:
    """An end at which the author has the choice between bones."""
    name, names = parts[muscle].name, [parts[i].name for i in bones]
    others = " and ".join(f"'{other}'" for other in names[1:])
    choice = " or ".join(f"'{end.value}: {other}'" for other in names)
    return warning(
        f"muscle '{name}'",
        f"touches {others} at its {end.value} besides '{names[0]}', to which it is attached there",
        f"write {choice} in 'surfaces.parts.{name}' to choose",
        at,
    )


def _thin(part: Part, thin: ThinEnd, envelope: float, at: Floats) -> Finding:
    """An end that the mesher may not see."""
    where = f"no wider than {1e3 * thin.width:.2g} mm over the last {1e3 * thin.length:.3g} mm"
    what = "is lost" if thin.lost else "may be lost in part"
    say = error if thin.lost else warning
    return say(
        f"muscle '{part.name}'",
        f"{what} at its {thin.end.value}: it is {where} there, and the 'envelope' of the mesher is "
        f"{1e3 * envelope:.2g} mm",
        f"give an 'envelope' of {thin.width / SPARED:.1g} m in 'surfaces', or a thicker end",
        at,
    )


def _place(part: Part, course: Course, end: End) -> Floats:
    """(3,) where an end is, or is painted [m]."""
    spots = end.of(part.ends.painted)
    return np.array(spots[0].centre) if spots else course.tips[end]


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
    sound = sound_surfaces(metric, log)
    parts = parts_of(scene, {n: s for n, s in sound.items() if isinstance(s, Surface)})
    assert scene.description.surfaces is not None
    tissues = {name: part.tissue for name, part in scene.description.surfaces.parts.items()}
    found = log.run("looking at the surfaces", surface_findings, metric, tissues, sound)
    found = [*found, *_names_and_joints(scene, parts, log), *_sizes(scene, parts)]
    if len(parts) == len(metric):  # else an end may seem to lack what is only unusable
        found += _attachments(scene, parts, log)
    return worst_first(found)


def _attachments(scene: Scene, parts: Sequence[Part], log: Log) -> list[Finding]:
    plan = plan_of(scene)
    try:
        with scene.places.blame("surfaces"):
            found = log.run(ENDS, courses, parts, plan)
            return ends(parts, found, with_envelope(plan, parts, found))
    except ModelError as refusal:
        return [_refused("the surfaces", "cannot be built", refusal)]


def sound_surfaces(metric: Mapping[str, Surface], log: Log) -> dict[str, Surface | str]:
    """The surfaces [m] repaired, or why one cannot be."""
    sound: dict[str, Surface | str] = {}
    for name, shell in metric.items():
        try:
            sound[name] = log.run(f"repair {name}", repair, shell).surface
        except ModelError as refusal:
            sound[name] = str(refusal)
    return sound


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
            with scene.places.blame("surfaces"):
                require_meshable(parts, plan_of(scene))
        except ModelError as refusal:
            yield _refused("the surfaces", "cannot be meshed", refusal)


def _refused(where: str, what: str, refusal: ModelError) -> Finding:
    """A refusal as a finding; what follows its last semicolon is the remedy."""
    why, _, remedy = str(refusal).rpartition("; ")
    found = error(where, f"{what}: {why or remedy}", remedy if why else "correct the scene")
    return replace(found, refusal=str(refusal))
