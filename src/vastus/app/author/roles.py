"""What a surface file may be, by the words of anatomy in its name: its part, tissue and muscle."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from vastus.app.author.names import Names, tendon_name
from vastus.app.author.renaming import LONGEST
from vastus.parts import Tissue

_TENDON = "tendon tendons tendo tendinis aponeurosis sinew"
_PASSIVE = """
    adipose artery band brain bursa capsule cartilage cartilago disc disk fascia fat gland labrum
    ligament ligaments ligamentum liver lung membrane meniscus nerve retinaculum septum skin cutis
    tract vein vessel organ
"""
_MUSCLE = """
    abductor adductor anconeus biceps brachialis brachioradialis buccinator coracobrachialis
    corrugator cremaster deltoid deltoideus depressor diaphragm digastric erector extensor
    fibularis flexor frontalis gastrocnemius gemellus genioglossus gluteal gluteus gracilis
    hamstring hamstrings iliacus iliocostalis iliopsoas infraspinatus intercostal intercostales
    interossei interosseous interosseus latissimus levator longissimus longus lumbrical lumbricals
    masseter mentalis multifidus muscle muscles musculus mylohyoid nasalis oblique obliquus
    obturator occipitalis omohyoid opponens orbicularis palmaris pectineus pectoral pectoralis
    peroneus piriformis plantaris platysma popliteus pronator psoas pterygoid quadratus quadriceps
    rectus rhomboid rhomboideus rhomboids risorius rotatores sartorius scalene scalenus
    semimembranosus semispinalis semitendinosus serratus soleus spinalis splenius
    sternocleidomastoid sternohyoid sternothyroid stylohyoid subclavius subscapularis supinator
    supraspinatus temporalis tensor teres thyrohyoid tibialis transversus trapezius triceps vastus
    zygomaticus
"""
_BONE = """
    acetabulum atlas axis bone bones calcaneus capitate carpal carpals carpus clavicle clavicula
    coccyx costa costae cranium cuboid cuneiform ethmoid femora femur fibula fibulae hamate humeri
    humerus hyoid ilium innominate ischium lunate mandible mandibula manubrium maxilla metacarpal
    metacarpals metacarpus metatarsal metatarsals metatarsus navicular os ossa patella patellae
    pelvis phalange phalanges phalanx pisiform pubis radii radius rib ribs sacrum scaphoid scapula
    scapulae sesamoid skull spine sternum talus tarsal tarsals tarsus tibia tibiae tooth teeth
    trapezium trapezoid triquetral triquetrum ulna ulnae vertebra vertebrae vomer zygoma
"""

# The first of these that has a word of the name decides: a ligament of the femur is no bone.
WORDS: tuple[tuple[Tissue, frozenset[str]], ...] = (
    (Tissue.TENDON, frozenset(_TENDON.split())),
    (Tissue.PASSIVE, frozenset(_PASSIVE.split())),
    (Tissue.MUSCLE, frozenset(_MUSCLE.split())),
    (Tissue.BONE, frozenset(_BONE.split())),
)
_TENDON_WORDS = {*WORDS[0][1], "of", "the", "left", "right", "head", "common"}
# Numbers of ontologies and databases in front of a name.
_NUMBER = re.compile(r"(?:(?:FMA|FJ|BP|TA|UBERON)[ :]?\d+|\d{3,})(?:M)?\s+", re.IGNORECASE)
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_COPY = re.compile(r"\s*\(\d+\)$")
_LETTERS = re.compile(r"[^\W\d_]+")


class Confidence(StrEnum):
    """How sure a guess is."""

    NAMED = "named"  # a word of anatomy says it
    ASSUMED = "assumed"  # nothing says otherwise


@dataclass(frozen=True)
class Role:
    """A part that a file may become, how sure its tissue is, and why."""

    name: str
    tissue: Tissue
    confidence: Confidence
    why: str
    muscle: str | None = None  # that a tendon belongs to
    named_tendon: bool = False  # whether its name says tendon, even if its muscle is not there


def role_of(file: str, names: Names) -> Role:
    """The likely role of a file in a scene that has these names."""
    called = tidy_name(file)
    tissue, word = _tissue(called)
    name = _unique(called, tissue or Tissue.MUSCLE, names)
    if tissue is None:
        return Role(name, Tissue.MUSCLE, Confidence.ASSUMED, "no word of its name says what it is")
    why = f"its name has the word '{word}'"
    if tissue is not Tissue.TENDON:
        return Role(name, tissue, Confidence.NAMED, why)
    muscle = likely_muscle(called, names)
    if muscle is None:
        why += ", but to which muscle it belongs is not known"
        return Role(name, Tissue.PASSIVE, Confidence.ASSUMED, why, named_tendon=True)
    return Role(name, tissue, Confidence.NAMED, why, muscle, named_tendon=True)


def tidy_name(file: str) -> str:
    """A name for the part in a file, without suffix, numbers in front and underscores."""
    stem = _COPY.sub("", PurePath(file.replace("\\", "/")).stem)
    spaced = " ".join(_HUMPS.sub(" ", stem).replace("_", " ").split())
    short = _NUMBER.sub("", spaced, count=1) if _NUMBER.match(spaced) else spaced
    lowered = short.lower() if _HUMPS.search(stem) else short
    return lowered.strip(" -.")[:LONGEST].strip() or "part"


def likely_muscle(name: str, names: Names) -> str | None:
    """The muscle whose name shares most words with a tendon's; None if no other does."""
    own = set(_words(name)) - _TENDON_WORDS
    shared = {muscle: len(own & set(_words(muscle))) for muscle in names.muscles}
    best = max(shared.values(), default=0)
    likeliest = [muscle for muscle, count in shared.items() if count == best]
    return likeliest[0] if best and len(likeliest) == 1 else None


def _tissue(name: str) -> tuple[Tissue | None, str]:
    """The tissue that a name tells, and the word that tells it."""
    words = _words(name)
    for tissue, known in WORDS:
        found = next((word for word in words if word in known), None)
        if found is not None:
            return tissue, found
    return None, ""


def _words(name: str) -> list[str]:
    return [word.lower() for word in _LETTERS.findall(name)]


def _unique(name: str, tissue: Tissue, names: Names) -> str:
    """The name, with a number if something has it already."""
    taken = {*names.regions, *names.bones, *names.muscles}

    def is_free(candidate: str) -> bool:
        thin = tissue is Tissue.MUSCLE and tendon_name(candidate) in taken
        return candidate not in taken and not thin

    numbered = (f"{name} {number}" for number in range(2, 10_000))
    return next(free for free in (name, *numbered) if is_free(free))
