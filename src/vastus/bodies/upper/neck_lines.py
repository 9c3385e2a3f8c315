"""The 300 lines of head and neck.

Cross-sections: KR are those of Kamibayashi and Richmond (1998), which Vasavada, Li and Delp (1998)
use; van Eijden, Korfage and Brugman (1997) for the masseter; own estimates for the smallest.
"""

from __future__ import annotations

from itertools import product

from vastus.bodies.upper.anchors import Anchor, Anchors
from vastus.bodies.upper.lines import LineRow, Path
from vastus.modelling.trunk.landmarks import LEVELS

_KR = "Kamibayashi and Richmond 1998"
_OWN = "own estimate"


def levels(first: str, last: str) -> tuple[str, ...]:
    """The levels from one to another, both with it, from the head down."""
    return LEVELS[LEVELS.index(first) : LEVELS.index(last) + 1]


def below(level: str, steps: int = 1) -> str:
    """The level some steps below."""
    return LEVELS[LEVELS.index(level) + steps]


def interspinalis(a: Anchors, tops: tuple[str, ...]) -> list[Path]:
    """From each spinous process to the next, beside the ligament."""
    return [[a.spinous(v, 3, -4), a.spinous(below(v), 3, -4)] for v in tops]


def intertransversi(a: Anchors, tops: tuple[str, ...], parts: tuple[float, ...]) -> list[Path]:
    """From each transverse process to the next, at parts of the way out from the body."""
    return [[a.transverse(v, p), a.transverse(below(v), p)] for v in tops for p in parts]


def rotatores(a: Anchors, tops: tuple[str, ...]) -> list[Path]:
    """From a transverse process up to the lamina of the next vertebra."""
    return [[a.transverse(below(v)), a.spine(v, 0.6, 0.2)] for v in tops]


def multifidus(a: Anchors, tops: tuple[str, ...]) -> list[Path]:
    """From a spinous process down to the transverse processes two, three and four below."""
    return [
        [a.spine(v, 0.85, 0.05), mamillary(a, below(v, n))] for v, n in product(tops, (2, 3, 4))
    ]


def mamillary(a: Anchors, level: str) -> Anchor:
    """Where multifidus begins: the transverse tip, in the loins the root of the process."""
    return a.spine(level, 0.15, 0.55) if level.startswith("L") else a.transverse(level)


def semispinalis_thoracis(a: Anchors, lows: tuple[str, ...]) -> list[Path]:
    """From a transverse process to the spinous one seven above, fixed on the way."""
    return [
        [a.transverse(v), *a.fixations(v, below(v, -7), 0.6, 0.25), a.spinous(below(v, -7), 2)]
        for v in lows
    ]


def _semispinalis_cervicis(a: Anchors) -> list[Path]:
    pairs = zip(levels("T1", "T6"), levels("C2", "C7"), strict=True)
    return [[a.transverse(low), a.spinous(high, 2)] for low, high in pairs]


def _semispinalis_capitis(a: Anchors) -> list[Path]:
    return [[a.transverse(v), a.skull("nuchal")] for v in levels("C4", "T5")]


def _longissimus_capitis(a: Anchors) -> list[Path]:
    return [[a.transverse(v), a.skull("mastoid", -4, 2, 3)] for v in levels("C4", "T4")]


def _longissimus_cervicis(a: Anchors) -> list[Path]:
    pairs = zip(levels("T1", "T5"), levels("C2", "C6"), strict=True)
    return [[a.transverse(low), a.transverse(high)] for low, high in pairs]


def iliocostalis_cervicis(a: Anchors, pairs: tuple[tuple[int, str], ...]) -> list[Path]:
    """From the angle of a rib to a transverse process of the neck."""
    return [[a.angle(number), a.transverse(level)] for number, level in pairs]


def _iliocostalis_thoracis(a: Anchors) -> list[Path]:
    return [[a.angle(7), a.angle(4), a.transverse("C7")]]


def _splenius_capitis(a: Anchors) -> list[Path]:
    return [[a.spinous(v, 2), a.skull("mastoid", 2, 4, 6)] for v in levels("C6", "T3")]


