"""The force that a muscle passes on through its sections and its tendons.

With psi any field on the vertices of the muscle that is 0 at the origin and 1 at the insertion,

    R = sum V P grad psi

over the muscle's own tets is the force with which what is beyond pulls at what is before. In
equilibrium, without weight or contact, it is the same for every psi.
"""

from __future__ import annotations

import numpy as np

from vastus.measure.centreline import along
from vastus.measure.ends import Ends
from vastus.measure.muscle_line import SIDES, vertices_of
from vastus.model import Model
from vastus.numerics.types import Floats, Ints
from vastus.parts import Tissue

SECTIONS = 8


class Sections:
    """Eight sections of one muscle, evenly spread from origin to insertion, and its tendons.

    Section k takes psi from 0 to 1 between the shares k/8 and (k + 1)/8 of the way along the
    muscle. The tendon of a side takes all that lies between its bones and its border with the
    muscle tissue.
    """

    def __init__(self, model: Model, tets: Ints, ends: Ends) -> None:
        mesh, kept = model.mesh.submesh(tets)
        sides = [np.searchsorted(kept, vertices_of(s)) for s in (ends.origin, ends.insertion)]
        s = along(mesh, *sides)
        fields = [np.clip(SECTIONS * s - k, 0.0, 1.0) for k in range(SECTIONS)]
        tendon = model.is_tissue(Tissue.TENDON)[tets]
        found = _tendons(mesh.T, tendon, s)
        fields += list(found.values())
        self.tendons = tuple(found)
        corners = np.array(fields)[:, mesh.T]  # (fields, k, 4)
        weighted = model.mesh.gradients[tets] * model.mesh.volumes[tets, None, None]
        levers = np.einsum("fka,kaj->fkj", corners, weighted)
        self._levers = levers.reshape(len(fields), -1)  # (fields, 3 k)

    def of(self, P: Floats) -> Floats:
        """(8 + tendons, 3) the forces [N] for the stresses P (k, 3, 3) [Pa] of its tets."""
        return np.asarray(self._levers @ P.transpose(0, 2, 1).reshape(-1, 3))


def _tendons(T: Ints, tendon: np.ndarray, s: Floats) -> dict[str, Floats]:
    """By side, a field (n,) that rises from 0 to 1 across its tendon alone.

    It is flat where psi is 0 or 1 at all corners: so a border between two tissues is a section too.
    """
    out: dict[str, Floats] = {}
    if tendon.all() or not tendon.any():
        return out
    soft, border = np.unique(T[~tendon]), np.intersect1d(T[tendon], T[~tendon])
    middle = float(s[T[~tendon]].mean())
    for side, name in enumerate(SIDES):
        near = s[border] < middle if side == 0 else s[border] >= middle
        if near.any():
            inner = np.zeros(len(s), bool)
            inner[soft] = True
            other = np.unique(T[tendon & _beyond(T, s, middle, below=side == 1)])
            inner[other] = True
            psi = inner.astype(float)
            out[name] = psi if side == 0 else 1.0 - psi
    return out


def _beyond(T: Ints, s: Floats, middle: float, *, below: bool) -> np.ndarray:
    """(k,) the tets on one side of the middle."""
    place = s[T].mean(axis=1)
    return np.asarray(place < middle if below else place >= middle)
