"""What holds the model: every piece needs a pin, or a bone that is pinned or scripted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from vastus.checks.finding import Finding, error, middle_of, warning
from vastus.geometry.queries import nearest_vertex
from vastus.model import Model
from vastus.numerics.types import Ints
from vastus.parts import Drive
from vastus.skeleton.joints import Joint


def floating(model: Model) -> Iterator[Finding]:
    """Pieces that nothing fixed holds, through tissue or through joints."""
    piece = _pieces(model)
    fixed = [i for i, b in enumerate(model.bones) if b.drive is not Drive.FREE]
    held = set(piece[np.isin(model.bone_of_vertex, fixed)]) | set(piece[model.held.any(axis=1)])
    used = np.setdiff1d(np.arange(model.mesh.n_vertices), model.mesh.unused)
    for loose in sorted(set(piece[used]) - held):
        vertices = np.flatnonzero(piece == loose)
        who = _name(model, vertices)
        if who:
            found = error(
                who,
                "held by nothing",
                "pin or script a bone, pin vertices, or join it to a bone that is held",
                middle_of(model.mesh.X[_bony(model, vertices)]),
            )
            yield replace(found, static=True)


def _pieces(model: Model) -> Ints:
    """(n,) the piece of each vertex; tets, bones and joints connect."""
    n, T = model.mesh.n_vertices, model.mesh.T
    carried = np.flatnonzero(model.bone_of_vertex >= 0)
    joined = [[n + model.bone(name) for name in joint.bones] for joint in model.joints]
    pairs = [
        *(T[:, [0, corner]] for corner in (1, 2, 3)),
        np.column_stack([carried, n + model.bone_of_vertex[carried]]),
        np.array(joined, np.int64).reshape(-1, 2),
    ]
    rows, columns = np.concatenate(pairs).T
    size = n + len(model.bones)
    graph = sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
    return np.asarray(connected_components(graph, directed=False)[1][:n], np.int64)


def _name(model: Model, vertices: Ints) -> str:
    """The bones of a piece, or its region; nothing for a muscle, whose attachments are checked."""
    bones = [b for b in np.unique(model.bone_of_vertex[vertices]) if b >= 0]
    if bones:
        names = " and ".join(f"'{model.bones[b].name}'" for b in bones)
        return f"bone {names} is" if len(bones) == 1 else f"bones {names} are"
    region = model.regions[model.region[np.isin(model.mesh.T[:, 0], vertices)][0]]
    return "" if region.muscle else f"region '{region.name}' is"


def _bony(model: Model, vertices: Ints) -> Ints:
    """Those of some vertices that bones carry, or all if none is."""
    carried = vertices[model.bone_of_vertex[vertices] >= 0]
    return carried if len(carried) else vertices


def swinging(model: Model) -> Iterator[Finding]:
    """Free bones that no soft tissue touches."""
    touched = set(model.bone_of_vertex[np.unique(model.mesh.T[model.soft])])
    for index, bone in enumerate(model.bones):
        if bone.drive is Drive.FREE and index not in touched:
            yield warning(
                f"bone '{bone.name}'",
                "is free but no muscle or other tissue touches it",
                "pin it, or let tissue share vertices with it",
                middle_of(model.mesh.X[model.bone_of_vertex == index]),
            )


def distant_joints(model: Model) -> Iterator[Finding]:
    """Joints far from a bone that they tie."""
    for joint in model.joints:
        for name in joint.bones:
            X = model.mesh.X[model.bone_of_vertex == model.bone(name)]
            if len(X):
                size = float(np.linalg.norm(np.ptp(X, axis=0)))
                yield from _distant(joint, name, float(_distance(joint, X)), size)


def _distance(joint: Joint, X: np.ndarray) -> float:
    return float(nearest_vertex(X, np.asarray(joint.centre, float)[None])[1][0])


def _distant(joint: Joint, bone: str, distance: float, size: float) -> Iterator[Finding]:
    if distance > size / 2:
        yield warning(
            f"joint '{joint.name}'",
            f"is {distance:.3g} m from bone '{bone}', which is {size:.3g} m long",
            "check the joint's centre and its units",
            np.asarray(joint.centre, float),
        )


CHECKS = (floating, swinging, distant_joints)
