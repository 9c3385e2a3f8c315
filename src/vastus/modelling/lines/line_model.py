"""A `Model` of lofted muscles and the bones that they move.

The ends of a muscle follow the bones of the line's ends. A tendon is also held where its line lies
on a bone, at via points and wrapped stretches, if no free joint is between that bone and the
tendon's end: then nothing there would slide. Elsewhere, and in bellies, rings and wraps guide it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.spatial import Delaunay

from vastus.contact.prepare import usual_contact
from vastus.errors import ModelError, known
from vastus.geometry.signed_distance import Obstacle
from vastus.geometry.surface import Surface
from vastus.geometry.tetmesh import TetMesh
from vastus.materials.base import Law
from vastus.materials.fibres.tendon_fibre import TendonFibre
from vastus.model import Model, Muscle
from vastus.modelling.lines.line_guides import guides_of
from vastus.modelling.lines.lines import LineBone, LineJoint, Lines
from vastus.modelling.lines.loft import Loft
from vastus.modelling.lines.stations import DISC, RAYS, fibres
from vastus.modelling.lines.strand import reached
from vastus.modelling.tissues import Materials, bone_region
from vastus.numerics.types import Floats, Ints
from vastus.parts import Bone, Drive, Region
from vastus.skeleton.guides import Guide
from vastus.skeleton.joints import JOINTS, Joint, Weld

_APART = 8e-3  # [m] between points on large faces
_CELL, _CELLS = 2.5e-3, 250  # size [m] of cells that keep one point each, and most in a row
_FLAT = 1e-4  # least volume, as a share of the cube of the longest edge
_TOE = 0.609  # of the strain at the greatest force, after Thelen 2003
_SHAKE = 1e-6  # [m]: points in a plane or on a sphere have no one Delaunay mesh


def bone_tets(surface: Surface) -> TetMesh | None:
    """A mesh of the bone, or None if the surface encloses nothing."""
    X = _thinned(np.concatenate([surface.X, _spread(surface.X[surface.faces])]))
    if len(X) < 5 or np.linalg.matrix_rank(X - X[0], tol=1e-6) < 3:
        return None
    X = X + np.random.default_rng(0).uniform(-_SHAKE, _SHAKE, X.shape)
    T = Delaunay(X).simplices.astype(np.int64)
    T = T[_full(X[T])]
    T = T[Obstacle(surface).inside(X[T].mean(axis=1))]
    if not len(T):
        return None
    kept, numbered = np.unique(T, return_inverse=True)
    return TetMesh(X[kept], numbered.reshape(-1, 4)).oriented()


def _spread(corners: Floats) -> Floats:
    """Points on faces (k, 3, 3) whose edges are long."""
    edges = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    parts = np.ceil(edges / _APART).astype(int)
    found = [np.zeros((0, 3))]
    for n in np.unique(parts[parts > 1]).tolist():
        weights = _weights(n)
        found.append(np.einsum("pa,kai->kpi", weights, corners[parts == n]).reshape(-1, 3))
    return np.concatenate(found)


def _weights(n: int) -> Floats:
    """Barycentric weights of a triangle's points whose edges are cut into n."""
    i, j = np.indices((n + 1, n + 1)).reshape(2, -1)
    inner = i + j <= n
    return np.column_stack([i, j, n - i - j])[inner] / n


def _thinned(X: Floats) -> Floats:
    """The points without those that share a cell with an earlier one."""
    size = max(_CELL, float(np.ptp(X, axis=0).max()) / _CELLS)
    _, first = np.unique(np.floor(X / size).astype(np.int64), axis=0, return_index=True)
    return X[np.sort(first)]


def _full(corners: Floats) -> Ints:
    """Which tets (m, 4, 3) are not flat."""
    edges = corners[:, 1:] - corners[:, :1]
    longest = np.linalg.norm(corners[:, :, None] - corners[:, None], axis=3).max(axis=(1, 2))
    return np.flatnonzero(np.abs(np.linalg.det(edges)) / 6 > _FLAT * longest**3)


