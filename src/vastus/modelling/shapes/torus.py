"""A soft torus, which nothing holds: what falls, spins and bounces."""

from __future__ import annotations

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.tetmesh import TetMesh
from vastus.materials import NeoHookean
from vastus.materials.base import check_positive
from vastus.model import Model
from vastus.modelling.shapes.arguments import checked
from vastus.modelling.shapes.assembly import check_tets
from vastus.modelling.shapes.tube import even
from vastus.parts import Region, Tissue, Volume


@checked
def torus(
    tets: int = 3_000,
    *,
    radius: float = 0.05,
    thickness: float = 0.03,
    young: float = 5e4,
    poisson: float = 0.4,
    height: float = 0.0,
    tilt: float = 0.0,
) -> Model:
    """A torus of passive tissue of about `tets` tets: its line has a `radius` [m] about z.

    Its tissue is neo-Hookean. Its centre is at a `height` [m], and it is turned by `tilt` [deg]
    about y.
    """
    check_tets(tets)
    check_positive("torus", radius=radius, thickness=thickness, young=young)
    if thickness >= 2 * radius:
        raise ModelError(f"a torus of radius {radius:g} m has no hole if it is {thickness:g} thick")
    rings = max(1, round((tets * thickness / (2 * 36 * np.pi * radius)) ** (1 / 3)))
    disc = even(rings)
    stations = max(6, round(tets / (3 * len(disc.triangles))))
    mesh = _swept(disc.points * thickness / 2, np.sort(disc.triangles, axis=1), stations, radius)
    angle = np.radians(tilt)
    c, s = np.cos(angle), np.sin(angle)
    X = mesh.X @ np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]).T
    return Model(
        mesh=TetMesh(X + np.array([0.0, 0.0, height]), mesh.T),
        region=np.zeros(mesh.n_tets, np.int64),
        regions=(Region("torus", Tissue.PASSIVE, (NeoHookean(young, poisson),)),),
        fibre=np.zeros((mesh.n_tets, 3)),
        name="torus",
        volume=Volume.TET,
    )


def _swept(points: np.ndarray, triangles: np.ndarray, stations: int, radius: float) -> TetMesh:
    """A section (p, 2) of triangles with ascending corners, swept around z in so many stations.

    A prism is cut from its lowest corner up: neighbours cut the face between them alike.
    """
    turn = 2 * np.pi * np.arange(stations) / stations
    out = radius + points[:, 0]
    x, y = out * np.cos(turn)[:, None], out * np.sin(turn)[:, None]
    X = np.stack([x, y, np.broadcast_to(points[:, 1], x.shape)], axis=-1).reshape(-1, 3)
    low = np.arange(stations)[:, None, None] * len(points)
    a, b, c = np.moveaxis((triangles + low).reshape(-1, 3), 1, 0)
    d, e, f = np.moveaxis((triangles + np.roll(low, -1, axis=0)).reshape(-1, 3), 1, 0)
    tets = [(a, b, c, f), (a, b, e, f), (a, d, e, f)]
    return TetMesh(X, np.concatenate([np.column_stack(t) for t in tets])).oriented()
