"""What each muscle of the arm is for: the movements that its moment arm must keep causing.

Other moment arms change sign with the pose, as those of deltoid, rotator cuff and pectoralis do in
people.
"""

from __future__ import annotations

from vastus.bodies.joints import ARM_HINGES

# Movements by the words of the joint table; a word that two joints share is told by the joint.
ACTIONS: dict[str, tuple[str, ...]] = {
    "DELT1": ("shoulder flexion",),
    "DELT2": ("abduction",),
    "DELT3": ("shoulder extension",),
    "SUPSP": ("abduction",),
    "INFSP": ("external rotation",),
    "TMIN": ("external rotation",),
    "SUBSC": ("internal rotation",),
    "TMAJ": ("shoulder extension", "adduction", "internal rotation"),
    "PECM1": ("shoulder flexion", "internal rotation"),
    "PECM2": ("adduction", "internal rotation"),
    "PECM3": ("adduction", "internal rotation"),
    "LAT1": ("shoulder extension", "internal rotation"),
    "LAT2": ("shoulder extension", "internal rotation"),
    "LAT3": ("shoulder extension", "internal rotation"),
    "CORB": ("adduction",),
    "BIClong": ("elbow flexion", "supination"),
    "BICshort": ("elbow flexion", "supination", "adduction"),
    "BRA": ("elbow flexion",),
    "BRD": ("elbow flexion",),
    "TRIlong": ("elbow extension", "shoulder extension"),
    "TRIlat": ("elbow extension",),
    "TRImed": ("elbow extension",),
    "SUP": ("supination",),
    "PT": ("pronation", "elbow flexion"),
    "PQ": ("pronation",),
    "ECRL": ("wrist extension", "radial deviation"),
    "ECRB": ("wrist extension", "radial deviation"),
    "ECU": ("wrist extension", "ulnar deviation"),
    "EDC": ("wrist extension",),
    "FCR": ("palmar flexion", "radial deviation"),
    "FCU": ("palmar flexion", "ulnar deviation"),
    "PL": ("palmar flexion",),
    "APL": ("palmar flexion", "radial deviation"),
    "FDP": ("palmar flexion",),
    "FDS": ("palmar flexion",),
}


def movements() -> dict[str, tuple[str, float]]:
    """The joint and the sign of its angle for each movement, by name."""
    found = {}
    for hinge in ARM_HINGES:
        for word, sign in ((hinge.positive, 1.0), (hinge.negative, -1.0)):
            shared = word in ("flexion", "extension")
            found[f"{hinge.name.split('_')[0]} {word}" if shared else word] = (hinge.name, sign)
    return found


def primary_arms(prefix: str = "r_") -> dict[tuple[str, str], float]:
    """(unit, joint) -> the sign of the moment arm, for the arm whose names begin so."""
    joints = movements()
    return {
        (prefix + muscle, prefix + joints[word][0]): joints[word][1]
        for muscle, words in ACTIONS.items()
        for word in words
    }


def used_box(prefix: str = "r_") -> dict[str, tuple[float, float]]:
    """The range of each joint of an arm [rad] in which moment arms and stretches are judged."""
    return {prefix + hinge.name: hinge.used for hinge in ARM_HINGES}
