"""Bones of a folder of surfaces, found by the names of their files.

A file is named after its bone, words joined by `_`, with or without an identifier before it, such
as `FMA7987_left_first_rib.obj`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from vastus.errors import FileError
from vastus.files.meshes import read_surface
from vastus.geometry.surface import Surface
from vastus.modelling.trunk.landmarks import SIDES, Side, sign

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
            "tenth", "eleventh", "twelfth")  # fmt: skip
_WORDS: dict[Side, str] = {"L": "left", "R": "right"}
_REGIONS = {"C": "cervical", "T": "thoracic", "L": "lumbar"}
_SUFFIXES = (".obj", ".stl", ".ply")
_SKULL = ("frontal_bone", "occipital_bone", "sphenoid_bone", "ethmoid", "vomer")
_SKULL_SIDES = ("temporal_bone", "parietal_bone", "zygomatic_bone", "lacrimal_bone", "nasal_bone",
                "maxilla", "palatine_bone", "inferior_nasal_concha")  # fmt: skip
_CARPALS = ("scaphoid", "lunate", "triquetral", "pisiform", "trapezium", "trapezoid", "capitate",
            "hamate")  # fmt: skip
_FINGERS = ("index", "middle", "ring", "little")


class BoneFiles:
    """The surfaces of a folder and the folders in it, read when they are asked for.

    `unit` [m] is that of the files' coordinates.
    """

    def __init__(self, folder: Path, unit: float) -> None:
        if not folder.is_dir():
            raise FileError(f"{folder} is not a folder of surfaces")
        self.folder, self.unit = folder, unit
        found = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _SUFFIXES)
        self._paths = {re.sub(r"^[A-Z]+\d+_", "", path.stem): path for path in found}

    def read(self, *names: str) -> Surface:
        """The surfaces of some files as one [m]."""
        surfaces = [self._one(name) for name in names]
        starts = np.cumsum([0, *(surface.n_vertices for surface in surfaces)])
        X = np.concatenate([surface.X for surface in surfaces])
        faces = [s.faces + start for s, start in zip(surfaces, starts, strict=False)]
        return Surface(self.unit * X, np.concatenate(faces))

    def _one(self, name: str) -> Surface:
        if name not in self._paths:
            raise FileError(
                f"{self.folder} has no surface of {name.replace('_', ' ')}: it must have"
                f" {name}.obj, .stl or .ply"
            )
        return read_surface(self._paths[name])


def bone_names() -> dict[str, tuple[str, ...]]:
    """The files that make each bone of the skeleton."""
    names: dict[str, tuple[str, ...]] = {
        "sacrum": ("sacrum",), "mandible": ("mandible",), "hyoid": ("hyoid_bone",),
        "thyroid": ("thyroid_cartilage",),
        "sternum": ("manubrium", "body_of_sternum", "xiphoid_process"),
        "skull": (*_SKULL, *(f"{word}_{bone}" for bone in _SKULL_SIDES for word in _WORDS.values())),
    }  # fmt: skip
    for letter, count in (("C", 7), ("T", 12), ("L", 5)):
        for k in range(1, count + 1):
            names[f"{letter}{k}"] = (_vertebra(letter, k),)
            if (letter, k) != ("C", 1):
                names[f"disc{letter}{k}"] = (f"intervertebral_disk_of_{_vertebra(letter, k)}",)
    for side in SIDES:
        names |= {bone + side: files for bone, files in _sided(_WORDS[side])}
    return names


def _vertebra(letter: str, number: int) -> str:
    if letter == "C" and number < 3:
        return ("atlas", "axis")[number - 1]
    return f"{ORDINALS[number - 1]}_{_REGIONS[letter]}_vertebra"


def _sided(word: str) -> Iterable[tuple[str, tuple[str, ...]]]:
    for k, ordinal in enumerate(ORDINALS, 1):
        yield f"rib{k}", (f"{word}_{ordinal}_rib",)
    for k, ordinal in enumerate(ORDINALS[:7], 1):
        yield f"cart{k}", (f"{word}_{ordinal}_costal_cartilage",)
    yield "cart8", (f"{word}_costal_cartilage",)
    yield "hip", (f"{word}_hip_bone",)
    for bone in ("clavicle", "scapula", "humerus", "ulna", "radius"):
        yield bone, (f"{word}_{bone}",)
    hand = [f"{word}_{bone}" for bone in _CARPALS]
    hand += [f"{word}_{ordinal}_metacarpal_bone" for ordinal in ORDINALS[:5]]
    hand += [f"{row}_phalanx_of_{word}_thumb" for row in ("proximal", "distal")]
    rows = ("proximal", "middle", "distal")
    hand += [f"{row}_phalanx_of_{word}_{finger}_finger" for finger in _FINGERS for row in rows]
    yield "hand", tuple(hand)


def read_bones(files: BoneFiles) -> dict[str, Surface]:
    """All bones [m]; of a cartilage the largest piece on its own side."""
    bones = {}
    for name, parts in bone_names().items():
        surface = files.read(*parts)
        if name.startswith("cart"):
            surface = _own_piece(surface, "L" if name.endswith("L") else "R")
        bones[name] = surface
    return bones


def _own_piece(surface: Surface, side: Side) -> Surface:
    """The largest piece of a surface, without faces of the other side."""
    n = surface.n_vertices
    ones = np.ones(len(surface.edges))
    links = sparse.coo_array((ones, tuple(surface.edges.T)), shape=(n, n))
    _, piece = connected_components(links, directed=False)
    largest = np.argmax(np.bincount(piece[surface.faces[:, 0]]))
    middle = surface.X[surface.faces].mean(axis=1)
    kept = surface.faces[(piece[surface.faces[:, 0]] == largest) & (sign(side) * middle[:, 0] > 0)]
    used, faces = np.unique(kept, return_inverse=True)
    return Surface(surface.X[used], faces.reshape(-1, 3))