def _splenius_cervicis(a: Anchors) -> list[Path]:
    pairs = zip(levels("T3", "T6"), levels("C1", "C4"), strict=True)
    return [[a.spinous(low, 2), a.transverse(high)] for low, high in pairs]


def _longus_capitis(a: Anchors) -> list[Path]:
    return [[a.transverse(v, 0.5), a.skull("basion", 8)] for v in levels("C3", "C6")]


def _longus_colli(a: Anchors) -> list[Path]:
    pairs = (("C3", "C1"), ("C4", "C1"), ("C5", "C1"), ("C6", "C2"),
             ("T2", "C4"), ("T1", "C5"), ("T3", "C6"))  # fmt: skip
    return [[a.front(low, 11, 9.5), a.front(high, 11, 9.5)] for low, high in pairs]


def _scalenes(a: Anchors) -> list[Path]:
    anterior = product(levels("C3", "C6"), (0.62, 0.72))
    medius = product(levels("C2", "C7"), (0.36, 0.46))
    posterior = (("C4", 0.4), ("C5", 0.4), ("C6", 0.4), ("C5", 0.45), ("C6", 0.45))
    return [
        *([a.transverse(v, 0.9), a.rib(1, t)] for v, t in anterior),
        *([a.transverse(v), a.rib(1, t)] for v, t in medius),
        *([a.transverse(v), a.rib(2, t)] for v, t in posterior),
    ]


def _sternocleidomastoid(a: Anchors) -> list[Path]:
    mastoid = a.skull("mastoid", 2, 0, 4)
    return [[a.on("sternum", "manubrium"), mastoid], [a.girdle("clavicle_inner", -6, -4), mastoid]]


def _levator_scapulae(a: Anchors) -> list[Path]:
    ends = product(levels("C1", "C4"), (0.1, 0.3))
    return [[a.transverse(v), a.border(t)] for v, t in ends]


def _obliquus_capitis(a: Anchors) -> list[Path]:
    return [
        [a.transverse("C1"), a.skull("nuchal", 12, -2)],
        [a.spinous("C2", 2), a.transverse("C1")],
    ]


def _rectus_capitis_posterior(a: Anchors) -> list[Path]:
    return [
        [a.spinous("C2", 2), a.skull("nuchal", 2)],
        [a.spinous("C1", 2), a.skull("nuchal", -10)],
    ]


def _rectus_capitis_anterior(a: Anchors) -> list[Path]:
    return [[a.transverse("C1", 0.5), a.skull("basion", 8)]]


def _rectus_capitis_lateralis(a: Anchors) -> list[Path]:
    return [[a.transverse("C1"), a.skull("mastoid", -16, 4, 9)]]


def _masseter(a: Anchors) -> list[Path]:
    return [[a.skull("cheek"), a.on("jaw", "jaw_angle", 0, -4, 4)]]


def _geniohyoid(a: Anchors) -> list[Path]:
    return [[a.on("jaw", "chin", 4, 12, 2), a.on("hyoid", "hyoid", 6)]]


def _mylohyoid(a: Anchors) -> list[Path]:
    return [[a.on("jaw", "jaw_angle", -11, -38, -12), a.on("hyoid", "hyoid", 6, 2)]]


def _stylohyoid(a: Anchors) -> list[Path]:
    return [[a.skull("styloid", 2, 0, 8), a.on("hyoid", "hyoid_horn")]]


def _omohyoid(a: Anchors) -> list[Path]:
    top = a.girdle_mean({"superior_angle": 0.7, "coracoid": 0.3})
    return [[a.on("hyoid", "hyoid", 12, 6), a.girdle("clavicle_inner", 0, 12), top]]


def _sternohyoid(a: Anchors) -> list[Path]:
    return [[a.on("sternum", "manubrium", 0, 10, 2), a.on("hyoid", "hyoid", 6)]]


def _sternothyroid(a: Anchors) -> list[Path]:
    return [[a.on("sternum", "manubrium", -2, 12), a.on("thyroid", "thyroid", 11, 8)]]


def _trapezius(a: Anchors) -> list[Path]:
    beside = a.spine("C5", 1.0, 0.0)
    via = Anchor("C5", beside.point + a.offset(34, 5))
    return [
        [a.skull("nuchal", -8, 2, 4), via, a.girdle("clavicle_outer", 12, 4, 4)],
        [a.spinous("C6"), a.girdle("acromion", 0, 2, 2)],
    ]


