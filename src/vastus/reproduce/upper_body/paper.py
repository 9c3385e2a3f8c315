"""What the paper gives: counts, its table of muscles, moduli, steps, sizes of meshes and times.

S.-H. Lee, E. Sifakis and D. Terzopoulos, Comprehensive biomechanical modeling and simulation of the
upper body, ACM Transactions on Graphics 28 (4), 2009.
"""

from __future__ import annotations

# Section 3.1, Fig. 2: bodies, degrees of freedom, and those of head, neck and trunk.
BODIES, DOFS, TRUNK_DOFS = 68, 147, 133
# Table 1: lines by region and muscle; of head, neck and trunk both sides, of the arm one.
TABLE1 = {
    "neck": {
        "iliocostalis thoracis": 2, "interspinalis": 12, "intertransversi": 28, "rotatores": 10,
        "semispinalis thoracis": 4, "trapezius": 4, "masseter": 2, "iliocostalis cervicis": 10,
        "longissimus capitis": 16, "longissimus cervicis": 10, "semispinalis cervicis": 12,
        "splenius capitis": 10, "semispinalis capitis": 18, "longus capitis": 8, "geniohyoid": 2,
        "longus colli": 14, "obliquus capitis": 4, "omohyoid": 2, "rectus capitis posterior": 4,
        "rectus capitis anterior": 2, "scalenes": 50, "sternocleidomastoid": 4, "sternohyoid": 2,
        "sternothyroid": 2, "stylohyoid": 2, "rectus capitis lateralis": 2,
        "levator scapulae": 16, "multifidus": 36, "mylohyoid": 2, "splenius cervicis": 8,
        "rhomboid minor": 2,
    },
    "trunk": {
        "obliques": 22, "rectus abdominis": 6, "iliocostalis lumborum": 24,
        "iliocostalis thoracis": 18, "interspinalis": 14, "intertransversi": 34,
        "multifidus": 116, "rotatores": 30, "semispinalis thoracis": 8, "spinalis thoracis": 16,
        "trapezius": 10, "external intercostal": 20, "pectoralis minor": 6,
        "serratus anterior": 16, "rhomboid major": 2, "quadratus lumborum": 10, "subclavius": 2,
        "iliocostalis cervicis": 2, "longissimus thoracis": 48,
        "serratus posterior inferior": 8, "internal intercostal": 20,
    },
    "arm": {
        "pectoralis major": 6, "latissimus dorsi": 7, "biceps brachii": 2, "brachioradialis": 1,
        "brachialis": 1, "coracobrachialis": 1, "triceps brachii": 3, "infraspinatus": 1,
        "deltoid": 3, "supraspinatus": 1, "teres major": 1, "extensor carpi radialis brevis": 1,
        "extensor carpi radialis longus": 1, "extensor carpi ulnaris": 1, "supinator": 1,
        "flexor carpi ulnaris": 1, "flexor digitorum superficialis": 4, "palmaris longus": 1,
        "pronator quadratus": 1, "pronator teres": 2, "extensor pollicis longus": 1,
    },
}  # fmt: skip
LINES, LINES_OF = 814, {"neck": 300, "trunk": 432, "arm": 41}
# Section 3.2: via points of superficial muscles; fixations on one of so many vertebrae; the step.
VIA_POINTS, FIXED_EVERY, STEP = (2, 4), (2, 3), 0.007  # [s]
# Section 3.3.1, Figs. 7 and 8: triangles of the skin; the longest over the shortest side of one.
SKIN_TRIANGLES, RAW_ASPECT, ASPECT = 302_000, 60.0, 3.8
# Section 3.3.2, Figs. 9 and 10: spacing [m], tets of the lattice and after two coarsenings.
SPACING, FINE_TETS, TETS = 0.007, 3_800_000, 354_000
# Section 3.3.3, Fig. 11: random points in a tet.
POINTS = (1_000, 10_000)
# Section 3.3.4: seconds of a frame of flesh on one core.
FRAME_SECONDS = (60.0, 240.0)
# Section 5.1, Fig. 17: changes of areas and via points, tests, poses, and what is then small.
AREA_CHANGE, VIA_CHANGE, TESTS, POSES = 0.05, 0.03, 10, 6
SMALL, SMALL_SHARE = 0.03, 0.9
