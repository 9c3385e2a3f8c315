"""The muscles of the right arm: strength, lengths and paths.

Greatest forces [N], angles of pennation [deg] and optimal fibre lengths [mm] follow Holzbaur,
Murray and Delp (2005); those of the finger muscles are sums over the fingers, and the long abductor
of the thumb has its short extensor with it. Tendon lengths [mm] put the middle of the path lengths
over the used range of the joints at the optimal fibre length. Points [mm] of muscles of the elbow
are near those of OpenSim's arm26; the others are own numbers from anatomy.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians

from vastus.bodies.segments import Triple


@dataclass(frozen=True)
class Point:
    """A point of a path, fixed to a segment [m]."""

    segment: str
    place: Triple


@dataclass(frozen=True)
class Around:
    """A wrap that the path may touch, on the side of a site where it has one."""

    wrap: str
    side: str = ""


@dataclass(frozen=True)
class Muscle:
    """A muscle as one line."""

    name: str
    title: str
    peak: float  # [N] greatest force of the fibres
    pennation: float  # [deg]
    optimal_mm: float
    slack_mm: float
    path: tuple[Point | Around, ...]

    @property
    def force(self) -> float:
        """The greatest force along the tendon [N]."""
        return self.peak * cos(radians(self.pennation))

    @property
    def optimal(self) -> float:
        """The fibres' length at the greatest force [m]."""
        return 1e-3 * self.optimal_mm

    @property
    def slack(self) -> float:
        """The tendon's length [m]."""
        return 1e-3 * self.slack_mm


def _on(segment: str, x: float, y: float, z: float) -> Point:
    return Point(segment, (1e-3 * x, 1e-3 * y, 1e-3 * z))


def T(x: float, y: float, z: float) -> Point:
    """A point on the torso [mm]."""
    return _on("torso", x, y, z)


def G(x: float, y: float, z: float) -> Point:
    """A point on scapula or clavicle [mm], which move with the torso unless they have joints."""
    return _on("girdle", x, y, z)


def H(x: float, y: float, z: float) -> Point:
    """A point on the humerus [mm]."""
    return _on("humerus", x, y, z)


def U(x: float, y: float, z: float) -> Point:
    """A point on the ulna [mm]."""
    return _on("ulna", x, y, z)


def R(x: float, y: float, z: float) -> Point:
    """A point on the radius [mm]; without pronation its frame is the ulna's."""
    return _on("radius", x, y, z)


def N(x: float, y: float, z: float) -> Point:
    """A point on the hand [mm]."""
    return _on("hand", x, y, z)


_DELTOID = Around("head_deltoid")
_CUFF_BACK, _CUFF_FRONT = Around("cuff", "cuff_back"), Around("cuff", "cuff_front")
_SHAFT_INNER, _SHAFT_FRONT = Around("shaft", "shaft_inner"), Around("shaft", "shaft_front")
_ELBOW_BACK, _ELBOW_FRONT = Around("elbow", "elbow_back"), Around("elbow", "elbow_front")
_WRIST_VOLAR, _WRIST_DORSAL = Around("wrist", "wrist_volar"), Around("wrist", "wrist_dorsal")
_BICEPS_LOW = (Around("radius_biceps", "radius_inner"), R(-3.6, -3.3, -50.0))
_TRICEPS_LOW = (H(-31.8, 12.2, -226.4), H(-17.4, 12.1, -267.6), _ELBOW_BACK, U(-21.9, 0.8, 10.5))
_OUTER, _INNER = H(6, -28, -286), H(4, 45, -286)  # epicondyles

SHOULDER = (
    Muscle("DELT1", "deltoid, front", 1142.6, 22, 97.6, 47.1,
           (G(6, -162, 27), _DELTOID, H(11, -9, -119))),
    Muscle("DELT2", "deltoid, middle", 1142.6, 15, 107.8, 38.2,
           (G(-24, -184, 29), _DELTOID, H(6, -12, -124))),
    Muscle("DELT3", "deltoid, back", 259.9, 18, 136.7, 6.0,
           (G(-70, -174, 3), _DELTOID, H(2, -10, -118))),
    Muscle("SUPSP", "supraspinatus", 487.8, 7, 68.2, 14.2,
           (G(-52, -104, 19), Around("head_supraspinatus"), H(4, -24, 16))),
    Muscle("INFSP", "infraspinatus", 1210.8, 19, 75.5, 39.0,
           (G(-86, -98, -37), _CUFF_BACK, H(-10, -26, 6))),
    Muscle("SUBSC", "subscapularis", 1377.8, 20, 87.3, 29.0,
           (G(-68, -100, -39), _CUFF_FRONT, H(22, -10, 2))),
    Muscle("TMIN", "teres minor", 354.3, 24, 74.1, 31.4,
           (G(-76, -125, -69), _CUFF_BACK, H(-12, -24, -8))),
    Muscle("TMAJ", "teres major", 425.4, 16, 162.4, 21.5,
           (G(-123, -95, -142), _SHAFT_INNER, H(10, 7, -56))),
    Muscle("PECM1", "pectoralis major, clavicle", 364.4, 17, 144.2, 2.1,
           (T(18, -65, 6), _SHAFT_FRONT, H(12, -6, -62))),
    Muscle("PECM2", "pectoralis major, sternum", 515.4, 26, 138.5, 44.3,
           (T(30, -22, -75), _SHAFT_FRONT, H(12, -6, -52))),
    Muscle("PECM3", "pectoralis major, ribs", 390.5, 25, 138.5, 55.7,
           (T(45, -50, -150), _SHAFT_FRONT, H(12, -6, -44))),
    Muscle("LAT1", "latissimus dorsi, chest", 389.1, 25, 254.0, 22.8,
           (T(-115, -10, -170), T(-113, -115, -132), _SHAFT_INNER, H(11, 6, -34))),
    Muscle("LAT2", "latissimus dorsi, loins", 389.1, 19, 232.0, 110.1,
           (T(-110, -20, -290), T(-108, -118, -157), _SHAFT_INNER, H(11, 6, -40))),
    Muscle("LAT3", "latissimus dorsi, pelvis", 281.7, 21, 279.0, 141.0,
           (T(-85, -60, -390), T(-123, -120, -192), _SHAFT_INNER, H(11, 6, -46))),
    Muscle("CORB", "coracobrachialis", 242.5, 27, 93.2, 62.9,
           (G(4, -140, -12), H(7, 10, -150))),
)  # fmt: skip