def _rhomboid_minor(a: Anchors) -> list[Path]:
    return [[a.spinous("C7"), a.border(0.4)]]


_CERVICIS = ((3, "C4"), (4, "C4"), (4, "C5"), (5, "C5"), (6, "C6"))
_SCALENE_AREAS = [1.88 / 8] * 8 + [1.36 / 12] * 12 + [1.05 / 5] * 5

NECK = (
    LineRow("iliocostalis_thoracis", "neck", 2, _iliocostalis_thoracis, 0.3, _OWN),
    LineRow("interspinalis", "neck", 12, lambda a: interspinalis(a, levels("C2", "C7")), 1.2, _OWN),
    LineRow("intertransversi", "neck", 28,
            lambda a: intertransversi(a, levels("C1", "C7"), (0.9, 0.75)), 2.8, _OWN),
    LineRow("rotatores", "neck", 10, lambda a: rotatores(a, levels("C2", "C6")), 1.5, _OWN),
    LineRow("semispinalis_thoracis", "neck", 4,
            lambda a: semispinalis_thoracis(a, ("T6", "T7")), 1.2, _OWN),
    LineRow("trapezius", "neck", 4, _trapezius, (1.5, 2.3), _KR),
    LineRow("masseter", "neck", 2, _masseter, 10.3, "van Eijden et al. 1997"),
    LineRow("iliocostalis_cervicis", "neck", 10,
            lambda a: iliocostalis_cervicis(a, _CERVICIS), 0.87, _KR),
    LineRow("longissimus_capitis", "neck", 16, _longissimus_capitis, 0.98, _KR),
    LineRow("longissimus_cervicis", "neck", 10, _longissimus_cervicis, 1.49, _KR),
    LineRow("semispinalis_cervicis", "neck", 12, _semispinalis_cervicis, 3.06, _KR),
    LineRow("splenius_capitis", "neck", 10, _splenius_capitis, 3.09, _KR),
    LineRow("semispinalis_capitis", "neck", 18, _semispinalis_capitis, 5.52, _KR),
    LineRow("longus_capitis", "neck", 8, _longus_capitis, 1.37, _KR),
    LineRow("geniohyoid", "neck", 2, _geniohyoid, 0.6, _OWN),
    LineRow("longus_colli", "neck", 14, _longus_colli, 2.75, _KR),
    LineRow("obliquus_capitis", "neck", 4, _obliquus_capitis, (1.03, 1.95), _KR),
    LineRow("omohyoid", "neck", 2, _omohyoid, 0.4, _OWN),
    LineRow("rectus_capitis_posterior", "neck", 4, _rectus_capitis_posterior, (1.68, 0.92), _KR),
    LineRow("rectus_capitis_anterior", "neck", 2, _rectus_capitis_anterior, 0.5, _OWN),
    LineRow("scalenes", "neck", 50, _scalenes, _SCALENE_AREAS, _KR),
    LineRow("sternocleidomastoid", "neck", 4, _sternocleidomastoid, (3.0, 1.92), _KR),
    LineRow("sternohyoid", "neck", 2, _sternohyoid, 0.6, _OWN),
    LineRow("sternothyroid", "neck", 2, _sternothyroid, 0.5, _OWN),
    LineRow("stylohyoid", "neck", 2, _stylohyoid, 0.3, _OWN),
    LineRow("rectus_capitis_lateralis", "neck", 2, _rectus_capitis_lateralis, 0.5, _OWN),
    LineRow("levator_scapulae", "neck", 16, _levator_scapulae, 3.12, _KR),
    LineRow("multifidus", "neck", 36, lambda a: multifidus(a, levels("C2", "C7")), 4.5, _OWN),
    LineRow("mylohyoid", "neck", 2, _mylohyoid, 1.2, _OWN),
    LineRow("splenius_cervicis", "neck", 8, _splenius_cervicis, 1.43, _KR),
    LineRow("rhomboid_minor", "neck", 2, _rhomboid_minor, 2.1, "van der Helm 1994"),
)  # fmt: skip
