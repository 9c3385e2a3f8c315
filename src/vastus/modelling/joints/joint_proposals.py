"""Which joints the shape of bones speaks for: no more than tie them to each other, so in no ring.

Bones that lie side by side over most of their length, as radius and ulna do, move as one unless the
author wants the pivot between them. Bones of which one has a head are tied by a ball, a spool makes
a hinge, and bones that only touch move as one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np

from vastus.errors import ModelError
from vastus.geometry.queries import nearest_vertex
from vastus.geometry.signed_distance import distances_to, merged
from vastus.geometry.surface import Surface
from vastus.modelling.joints.joint_fit import (
    WIDEST_GAP,
    BallFit,
    HingeFit,
    fit_ball,
    fit_hinge,
)
from vastus.numerics.types import Floats
from vastus.skeleton.joints import Ball, Hinge, Joint, Weld

Bones = Mapping[str, Sequence[Surface]]
Pair = tuple[str, str]
Fit = TypeVar("Fit", BallFit, HingeFit)
GROUND = ""  # all bones that do not move are one
TOUCHING = 0.003  # [m] between bones that touch
CONTACT = 0.003  # [m] beyond the gap that belongs to the contact
BESIDE = 0.5  # of the smaller bone, over which bones side by side are in contact
# Of the smaller bone, the radius of a spool: 0.042 at an elbow, 0.055 at a knee, 0.1 at a finger;
# the rim of the acromion makes 0.03.
LEAST_SPOOL = 0.036


@dataclass(frozen=True, eq=False)
class Proposal:
    """A joint that two bones may have: of the first kind, or of another that the author prefers.

    A kind whose place the shape does not tell is at the centre (3,) [m].
    """

    bones: Pair
    kinds: tuple[type[Joint], ...]
    centre: Floats
    sentence: str
    rank: tuple[int, float]  # least for the one that goes before others

    @property
    def name(self) -> str:
        """What to call the joint."""
        return " to ".join(self.bones)


def proposals(
    bones: Bones, fixed: Collection[str] = (), tied: Iterable[Pair] = ()
) -> list[Proposal]:
    """The joints to be offered between bones, from the uppermost down, that `tied` leave loose.

    Bones that are `fixed` do not move. No proposal closes a ring with others or with what is tied.
    """
    body = {name: GROUND if name in fixed else name for name in bones}
    for one, two in tied:
        _unite(body, one, two)
    found = []
    loose = [pair for pair in combinations(bones, 2) if body[pair[0]] != body[pair[1]]]
    offered = [p for p in (_between(pair, bones) for pair in loose) if p is not None]
    for proposal in sorted(offered, key=lambda p: p.rank):
        one, two = proposal.bones
        if body[one] != body[two]:
            found.append(proposal)
            _unite(body, one, two)
    return sorted(found, key=lambda p: loose.index(p.bones))


def _unite(body: dict[str, str], one: str, two: str) -> None:
    kept, gone = sorted((body[one], body[two]))  # the ground is first
    body.update({name: kept for name, at in body.items() if at == gone})


@dataclass(frozen=True, eq=False)
class Contact:
    """Where two bones are nearest to each other."""

    gap: float  # [m]
    size: float  # [m] the diagonal of the smaller bone
    X: Floats  # (k, 3) [m] the points of the first bone there

    @property
    def spread(self) -> float:
        """The extent of the contact, of the size of the smaller bone."""
        return float(np.linalg.norm(np.ptp(self.X, axis=0))) / self.size


def contact(one: Surface, two: Surface) -> Contact | None:
    """Where the first surface is nearest to the second; None if they are too far apart to meet."""
    size = min(float(np.linalg.norm(np.ptp(s.X, axis=0))) for s in (one, two))
    _, rough = nearest_vertex(two.X, one.X)
    if rough.min() > 2 * WIDEST_GAP * size:
        return None
    near = np.flatnonzero(rough <= rough.min() + CONTACT + WIDEST_GAP * size)
    away = distances_to(two, np.ascontiguousarray(one.X[near]))
    return Contact(float(away.min()), size, one.X[near[away <= away.min() + CONTACT]])


def _between(pair: Pair, bones: Bones) -> Proposal | None:
    """What may tie a pair of bones."""
    one, two = (list(bones[name]) for name in pair)
    meet = contact(merged(one), merged(two)) if one and two else None
    if meet is None:
        return None
    middle = meet.X.mean(axis=0)
    if meet.spread >= BESIDE and meet.gap <= TOUCHING:
        pivot = (Hinge,) if _fit(fit_hinge, one, two, pair) else ()
        share = f"they lie side by side over {meet.spread:.0%} of the shorter one"
        return Proposal(
            pair, (Weld, *pivot), middle, f"{share}, and move as one", (0, -meet.spread)
        )
    ball = _fit(fit_ball, one, two, pair)
    if ball:
        return Proposal(pair, (Ball,), ball.centre, ball.sentence, (1, -ball.share))
    hinge = _fit(fit_hinge, one, two, pair)
    if hinge and hinge.radius >= LEAST_SPOOL * meet.size:
        return Proposal(pair, (Hinge,), hinge.centre, hinge.sentence, (1, -hinge.share))
    if meet.gap <= TOUCHING:
        sentence = f"they touch ({1e3 * meet.gap:.2g} mm) without a head or spool, and move as one"
        return Proposal(pair, (Weld,), middle, sentence, (2, meet.gap))
    return None


def _fit(
    fit: Callable[..., Fit], one: list[Surface], two: list[Surface], names: Pair
) -> Fit | None:
    try:
        return fit(one, two, names=names)
    except ModelError:
        return None
