"""What looks wrong in a scene with surfaces before anything is meshed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vastus.checks.ends import ends
from vastus.checks.finding import Finding, error, errors_first
from vastus.checks.surfaces import surface_findings
from vastus.errors import ModelError
from vastus.modelling.anatomy.fineness import require_meshable
from vastus.modelling.anatomy.named import bone_parts, require_names
from vastus.modelling.anatomy.parts import Part
from vastus.modelling.anatomy.repair import repair
from vastus.modelling.anatomy.steps import Log
from vastus.modelling.anatomy.surfaces_model import (
    fitted,
    metric_shells,
    parts_of,
    plan_of,
    unplaced,
)
from vastus.scene.scene import Scene, Shells


def unbuilt(scene: Scene, shells: Shells, log: Log) -> list[Finding]:
    """Every finding about surfaces and all that would be refused before they are meshed."""
    try:
        metric = metric_shells(scene, shells)
    except ModelError as refusal:
        return [_refused("the scene", "cannot be built", refusal)]
    parts = usable_parts(scene, metric, log)
    found = about_surfaces(scene, metric, log)
    found += [*_names_and_joints(scene, parts, log), *_sizes(scene, parts)]
    if len(parts) == len(metric):  # else an end may seem to lack what is only unusable
        found += log.run("looking at the ends", ends, parts, plan_of(scene))
    return errors_first(found)


def about_surfaces(scene: Scene, metric: Shells, log: Log) -> list[Finding]:
    """Every finding about the surfaces [m] of a scene."""
    assert scene.description.surfaces is not None
    tissues = {name: part.tissue for name, part in scene.description.surfaces.parts.items()}
    return log.run("looking at the surfaces", surface_findings, metric, tissues)


def usable_parts(scene: Scene, metric: Shells, log: Log) -> list[Part]:
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
    for name in unplaced(scene):
        joint = scene.description.joints[name]
        if joint is not None and usable.issuperset(p for bone in joint.bones for p in bones[bone]):
            try:
                fitted(scene, name, parts, bones, log)
            except ModelError as refusal:
                yield _refused(f"joint '{name}'", "cannot be found", refusal)


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
