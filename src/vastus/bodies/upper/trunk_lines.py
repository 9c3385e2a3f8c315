"""The 432 lines of the trunk.

Cross-sections: B are those of Bogduk, Macintosh and Pearcy (1992) for the erector spinae of the
loins and the chest; C those that Christophy and others (2012) take for multifidus, quadratus
lumborum and the wall of the belly; H those of van der Helm (1994) for the girdle. Intercostal
muscles are as thick as `EXTERNAL` and `INTERNAL` say all along the part of the rib that they cover.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from vastus.bodies.upper.anchors import Anchor, Anchors
from vastus.bodies.upper.lines import LineRow, Path
from vastus.bodies.upper.neck_lines import (
    iliocostalis_cervicis,
    interspinalis,
    intertransversi,
    levels,
    mamillary,
    multifidus,
    rotatores,
    semispinalis_thoracis,
)
from vastus.modelling.trunk.landmarks import LUMBAR, THORACIC, Landmarks, Side

_B, _C, _H = "Bogduk et al. 1992", "Christophy et al. 2012", "van der Helm 1994"
_OWN = "own estimate"

# Thickness [mm] and the parts of the rib between which the muscle lies: the external muscle from
# the tubercle to the cartilage, the internal one from the angle to the breastbone.
_HALF_RIB = 0.006  # [m] from its middle line to the edge where these muscles begin
_SLANT = 0.12  # of a rib's length that their fibres run along it
EXTERNAL, INTERNAL = (3.5, 0.10, 0.95), (3.5, 0.20, 1.15)


def _multifidus(a: Anchors) -> list[Path]:
    """T1 to T12 as in the neck; fascicles of the loins to the vertebrae below and the sacrum."""
    paths = multifidus(a, THORACIC)
    for k, level in enumerate(LUMBAR):
        top = a.spine(level, 0.85, 0.0)
        lower = [mamillary(a, v) for v in LUMBAR[k + 2 : k + 5]]
        if level == "L4":
            lower = [mamillary(a, "L5")]
        # Fascicles from higher vertebrae end further to the side.
        wanted = {"L1": 5, "L2": 5, "L3": 5, "L4": 4, "L5": 3}[level] - len(lower)
        last = 0.85 - 0.12 * max(k - 2, 0)
        parts = np.linspace(last - 0.12 * (wanted - 1), last, wanted)
        paths += [[top, end] for end in [*lower, *(a.sacral(float(t)) for t in parts)]]
    return paths


def _longissimus_thoracis(a: Anchors) -> list[Path]:
    """To the chest's vertebrae, fixed on the way, to ribs 6 to 12, and to the loins."""
    crest = a.pelvis("crest_back", -2, 6)
    starts = ["L1", "L1", "L2", "L2", "L3", "L3", "L4", "L4", "L5", "L5"]
    paths: list[Path] = []
    for high, low in zip(THORACIC, [*starts, "", ""], strict=True):
        start = a.spinous(low, 3) if low else crest
        fixed = a.fixations(low or "L5", high, 0.5, 0.5)
        paths.append([start, *fixed, a.transverse(high)])
    for number in range(6, 13):
        fixed = [a.spine("L3", 0.4, 0.6), a.spine("T12", 0.5, 0.7)][: 2 if number < 10 else 1]
        paths.append([crest, *fixed, a.rib(number, 0.13)])
    return paths + [[crest, a.transverse(v, 0.65)] for v in LUMBAR]


def _iliocostalis_lumborum(a: Anchors) -> list[Path]:
    """From the crest to the angles of ribs 5 to 12 and to L1 to L4."""
    back, side = a.pelvis("crest_back", -2, 6), a.pelvis("crest", -6)
    loin, chest = a.spine("L2", 0.2, 1.1, 8), a.spine("T11", 0.1, 1.2, 8)
    paths: list[Path] = []
    for number in range(5, 13):
        fixed = [loin, chest] if number < 9 else [loin]
        paths.append([back if number < 10 else side, *fixed, a.rib(number, 0.22)])
    return paths + [[back, a.transverse(v)] for v in LUMBAR[:4]]


def _iliocostalis_thoracis(a: Anchors) -> list[Path]:
    triples = [(k, k - 3, k - 6) for k in range(7, 13)] + [(9, 5, 2), (10, 6, 3), (11, 7, 4)]
    return [[a.angle(k) for k in triple] for triple in triples]


