"""Muscles of the arm: those of the anatomical arm, hung on the trunk, and some of the forearm.

Rows are those of `modelling.shapes.arm_muscles`, in the frame of the arm; factors of their widths
bring volumes near those that magnetic resonance shows (`bodies.volumes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vastus.bodies.upper.muscle_volumes.solids import Follows, MuscleSolid, columns
from vastus.modelling.shapes import arm_muscles as arm
from vastus.modelling.shapes.implicit import Field, SweptField, join
from vastus.modelling.shapes.strands import MuscleShape, Strand
from vastus.modelling.trunk.arm_place import hung
from vastus.numerics.types import Floats

_STRAIGHT = np.eye(3)
_ROOF = 13.0  # [mm]
_PRONATOR_TERES = Strand(
    [(-33, 2, 20, 4, 4), (-27, 9, 2, 8, 8)],
    [(-15, 14, -26, 10.5, 10), (-1, 14, -56, 10, 9), (12, 10, -86, 7, 6), (19, 4, -112, 3, 3)],
)
_SUPINATOR = Strand(
    [(24, -5, 6, 4, 4)],
    [(20, -9, -14, 7, 7), (19, -8, -34, 8, 7), (20, -3, -54, 7, 6), (18, 4, -74, 4, 4)],
)
_PRONATOR_QUADRATUS = Strand(
    [], [(-18, 5, -212, 3, 14), (-5, 7, -213, 4, 16), (10, 8, -214, 3, 14)], side=(0.0, 1.0, 0.0)
)


def arm_muscles() -> list[MuscleSolid]:
    """The deltoid in three parts, biceps, triceps, and the muscles of the forearm."""
    front, middle, back = (arm.DELTOID.strands[k : k + 3] for k in (0, 3, 6))
    bends, straightens = arm.FOREARM_FLEXORS.strands, arm.FOREARM_EXTENSORS.strands
    rims = arm.DELTOID.rims

    def lines(group: str, *numbers: int) -> Follows:
        return Follows(group, numbers=numbers or None)

    return [
        _hung("deltoid_front", front, 6, lines("deltoid", 0), rims=rims),
        _hung("deltoid_middle", middle, 6, lines("deltoid", 1), rims=rims),
        _hung("deltoid_back", back, 6, lines("deltoid", 2), rims=rims),
        _whole("biceps_long", arm.BICEPS_LONG, 4, lines("biceps_brachii", 0), swell=0.83),
        _whole("biceps_short", arm.BICEPS_SHORT, 4, lines("biceps_brachii", 1), swell=0.83),
        _whole("brachialis", arm.BRACHIALIS, 3, lines("brachialis"), swell=1.1),
        _whole("coracobrachialis", arm.CORACOBRACHIALIS, 3, lines("coracobrachialis")),
        _whole("triceps_long", arm.TRICEPS_LONG, 4, lines("triceps_brachii", 0)),
        _whole("triceps_lateral", arm.TRICEPS_LATERAL, 4, lines("triceps_brachii", 1)),
        _whole("triceps_medial", arm.TRICEPS_MEDIAL, 3, lines("triceps_brachii", 2)),
        _whole("brachioradialis", arm.BRACHIORADIALIS, 2, lines("brachioradialis"), swell=0.92),
        _hung("flexor_carpi_radialis", bends[:1], 4),
        _hung("flexor_digitorum", bends[1:2], 4, lines("flexor_digitorum_superficialis"),
              lines("palmaris_longus"), swell=1.15),
        _hung("flexor_carpi_ulnaris", bends[2:], 4, lines("flexor_carpi_ulnaris"), swell=0.9),
        _hung("extensor_carpi_radialis", straightens[:1], 4,
              lines("extensor_carpi_radialis_brevis"), lines("extensor_carpi_radialis_longus")),
        _hung("extensor_digitorum", straightens[1:2], 4, lines("extensor_pollicis_longus")),
        _hung("extensor_carpi_ulnaris", straightens[2:], 4, lines("extensor_carpi_ulnaris")),
        _hung("pronator_teres", [_PRONATOR_TERES], 3, lines("pronator_teres"), swell=1.2),
        _hung("supinator", [_SUPINATOR], 1, lines("supinator"), swell=1.5),
        _hung("pronator_quadratus", [_PRONATOR_QUADRATUS], 1, lines("pronator_quadratus")),
    ]  # fmt: skip


def _whole(
    name: str, shape: MuscleShape, layer: int, *follows: Follows, swell: float = 1.0
) -> MuscleSolid:
    return _hung(name, shape.strands, layer, *follows, blend=shape.blend, swell=swell)


def _hung(
    name: str, strands: Sequence[Strand], layer: int, *follows: Follows,
    rims: Sequence[Strand] = (), blend: float = 6.0, swell: float = 1.0,
) -> MuscleSolid:  # fmt: skip
    """Strands of the arm as one muscle on the left side of the trunk."""
    tubes = [placed(strand, swell) for strand in strands]
    muscle = columns(name, tubes, *follows, layer=layer, blend=blend)
    if not rims:
        return muscle
    edges = [placed(rim) for rim in rims]
    return replace(muscle, field=_clipped(join(*tubes, *edges, blend=blend), muscle.box))


def _clipped(field: Field, box: tuple[Floats, Floats]) -> Field:
    """A solid inside a box only: a rim goes on along other parts."""
    low, high = box

    def value(X: Floats) -> Floats:
        beyond = np.maximum(low - X, X - high).max(axis=1)
        return np.maximum(field(X), beyond)

    return value


def placed(strand: Strand, swell: float = 1.0) -> SweptField:
    """A strand of the arm's frame on the left side of the trunk, its widths times `swell`."""
    rows = strand.solid(_STRAIGHT).rows.copy()
    # The arm by itself has a higher roof over its shoulder than the trunk.
    rows[:, 2] -= _ROOF * np.clip((rows[:, 2] - 285.0) / 35.0, 0.0, 1.0)
    rows[:, :3] = hung(rows[:, :3])
    rows[:, 3:5] *= swell
    x, y, z = (hung(np.array([strand.side])) - hung(np.zeros((1, 3))))[0].tolist()
    return SweptField(rows, (x, y, z))
