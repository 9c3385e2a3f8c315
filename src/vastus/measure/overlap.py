"""How bodies of a model lie in each other: what contact prevents, where there is any."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from vastus.contact.bodies import bodies
from vastus.geometry.penetration import Body, Penetration, Presence, penetration
from vastus.model import Model
from vastus.numerics.types import Floats
from vastus.parts import Contact, ContactKind

BONES = "Contact does not act between two bones: only the range of their joint stops them"
NEGLIGIBLE = 1e-6  # of the model's length; bodies that are no deeper in each other only touch


def kept(model: Model, pairs: Sequence[Penetration]) -> str:
    """What keeps bodies of the kinds of these pairs apart, in sentences."""
    bony = {model.bony(p.one) + model.bony(p.other) for p in pairs}  # bones in a pair
    said = [_soft_bodies(model.contact)] if bony & {0, 1} else []
    return " ".join([*said, f"{BONES}."] if 2 in bony else said)


def _soft_bodies(contact: Contact | None) -> str:
    """What contact does to soft bodies."""
    if contact is None or not contact.acts:
        return "The model has no contact: nothing keeps soft bodies out of bones or of each other."
    if contact.muscles is ContactKind.NONE:
        return "Contact keeps soft bodies out of bones; nothing keeps two soft bodies apart."
    if contact.bones is ContactKind.NONE:
        return "Contact keeps soft bodies apart; nothing keeps them out of bones."
    return "Contact keeps soft bodies out of bones and of each other as far as faces resolve it."


class Penetrations:
    """The penetrations in any state of one model.

    A body is a bone, a muscle with its tendons, or a region of other tissue. The depth is that of
    the deepest vertex of either body inside the other, or of the middle of a piece that two tets
    have in common, to the nearest outer face of the other body. It is never too large, and too
    small by no more than the way from the deepest place to the next of these points. The volume is
    exact to round-off; where a body folds over itself, it counts twice.

    What is glued does not count: vertices that both bodies have or that one carries; the volume of
    two tets that share a vertex; what lies in a tet with a vertex that the other, a bone, carries.
    The free vertices of such tets do count: an attachment that bends into its bone has a depth.
    """

    def __init__(self, model: Model) -> None:
        self._bodies = list(bodies(model))
        self._seen: list[Presence] = []
        self._least = NEGLIGIBLE * float(np.linalg.norm(np.ptp(model.mesh.X, axis=0)))

    def of(self, x: Floats) -> tuple[Penetration, ...]:
        """The pairs that lie in each other when vertices are at x (n, 3) [m], deepest first."""
        here = self._seen = [self._present(body, k, x) for k, body in enumerate(self._bodies)]
        pairs = combinations(here, 2)
        found = [penetration(one, other, self._least) for one, other in pairs]
        return tuple(sorted((p for p in found if p), key=lambda p: -p.depth))

    def _present(self, body: Body, index: int, x: Floats) -> Presence:
        """The body where it is; of one that stood still, what was found before."""
        before = self._seen[index] if self._seen else None
        if before and np.array_equal(before.x[body.own], x[body.own]):
            return before.at(x)
        return Presence(body, x, before)


def penetrations(model: Model, x: Floats) -> tuple[Penetration, ...]:
    """The pairs of bodies in each other when vertices are at x (n, 3) [m], deepest first."""
    return Penetrations(model).of(x)


def deepest(found: Sequence[Penetration]) -> dict[str, float]:
    """The output `penetration_m`: the deepest of the penetrations [m], or 0."""
    return {"penetration_m": max((p.depth for p in found), default=0.0)}


def worst(frames: Sequence[Sequence[Penetration]]) -> list[tuple[int, Penetration]]:
    """Each pair of bodies in the frame where it is deepest, with its number; deepest pair first."""
    found: dict[tuple[str, str], tuple[int, Penetration]] = {}
    for frame, pairs in enumerate(frames):
        for p in pairs:
            names = p.one, p.other
            if names not in found or p.depth > found[names][1].depth:
                found[names] = frame, p
    return sorted(found.values(), key=lambda each: -each[1].depth)
