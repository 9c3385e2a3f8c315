"""Words of anatomy that tell what a surface is, in English and in Latin."""

from __future__ import annotations

from vastus.model import Tissue

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
