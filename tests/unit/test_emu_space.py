"""The scalar, reduced continuity problem against the full one with constraints (EMU eq. 21)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from builders import SOFT, box, hinge, pair, rollers, row, solid
from vastus.cache import Store
from vastus.errors import ModelError
from vastus.inputs import Inputs
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.parts import Drive, Pin
from vastus.skeleton.joints import Ball
from vastus.solvers.emu.space import Space, enough_modes, lowest_modes
from vastus.solvers.problem import Problem, Reduction
from vastus.state import rest

BALL = Ball("ball", ("A", "B"), np.array([0.12, 0.015, -0.01]))


def space_of(model: Model) -> Space:
    """The deformation space of a model with bones of 1e10 Pa."""
    return Space(Problem(model, Reduction()), 1e10)


def control(model: Model, bone: int) -> tuple[Ints, Floats]:
    """Four vertices (4,) of a bone and the map (3, 4) from them to its gradient."""
    first = model.tets_of(model.bones[bone].regions)[0]
    return model.mesh.T[first], model.mesh.gradients[first].T


def weights(model: Model, bone: int, points: Floats) -> Floats:
    """(k, n) barycentric weights of points (k, 3) in the control vertices of a bone."""
    corners, _ = control(model, bone)
    A = np.vstack([model.mesh.X[corners].T, np.ones(4)])
    out = np.zeros((len(points), model.mesh.n_vertices))
    out[:, corners] = np.linalg.solve(A, np.vstack([points.T, np.ones(len(points))])).T
    return out


def constraints(model: Model, space: Space) -> tuple[Floats, Floats]:
    """Rows (k, n) and values (k, 3): bones are affine or stay put, joints are closed."""
    X, n = model.mesh.X, model.mesh.n_vertices
    rows, values = [], []
    for index, bone in enumerate(model.bones):
        mine = np.flatnonzero(model.bone_of_vertex == index)
        free = bone.drive is Drive.FREE
        rows.append(np.eye(n)[mine] - (weights(model, index, X[mine]) if free else 0.0))
        values.append(np.zeros((len(mine), 3)) if free else X[mine])
    for tie in space.problem.skeleton.ties:
        rows.append(weights(model, tie.a, tie.points) - weights(model, tie.b, tie.points))
        values.append(np.zeros((len(tie.points), 3)))
    return np.concatenate(rows), np.concatenate(values)


def full_solution(model: Model, space: Space, F: Floats) -> Floats:
    """(n, 3) the nearest mesh from the full system of 3 n coordinates and its multipliers."""
    n, soft = model.mesh.n_vertices, model.soft
    G = np.zeros((len(F), 3, n))
    for e, tet in enumerate(soft):
        G[e][:, model.mesh.T[tet]] = model.mesh.gradients[tet].T
    for e, bone in enumerate(space.problem.skeleton.free):
        corners, gradient = control(model, bone)
        G[len(soft) + e][:, corners] = gradient
    root = np.sqrt(space.w / space.w.max())[:, None, None]
    G = np.kron((root * G).reshape(-1, n), np.eye(3))
    wanted = np.swapaxes(root * F, 1, 2).ravel()
    C, value = constraints(model, space)
    C = np.kron(C, np.eye(3))
    scale = np.abs(G.T @ G).max()
    zero = np.zeros((len(C), len(C)))
    system = np.block([[G.T @ G, scale * C.T], [scale * C, zero]])
    right = np.concatenate([G.T @ wanted, scale * value.ravel()])
    # The constraints are redundant, so the multipliers are not unique; the mesh is.
    return np.linalg.lstsq(system, right, rcond=1e-14)[0][: 3 * n].reshape(n, 3)


@pytest.mark.parametrize(
    "model",
    [
        pair(hinge(), cells=(4, 1, 1)),
        pair(BALL, cells=(4, 1, 1)),
        row((BALL, hinge(("B", "C"), 0.28))),
    ],
    ids=["hinge", "ball", "ball and hinge"],
)
def test_the_scalar_reduction_equals_the_full_system(model: Model) -> None:
    """EMU eq. 21 with no slack, to 1e-10 of the length."""
    space = space_of(model)
    F = np.eye(3) + 0.3 * np.random.default_rng(0).standard_normal((len(space.w), 3, 3))
    start = space.problem.driven(rest(model), Inputs.rest(model))
    q0, F0 = space.origin(start)
    mesh = q0 + space.vertices(space.nearest(F - F0))
    np.testing.assert_allclose(mesh, full_solution(model, space, F), atol=1e-10 * 0.4)


def test_operators_are_adjoint_and_agree_with_the_matrix() -> None:
    space = space_of(pair(hinge()))
    rng = np.random.default_rng(0)
    y, S = rng.standard_normal((space.size, 3)), rng.standard_normal((len(space.w), 3, 3))
    rows = np.swapaxes(space.gradients(y), 1, 2).reshape(-1, 3)
    np.testing.assert_allclose(rows, space.D @ y, atol=1e-11)
    assert np.vdot(space.gradients(y), S) == pytest.approx(np.vdot(y, space.adjoint(S)))


def test_bone_coordinates_and_poses_are_inverse() -> None:
    space = space_of(pair(hinge()))
    start = rest(space.problem.model).poses
    z = np.random.default_rng(0).standard_normal((space.k, 3))
    np.testing.assert_allclose(space.coordinates(start, space.poses(start, z)), z, atol=1e-12)


def test_a_pin_with_some_axes_is_refused_by_name() -> None:
    mesh = box((2, 1, 1), (0.2, 0.1, 0.1))
    with pytest.raises(ModelError, match="pin 'roller x' holds only some axes"):
        space_of(solid(mesh, SOFT, pins=(_renamed(rollers(mesh)[0]),)))


def _renamed(pin: Pin) -> Pin:
    return Pin("roller x", pin.vertices, pin.axes)


def test_modes_are_eigenvectors_and_come_back_from_disk(tmp_path: Path) -> None:
    space = space_of(pair(hinge()))
    first = lowest_modes(space, 6, Store(tmp_path))
    assert (np.diff(first.values) >= 0).all()
    np.testing.assert_allclose(
        space.L @ first.shapes, first.shapes * first.values, atol=1e-8 * first.values[-1]
    )
    assert len(list(tmp_path.iterdir())) == 1
    again = lowest_modes(space, 6, Store(tmp_path))
    np.testing.assert_array_equal(again.shapes, first.shapes)
    exact = np.linalg.eigvalsh(space.L.toarray()) ** -2.0
    assert again.share == pytest.approx((first.values**-2.0).sum() / exact.sum(), abs=0.02)


def test_a_damaged_file_of_modes_is_replaced(tmp_path: Path) -> None:
    space = space_of(pair(hinge()))
    lowest_modes(space, 3, Store(tmp_path))
    (path,) = tmp_path.iterdir()
    path.write_bytes(b"no modes")
    assert lowest_modes(space, 3, Store(tmp_path)).shapes.shape == (space.size, 3)


def test_enough_modes_cover_the_share_that_is_asked_for() -> None:
    space = space_of(pair(hinge()))
    count = enough_modes(space, 0.9)
    assert 1 <= count <= 64
    assert lowest_modes(space, count).share > 0.85
