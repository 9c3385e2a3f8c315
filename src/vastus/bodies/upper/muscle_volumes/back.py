"""Muscles of the back and the shoulder blade, left side [mm]."""

from __future__ import annotations

from vastus.bodies.upper.muscle_volumes.solids import Follows, MuscleSolid, column, fan

# Half-width to the side, half-width to the back, from the pelvis up.
_SPINALIS = [
    (7, -40, 1005, 4, 4), (7, -27, 1070, 4.5, 5), (7, -13, 1130, 4.5, 5), (7, -7, 1200, 4.5, 5),
    (7, -5, 1260, 4, 4), (7, -7, 1310, 3.5, 3.5), (6, -14, 1345, 3, 3),
]  # fmt: skip
_LONGISSIMUS = [
    (29, -22, 920, 10, 8), (27, -24, 955, 15, 14), (27, -27, 1000, 18, 18),
    (28, -25, 1040, 18, 18), (29, -18, 1090, 18, 15), (28, -10, 1140, 17, 12),
    (26, -5, 1190, 15, 10), (24, -4, 1240, 13, 9), (23, -8, 1290, 12, 8), (25, -18, 1330, 10, 7),
    (28, -34, 1365, 8, 6), (30, -52, 1390, 6, 5),
]  # fmt: skip
_ILIOCOSTALIS = [
    (50, -24, 945, 10, 8), (54, -30, 975, 15, 12), (58, -34, 1010, 18, 14), (60, -31, 1050, 17, 13),
    (62, -20, 1090, 16, 10), (66, -8, 1140, 15, 8), (69, -1, 1190, 12, 7), (70, 1, 1235, 10, 6),
    (68, -3, 1275, 9, 5), (62, -13, 1310, 8, 5), (54, -30, 1345, 7, 4.5), (45, -48, 1372, 6, 4),
]  # fmt: skip

# Fibres from the spine to the shoulder girdle.
_TRAPEZIUS_UPPER = [
    [(7, -6, 1516), (31, -30, 1468), (47, -46, 1425), (66, -56, 1392), (103, -74, 1366)],
    [(3, -30, 1445), (31, -26, 1425), (58, -34, 1402), (92, -48, 1380), (130, -60, 1368)],
    [(3, -20, 1405), (34, -14, 1398), (68, -20, 1388), (108, -36, 1374), (158, -52, 1365)],
]
_TRAPEZIUS_MIDDLE = [
    [(3, -18, 1400), (36, -10, 1394), (72, -14, 1382), (112, -30, 1368), (156, -44, 1363)],
    [(3, -8, 1378), (38, 3, 1372), (74, 2, 1364), (110, -14, 1354), (146, -28, 1357)],
    [(3, 3, 1345), (34, 11, 1345), (64, 12, 1342), (96, 6, 1338), (126, -6, 1344)],
    [(3, 8, 1315), (30, 14, 1318), (56, 16, 1320), (82, 14, 1322), (106, 5, 1330)],
]
_TRAPEZIUS_LOWER = [
    [(3, 8, 1310), (30, 14, 1314), (52, 16, 1317), (72, 15, 1319), (92, 11, 1322)],
    [(3, 8, 1262), (20, 15, 1274), (36, 18, 1286), (54, 18, 1300), (74, 13, 1312)],
    [(3, 4, 1180), (13, 13, 1205), (26, 18, 1240), (44, 18, 1276), (66, 12, 1306)],
    [(3, -12, 1085), (9, 2, 1128), (20, 14, 1185), (38, 18, 1250), (62, 11, 1300)],
]

_RHOMBOID_MINOR = [
    [(3, -14, 1382), (24, -6, 1364), (44, -4, 1342), (60, -4, 1318)],
    [(3, -8, 1365), (24, -1, 1346), (44, 1, 1324), (60, 1, 1302)],
]
_RHOMBOID_MAJOR = [
    [(3, -7, 1360), (24, 0, 1342), (44, 3, 1318), (60, 3, 1296)],
    [(3, 2, 1320), (24, 6, 1300), (44, 8, 1274), (63, 8, 1250)],
    [(3, 3, 1280), (24, 8, 1262), (46, 10, 1240), (74, 11, 1216)],
]

