"""From independent gradients to a mesh whose bones are whole and whose joints are closed.

While EMU iterates, a bone on the mesh may deviate from its own gradient, by as much as the weight
alpha V E of its element lets it: this is the slack on B q = B_F F of EMU eq. 21, with the joints
exact. In the end the bones follow their gradients exactly and the tissue is fitted once more.
"""

from __future__ import annotations

import numpy as np

from vastus.numerics.types import Floats
from vastus.solvers.emu_energy import Pieces, PiecesEnergy
from vastus.solvers.problem import Configuration


def final_mesh(energy: PiecesEnergy, q: Pieces) -> Configuration:
    """The mesh that minimises the energy together with F, its bones placed by their gradients."""
    return placed_mesh(energy, q.F, q.y + energy.space.sag / energy.alpha)


def placed_mesh(energy: PiecesEnergy, F: Floats, y: Floats) -> Configuration:
    """The mesh y (n_y, 3) with its bones placed by their gradients in F (elements, 3, 3)."""
    space, problem = energy.space, energy.problem
    poses = space.poses(energy.start.poses, y[: space.k])
    placed = problem.bones.close(problem.skeleton, _by_gradient(energy, poses, F[space.soft :]))
    if space.k:
        # The columns of the inverse of L move the bones and let the tissue give way.
        gap = space.coordinates(energy.start.poses, placed) - y[: space.k]
        y = y + space.response @ np.linalg.solve(space.response[: space.k], gap)
    return problem.configure(energy.q0 + space.vertices(y), placed)


def _by_gradient(energy: PiecesEnergy, poses: Floats, F: Floats) -> Floats:
    """The poses with the bones' own gradients about their centres, made rigid unless affine."""
    out, skeleton = poses.copy(), energy.problem.skeleton
    turns = F if energy.problem.bones.young else nearest_rotations(F)
    for bone, turn in zip(skeleton.free, turns, strict=True):
        centre = skeleton.centre[bone]
        image = poses[bone, :, :3] @ centre + poses[bone, :, 3]
        out[bone, :, :3] = turn
        out[bone, :, 3] = image - turn @ centre
    return out


def nearest_rotations(A: Floats) -> Floats:
    """(k, 3, 3) the rotations nearest to A (k, 3, 3)."""
    U, _, V = np.linalg.svd(A)
    U[:, :, -1] *= np.sign(np.linalg.det(U @ V))[:, None]
    return U @ V