def _spinalis_thoracis(a: Anchors) -> list[Path]:
    lows = ("L2", "L2", "L1", "L1", "T12", "T12", "T11", "T11")
    return [
        [a.spinous(low, 5, -3), *a.fixations(low, high, 0.95, 0.1), a.spinous(high, 5, -3)]
        for low, high in zip(lows, THORACIC[:8], strict=True)
    ]


def _trapezius(a: Anchors) -> list[Path]:
    ends = (
        ("C7", a.girdle("acromion")), ("T2", a.scapular_spine(0.45)), ("T4", a.scapular_spine(0.4)),
        ("T7", a.scapular_spine(0.05)), ("T11", a.scapular_spine(0.05)),
    )  # fmt: skip
    return [[a.spinous(level), end] for level, end in ends]


def _rhomboid_major(a: Anchors) -> list[Path]:
    return [[a.spinous("T3"), a.border(0.7)]]


def _serratus_anterior(a: Anchors) -> list[Path]:
    """From ribs 1 to 8 around the chest to the inner border of the scapula."""
    borders = (0.2, 0.3, 0.45, 0.55, 0.7, 0.8, 0.9, 0.98)
    paths: list[Path] = []
    for number, part in enumerate(borders, 1):
        way = [a.rib(min(number, 6), 0.34)] if number > 2 else []
        paths.append([a.rib(number, 0.5 if number < 3 else 0.52), *way, a.border(part)])
    return paths


def _pectoralis_minor(a: Anchors) -> list[Path]:
    return [[a.rib(k, t), a.girdle("coracoid")] for k, t in ((3, 0.84), (4, 0.83), (5, 0.85))]


def _subclavius(a: Anchors) -> list[Path]:
    middle = a.girdle_mean({"clavicle_inner": 0.4, "clavicle_outer": 0.6}, 0, 0, -5)
    return [[a.rib(1, 0.95), middle]]


def _quadratus_lumborum(a: Anchors) -> list[Path]:
    crest = a.pelvis("crest", -16, 8, -2)
    ends: list[Anchor] = [a.rib(12, 0.4), *(a.transverse(v) for v in LUMBAR[:4])]
    return [[crest, end] for end in ends]


def _serratus_posterior_inferior(a: Anchors) -> list[Path]:
    pairs = zip(("T11", "T12", "L1", "L2"), (9, 10, 11, 12), strict=True)
    return [[a.spinous(level), a.rib(k, 0.38)] for level, k in pairs]


def _obliques(a: Anchors) -> list[Path]:
    """The external muscle of a side goes on as the internal one of the other: eight lines.

    Three more go from the last ribs straight down to the crest.
    """
    other = a.opposite
    paths: list[Path] = []
    for k, number in enumerate(range(5, 13)):
        alba = a.belly(0.2 + 0.075 * k, 0.0, "L3")
        end = other.pelvis("crest", 6) if k < 4 else other.pelvis("asis", 2, 8, 14)
        paths.append([a.rib(number, 0.72), alba, end])
    for number, back in ((10, 0), (11, -20), (12, -40)):
        paths.append([a.rib(number, 0.8 if number > 10 else 0.6), a.pelvis("crest", 8, back, -4)])
    return paths


def _rectus_abdominis(a: Anchors) -> list[Path]:
    """From ribs, since cartilages are moved by nothing, over the belly to the pubis."""
    way = [a.belly(0.33, 34, "L2"), a.belly(0.66, 28, "L4")]
    return [[a.rib(k, 0.97), *way, a.pelvis("pubis", -9, -3)] for k in (5, 6, 7)]


def _external_intercostal(a: Anchors) -> list[Path]:
    """Down and forward in the back of each space."""
    return [_across_space(a, k, 0.35, _SLANT) for k in range(1, 11)]


def _internal_intercostal(a: Anchors) -> list[Path]:
    """Down and back in the front of each space; in the last one behind, where rib 11 ends."""
    return [_across_space(a, k, 0.72 if k < 10 else 0.5, -_SLANT) for k in range(1, 11)]


def _across_space(a: Anchors, number: int, part: float, slant: float) -> Path:
    """From a rib to the one below, `slant` of its length beyond its nearest point."""
    upper = a.rib(number, part)
    nearest = a.marks.ribs[number + 1, a.side].part_near(upper.point)
    lower = a.rib(number + 1, nearest + slant)
    along = lower.point - upper.point
    edge = _HALF_RIB * along / np.linalg.norm(along)
    return [Anchor(upper.body, upper.point + edge), Anchor(lower.body, lower.point - edge)]