# Fibres from the spine, the fascia of the loins, the crest and the ribs to the humerus.
_LATISSIMUS = [
    [(3, 3, 1212), (50, 17, 1218), (90, 17, 1222),
     (126, -4, 1232), (152, -42, 1250), (183, -82, 1272)],
    [(3, -3, 1175), (50, 14, 1186), (93, 12, 1196),
     (130, -12, 1212), (153, -50, 1240), (183, -84, 1268)],
    [(3, -10, 1135), (48, 10, 1150), (94, 4, 1166),
     (131, -22, 1188), (153, -57, 1228), (183, -86, 1264)],
    [(3, -20, 1085), (46, 2, 1106), (92, -8, 1130),
     (130, -34, 1160), (152, -63, 1214), (182, -87, 1260)],
    [(6, -28, 1035), (48, -9, 1056), (90, -24, 1084),
     (129, -46, 1126), (151, -68, 1200), (181, -88, 1256)],
    [(20, -13, 985), (62, -16, 1010), (95, -40, 1042),
     (129, -58, 1092), (148, -74, 1184), (180, -88, 1252)],
    [(74, -30, 962), (92, -42, 985), (112, -60, 1022),
     (131, -74, 1076), (146, -82, 1170), (179, -88, 1248)],
]  # fmt: skip
_LATISSIMUS_HALF = [1.8, 2.8, 3.8, 5.8, 7.0, 3.8]

# On the blade, from its inner border to the head of the humerus.
_INFRASPINATUS = [
    [(66, 8, 1298), (95, -1, 1301), (130, -21, 1318), (160, -31, 1331), (183, -48, 1331)],
    [(67, 14, 1272), (93, 6, 1278), (127, -12, 1298), (158, -27, 1318), (184, -48, 1326)],
    [(74, 16, 1242), (96, 8, 1252), (125, -10, 1276), (156, -27, 1305), (184, -46, 1320)],
    [(86, 14, 1220), (102, 2, 1236), (127, -18, 1264), (156, -31, 1293), (182, -46, 1312)],
]
_TERES_MAJOR = [
    (90, 8, 1216, 6), (102, 0, 1222, 11), (122, -16, 1234, 14), (148, -42, 1248, 13),
    (170, -70, 1258, 8), (184, -82, 1264, 4),
]  # fmt: skip
_SUPRASPINATUS = [
    (70, -12, 1337, 9, 7), (88, -22, 1341, 15, 14), (110, -38, 1347, 15, 14),
    (136, -53, 1351, 11, 8), (160, -62, 1353, 6, 3.5), (176, -66, 1345, 4, 3),
]  # fmt: skip


def back_muscles() -> list[MuscleSolid]:
    """Erector spinae as columns, the muscles of the shoulder blade, and the flat ones over them."""
    return [
        column("spinalis_thoracis", _SPINALIS, Follows("spinalis_thoracis"), layer=1),
        column("longissimus_thoracis", _LONGISSIMUS, Follows("longissimus_thoracis"), layer=2),
        column("iliocostalis", _ILIOCOSTALIS, Follows("iliocostalis_lumborum"),
               Follows("iliocostalis_thoracis"), layer=2),
        fan("trapezius_upper", _TRAPEZIUS_UPPER, [3, 6, 9, 9.5, 7],
            Follows("trapezius", "neck"), layer=5),
        fan("trapezius_middle", _TRAPEZIUS_MIDDLE, [3, 5, 6.5, 7.5, 6],
            Follows("trapezius", "trunk", (2, 3, 4)), layer=5),
        fan("trapezius_lower", _TRAPEZIUS_LOWER, [2.5, 4, 5, 5, 3.5],
            Follows("trapezius", "trunk", (5, 6)), layer=5),
        fan("rhomboid_minor", _RHOMBOID_MINOR, [2.5, 4, 4, 3], Follows("rhomboid_minor"), layer=4),
        fan("rhomboid_major", _RHOMBOID_MAJOR, [2.5, 4, 4.5, 3.5], Follows("rhomboid_major"),
            layer=4),
        fan("latissimus_dorsi", _LATISSIMUS, _LATISSIMUS_HALF, Follows("latissimus_dorsi"),
            layer=4),
        fan("infraspinatus", _INFRASPINATUS, [4, 9.5, 11, 8, 4], Follows("infraspinatus"),
            layer=2),
        column("teres_major", _TERES_MAJOR, Follows("teres_major"), layer=2),
        column("supraspinatus", _SUPRASPINATUS, Follows("supraspinatus"), side=(0, 1, 0), layer=2),
    ]  # fmt: skip
