"""The 41 lines of each arm.

Points of the arm's bones [mm] are given in the frame of this package's own arm: lateral, forward
and up from the elbow, in the hand from the wrist. Cross-sections follow from volumes, as those of
the juggler's muscles do.
"""

from __future__ import annotations

from vastus.bodies.upper.anchors import Anchor, Anchors
from vastus.bodies.upper.lines import Areas, LineRow, Path
from vastus.bodies.volumes import belly_areas

_VOLUMES = "Holzbaur et al. 2007"


def _pectoralis_major(a: Anchors) -> list[Path]:
    """From clavicle, breastbone and ribs, the lower ones over the fold of the armpit."""
    end = a.humerus.at(4, 13, 226)
    coracoid, rib = a.girdle("coracoid"), a.rib(4, 0.75)
    fold = Anchor(f"rib3{a.side}", (coracoid.point + rib.point) / 2 + a.offset(0, -20, -16))
    low = [
        a.on("sternum", "angle", 12, -2), a.on("sternum", "sternum", 12, -12, -10),
        a.rib(5, 0.96), a.rib(6, 0.93),
    ]  # fmt: skip
    middle = a.girdle_mean({"clavicle_inner": 0.4, "clavicle_outer": 0.6}, 0, -6)
    high = [a.girdle("clavicle_inner", 0, -6), middle]
    return [*([start, end] for start in high), *([start, fold, end] for start in low)]


def _latissimus_dorsi(a: Anchors) -> list[Path]:
    """From the spine and the crest around the lower angle of the scapula."""
    angle = a.girdle("inferior_angle", 0, 6, 10)
    around, end = Anchor(f"rib8{a.side}", angle.point), a.humerus.at(-4, 12, 222)
    starts = [a.spinous(v) for v in ("T7", "T9", "T11", "L1", "L3", "L5")]
    return [[start, around, end] for start in [*starts, a.pelvis("crest", 8)]]


def _biceps_brachii(a: Anchors) -> list[Path]:
    end, h = a.radius.at(1, 3, -45), a.humerus
    long = [a.girdle("socket", 16, -8, 30), h.at(5.5, 20, 280), h.at(7, 24, 160), h.at(6, 28, 90)]
    return [[*long, end], [a.girdle("coracoid"), h.at(-2, 26, 100), end]]


def _brachialis(a: Anchors) -> list[Path]:
    return [[a.humerus.at(2, 12, 110), a.humerus.at(-3, 18, 30), a.ulna.at(-10, 9, -30)]]


def _brachioradialis(a: Anchors) -> list[Path]:
    return [[a.humerus.at(18, 4, 70), a.radius.at(22, 16, -40), a.radius.at(23, 4, -235)]]


def _coracobrachialis(a: Anchors) -> list[Path]:
    return [[a.girdle("coracoid"), a.humerus.at(-9, 4, 160)]]


def _triceps_brachii(a: Anchors) -> list[Path]:
    h, end = a.humerus, a.ulna.at(-12, -27, 5)
    low = h.at(-12, -25, 10)
    return [
        [a.girdle("socket", 2, 4, -26), h.at(0, -22, 100), low, end],
        [h.at(8, -10, 200), h.at(6, -20, 100), low, end],
        [h.at(-6, -10, 150), h.at(-6, -18, 80), low, end],
    ]


def _infraspinatus(a: Anchors) -> list[Path]:
    start = a.girdle_mean({"spine_root": 0.35, "inferior_angle": 0.35, "socket": 0.3}, 0, 10)
    return [[start, a.girdle("head", -6, 30, 2), a.humerus.at(13, -17, 284)]]


def _deltoid(a: Anchors) -> list[Path]:
    """In front, beside and behind the head of the humerus."""
    h = a.humerus
    front = a.girdle_mean({"clavicle_outer": 0.5, "acromial": 0.5}, 0, -6)
    return [
        [front, h.at(-2, 28, 280), h.at(12, 6, 168)],
        [a.girdle("acromion", 2), h.at(27, -2, 276), h.at(14, 3, 166)],
        [a.scapular_spine(0.6), h.at(2, -38, 274), h.at(12, 0, 168)],
    ]


def _supraspinatus(a: Anchors) -> list[Path]:
    start = a.girdle_mean({"superior_angle": 0.5, "spine_root": 0.2, "socket": 0.3}, 0, 4, 4)
    return [[start, a.girdle("head", 0, 2, 29), a.humerus.at(12, -6, 296)]]


def _teres_major(a: Anchors) -> list[Path]:
    return [[a.girdle_mean({"inferior_angle": 0.9, "socket": 0.1}, 0, 4), a.humerus.at(-9, 10, 226)]]


def _extensor_carpi_radialis_brevis(a: Anchors) -> list[Path]:
    return [[a.humerus.at(31, -3, 12), a.radius.at(10, -15, -236), a.hand.at(4, -13, -30)]]


def _extensor_carpi_radialis_longus(a: Anchors) -> list[Path]:
    return [[a.humerus.at(27, 7, 30), a.radius.at(19, -11, -236), a.hand.at(14, -11, -32)]]