ELBOW = (
    Muscle("BIClong", "biceps, long head", 624.3, 0, 115.7, 239.2,
           (G(-24, -162, 18.5), Around("head_biceps"), H(23.5, -8, 6), H(15, -3, -28.3),
            H(10.7, 1.7, -77.4), H(17, -0.2, -121.3), H(29, 6.3, -175.4), *_BICEPS_LOW)),
    Muscle("BICshort", "biceps, short head", 435.6, 0, 132.1, 184.6,
           (G(4, -140, -12), H(11.2, 11, -75.8), H(17, 10.8, -121.3), H(29, 6.3, -175.4),
            *_BICEPS_LOW)),
    Muscle("BRA", "brachialis", 987.3, 0, 85.8, 51.4,
           (H(6.8, 3.6, -173.9), _ELBOW_FRONT, U(-3.2, -0.9, -23.9))),
    Muscle("BRD", "brachioradialis", 261.3, 0, 172.6, 97.9,
           (H(4, -10, -200), U(18, -22, -95), R(26, -14, -235))),
    Muscle("TRIlong", "triceps, long head", 798.5, 12, 134.0, 161.6,
           (G(-54.1, -147.2, -13.7), H(-27.1, 6.6, -114.4), *_TRICEPS_LOW)),
    Muscle("TRIlat", "triceps, lateral head", 624.3, 9, 113.8, 97.0,
           (H(-6, -4.3, -126.5), H(-23.4, -9.3, -145.3), *_TRICEPS_LOW)),
    Muscle("TRImed", "triceps, medial head", 624.3, 9, 113.8, 88.1,
           (H(-8.4, 9.1, -137), H(-26, 10.8, -151.4), *_TRICEPS_LOW)),
    Muscle("SUP", "supinator", 476.0, 0, 33.0, 19.6,
           (U(-13.7, -6.4, -22), Around("radius_supinator", "radius_back"), R(7, -21.6, -60))),
    Muscle("PT", "pronator teres", 566.2, 10, 49.2, 65.9,
           (H(6, 40, -276), Around("radius_teres", "radius_front"), R(8.7, -21.7, -100))),
    Muscle("PQ", "pronator quadratus", 75.5, 10, 28.3, 1.2,
           (U(-14.7, 14.1, -205), Around("radius_quadratus", "radius_volar"), R(7, -6.2, -215))),
)  # fmt: skip

WRIST = (
    Muscle("ECRL", "extensor carpi radialis longus", 304.9, 0, 81.0, 194.6,
           (H(2, -16, -261), R(27, -18, -238), _WRIST_DORSAL, N(17, -10, -14))),
    Muscle("ECRB", "extensor carpi radialis brevis", 100.5, 9, 58.5, 207.7,
           (_OUTER, R(19, -21.5, -238), _WRIST_DORSAL, N(9, -13.5, -14))),
    Muscle("ECU", "extensor carpi ulnaris", 93.2, 4, 62.2, 210.2,
           (H(0, -28, -288), U(-10, -12, -100), R(-10, -17.5, -238), _WRIST_DORSAL,
            N(-20, -9.5, -14))),
    Muscle("EDC", "extensor digitorum", 270.0, 3, 70.0, 195.2,
           (_OUTER, R(9, -22, -238), _WRIST_DORSAL, N(-1, -14, -14))),
    Muscle("FCR", "flexor carpi radialis", 74.0, 3, 62.8, 205.3,
           (_INNER, R(18, 7, -238), _WRIST_VOLAR, N(8, 15, -14))),
    Muscle("FCU", "flexor carpi ulnaris", 128.9, 12, 50.9, 217.5,
           (_INNER, U(-12, 12, -100), R(-7, 7, -238), _WRIST_VOLAR, N(-17, 15, -14))),
    Muscle("PL", "palmaris longus", 26.7, 4, 63.8, 203.5,
           (_INNER, R(11, 9, -238), _WRIST_VOLAR, N(1, 17, -14))),
    Muscle("APL", "abductor pollicis longus, extensor pollicis brevis", 105.0, 8, 71.0, 79.0,
           (U(-4, -12, -120), R(31, 1.5, -238), _WRIST_VOLAR, N(21, 9.5, -14))),
    Muscle("FDP", "flexor digitorum profundus", 819.0, 7, 78.0, 105.2,
           (U(-6, 10, -80), R(6, 4, -238), _WRIST_VOLAR, N(-4, 12, -14))),
    Muscle("FDS", "flexor digitorum superficialis", 668.0, 6, 75.0, 192.5,
           (_INNER, R(8, 5, -238), _WRIST_VOLAR, N(-2, 13, -14))),
)  # fmt: skip

MUSCLES = SHOULDER + ELBOW + WRIST
