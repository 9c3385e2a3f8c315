"""Fibres as an author asks for them: between ends, along a line, as data, in solids, or pennate."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch

import numpy as np

from vastus.errors import ModelError
from vastus.files.meshes import LabelledMesh
from vastus.geometry.indices import groups
from vastus.geometry.queries import nearest_on_surface, nearest_vertex
from vastus.geometry.signs import aligned
from vastus.geometry.surface import Surface, boundary_surface
from vastus.geometry.tetmesh import FACES, TetMesh
from vastus.model import Model
from vastus.modelling.fibres.authored_solids import authored_solids
from vastus.modelling.fibres.ends import attached
from vastus.modelling.fibres.laplace import laplace_fibres, mean_line
from vastus.modelling.fibres.solids import COVERED, NEAR, solid_field, span
from vastus.modelling.select import vertices_in
from vastus.numerics.rotation import unit
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue
from vastus.scene.fibres import End, FibrePart, Fibres, Pennation, Samples, SolidFibres
from vastus.scene.scene import Scene, Source
from vastus.scene.schema import unknown
from vastus.scene.selection import Selection

# Where the sheet is seen at less than 30 degrees from the fibre, that is beyond its rim, the
# angle fades: there the plane to turn in changes within a tet.
_FADING = 0.5
_TINY = 1e-9  # of the muscle's extent: a point so near lies on the sheet, which has no side


def named_sheet(name: str, model: Model) -> Surface:
    """The boundary of the bone or region called `name`."""
    bones = {b.name: b.regions for b in model.bones if b.regions}
    regions = {r.name: (r.name,) for r in model.regions}
    if name not in regions | bones:
        raise ModelError(unknown("bone or region", name, [*bones, *regions]))
    return boundary_surface(model.mesh.submesh(model.tets_of((bones | regions)[name]))[0])[0]


def chosen_sheet(selection: Selection, model: Model, tets: Ints) -> Surface:
    """The boundary of a region, or the faces of some tets whose vertices lie in a place."""
    if selection.region is not None:
        return named_sheet(selection.region, model)
    faces = model.mesh.T[tets][:, FACES].reshape(-1, 3)
    faces = faces[np.isin(faces, vertices_in(selection, model)).all(axis=1)]
    if not len(faces):
        raise ModelError("no face of the muscle lies there; make the place larger")
    order, starts = groups(np.sort(faces, axis=1))
    return _compact(model, faces[order[starts]])


def _compact(model: Model, faces: Ints) -> Surface:
    kept, own = np.unique(faces, return_inverse=True)
    return Surface(model.mesh.X[kept], own.reshape(-1, 3))


@singledispatch
def own_data(source: Source | None, name: str, tets: Ints) -> Floats:
    """(k, 3) the vectors called `name` in some tets; those on vertices are averaged as lines."""
    raise ModelError("'data' are in the mesh's file, but there is no mesh: give a 'file'")


@own_data.register(LabelledMesh)
def _own_data(source: LabelledMesh, name: str, tets: Ints) -> Floats:
    if name in _vectors(source.cell_data):
        found = _finite(name, source.cell_data[name][tets])
    elif name in _vectors(source.point_data):
        found = mean_line(_finite(name, source.point_data[name][source.mesh.T[tets]]))
    else:
        known = [*_vectors(source.cell_data), *_vectors(source.point_data)]
        raise ModelError(unknown("vectors", name, known))
    return aligned(source.mesh.submesh(tets)[0], found)


def nearest_data(samples: Samples, mesh: TetMesh, tets: Ints) -> Floats:
    """(k, 3) the vector of the sample nearest to the middle of each of some tets."""
    part, _ = mesh.submesh(tets)
    nearest, distance = nearest_vertex(samples.points, part.centroids)
    reach = NEAR * np.linalg.norm(np.ptp(part.X, axis=0))
    if (distance <= reach).mean() < COVERED:
        raise ModelError(
            f"the vectors span {span(samples.points)}, which does not cover the muscle, which is "
            f"at {span(part.X)}; check the file's 'units' and its axes"
        )
    return aligned(part, samples.vectors[nearest])


def _vectors(data: Mapping[str, np.ndarray]) -> list[str]:
    return [name for name, values in data.items() if np.shape(values)[1:] == (3,)]


def _finite(name: str, values: np.ndarray) -> Floats:
    if not np.isfinite(values).all():
        raise ModelError(f"some vectors '{name}' in the muscle are not finite numbers")
    return np.asarray(values, float)


def pennate(fibre: Floats, points: Floats, sheet: Surface, angle: float, end: End) -> Floats:
    """(k, 3) unit fibres (k, 3) at points (k, 3) [m], turned by `angle` [rad].

    They turn in the plane of the fibre and the nearest place of the sheet: towards it if the sheet
    belongs to the insertion, away from it if it belongs to the origin.
    """
    extent = np.linalg.norm(np.ptp(points, axis=0))
    nearest = nearest_on_surface(sheet, points)
    _must_be_near(sheet, points, nearest.distances.min(), float(extent))
    offset = nearest.points - points
    across = offset - np.einsum("ki,ki->k", offset, fibre)[:, None] * fibre
    size = np.linalg.norm(across, axis=1)
    sine = np.divide(
        size, nearest.distances, out=np.zeros_like(size), where=nearest.distances > _TINY * extent
    )
    turn = angle * np.minimum(sine / _FADING, 1.0) * (1 if end is End.INSERTION else -1)
    side = np.divide(across, size[:, None], out=np.zeros_like(across), where=size[:, None] > 0)
    return np.cos(turn)[:, None] * fibre + np.sin(turn)[:, None] * side


def _must_be_near(sheet: Surface, points: Floats, distance: float, extent: float) -> None:
    """Refuse a sheet that is elsewhere, or a point or a plain beside the muscle: other units."""
    ratio = np.linalg.norm(np.ptp(sheet.X, axis=0)) / extent
    if distance > NEAR * extent or not 0.02 < ratio < 50:
        raise ModelError(
            f"the aponeurosis spans {span(sheet.X)}, which does not fit the muscle, which is at "
            f"{span(points)}; check its 'units' and its axes"
        )


def with_fibres(scene: Scene, model: Model) -> Model:
    """The model with the fibres that its author gives; the other muscles keep theirs.

    A labelled mesh has none to keep, so there each muscle needs them.
    """
    fibre = model.fibre.copy()
    for name, part in scene.description.muscles.items():
        with scene.places.blame("muscles", name):
            if part.fibres is None and scene.description.mesh is not None:
                raise ModelError("the key 'fibres' is missing")
        if part.fibres is not None:
            tets = np.flatnonzero(model.muscle_of_tet == model.muscle(name))
            with scene.places.blame("muscles", name, "fibres"):
                fibre[tets] = _asked(scene, name, model, tets)
    return model.with_(fibre=fibre)


def _asked(scene: Scene, name: str, model: Model, tets: Ints) -> Floats:
    """(k, 3) the unit fibres of a muscle in its tets."""
    said = scene.description.muscles[name].fibres
    assert said is not None
    fibre = _directions(_along(said, scene, name, model, tets))
    if said.pennation is None:
        return fibre
    with scene.places.blame("muscles", name, "fibres", "pennation"):
        sheet = _sheet(said.pennation, scene.sheets.get(name), model, tets)
        return _pennate(said.pennation, sheet, model, tets, fibre)


@singledispatch
def _along(said: FibrePart, scene: Scene, name: str, model: Model, tets: Ints) -> Floats:
    """(k, 3) the directions in the given tets, of any length, without pennation."""
    raise TypeError(f"no fibres are found from {said!r}")


@_along.register(SolidFibres)
def _along_solids(said: SolidFibres, scene: Scene, name: str, model: Model, tets: Ints) -> Floats:
    field = solid_field(authored_solids(scene, name, model, tets), model.mesh, tets)
    return aligned(model.mesh.submesh(tets)[0], field.directions)


@_along.register(Fibres)
def _along_lines(said: Fibres, scene: Scene, name: str, model: Model, tets: Ints) -> Floats:
    if said.direction is not None:
        return np.tile(said.direction, (len(tets), 1))
    if name in scene.vectors:
        return nearest_data(scene.vectors[name], model.mesh, tets)
    if said.data is not None:
        return own_data(scene.source, said.data, tets)
    own = np.unique(model.mesh.T[tets])
    ends = (said.start or (), said.end or ())
    return laplace_fibres(model.mesh, tets, *(attached(names, model, own) for names in ends))


def _sheet(said: Pennation, filed: Surface | None, model: Model, tets: Ints) -> Surface:
    if filed is not None:
        return filed
    if isinstance(said.aponeurosis, Selection):
        return chosen_sheet(said.aponeurosis, model, tets)
    return named_sheet(str(said.aponeurosis), model)


def _pennate(said: Pennation, sheet: Surface, model: Model, tets: Ints, fibre: Floats) -> Floats:
    """The fibres (k, 3), turned in muscle tissue; tendons pull along the muscle."""
    belly = model.is_tissue(Tissue.MUSCLE)[tets]
    middle = model.mesh.centroids[tets[belly]]
    out = fibre.copy()
    out[belly] = pennate(fibre[belly], middle, sheet, np.radians(said.angle), said.end)
    return out


def _directions(vectors: Floats) -> Floats:
    """(k, 3) the vectors at length 1; refuses those that have none."""
    bad = ~(np.linalg.norm(vectors, axis=1) > 0)
    if bad.any():
        raise ModelError(f"{bad.sum()} of {len(bad)} tets of the muscle have no fibre direction")
    return unit(vectors)