def holds(
    loft: Loft, held: Mapping[int, str], joints: Sequence[LineJoint]
) -> list[tuple[str, Ints]]:
    """Pairs of a bone and the vertices of the solid that it carries, of the stations it holds.

    `joints` are the free ones that the muscle crosses. A tendon that was held over its whole
    section would resist the joint by its bending, as no tendon of many fibres does: it is held
    along the line across it that is most nearly parallel to the axis of the nearest joint.
    """
    found = []
    for station, bone in sorted(held.items()):
        nodes, centre = np.arange(len(DISC.points)), loft.stations.centre[station]
        near = min(joints, key=lambda j: float(np.linalg.norm(j.centre - centre)), default=None)
        if near is not None and near.axis.any():
            along = np.abs(loft.stations.rays[station, : RAYS // 2] @ near.axis)
            ray = int(np.argmax(along))
            nodes = nodes[(nodes == 0) | ((nodes - 1) % (RAYS // 2) == ray)]
        found.append((bone, station * len(DISC.points) + nodes))
    return found


def held_stations(loft: Loft, roots: Mapping[str, str]) -> dict[int, str]:
    """The stations of a muscle that bones hold.

    `roots` tells bones that move together by the same name.
    """
    bones = loft.muscle.bones
    line = reached(loft.muscle.points)
    middle = reached(loft.stations.centre)
    first, last = loft.stations.belly
    held = {0: bones[0], len(middle) - 1: bones[-1]}
    for share, bone in zip(line / line[-1], bones, strict=True):
        station = int(np.argmin(np.abs(middle / middle[-1] - share)))
        end = bones[0] if station < first else bones[-1]
        if bone and (station < first or station > last) and roots[bone] == roots[end]:
            held.setdefault(station, bone)
    return held


def model_of(
    lines: Lines,
    lofts: Sequence[Loft],
    *,
    free: Sequence[str] = (),
    materials: Materials | None = None,
) -> Model:
    """The model; the joints `free` move by the forces and all others are held as they are.

    Muscles have the greatest force of their lines, and in this pose the same relative length of
    fibres.
    """
    materials = materials or Materials()
    require_joints(lines, free)
    solids = {bone.name: bone_tets(bone.surface) for bone in lines.bones if bone.surface}
    parts = _Parts()
    for name, mesh in solids.items():
        if mesh is not None:
            parts.add(mesh.X, mesh.T, [bone_region(name)], np.zeros(mesh.n_tets, int))
    attached: dict[str, list[Ints]] = {bone.name: [] for bone in lines.bones}
    roots = rigid_roots(lines, free)
    guides: list[Guide] = []
    for item in lofts:
        start, held = _add(parts, item, materials), held_stations(item, roots)
        for bone, vertices in holds(item, held, lines.crossed(item.muscle, free)):
            attached[bone].append(vertices + start)
        guides += guides_of(item, start, held)
    moving = {bone.name for bone in lines.bones if roots[bone.name] != _base(lines, bone).name}
    return Model(
        mesh=TetMesh(np.concatenate(parts.X), np.concatenate(parts.T)),
        region=np.concatenate(parts.region),
        regions=tuple(parts.regions),
        fibre=np.concatenate(parts.fibre),
        muscles=tuple(_muscle(item) for item in lofts),
        bones=tuple(_bone(b, solids, attached, moving) for b in lines.bones),
        joints=tuple(_joints(lines, free, moving)),
        gravity=lines.gravity,
        name=lines.name,
        volume=materials.volume,
        contact=usual_contact(),
        guides=tuple(guides),
    )


def rigid_roots(lines: Lines, free: Sequence[str]) -> dict[str, str]:
    """For each bone the first one on the way up that it moves with."""
    roots = {}
    for bone in lines.bones:
        at = bone
        while at.parent is not None and not (at.joint and at.joint.name in free):
            at = lines.bone(at.parent)
        roots[bone.name] = at.name
    return roots


def joint_names(lines: Lines) -> list[str]:
    """The joints that can be free."""
    joints = [bone.joint for bone in lines.bones if bone.joint is not None]
    return [joint.name for joint in joints if joint.kind is not None]


def joint_notes(lines: Lines, free: Sequence[str]) -> list[str]:
    """What was put right or left out of the joints that are free, or that follow one that is."""
    joints = [bone.joint for bone in lines.bones if bone.joint is not None]
    told = [j for j in joints if j.name in free or set(j.leaders) & set(free)]
    return [note for joint in told for note in joint.notes]


def bone_notes(lines: Lines, model: Model) -> list[str]:
    """Which files of bones are missing, and which bones have no tets."""
    notes = []
    files = {file: None for bone in lines.bones for file in bone.missing}
    if files:
        of = [bone.name for bone in lines.bones if bone.missing]
        notes.append(
            f"the geometry of {', '.join(of)} is missing: {', '.join(files)}; put the files beside "
            "the model, or into its folder 'Geometry'"
        )
    empty = [bone.name for bone in model.bones if not bone.regions]
    if empty:
        notes.append(
            f"without a shape, and so without tets, {'are' if len(empty) > 1 else 'is'} "
            f"{', '.join(empty)}: muscles do not keep clear there, and nothing is drawn"
        )
    return notes


class _Parts:
    """Solids put side by side, with the regions that they bring."""

    def __init__(self) -> None:
        self.X: list[Floats] = []
        self.T: list[Ints] = []
        self.region: list[Ints] = []
        self.fibre: list[Floats] = []
        self.regions: list[Region] = []
        self._vertices = 0

    def add(
        self, X: Floats, T: Ints, regions: list[Region], region: Ints, fibre: Floats | None = None
    ) -> int:
        """Add a solid and return the number of its first vertex."""
        start = self._vertices
        self.X.append(X)
        self.T.append(T + start)
        self.region.append(region + len(self.regions))
        self.fibre.append(np.zeros((len(T), 3)) if fibre is None else fibre)
        self.regions += regions
        self._vertices += len(X)
        return start


def _add(parts: _Parts, item: Loft, materials: Materials) -> int:
    name, solid = item.muscle.name, item.solid
    tendon = replace(materials.sinew(f"{name} tendon", name), laws=_tendon(item, materials))
    regions = [materials.belly(name), tendon]
    return parts.add(solid.X, solid.T, regions, (solid.segment != 1).astype(int), fibres(solid))


def _tendon(item: Loft, materials: Materials) -> tuple[Law, ...]:
    """The laws of a tendon that has the line's strain at the greatest force, however thin it is."""
    strain, stress = item.muscle.strain, item.muscle.force / item.tendon_section
    toe = _TOE * strain
    fibres = TendonFibre(stress / (strain - 0.5 * toe), toe)
    return tuple(fibres if isinstance(law, TendonFibre) else law for law in materials.tendon)


def _muscle(item: Loft) -> Muscle:
    # The belly of a volume is longer than the fibres of a line where those would make it too stout.
    # What counts for its force is how far its fibres are from their optimal length in this pose,
    # once the muscle is taut.
    line, optimal = item.muscle, item.optimal_length / item.fibre_length
    return Muscle(line.name, force=line.force, optimal=optimal, curve=line.curve)


def _base(lines: Lines, bone: LineBone) -> LineBone:
    while bone.parent is not None:
        bone = lines.bone(bone.parent)
    return bone


def _bone(
    bone: LineBone,
    solids: Mapping[str, TetMesh | None],
    attached: Mapping[str, list[Ints]],
    moving: set[str],
) -> Bone:
    regions = (bone.name,) if solids.get(bone.name) is not None else ()
    drive = Drive.FREE if bone.name in moving else Drive.PINNED
    none = np.zeros(0, np.int64)
    return Bone(bone.name, regions, drive, np.unique(np.concatenate([none, *attached[bone.name]])))


def _joints(lines: Lines, free: Sequence[str], moving: set[str]) -> list[Joint]:
    """The free joints, and welds between what moves together."""
    found: list[Joint] = []
    for bone in lines.bones:
        if bone.name not in moving or bone.parent is None or bone.joint is None:
            continue
        joint, pair = bone.joint, (bone.parent, bone.name)
        if joint.name not in free:
            found.append(Weld(f"{bone.name} weld", pair, joint.centre))
        else:
            found.append(joint.between(pair))
    return found


def require_joints(lines: Lines, free: Sequence[str]) -> None:
    """Refuse to free what is no joint of a known kind."""
    others = {bone.joint.name for bone in lines.bones if bone.joint} - set(joint_names(lines))
    for name in free:
        if name in others:
            kinds = ", ".join(kind for kind in JOINTS if kind != Weld.kind)
            raise ModelError(f"joint '{name}' cannot be free: it is none of {kinds}")
        if name not in joint_names(lines):
            raise known("joint", name, joint_names(lines))