def _extensor_carpi_ulnaris(a: Anchors) -> list[Path]:
    return [[a.humerus.at(30, -5, 10), a.ulna.at(-20, -15, -232), a.hand.at(-21, -9, -28)]]


def _supinator(a: Anchors) -> list[Path]:
    return [[a.ulna.at(-4, -14, -26), a.radius.at(17, -9, -42), a.radius.at(18, 0, -62)]]


def _flexor_carpi_ulnaris(a: Anchors) -> list[Path]:
    return [[a.humerus.at(-38, -3, 12), a.ulna.at(-22, 8, -230), a.hand.at(-18, 11, -14)]]


def _flexor_digitorum_superficialis(a: Anchors) -> list[Path]:
    """To index, middle, ring and little finger."""
    start = a.humerus.at(-37, -1, 11)
    ends = ((6, 17, -78), (3, 3, -80), (0, -11, -76), (-3, -23, -70))
    return [[start, a.radius.at(x, 12, -234), a.hand.at(u, 10, z)] for x, u, z in ends]


def _palmaris_longus(a: Anchors) -> list[Path]:
    return [[a.humerus.at(-38, -1, 12), a.radius.at(4, 16, -234), a.hand.at(2, 15, -32)]]


def _pronator_quadratus(a: Anchors) -> list[Path]:
    return [[a.ulna.at(-18, 4, -212), a.radius.at(8, 10, -214)]]


def _pronator_teres(a: Anchors) -> list[Path]:
    end = (a.radius.at(8, 9, -80), a.radius.at(20, 3, -115))
    return [[a.humerus.at(-34, 2, 22), *end], [a.ulna.at(-10, 12, -26), *end]]


def _extensor_pollicis_longus(a: Anchors) -> list[Path]:
    return [[a.ulna.at(-8, -14, -110), a.radius.at(6, -15, -236), a.hand.at(30, 2, -46)]]


def _shares(**lines: int) -> Areas:
    """The cross-section [cm^2] of each line: a juggler's muscle shared by some lines each."""
    areas = belly_areas()
    return [1e4 * areas[name] / n for name, n in lines.items() for _ in range(n)]


ARM_ROWS = (
    LineRow("pectoralis_major", "arm", 6, _pectoralis_major,
            _shares(PECM1=2, PECM2=2, PECM3=2), _VOLUMES),
    LineRow("latissimus_dorsi", "arm", 7, _latissimus_dorsi,
            _shares(LAT1=3, LAT2=3, LAT3=1), _VOLUMES),
    LineRow("biceps_brachii", "arm", 2, _biceps_brachii, _shares(BIClong=1, BICshort=1), _VOLUMES),
    LineRow("brachioradialis", "arm", 1, _brachioradialis, _shares(BRD=1), _VOLUMES),
    LineRow("brachialis", "arm", 1, _brachialis, _shares(BRA=1), _VOLUMES),
    LineRow("coracobrachialis", "arm", 1, _coracobrachialis, _shares(CORB=1), _VOLUMES),
    LineRow("triceps_brachii", "arm", 3, _triceps_brachii,
            _shares(TRIlong=1, TRIlat=1, TRImed=1), _VOLUMES),
    LineRow("infraspinatus", "arm", 1, _infraspinatus, _shares(INFSP=1), _VOLUMES),
    LineRow("deltoid", "arm", 3, _deltoid, _shares(DELT1=1, DELT2=1, DELT3=1), _VOLUMES),
    LineRow("supraspinatus", "arm", 1, _supraspinatus, _shares(SUPSP=1), _VOLUMES),
    LineRow("teres_major", "arm", 1, _teres_major, _shares(TMAJ=1), _VOLUMES),
    LineRow("extensor_carpi_radialis_brevis", "arm", 1, _extensor_carpi_radialis_brevis,
            _shares(ECRB=1), _VOLUMES),
    LineRow("extensor_carpi_radialis_longus", "arm", 1, _extensor_carpi_radialis_longus,
            _shares(ECRL=1), _VOLUMES),
    LineRow("extensor_carpi_ulnaris", "arm", 1, _extensor_carpi_ulnaris, _shares(ECU=1), _VOLUMES),
    LineRow("supinator", "arm", 1, _supinator, _shares(SUP=1), _VOLUMES),
    LineRow("flexor_carpi_ulnaris", "arm", 1, _flexor_carpi_ulnaris, _shares(FCU=1), _VOLUMES),
    LineRow("flexor_digitorum_superficialis", "arm", 4, _flexor_digitorum_superficialis,
            _shares(FDS=4), _VOLUMES),
    LineRow("palmaris_longus", "arm", 1, _palmaris_longus, _shares(PL=1), _VOLUMES),
    LineRow("pronator_quadratus", "arm", 1, _pronator_quadratus, _shares(PQ=1), _VOLUMES),
    LineRow("pronator_teres", "arm", 2, _pronator_teres, _shares(PT=2), _VOLUMES),
    LineRow("extensor_pollicis_longus", "arm", 1, _extensor_pollicis_longus, 0.56,
            "Holzbaur et al. 2005"),
)  # fmt: skip