def intercostal_areas(
    rule: Callable[[Anchors], list[Path]], extent: tuple[float, float, float]
) -> Callable[[Landmarks, Side], list[float]]:
    """Cross-sections [cm^2]: thickness times the length covered, across the fibres."""
    thickness, start, end = extent

    def areas(marks: Landmarks, side: Side) -> list[float]:
        found = []
        for k, path in enumerate(rule(Anchors(marks, side)), 1):
            upper, lower = marks.ribs[k, side], marks.ribs[k + 1, side]
            fibre = path[1].point - path[0].point
            along = upper.at(0.6) - upper.at(0.5)
            cosine = fibre @ along / np.linalg.norm(fibre) / np.linalg.norm(along)
            length = (min(end, 1.0) - start) * (upper.length + lower.length) / 2
            length += (end - min(end, 1.0)) * upper.length
            found.append(1e-1 * thickness * 1e2 * length * float(np.sqrt(1 - cosine**2)))
        return found

    return areas


# Own estimates of the chest were raised until a breath of 3 degrees needs no activation above 1.
_MULTIFIDUS = [0.45] * 36 + [0.53] * 22
_LONGISSIMUS = [0.29, 0.57, 0.56, 0.23, 0.22, 0.32, 0.39, 0.63, 0.73, 0.80, 0.84, 0.69] + [1.0] * 7
_LOINS = [0.79, 0.91, 1.03, 1.10, 1.16]
_ILIOCOSTALIS = [0.23, 0.31, 0.39, 0.34, 0.50, 1.00, 1.23, 1.47, 1.08, 1.54, 1.82, 1.89]

TRUNK = (
    LineRow("obliques", "trunk", 22, _obliques, [1.4] * 8 + [1.5] * 3, _C),
    LineRow("rectus_abdominis", "trunk", 6, _rectus_abdominis, 5.67, _C),
    LineRow("iliocostalis_lumborum", "trunk", 24, _iliocostalis_lumborum, _ILIOCOSTALIS, _B),
    LineRow("iliocostalis_thoracis", "trunk", 18, _iliocostalis_thoracis, 4.5, _OWN),
    LineRow("interspinalis", "trunk", 14,
            lambda a: interspinalis(a, ("T1", *levels("T11", "L4"))), 2.8, _OWN),
    LineRow("intertransversi", "trunk", 34,
            lambda a: [*intertransversi(a, levels("T12", "L4"), (1.0, 0.6)),
                       *intertransversi(a, levels("T5", "T11"), (1.0,))], 6.0, _OWN),
    LineRow("multifidus", "trunk", 116, _multifidus, _MULTIFIDUS, f"{_C}; chest: {_OWN}"),
    LineRow("rotatores", "trunk", 30, lambda a: rotatores(a, levels("C7", "L2")), 6.0, _OWN),
    LineRow("semispinalis_thoracis", "trunk", 8,
            lambda a: semispinalis_thoracis(a, levels("T8", "T11")), 6.0, _OWN),
    LineRow("spinalis_thoracis", "trunk", 16, _spinalis_thoracis, 4.0, _OWN),
    LineRow("trapezius", "trunk", 10, _trapezius, (5.0, 2.5, 2.0, 1.5, 1.5), _H),
    LineRow("external_intercostal", "trunk", 20, _external_intercostal,
            intercostal_areas(_external_intercostal, EXTERNAL), "thickness and extent", first=1),
    LineRow("pectoralis_minor", "trunk", 6, _pectoralis_minor, 3.7, _H),
    LineRow("serratus_anterior", "trunk", 16, _serratus_anterior, 12.0, _H),
    LineRow("rhomboid_major", "trunk", 2, _rhomboid_major, 4.2, _H),
    LineRow("quadratus_lumborum", "trunk", 10, _quadratus_lumborum, 2.8, _C),
    LineRow("subclavius", "trunk", 2, _subclavius, 1.4, _H),
    LineRow("iliocostalis_cervicis", "trunk", 2,
            lambda a: iliocostalis_cervicis(a, ((7, "C6"),)), 0.17,
            "Kamibayashi and Richmond 1998"),
    LineRow("longissimus_thoracis", "trunk", 48, _longissimus_thoracis, [*_LONGISSIMUS, *_LOINS],
            f"{_B}; to ribs: {_OWN}"),
    LineRow("serratus_posterior_inferior", "trunk", 8, _serratus_posterior_inferior, 2.0, _OWN),
    LineRow("internal_intercostal", "trunk", 20, _internal_intercostal,
            intercostal_areas(_internal_intercostal, INTERNAL), "thickness and extent", first=1),
)  # fmt: skip
